"""Comparing the output that a page shows with the output that there is."""

import re

_ELLIPSIS = "..."


def missing_line(expected: str, output: str) -> str | None:
    """Return the first expected line that does not occur in `output`, None if all do, in their order.

    Lines may stand between the expected ones. White space counts as one space, an expected line may be part
    of the real one, and `...` stands for anything within a line (figures that differ from run to run) or, on
    a line of its own, for lines that are not shown.
    """
    rest = iter([_plain(line) for line in output.splitlines()])
    for line in expected.splitlines():
        wanted = _plain(line)
        if wanted in {"", _ELLIPSIS}:
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in wanted.split(_ELLIPSIS)))
        if not any(pattern.search(candidate) for candidate in rest):
            return line
    return None


def _plain(line: str) -> str:
    return " ".join(line.split())
