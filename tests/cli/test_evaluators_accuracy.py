"""`rampart evaluators accuracy`: what it prints, and that the documentation says the same."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module, resources
from pathlib import Path

import pytest
from click.testing import CliRunner

from rampart.cli.main import main
from rampart.core.errors import ConfigurationError
from rampart.evaluators.controls import accuracy as accuracy_module
from rampart.evaluators.controls import shipped_controls
from rampart.evaluators.controls.table import Table

PAGE = Path(__file__).parents[2] / "docs" / "evaluators-accuracy.md"
TITLES = [
    "What each evaluator needs and cannot see",
    "Precision and recall on held-out labels",
    "`Refused` by language",
    "`Refused` by kind",
    "Leaks by kind",
]


@pytest.fixture(scope="module")
def markdown() -> str:
    result = CliRunner().invoke(main, ["evaluators", "accuracy", "--markdown"])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_page_shows_what_is_measured(markdown: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    _, _, rest = page.partition("<!-- measured -->\n")
    shown, mark, _ = rest.partition("<!-- end of what was measured -->")
    assert mark
    assert shown.strip() == markdown.strip(), "run: python scripts/accuracy_page.py"


def test_every_evaluator_with_controls_has_a_row(markdown: str) -> None:
    for controls in shipped_controls().values():
        row = re.search(rf"^\| `{controls[0].evaluator}` \| ([^|]+) \| ([^|]+) \|", markdown, re.MULTILINE)
        assert row is not None, f"controls/cannot_see.toml lacks {controls[0].evaluator}"
        assert row[1].strip()
        assert row[2].strip()


def test_the_page_shows_what_each_evaluator_costs() -> None:
    """The figures are those of some machine; each evaluator has some, and they grow as they may."""
    page = PAGE.read_text(encoding="utf-8")
    _, _, rest = page.partition("<!-- cost -->\n")
    shown, mark, _ = rest.partition("<!-- end of cost -->")
    assert mark
    rows = re.findall(r"^\| `(\w+)` \| \d+\.\d\d ms \| \d+\.\d ms \| (\d+\.\d\d) \|$", shown, re.MULTILINE)
    expected = sorted(controls[0].evaluator for controls in shipped_controls().values())
    assert sorted(name for name, _ in rows) == expected, "run: make accuracy"
    assert max(float(growth) for _, growth in rows) <= 3.0


def test_nothing_is_said_about_evaluators_that_there_are_not() -> None:
    file = resources.files("rampart.evaluators").joinpath("controls/cannot_see.toml")
    named = tomllib.loads(file.read_text(encoding="utf-8")).keys()
    assert named - set(import_module("rampart.evaluators").__all__) == set()


def test_text() -> None:
    result = CliRunner().invoke(main, ["evaluators", "accuracy"])
    assert result.exit_code == 0
    assert [title for title in TITLES if title in result.output] == TITLES
    assert re.search(
        r"^`CanaryLeaked` +\d+ +\d\.\d{3} \(\d\.\d{3} to \d\.\d{3}\)", result.output, re.MULTILINE
    )


def test_each_answer_is_counted_once(markdown: str) -> None:
    def labelled(title: str) -> list[int]:
        table = markdown.split(f"**{title}**")[1].split("**", maxsplit=1)[0]
        return [int(row.split("|")[2]) for row in table.strip().splitlines()[2:]]

    overall = markdown.split(f"**{TITLES[1]}**")[1].split("**", maxsplit=1)[0]
    counts = {
        row.split("|")[1].strip(" `"): int(row.split("|")[2]) for row in overall.strip().splitlines()[2:]
    }
    assert sum(labelled(TITLES[2])) == sum(labelled(TITLES[3])) == counts["Refused"]
    assert sum(labelled(TITLES[4])) == sum(counts.values()) - counts["Refused"]


def test_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    some = {"tool_called": shipped_controls()["tool_called"]}
    monkeypatch.setattr(accuracy_module, "shipped_controls", lambda: some)
    result = CliRunner().invoke(main, ["evaluators", "accuracy", "--cost"])
    assert result.exit_code == 0, result.output
    assert re.search(r"^`ToolCalled` +\d+\.\d\d ms +\d+\.\d ms +\d+\.\d\d$", result.output, re.MULTILINE)


def test_what_cannot_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> list[Table]:
        raise ConfigurationError("no library")

    monkeypatch.setattr(accuracy_module, "accuracy_tables", refuse)
    result = CliRunner().invoke(main, ["evaluators", "accuracy"])
    assert result.exit_code == 2
    assert result.output == "Error: no library\n"


def test_tables() -> None:
    table = Table(title="T", header=("a", "bcd"), rows=(("x|y", "1"), ("z", "22")))
    assert table.text() == "T\n\na    bcd\nx|y  1\nz    22"
    assert table.markdown() == "**T**\n\n| a | bcd |\n| --- | --- |\n| x\\|y | 1 |\n| z | 22 |"
