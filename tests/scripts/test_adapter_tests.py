"""Frameworks, their environments and the table: what is declared of them fits together."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from scripts.adapter_environments import ENVIRONMENTS, FRAMEWORKS
from scripts.adapter_table import BEGIN, END, Outcome, render, write_table
from scripts.adapter_tests import _chosen, main
from scripts.environment_tests import ROOT

VERSIONS = {"LangGraphAdapter": "1.2", "AdkAdapter": "2.13"}
CASE = "A call has its id."


def outcome(framework: str, result: str, case: str = CASE, *, shared: bool = True) -> Outcome:
    place = f"tests/adapters/frameworks/{framework}/test_x.py"
    return Outcome(place=place, case=case, outcome=result, shared=shared)


@pytest.fixture
def settings() -> dict[str, Any]:
    """What pyproject.toml says."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_environment_holds_extras_that_there_are(name: str, settings: dict[str, Any]) -> None:
    assert set(ENVIRONMENTS[name].extras) <= settings["project"]["optional-dependencies"].keys()
    assert any(one.environment == name for one in FRAMEWORKS)


@pytest.mark.parametrize("framework", FRAMEWORKS, ids=lambda one: one.adapter)
def test_a_framework_has_an_environment_tests_and_a_page(framework: Any) -> None:
    assert framework.environment in ENVIRONMENTS
    for path in framework.tests:
        assert (ROOT / path).exists(), path
    assert (ROOT / "docs" / "adapters" / framework.page).is_file()


def test_without_names_what_ci_tests_is_chosen() -> None:
    chosen = _chosen([], everything=False)
    assert {one.environment for one in chosen} == {n for n, e in ENVIRONMENTS.items() if e.in_ci}
    assert _chosen([], everything=True) == list(FRAMEWORKS)
    assert [one.adapter for one in _chosen(["adk"], everything=False)] == ["AdkAdapter"]
    assert [one.adapter for one in _chosen(["McpProxy"], everything=False)] == ["McpProxy"]


def test_other_names_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["langraph"])
    assert "unknown: langraph; the names are common, adk" in capsys.readouterr().err


def test_a_table_comes_of_tests_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--measure", "--write"])
    assert "--measure tests nothing" in capsys.readouterr().err


def test_a_case_fails_for_a_framework_if_any_of_its_tests_did() -> None:
    table = render(
        [
            outcome("langgraph", "passed"),
            outcome("langgraph", "failed"),
            outcome("adk", "skipped"),
            outcome("adk", "passed", "Handoffs."),
            outcome("adk", "passed", "test_own", shared=False),
        ],
        VERSIONS,
    )
    lines = table.splitlines()
    assert "| 1 | [LangGraphAdapter](langgraph.md) | langgraph | 1.2 | 1, 1 failed |" in lines
    assert "| 2 | [AdkAdapter](adk.md) | google-adk | 2.13 | 2 |" in lines
    assert "| Case | 1 | 2 |" in lines
    assert f"| {CASE} | ✗ | – |" in lines
    assert "| Handoffs. | – | ✓ |" in lines
    assert "test_own" not in table


def test_the_table_is_written_between_its_lines(tmp_path: Path) -> None:
    page = tmp_path / "versions.md"
    page.write_text(f"# Versions\n\n{BEGIN}\nold\n{END}\n\nAfter.\n", encoding="utf-8")
    write_table(page, outcomes=[outcome("adk", "passed")], versions=VERSIONS)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# Versions\n\n{BEGIN}\n\n| |")
    assert text.endswith(f"\n\n{END}\n\nAfter.\n")
    assert "old" not in text
    page.write_text("# Versions\n", encoding="utf-8")
    with pytest.raises(ValueError, match="between which the table would stand"):
        write_table(page, outcomes=[], versions=VERSIONS)
