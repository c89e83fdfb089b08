"""The tables of the page say what the data says."""

from __future__ import annotations

import re
from pathlib import Path

from rampart.payloads import Payloads
from rampart.payloads.placements import PLACEMENTS

_PAGE = (Path(__file__).resolve().parents[2] / "docs" / "payloads.md").read_text(encoding="utf-8")


def _rows(first_column: str) -> list[list[str]]:
    """The rows of the table whose first heading this is."""
    _, _, rest = _PAGE.partition(f"\n| {first_column} |")
    assert rest, f"the page has no table of {first_column}"
    lines = rest.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_table_of_families() -> None:
    expected = [
        [
            f"`{one.id}`",
            one.name,
            str(len(one.variants)),
            str(len(one.languages)),
            ", ".join(f"`{name}`" for name in one.needs if name != "goal"),
            ", ".join(tag.removesuffix(":2025") for tag in one.owasp_llm),
            ", ".join(one.owasp_agentic),
            ", ".join(one.atlas),
        ]
        for one in Payloads.families()
    ]
    assert _rows("Family") == expected


def test_the_table_of_placements() -> None:
    assert _rows("Placement") == [[f"`{name}`", meaning] for name, meaning in PLACEMENTS.items()]


def test_the_number_of_payloads() -> None:
    everything = Payloads.library(goal="x", tool="t", address="https://sink.example/")
    assert re.findall(r"Everything together is (\d+) payloads", _PAGE) == [str(len(everything))]


def test_the_metadata_is_all_listed() -> None:
    everything = Payloads.library(goal="x", tool="t", address="https://sink.example/")
    listed = {name for row in _rows("Metadata") for name in re.findall(r"`(\w+)`", row[0])}
    assert listed == {key for payload in everything for key in payload.metadata}
