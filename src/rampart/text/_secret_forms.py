r"""The forms in which a secret shows up: escaped by `repr`, JSON or `quote`, and cut into lines."""

from __future__ import annotations

import re

_LINE_LENGTH = 16
"""The shortest line of a secret that is masked by itself; shorter ones may be ordinary words."""

_FRAME = re.compile(r"-----(?:BEGIN|END) [A-Z0-9 ]+-----")
"""The first and last line of a PEM file, which are the same for everybody."""

# Every other ASCII character is left alone by all encoders that are known: `repr`, `ascii`, JSON, and those
# that write JSON to be safe inside of HTML.
_EVER_ESCAPED = re.compile(r"""[^ !#$%()*,\-./0-9:;?@A-Z\[\]^_a-z{|}~]|/""")
_SHORT_ESCAPES = {
    "\a": "a",
    "\b": "b",
    "\t": "t",
    "\n": "n",
    "\v": "v",
    "\f": "f",
    "\r": "r",
}
# Whatever is escaped twice has more backslashes. Possessive, so that long runs of them are looked at once.
_BACKSLASHES = r"\\++"


def forms_by_lines(secret: str, /) -> set[str]:
    """What a secret of several lines becomes with other line breaks, or when its lines are taken apart.

    Only lines that are long enough to be told from other text stand by themselves.
    """
    lines = secret.splitlines()
    if len(lines) < 2:
        return set()
    apart = [line.strip() for line in lines]
    telling = {line for line in apart if len(line) >= _LINE_LENGTH and not _FRAME.fullmatch(line)}
    return {"\n".join(lines), "\r\n".join(lines), *telling}


def escaped_form(secret: str, /) -> re.Pattern[str] | None:
    """What finds a secret whose characters are escaped, any number of times over; None if none ever is.

    Finds it as it is too, and where a line break is of another kind.
    """
    if _EVER_ESCAPED.search(secret) is None:
        return None
    parts: list[str] = []
    after_backslash = False
    for piece in re.findall(r"\\+|\r\n|[\s\S]", secret):
        if piece[0] == "\\":
            # Takes the backslashes that belong to the next character along.
            parts.append(rf"\\{{{len(piece)},}}+")
            after_backslash = True
            continue
        parts.append(_piece(piece, lead="" if after_backslash else _BACKSLASHES))
        after_backslash = False
    pattern = "".join(parts)
    # Where a run of backslashes may come first, it is tried from its first one only.
    return re.compile(pattern if _is_plain(secret[0]) else r"(?<!\\)" + pattern)


def _is_plain(character: str) -> bool:
    return _EVER_ESCAPED.match(character) is None


def _piece(piece: str, *, lead: str) -> str:
    if piece in ("\r\n", "\n"):
        # Backslashes before the piece belong to its first character, so a line feed behind a carriage return
        # has its own.
        both = _character("\r", lead=lead) + _character("\n", lead=_BACKSLASHES)
        line_feed = _character("\n", lead=lead)
        return f"(?:{both}|{line_feed})"
    return re.escape(piece) if _is_plain(piece) else _character(piece, lead=lead)


def _character(character: str, *, lead: str) -> str:
    """A character as it is, or one of its escapes behind `lead`."""
    code = ord(character)
    escapes = [re.escape(character), f"(?i:u{code:04x})"]
    if character in _SHORT_ESCAPES:
        escapes.append(_SHORT_ESCAPES[character])
    if code < 0x100:
        escapes.append(f"(?i:x{code:02x})")
    if code > 0xFFFF:
        escapes[1] = f"(?i:U{code:08x})"
        escapes.append(_units(character.encode("utf-16-be"), size=2, mark="u"))
    if code > 0x7F:
        escapes.append(_units(character.encode("utf-8", "surrogatepass"), size=1, mark="x"))
    return f"(?:{re.escape(character)}|{lead}(?:{'|'.join(escapes)}))"


def _units(encoded: bytes, *, size: int, mark: str) -> str:
    """The bytes of an encoding, escaped in groups of `size`; the first one has its backslash already."""
    groups = [encoded[start : start + size].hex() for start in range(0, len(encoded), size)]
    return _BACKSLASHES.join(f"(?i:{mark}{group})" for group in groups)
