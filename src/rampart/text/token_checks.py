"""What tells a real credential from a string that only looks like one."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import re
import string
import zlib
from collections import Counter

_BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
_CHECKSUM = 6
_PLACEHOLDER = re.compile(
    r"example|placeholder|your[_-]?|changeme|dummy|redacted|secret[_-]?here|token[_-]?here|insert|replace[_-]?me"
    r"|fake|sample|x{5,}|\*{3,}|\.{3,}|(?P<same>[a-z0-9])(?P=same){6,}|0123456|1234567|abcdefg|deadbeef|<|\$\{|\{\{",
    re.IGNORECASE,
)
_COMMON_PASSWORDS = frozenset(("password", "passwd", "secret", "hunter2", "pass", "foobar", "letmein"))
_KNOWN_EXAMPLES = frozenset(("051d093c4bdedbf2",))
"""Beginnings of SHA-256: the signature of the example at jwt.io."""
_PEM_LINE = re.compile(r"[A-Za-z0-9+/=]{16,}")
_FEWEST_PEM_CHARACTERS = 64


def bits_per_character(text: str, /) -> float:
    """Shannon's entropy of the characters of `text`, by how often each occurs in it; 0 for an empty text."""
    length = len(text)
    return -sum(count / length * math.log2(count / length) for count in Counter(text).values())


def is_placeholder(secret: str, /) -> bool:
    """Whether a string stands for a credential in a text that explains: examples, masks, rows of digits."""
    if secret.lower() in _COMMON_PASSWORDS or _PLACEHOLDER.search(secret):
        return True
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()[:16] in _KNOWN_EXAMPLES


def base62_crc32(text: str, /) -> str:
    """The checksum at the end of tokens of GitHub and npm: CRC-32 in base 62, six digits.

    Source: "Behind GitHub's new authentication token formats" (github.blog, 2021-04-05).
    """
    number = zlib.crc32(text.encode("ascii"))
    digits = ""
    for _ in range(_CHECKSUM):
        number, digit = divmod(number, 62)
        digits = _BASE62[digit] + digits
    return digits


def has_crc32(secret: str, whole: str, /) -> bool:
    """Whether the last six characters are the checksum of those before."""
    del whole
    return base62_crc32(secret[:-_CHECKSUM]) == secret[-_CHECKSUM:]


def is_jwt(secret: str, whole: str, /) -> bool:
    """Whether header and claims are JSON objects and the header names an algorithm (RFC 7519, RFC 7515)."""
    del secret
    header, claims, _ = whole.split(".")
    try:
        read = [json.loads(_base64url(part)) for part in (header, claims)]
    except (ValueError, RecursionError):
        return False
    return all(isinstance(one, dict) for one in read) and isinstance(read[0].get("alg"), str)


def has_pem_body(secret: str, whole: str, /) -> bool:
    """Whether lines of Base64 follow, and no dots or words that only hint at them (RFC 7468)."""
    del whole
    return sum(map(len, _PEM_LINE.findall(secret.replace("\\n", "\n")))) >= _FEWEST_PEM_CHARACTERS


def is_discord(secret: str, whole: str, /) -> bool:
    """Whether the first part of a token is the number of a user in Base64, as Discord describes it."""
    del secret
    try:
        return _base64url(whole.partition(".")[0]).isdigit()
    except ValueError:
        return False


CHECKS = {"crc32": has_crc32, "jwt": is_jwt, "pem_body": has_pem_body, "discord": is_discord}


def _base64url(part: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except binascii.Error as error:
        msg = f"no Base64url: {error}"
        raise ValueError(msg) from error
