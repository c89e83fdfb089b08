"""The fenced blocks of a Markdown page, and what the documentation tests have to do with each.

A comment on the line above a fence says what is special about it:

    <!-- file: conftest.py -->    the block is written to that file instead of being run
    <!-- fails: some text -->     the run has to fail, and to print the text
    <!-- output -->               the lines occur in the output of the block before
    <!-- not run: reason -->      the block is left alone

Whatever looks as if it could be run and is not understood is refused, so that nothing is skipped in silence.
"""

import enum
import re
import textwrap
from dataclasses import dataclass
from pathlib import PurePosixPath

_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>.*?)[ \t]*")
_COMMENT = re.compile(r"[ \t]*<!--\s*(?P<name>[^:>]*?)\s*(?::\s*(?P<text>.*?)\s*)?-->[ \t]*")
_DIRECTIVE_LIKE = re.compile(r"<!--\s*(not[ -]?run|skip|file|fails|output)\b", re.IGNORECASE)
_TEST = re.compile(r"^[ \t]*(async[ \t]+)?def test_", re.MULTILINE)


class Kind(enum.Enum):
    """What is done with a block."""

    TESTS = "run by pytest"
    SCRIPT = "run as a script"
    COMMANDS = "run by a shell"
    SETTINGS = "parsed; the settings of pytest are tried"
    FILE = "written to a file"
    OUTPUT = "looked for in the output of the block before"
    NOT_RUN = "left alone, with a reason"
    SHOWN = "left alone, since it is text"


RUN = frozenset({Kind.TESTS, Kind.SCRIPT, Kind.COMMANDS})
_BY_LANGUAGE = {
    "python": Kind.SCRIPT,
    "bash": Kind.COMMANDS,
    "console": Kind.COMMANDS,
    "ini": Kind.SETTINGS,
    "toml": Kind.SETTINGS,
    "json": Kind.SETTINGS,
    "text": Kind.SHOWN,
}


class PageError(Exception):
    """A page that cannot be understood: where, and what to write instead."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced block.

    Attributes:
        line: Number of the line that opens the fence, from 1.
        language: The first word after the fence.
        text: What stands between the fences, without common indentation.
        kind: What is done with it.
        file: For FILE: where it is written to, relative to the page's folder.
        fails: For a block that is run: the text that its failing run has to print; None if it has to pass.
        reason: For NOT_RUN: why.
    """

    line: int
    language: str
    text: str
    kind: Kind
    file: str = ""
    fails: str | None = None
    reason: str = ""


def parse_blocks(text: str) -> list[Block]:
    """Return the blocks of a page in order.

    Raises:
        PageError: If a fence or a comment that belongs to one is not understood.
    """
    lines = text.splitlines()
    blocks: list[Block] = []
    position = 0
    while position < len(lines):
        fence = _FENCE.fullmatch(lines[position])
        if fence is None:
            _expect_prose(lines, position)
            position += 1
            continue
        end = _end_of_fence(lines, position, fence["fence"])
        body = textwrap.dedent("\n".join(lines[position + 1 : end])) + "\n"
        above = lines[position - 1] if position else ""
        blocks.append(_block(position + 1, fence["info"], body, above=above))
        position = end + 1
    _expect_order(blocks)
    return blocks


def _end_of_fence(lines: list[str], start: int, fence: str) -> int:
    for position in range(start + 1, len(lines)):
        stripped = lines[position].strip()
        if len(stripped) >= len(fence) and set(stripped) == {fence[0]}:
            return position
    raise PageError(f"line {start + 1}: the fence is never closed")


def _expect_prose(lines: list[str], position: int) -> None:
    """Refuse what is meant to be a block or to belong to one, but is not taken for it."""
    line = lines[position]
    where = f"line {position + 1}"
    if "```" in line or "~~~" in line:
        raise PageError(f"{where}: a fence has to stand on a line of its own")
    if "<pre" in line or "<code" in line:
        raise PageError(f"{where}: use a fence instead of HTML, so that the block is seen")
    if _DIRECTIVE_LIKE.search(line):
        below = lines[position + 1] if position + 1 < len(lines) else ""
        if _FENCE.fullmatch(below) is None:
            raise PageError(f"{where}: the comment has to stand on the line above a fence")


def _block(line: int, info: str, text: str, *, above: str) -> Block:
    language = info.split(maxsplit=1)[0].lower() if info else ""
    comment = _COMMENT.fullmatch(above)
    name = comment["name"].lower() if comment else ""
    argument = (comment["text"] or "") if comment else ""
    if name == "not run":
        if not argument:
            raise PageError(f"line {line}: say why the block is not run: <!-- not run: reason -->")
        return Block(line=line, language=language, text=text, kind=Kind.NOT_RUN, reason=argument)
    kind = _kind(line, language, text)
    match name:
        case "":
            return Block(line=line, language=language, text=text, kind=kind)
        case "file" if language not in {"bash", "console"}:
            file = _file_name(line, argument)
            return Block(line=line, language=language, text=text, kind=Kind.FILE, file=file)
        case "fails" if kind in RUN and argument:
            return Block(line=line, language=language, text=text, kind=kind, fails=argument)
        case "output" if kind is Kind.SHOWN and not argument:
            return Block(line=line, language=language, text=text, kind=Kind.OUTPUT)
    raise PageError(
        f"line {line}: the comment above the {language} block is not understood: {above.strip()}; write "
        "file: name, fails: text (above a block that is run), output (above a text block) or not run: reason"
    )


def _kind(line: int, language: str, text: str) -> Kind:
    kind = _BY_LANGUAGE.get(language)
    if kind is None:
        raise PageError(
            f"line {line}: a block in {language or 'no language'} would be passed over in silence; use one "
            f"of {', '.join(_BY_LANGUAGE)}, or write <!-- not run: reason --> on the line above"
        )
    if kind is Kind.SCRIPT and _TEST.search(text):
        return Kind.TESTS
    return kind


def _file_name(line: int, name: str) -> str:
    path = PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts:
        raise PageError(f"line {line}: {name!r} is no file of the page's folder")
    return name


def _expect_order(blocks: list[Block]) -> None:
    """Refuse output of nothing, and files that no later block makes use of."""
    for position, block in enumerate(blocks):
        if block.kind is Kind.OUTPUT:
            before = [earlier for earlier in blocks[:position] if earlier.kind is not Kind.OUTPUT]
            if not before or before[-1].kind not in RUN:
                raise PageError(f"line {block.line}: no block that is run stands before this output")
        if block.kind is Kind.FILE and not _is_used(block, blocks[position + 1 :]):
            raise PageError(f"line {block.line}: nothing on the page runs {block.file}; let a block do it")


def _is_used(block: Block, later: list[Block]) -> bool:
    if block.language != "python":
        return True
    if PurePosixPath(block.file).name.startswith("test_"):
        return any(other.kind is Kind.COMMANDS and "pytest" in other.text for other in later)
    return any(other.kind in RUN for other in later)
