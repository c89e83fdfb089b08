"""What the page of direct prompts says of the library is so."""

from __future__ import annotations

import re
from pathlib import Path

from rampart.payloads import Payloads

_PAGE = (Path(__file__).resolve().parents[2] / "docs" / "attacks" / "prompt.md").read_text(encoding="utf-8")


def test_the_table_lists_the_families_that_are_for_messages_alone() -> None:
    _, _, rest = _PAGE.partition("\n| Family |")
    listed = re.findall(r"^\| `(\w+)` \|", rest.split("\n\n")[0], re.MULTILINE)
    assert sorted(listed) == [one.id for one in Payloads.families() if one.placements == ("prompt",)]


def test_the_numbers_of_messages() -> None:
    everything = Payloads.library(goal="x", placements=["prompt"])
    english = [payload for payload in everything if payload.metadata["language"] == "en"]
    found = re.findall(r"that is (\d+) messages, .*; (\d+) of them are in English", _PAGE)
    assert found == [(str(len(everything)), str(len(english)))]


def test_the_other_families_it_names_work_as_messages_too() -> None:
    named = re.findall(r"Others, such as `(\w+)`, `(\w+)` and `(\w+)`", _PAGE)
    placements = {one.id: one.placements for one in Payloads.families()}
    assert [name for names in named for name in names if "prompt" in placements[name]] == [*named[0]]
