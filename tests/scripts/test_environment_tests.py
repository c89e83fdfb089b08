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
    (tmp_path / "installed.txt").write_text("wanted\n# extras: onedrive\n", encoding="utf-8")
    make(tmp_path, extras="onedrive", wanted="wanted\n")


@pytest.mark.parametrize("there", ["something else\n# extras: onedrive\n", "wanted\n# extras: \n"])
def test_an_environment_that_lacks_something_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: str
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr("scripts.environment_tests.run", commands.append)
    (tmp_path / "installed.txt").write_text(there, encoding="utf-8")
    make(tmp_path, extras="onedrive", wanted="wanted\n")
    assert [command[2] for command in commands] == ["venv", "pip"]
    assert ".[onedrive]" in commands[1]
    make(tmp_path, extras="onedrive", wanted="wanted\n")
    assert len(commands) == 2
