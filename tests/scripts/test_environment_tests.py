"""Environments for large libraries: what is declared of them fits together."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from scripts.environment_tests import ENVIRONMENTS, ROOT, main, make


@pytest.fixture
def settings() -> dict[str, Any]:
    """What pyproject.toml says."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_environment_has_an_extra_a_mark_a_target_and_tests(name: str, settings: dict[str, Any]) -> None:
    assert settings["project"]["optional-dependencies"][name]
    marks = settings["tool"]["pytest"]["ini_options"]["markers"]
    assert any(mark.startswith(f"{name}: ") and f"`make test-{name}`" in mark for mark in marks)
    assert f"\ntest-{name}: " in (ROOT / "Makefile").read_text(encoding="utf-8")
    tests = list((ROOT / ENVIRONMENTS[name].tests).glob("test_*.py"))
    assert any(f"pytest.mark.{name}" in path.read_text(encoding="utf-8") for path in tests)


@pytest.mark.parametrize("arguments", [[], ["unknown"]], ids=["none", "unknown"])
def test_other_names_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match=r"usage: environment_tests\.py onedrive\|pyrit"):
        main(arguments)


def test_an_environment_that_holds_what_is_asked_for_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(command: list[str]) -> None:
        pytest.fail(f"{command} was run")

    monkeypatch.setattr("scripts.environment_tests.run", refuse)
    monkeypatch.setattr("scripts.environment_tests.requirements", lambda _settings, runtime: "wanted\n")
    (tmp_path / "installed.txt").write_text("wanted\n", encoding="utf-8")
    make("onedrive", tmp_path)


def test_an_environment_that_lacks_something_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr("scripts.environment_tests.run", commands.append)
    (tmp_path / "installed.txt").write_text("something else\n", encoding="utf-8")
    make("onedrive", tmp_path)
    assert [command[2] for command in commands] == ["venv", "pip"]
    assert ".[onedrive]" in commands[1]
