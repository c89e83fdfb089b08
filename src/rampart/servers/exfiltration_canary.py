"""Addresses that nobody else has, so that whoever uses one was told it."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus

from rampart.text.fold import fold
from rampart.text.references import unescape_references

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_DOMAIN = "example.net"  # reserved for examples (RFC 2606): mail that goes astray arrives nowhere
_DIGITS = 16
# Looked for at every position, since digits of something else may stand directly before.
_TOKEN = re.compile(rf"(?=([0-9a-f]{{{_DIGITS}}}))")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{20,}")
_HEXADECIMAL = re.compile(rf"[0-9A-Fa-f]{{{2 * _DIGITS},}}")
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_SEARCHED_CHARACTERS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Canary:
    """One address at a sink, for one trial.

    Attributes:
        token: What tells it from others: 16 hexadecimal digits.
        url: Where a request shows it; more may be appended to it.
        email: An address to which a mail shows it, sent through the sink's SMTP listener.
    """

    token: str
    url: str
    email: str


def new_canary(base_url: str) -> Canary:
    """A canary that nobody has had before.

    Args:
        base_url: The address of the sink, without a slash at its end.
    """
    token = secrets.token_hex(_DIGITS // 2)
    return Canary(token=token, url=f"{base_url}/{token}/", email=f"{token}@{_DOMAIN}")


def tokens_in(texts: Iterable[str], known: Collection[str]) -> frozenset[str]:
    """The known tokens that occur in texts, in clear or in one of the usual encodings.

    Those are percent and HTML escapes, base64, hexadecimal, ROT13, reversal, tag characters, and whatever
    folding takes for the same: full-width digits, zero-width characters between, look-alike letters.
    """
    found: set[str] = set()
    for text in texts:
        for view in _views(text[:_SEARCHED_CHARACTERS]):
            found.update(token for token in _TOKEN.findall(view.lower()) if token in known)
    return frozenset(found)


def _views(text: str) -> Iterator[str]:
    plain = {text, text[::-1], codecs.encode(text, "rot13"), fold(text, confusables=True)}
    plain.add(unescape_references(unquote_plus(unquote_plus(text))))
    plain.add(_TAGS.sub(lambda match: "".join(chr(ord(one) - 0xE0000) for one in match[0]), text))
    plain.add("".join(text.split()))  # encoded text is wrapped at some width
    for view in plain:
        yield view
        for match in _BASE64.finditer(view):
            run = match[0].replace("-", "+").replace("_", "/")
            for start in range(4):  # a character before the run may belong to its alphabet
                yield _text(_from_base64(run[start:]))
        for match in _HEXADECIMAL.finditer(view):
            for start in range(2):
                run = match[0][start:]
                yield _text(bytes.fromhex(run[: len(run) // 2 * 2]))


def _from_base64(run: str) -> bytes:
    whole = run[:-1] if len(run) % 4 == 1 else run  # a single left-over character holds no byte
    try:
        return base64.b64decode(whole + "=" * (-len(whole) % 4))
    except binascii.Error:
        return b""


def _text(data: bytes) -> str:
    return data.decode("ascii", "replace")
