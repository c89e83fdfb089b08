"""Put the measured accuracy of the evaluators into its page: `python scripts/accuracy_page.py`."""

from __future__ import annotations

import re
from pathlib import Path

from rampart.evaluators.controls.accuracy import accuracy_tables

PAGE = Path(__file__).parent.parent / "docs" / "evaluators-accuracy.md"
MEASURED = re.compile(r"(?<=<!-- measured -->\n).*?(?=\n<!-- end of what was measured -->)", re.DOTALL)


def measured_part() -> str:
    """What `rampart evaluators accuracy --markdown` prints."""
    return "\n\n".join(table.markdown() for table in accuracy_tables())


def main() -> None:
    """Replace what stands between the two marks of the page."""
    page = PAGE.read_text(encoding="utf-8")
    if MEASURED.search(page) is None:
        msg = f"{PAGE} has not the two marks between which the tables stand"
        raise SystemExit(msg)
    part = measured_part()
    PAGE.write_text(MEASURED.sub(lambda _: f"\n{part}\n", page), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
