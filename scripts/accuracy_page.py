"""Put the measured accuracy and cost of the evaluators into their page: `python scripts/accuracy_page.py`."""

from __future__ import annotations

import re
from pathlib import Path

from rampart.evaluators.controls.accuracy import accuracy_tables, cost_table

PAGE = Path(__file__).parent.parent / "docs" / "evaluators-accuracy.md"
MEASURED = re.compile(r"(?<=<!-- measured -->\n).*?(?=\n<!-- end of what was measured -->)", re.DOTALL)
COST = re.compile(r"(?<=<!-- cost -->\n).*?(?=\n<!-- end of cost -->)", re.DOTALL)


def measured_part() -> str:
    """What `rampart evaluators accuracy --markdown` prints."""
    return "\n\n".join(table.markdown() for table in accuracy_tables())


def main() -> None:
    """Replace what stands between the marks of the page."""
    page = PAGE.read_text(encoding="utf-8")
    for place, part in ((MEASURED, measured_part()), (COST, cost_table().markdown())):
        if place.search(page) is None:
            msg = f"{PAGE} has not the two marks between which a table stands: {place.pattern}"
            raise SystemExit(msg)
        page = place.sub(f"\n{part}\n".replace("\\", r"\\"), page)
    PAGE.write_text(page, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
