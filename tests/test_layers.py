"""The layers hold, and the checker of the layers would notice if they did not."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest
from tests._layers import EXCEPTIONS, ROW_OF, ROWS_FROM_BELOW, violations

import rampart

if TYPE_CHECKING:
    from collections.abc import Mapping

SOURCE = Path(rampart.__file__).parent
MOST_LINES = 400


def test_the_layers_hold() -> None:
    assert violations(SOURCE) == []


def test_every_folder_is_looked_at() -> None:
    folders = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert {"text", "core", "execution", "probes", "pytest_plugin", "cli"} <= folders <= ROW_OF.keys()


def test_no_folder_stands_in_two_rows() -> None:
    assert sum(map(len, ROWS_FROM_BELOW)) == len(ROW_OF)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_source_files_are_short(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES, f"{path} has {lines} lines; split it by role"


SOUND = {
    "__init__.py": "from rampart.probes.factory import Probes",
    "text/__init__.py": "",
    "text/safe.py": "import math",
    "core/__init__.py": "from rampart.core.types import Response",
    "core/types.py": "from rampart.text.safe import safe_str",
    "core/llm.py": "",
    "drivers/__init__.py": "",
    "drivers/static.py": "from rampart.core import types",
    "execution/__init__.py": "",
    "execution/trace.py": "import rampart.core.types, rampart.execution.base",
    "execution/base.py": "",
    "llm/__init__.py": "",
    "llm/client.py": "",
    "probes/__init__.py": "",
    "probes/factory.py": "from rampart.drivers.static import StaticDriver",
}


def tree(folder: Path, changes: Mapping[str, str] = MappingProxyType({})) -> Path:
    """A small package with sound layers, some of whose files are replaced."""
    for name, text in {**SOUND, **changes}.items():
        path = folder / "rampart" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return folder / "rampart"


def test_a_sound_tree_has_nothing_to_report(tmp_path: Path) -> None:
    assert violations(tree(tmp_path)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(
            "from rampart.probes.factory import Probes",
            "rampart.core.types:1 imports rampart.probes.factory: probes is above core",
            id="from-import",
        ),
        pytest.param(
            "import rampart.execution.trace as trace",
            "rampart.core.types:1 imports rampart.execution.trace: execution is above core",
            id="plain-import",
        ),
        pytest.param(
            "import math\nfrom rampart.execution import trace",
            "rampart.core.types:2 imports rampart.execution.trace: execution is above core",
            id="module-from-package",
        ),
        pytest.param(
            "def f():\n    from rampart.llm.client import Client",
            "rampart.core.types:2 imports rampart.llm.client: llm is above core",
            id="inside-a-function",
        ),
        pytest.param(
            """\
            from typing import TYPE_CHECKING
            if TYPE_CHECKING:
                from rampart.execution.base import BaseExecution
            """,
            "rampart.core.types:3 imports rampart.execution.base: execution is above core",
            id="for-type-checkers",
        ),
        pytest.param(
            "import importlib\nclient = importlib.import_module('rampart.llm.client')",
            "rampart.core.types:2 imports rampart.llm.client: llm is above core",
            id="by-name",
        ),
        pytest.param(
            "try:\n    import rampart.cli\nexcept ImportError:\n    pass",
            "rampart.core.types:2 imports rampart.cli: cli is above core",
            id="inside-a-try",
        ),
        pytest.param(
            "from rampart import Probes",
            "rampart.core.types:1 imports the root package, which stands above core",
            id="from-the-root",
        ),
        pytest.param(
            "import rampart",
            "rampart.core.types:1 imports the root package, which stands above core",
            id="the-root",
        ),
        pytest.param(
            "from . import llm", "rampart.core.types:1 is a relative import", id="relative-to-the-package"
        ),
        pytest.param(
            "from ..text.safe import safe_str",
            "rampart.core.types:1 is a relative import",
            id="relative-to-the-root",
        ),
        pytest.param(
            "from importlib import import_module\nimport_module('.llm', __package__)",
            "rampart.core.types:2 is a relative import",
            id="relative-by-name",
        ),
    ],
)
def test_a_wrong_arrow_is_reported(text: str, found: str, tmp_path: Path) -> None:
    assert violations(tree(tmp_path, {"core/types.py": text})) == [found]


def test_siblings_do_not_know_each_other(tmp_path: Path) -> None:
    package = tree(tmp_path, {"drivers/static.py": "from rampart.execution.base import BaseExecution"})
    assert violations(package) == [
        "rampart.drivers.static:1 imports rampart.execution.base: execution is a sibling of drivers"
    ]


def test_a_name_comes_from_the_file_that_defines_it(tmp_path: Path) -> None:
    package = tree(tmp_path, {"drivers/static.py": "from rampart.core import Response"})
    assert violations(package) == [
        "rampart.drivers.static:1 imports from rampart.core what another file defines"
    ]


def test_a_package_may_re_export_what_another_one_does(tmp_path: Path) -> None:
    assert violations(tree(tmp_path, {"drivers/__init__.py": "from rampart.core import Response"})) == []


def test_a_folder_without_a_place_is_reported(tmp_path: Path) -> None:
    package = tree(tmp_path, {"utils/misc.py": ""})
    assert violations(package) == ["rampart.utils has no place in the picture of the layers"]


def test_a_file_beside_the_folders_is_reported(tmp_path: Path) -> None:
    assert violations(tree(tmp_path, {"helpers.py": ""})) == [
        "rampart.helpers has no place in the picture of the layers"
    ]


class TestUsersCode:
    def test_it_imports_what_users_import(self, tmp_path: Path) -> None:
        package = tree(tmp_path, {"demo/suite/test_a.py": "from rampart import Probes"})
        assert violations(package) == []

    def test_nobody_imports_it(self, tmp_path: Path) -> None:
        package = tree(
            tmp_path,
            {"demo/suite/test_a.py": "", "demo/show.py": "from rampart.demo.suite.test_a import test"},
        )
        assert violations(package) == [
            "rampart.demo.show:1 imports rampart.demo.suite.test_a, which is there to be copied"
        ]

    def test_its_neighbours_are_not_it(self, tmp_path: Path) -> None:
        package = tree(tmp_path, {"demo/suite_run.py": "from rampart import Probes"})
        assert violations(package) == [
            "rampart.demo.suite_run:1 imports the root package, which stands above demo"
        ]


class TestException:
    def test_the_configuration_may_make_its_client(self, tmp_path: Path) -> None:
        text = "def client():\n    from rampart.llm.client import Client"
        assert violations(tree(tmp_path, {"core/llm.py": text})) == []

    def test_it_may_do_so_by_name(self, tmp_path: Path) -> None:
        text = "from importlib import import_module\ndef client():\n    import_module('rampart.llm.client')"
        assert violations(tree(tmp_path, {"core/llm.py": text})) == []

    def test_that_is_all_it_may(self, tmp_path: Path) -> None:
        text = "def client():\n    from rampart.drivers.static import StaticDriver"
        assert violations(tree(tmp_path, {"core/llm.py": text})) == [
            "rampart.core.llm:2 imports rampart.drivers.static: drivers is above core"
        ]

    def test_there_is_no_other(self) -> None:
        assert list(EXCEPTIONS) == [("rampart.core.llm", "llm")]


class TestCycles:
    def test_two_modules(self, tmp_path: Path) -> None:
        package = tree(tmp_path, {"execution/base.py": "from rampart.execution.trace import TraceRun"})
        (found,) = violations(package)
        assert "rampart.execution.base imports rampart.execution.trace" in found
        assert "rampart.execution.trace imports rampart.execution.base" in found

    def test_three_modules(self, tmp_path: Path) -> None:
        package = tree(
            tmp_path,
            {
                "core/a.py": "from rampart.core.b import B",
                "core/b.py": "from rampart.core.c import C",
                "core/c.py": "from rampart.core.a import A",
            },
        )
        (found,) = violations(package)
        around = found.removeprefix("import cycle: ").split(" imports ")
        pairs = {(one[-1], other[-1]) for one, other in pairwise(around)}
        assert pairs == {("a", "b"), ("b", "c"), ("c", "a")}

    def test_a_module_and_the_package_that_re_exports_it(self, tmp_path: Path) -> None:
        package = tree(tmp_path, {"core/types.py": "from rampart.core import Other"})
        _, found = violations(package)
        assert "rampart.core imports rampart.core.types" in found

    def test_a_module_and_itself(self, tmp_path: Path) -> None:
        (found,) = violations(tree(tmp_path, {"core/types.py": "import rampart.core.types"}))
        assert found == "import cycle: rampart.core.types imports rampart.core.types"

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("def f():\n    from rampart.execution.trace import T", id="inside-a-function"),
            pytest.param(
                "import typing\nif typing.TYPE_CHECKING:\n    from rampart.execution.trace import T",
                id="for-type-checkers",
            ),
        ],
    )
    def test_what_is_not_imported_at_load_makes_no_cycle(self, text: str, tmp_path: Path) -> None:
        assert violations(tree(tmp_path, {"execution/base.py": text})) == []

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("class C:\n    from rampart.execution.trace import T", id="inside-a-class"),
            pytest.param(
                "import typing\nif typing.TYPE_CHECKING:\n    pass\nelse:\n    "
                "from rampart.execution.trace import T",
                id="for-all-but-type-checkers",
            ),
        ],
    )
    def test_what_is_imported_at_load_does(self, text: str, tmp_path: Path) -> None:
        (found,) = violations(tree(tmp_path, {"execution/base.py": text}))
        assert found.startswith("import cycle: ")
