"""The cases that have to be there: whoever removes one removes its number here."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

REQUIRED = frozenset(
    number for first, last in [(1, 74), (80, 83), (88, 99)] for number in range(first, last + 1)
)


def _tests(folder: Path) -> Iterator[tuple[str, frozenset[int]]]:
    """Each test function of a folder with the cases that it is marked with."""
    for path in sorted(folder.glob("test_t*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                yield f"{path.name}::{node.name}", frozenset(_numbers(node))


def _numbers(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[int]:
    for decorator in function.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(attr="case"), args=[ast.Constant(value=int(number))]):
                yield number


TESTS = dict(_tests(Path(__file__).parent))


def test_every_case_has_a_test() -> None:
    covered = frozenset().union(*TESTS.values())
    assert sorted(REQUIRED - covered) == []
    assert sorted(covered - REQUIRED) == []


@pytest.mark.parametrize("test", TESTS)
def test_name_says_the_case(test: str) -> None:
    function = test.partition("::")[2]
    prefix = re.match(r"test(_s\d\d)+_", function)
    assert prefix is not None
    assert frozenset(map(int, re.findall(r"\d\d", prefix[0]))) == TESTS[test]


def test_a_missing_case_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "test_t00.py").write_text(
        "@pytest.mark.case(7)\ndef test_s07_a(): ...\n\n# @pytest.mark.case(8)\ndef test_s08_b(): ...\n",
        encoding="utf-8",
    )
    assert dict(_tests(tmp_path)) == {
        "test_t00.py::test_s07_a": frozenset({7}),
        "test_t00.py::test_s08_b": frozenset(),
    }
