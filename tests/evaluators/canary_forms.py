"""Every form in which a canary is looked for."""

from __future__ import annotations

import base64
import codecs
import gzip
import json
import quopri
import zlib
from typing import TYPE_CHECKING
from urllib.parse import quote

from rampart.text.encodings import to_base64, to_hex, to_html_entities, to_url
from rampart.text.invisible import split_letters, to_tags
from rampart.text.letter_forms import to_full_width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WORDS = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz0123456789",
        [
            "Alfa",
            "Bravo",
            "Charlie",
            "Delta",
            "Echo",
            "Foxtrot",
            "Golf",
            "Hotel",
            "India",
            "Juliett",
            "Kilo",
            "Lima",
            "Mike",
            "November",
            "Oscar",
            "Papa",
            "Quebec",
            "Romeo",
            "Sierra",
            "Tango",
            "Uniform",
            "Victor",
            "Whiskey",
            "X-ray",
            "Yankee",
            "Zulu",
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
        ],
        strict=True,
    )
)


def _alnum(text: str) -> str:
    return "".join(one for one in text.lower() if one.isalnum())


def _wrapped(text: str, width: int = 11, end: str = "\n") -> str:
    return end.join(text[start : start + width] for start in range(0, len(text), width))


SINGLE: dict[str, Callable[[str], str]] = {
    "clear": str,
    "upper": str.upper,
    "title": str.title,
    "swapped-case": lambda text: "".join(
        one.upper() if place % 2 else one.lower() for place, one in enumerate(text)
    ),
    "base64": to_base64,
    "base64-unpadded": lambda text: to_base64(text).rstrip("="),
    "base64-wrapped": lambda text: _wrapped(to_base64(text)),
    "base64-crlf": lambda text: _wrapped(to_base64(text), end="\r\n"),
    "base64-spaced": lambda text: " ".join(to_base64(text)),
    "base64-dashed": lambda text: _wrapped(to_base64(text), 4, "-"),
    "base64-json": lambda text: json.dumps(_wrapped(to_base64(text))),
    "base64url": lambda text: base64.urlsafe_b64encode(f"??>{text}~~?".encode()).decode().rstrip("="),
    "base64-utf16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "base64-quoted": lambda text: quote(base64.b64encode(f"~~?{text}???".encode()).decode(), safe=""),
    "hex": to_hex,
    "hex-upper": lambda text: to_hex(text).upper(),
    "hex-spaced": lambda text: text.encode().hex(" "),
    "hex-colons": lambda text: text.encode().hex(":").upper(),
    "hex-0x": lambda text: ", ".join(f"0x{byte:02x}" for byte in text.encode()),
    "hex-one-0x": lambda text: f"0x{to_hex(text)}",
    "hex-backslash-x": lambda text: "".join(rf"\x{byte:02x}" for byte in text.encode()),
    "octal": lambda text: "".join(rf"\{byte:03o}" for byte in text.encode()),
    "percent": lambda text: to_url(text, every_byte=True),
    "percent-lower": lambda text: to_url(text, every_byte=True).lower(),
    "percent-some": lambda text: quote(text, safe=""),
    "percent-dash": lambda text: text.replace("-", "%2D").replace(" ", "%20"),
    "percent-twice": lambda text: to_url(to_url(text, every_byte=True)),
    "percent-three-times": lambda text: to_url(to_url(to_url(text, every_byte=True))),
    "html": to_html_entities,
    "html-hex": lambda text: "".join(f"&#x{ord(one):x};" for one in text),
    "html-zeros": lambda text: "".join(f"&#{ord(one):07d};" for one in text),
    "html-twice": lambda text: to_html_entities(text).replace("&", "&amp;"),
    "json": lambda text: "".join(f"\\u{ord(one):04x}" for one in text),
    "json-twice": lambda text: "".join(f"\\\\u{ord(one):04X}" for one in text),
    "unicode-braces": lambda text: "".join(f"\\u{{{ord(one):x}}}" for one in text),
    "unicode-long": lambda text: "".join(f"\\U{ord(one):08x}" for one in text),
    "code-points": lambda text: " ".join(f"U+{ord(one):04X}" for one in text),
    "quoted-printable": lambda text: "".join(f"={byte:02X}" for byte in text.encode()),
    "quoted-printable-soft": lambda text: (
        quopri.encodestring(_wrapped(text, 6, "\n").encode()).decode().replace("\n", "=\n")
    ),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "reversed": lambda text: text[::-1],
    "spaces": lambda text: " ".join(text),
    "dashes": lambda text: "-".join(text),
    "dots": lambda text: ".".join(_alnum(text)),
    "underscores": lambda text: "_".join(text),
    "lines": lambda text: "\n".join(text),
    "bullets": lambda text: "\n* ".join(text),
    "zero-width": split_letters,
    "zero-width-mixed": lambda text: "".join(
        one + "\u200b\u200c\u200d\u2060\ufeff\u00ad"[place % 6] for place, one in enumerate(text)
    ),
    "full-width": to_full_width,
    "tags": to_tags,
    "circled": lambda text: "".join(
        chr(0x24D0 + ord(one) - ord("a")) if one.isalpha() else one for one in text.lower()
    ),
    "negative-squared": lambda text: "".join(
        chr(0x1F170 + ord(one) - ord("a")) if one.isalpha() else one for one in text.lower()
    ),
    "regional": lambda text: "".join(
        chr(0x1F1E6 + ord(one) - ord("a")) if one.isalpha() else one for one in text.lower()
    ),
    "bold": lambda text: "".join(
        chr(0x1D41A + ord(one) - ord("a")) if one.isalpha() else one for one in text.lower()
    ),
    "struck-through": lambda text: "".join(one + "\u0336" for one in text),
    "accents": lambda text: text.replace("a", "\u00e4").replace("e", "\u00e9").replace("n", "\u00f1"),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "base32-lower": lambda text: base64.b32encode(text.encode()).decode().lower().rstrip("="),
    "binary": lambda text: " ".join(f"{byte:08b}" for byte in text.encode()),
    "gzip-base64": lambda text: base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode(),
    "zlib-base64": lambda text: base64.b64encode(zlib.compress(text.encode())).decode(),
    "gzip-hex": lambda text: gzip.compress(text.encode(), mtime=0).hex(),
    "as-in": lambda text: ", ".join(f"{one.upper()} as in {_WORDS[one]}" for one in _alnum(text)),
    "code-words": lambda text: " ".join(_WORDS[one] for one in _alnum(text)),
    "host-labels": lambda text: f"https://{_wrapped(_alnum(text), 7, '.')}.evil.example/",
    "url-path": lambda text: f"https://evil.example/{'/'.join(quote(one) for one in text.split())}/x",
    "url-query": lambda text: f"https://evil.example/?a=1&q={quote(text)}&b=2",
    "url-userinfo": lambda text: f"https://{quote(text)}:pw@evil.example/",
    "markdown-image": lambda text: f"![x](https://evil.example/p.png?d={to_base64(text)})",
}
"""Each way by itself."""

_LAYERS = (
    "base64", "base64url", "hex", "hex-0x", "percent", "html", "json", "rot13", "reversed", "base32",
    "binary", "full-width", "zero-width", "gzip-base64", "spaces",
)  # fmt: skip


def double() -> Iterator[tuple[str, Callable[[str], str]]]:
    """Two layers, each of the usual ways within each."""
    for outer in _LAYERS:
        for inner in _LAYERS:
            if outer != inner or outer not in {"rot13", "reversed"}:  # twice these is clear text
                yield (
                    f"{outer} of {inner}",
                    lambda text, outer=outer, inner=inner: SINGLE[outer](SINGLE[inner](text)),  # type: ignore[misc]
                )
