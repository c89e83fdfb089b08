"""Which requirements are installed, and when they are installed anew."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from scripts.requirements import requirements

_SETTINGS: dict[str, Any] = {
    "build-system": {"requires": ["a-builder"]},
    "project": {"name": "it", "dependencies": ["first>=1", "second"]},
    "dependency-groups": {"dev": ["tool>=2,<3"]},
    "tool": {"ruff": {"line-length": 100}},
}


def test_the_tools_of_development() -> None:
    assert requirements(_SETTINGS, runtime=False).splitlines()[:-1] == ["tool>=2,<3"]


def test_what_the_package_needs() -> None:
    assert requirements(_SETTINGS, runtime=True).splitlines()[:-1] == ["first>=1", "second"]


def test_settings_of_a_tool_need_no_installation() -> None:
    changed = _SETTINGS | {"tool": {"ruff": {"line-length": 80}}}
    assert requirements(changed, runtime=False) == requirements(_SETTINGS, runtime=False)


@pytest.mark.parametrize(
    ("table", "value"),
    [
        pytest.param("build-system", {"requires": ["another"]}, id="builder"),
        pytest.param("project", {"name": "it", "dependencies": ["first>=2"]}, id="dependency"),
        pytest.param("dependency-groups", {"dev": ["tool>=2,<4"]}, id="tool"),
    ],
)
def test_what_an_installation_depends_on_needs_one(table: str, value: object) -> None:
    assert requirements(_SETTINGS | {table: value}, runtime=False) != requirements(_SETTINGS, runtime=False)


def test_an_included_group_is_refused() -> None:
    settings = _SETTINGS | {"dependency-groups": {"dev": [{"include-group": "test"}]}}
    with pytest.raises(ValueError, match=r"include-group.*only plain ones"):
        requirements(settings, runtime=False)


def test_this_project_can_be_read() -> None:
    path = Path(__file__).resolve().parents[2] / "pyproject.toml"
    found = requirements(tomllib.loads(path.read_text(encoding="utf-8")), runtime=False)
    assert any(line.startswith("ruff>=") for line in found.splitlines())
