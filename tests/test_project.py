"""The frame of the project: what its files promise each other."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.test_first_example import EXAMPLE

_ROOT = Path(__file__).resolve().parent.parent
_PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    ".ci/run",
    *(f"docs/{path.name}" for path in _ROOT.glob("docs/*.md")),
]

_FOREIGN = {
    "path of one machine": r"(?<![\w<>./-])/(?:root|opt|home/\w+|Users/\w+)(?:/|\b)",
    "package index": r"\bhttps?://[\w.:-]+(?:/[\w.-]+)*/simple\b",
}
_THIS_FILE = Path(__file__).resolve()  # it holds what it looks for


def _settings() -> dict[str, Any]:
    return tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _files() -> list[Path]:
    """Every file that belongs to the project, whether it was committed already or not."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("this is no git checkout")
    return [path for line in listed.stdout.splitlines() if (path := _ROOT / line).is_file()]


def _foreign(text: str) -> list[str]:
    return [
        f"line {number}: {what}: {found[0]}"
        for number, line in enumerate(text.splitlines(), start=1)
        for what, pattern in _FOREIGN.items()
        for found in re.finditer(pattern, line)
    ]


def test_no_file_speaks_of_the_machine_it_was_written_on() -> None:
    files = _files()
    assert len(files) > 100
    found = {
        path.relative_to(_ROOT).as_posix(): lines
        for path in files
        if path != _THIS_FILE and (lines := _foreign(path.read_text(encoding="utf-8", errors="replace")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("text", "places"),
    [
        pytest.param("cd /root/x", 1, id="home-of-the-superuser"),
        pytest.param("'/home/ada/x'\nok\n/opt/wheels", 2, id="two-lines"),
        pytest.param("index = https://index.example/simple", 1, id="index"),
        pytest.param("tests/root/x, <root>/.rampart, http://root/, a/opt.py", 0, id="harmless"),
    ],
)
def test_the_search_finds_what_it_is_for(text: str, places: int) -> None:
    assert len(_foreign(text)) == places


def _targets() -> set[str]:
    makefile = (_ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z-]+):.*## \S", makefile, re.MULTILINE))


@pytest.mark.parametrize("page", _PAGES)
def test_every_make_command_on_a_page_has_a_target(page: str) -> None:
    text = (_ROOT / page).read_text(encoding="utf-8")
    commands = re.findall(r"(?:^|`|&& )make ([^`\n]*)", text, re.MULTILINE)
    words = [word for command in commands for word in command.split("#")[0].split()]
    named = {word for word in words if re.fullmatch(r"[a-z][a-z-]*", word)}
    assert named <= _targets()


def test_the_readme_leads_with_the_two_commands() -> None:
    beginning = (_ROOT / "README.md").read_text(encoding="utf-8").split("```")[1]
    assert beginning == "bash\nmake demo\nmake test\n"


def test_the_readme_shows_the_example_that_is_held_to_its_word() -> None:
    assert EXAMPLE.strip() in (_ROOT / "README.md").read_text(encoding="utf-8")


def test_every_target_is_phony_and_explained() -> None:
    makefile = (_ROOT / "Makefile").read_text(encoding="utf-8")
    [phony] = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert set(phony.split()) == _targets()
    assert {
        "help",
        "install",
        "format",
        "lint",
        "types",
        "test",
        "demo",
        "bench",
        "docs",
        "clean",
    } <= _targets()


def test_make_help_lists_the_targets() -> None:
    command = ["make", "--no-print-directory", "help"]
    ran = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True)
    assert {line.split()[0] for line in ran.stdout.splitlines()} == _targets()


def test_the_ci_run_can_be_started_and_stops_at_the_first_failure() -> None:
    script = _ROOT / ".ci/run"
    assert os.access(script, os.X_OK)
    assert "set -euo pipefail" in script.read_text(encoding="utf-8")


def test_the_installed_version_is_the_declared_one_and_the_changelog_has_it() -> None:
    declared = _settings()["project"]["version"]
    assert version("rampart") == declared
    changelog = (_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(declared)}\b", changelog, re.MULTILINE)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel of the files as they are."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=_ROOT, capture_output=True, check=True)
    [path] = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    package = _ROOT / "src"
    expected = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {"rampart/py.typed", "rampart/demo/suite/conftest.py"} <= expected
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == expected


def test_the_wheel_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    [metadata] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    folder = metadata.removesuffix("METADATA")
    licence = (_ROOT / "LICENSE").read_text(encoding="utf-8")
    assert licence.startswith("MIT License")
    assert wheel.read(f"{folder}licenses/LICENSE").decode() == licence
    entry_points = wheel.read(f"{folder}entry_points.txt").decode()
    assert "[pytest11]\nrampart = rampart.pytest_plugin.plugin" in entry_points
    needed = re.findall(r"^Requires-Dist: (\w+)[^;\n]*$", wheel.read(metadata).decode(), re.MULTILINE)
    assert sorted(needed) == ["click", "msgspec", "pytest"]
