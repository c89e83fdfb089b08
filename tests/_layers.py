"""Reads the imports of the package and says which of them break its layers.

A folder imports only from rows below its own, and from itself. The root package re-exports and stands
above all rows. What is imported inside functions, for type checkers only, or by name counts as well.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE = "rampart"

ROWS_FROM_BELOW: tuple[frozenset[str], ...] = (
    frozenset({"text", "statistics"}),
    frozenset({"core"}),
    frozenset({"servers"}),
    frozenset(
        {
            "execution",
            "evaluators",
            "drivers",
            "converters",
            "payloads",
            "surfaces",
            "adapters",
            "llm",
            "records",
            "testing",
        }
    ),
    frozenset({"probes", "attacks", "reporting", "calibration"}),
    frozenset({"pytest_plugin", "viewer", "integrations", "demo"}),
    frozenset({"cli"}),
)
ROW_OF = {folder: row for row, folders in enumerate(ROWS_FROM_BELOW, start=1) for folder in folders}

# A configuration turns into a client at its first use, and the client is told to nobody before.
EXCEPTIONS = frozenset({("rampart.core.llm", "llm")})


# Copied to the user before it runs, and written as users write: it stands outside of the layers.
USERS_CODE = "rampart.demo.suite"


@dataclass(frozen=True, kw_only=True)
class Import:
    """One import of one module of the package by another.

    `target` is None for a relative import. `at_load` says whether it happens while the importing module
    is loaded, so that it may take part in an import cycle; `re_exported` whether a file takes from a
    package what another file defines.
    """

    source: str
    target: str | None
    line: int
    at_load: bool
    re_exported: bool


def violations(package: Path) -> list[str]:
    """Everything in the folder of a package that breaks the layers, one line each."""
    modules = {_module_name(path, package): path for path in sorted(package.rglob("*.py"))}
    imports = [one for name, path in modules.items() for one in _imports(name, path, modules)]
    broken = dict.fromkeys(text for one in imports if (text := _broken_rule(one)) is not None)
    return [*_strangers(modules), *broken, *_cycles(modules, imports)]


def _module_name(path: Path, package: Path) -> str:
    parts = [PACKAGE, *path.relative_to(package).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _folder(module: str) -> str | None:
    """The folder in which a module lies; None for the root package."""
    return module.split(".")[1] if "." in module else None


def _is_users_code(module: str) -> bool:
    return f"{module}.".startswith(f"{USERS_CODE}.")


def _strangers(modules: dict[str, Path]) -> Iterator[str]:
    folders = {folder for module in modules if (folder := _folder(module)) is not None}
    for folder in sorted(folders - ROW_OF.keys()):
        yield f"{PACKAGE}.{folder} has no place in the picture of the layers"


def _broken_rule(one: Import) -> str | None:
    if _is_users_code(one.source):
        return None
    place = f"{one.source}:{one.line}"
    if one.target is None:
        return f"{place} is a relative import"
    if _is_users_code(one.target):
        return f"{place} imports {one.target}, which is there to be copied"
    source, target = _folder(one.source), _folder(one.target)
    if source is None:
        return None
    if target is None:
        return f"{place} imports the root package, which stands above {source}"
    relation = _wrong_relation(one.source, source, target)
    if relation is not None:
        return f"{place} imports {one.target}: {target} is {relation} {source}"
    if one.re_exported:
        return f"{place} imports from {one.target} what another file defines"
    return None


def _wrong_relation(module: str, source: str, target: str) -> str | None:
    if source == target or (module, target) in EXCEPTIONS or not {source, target} <= ROW_OF.keys():
        return None
    if ROW_OF[target] < ROW_OF[source]:
        return None
    return "a sibling of" if ROW_OF[target] == ROW_OF[source] else "above"


def _cycles(modules: dict[str, Path], imports: list[Import]) -> Iterator[str]:
    """One import cycle of each folder that has any; between folders the arrows forbid them."""
    for folder in sorted({_folder(module) or "" for module in modules} - {""}):
        graph: dict[str, set[str]] = {}
        for one in imports:
            if (
                one.at_load
                and one.target is not None
                and _folder(one.source) == _folder(one.target) == folder
            ):
                graph.setdefault(one.source, set()).add(one.target)
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            # graphlib lists a cycle from the imported to the importing module.
            yield f"import cycle: {' imports '.join(reversed(error.args[1]))}"


def _imports(name: str, path: Path, modules: dict[str, Path]) -> Iterator[Import]:
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    for node, at_load in _walk(tree, at_load=True):
        for target in _targets(node, modules):
            if target is None or target.split(".")[0] == PACKAGE:
                line = getattr(node, "lineno", 0)
                defining = target is None or target not in modules or modules[target].name != "__init__.py"
                yield Import(
                    source=name,
                    target=target,
                    line=line,
                    at_load=at_load,
                    re_exported=not defining and path.name != "__init__.py",
                )


def _walk(node: ast.AST, *, at_load: bool) -> Iterator[tuple[ast.AST, bool]]:
    """All nodes, each with whether it is executed while its module is loaded."""
    yield node, at_load
    if isinstance(node, ast.If) and _is_type_checking(node.test):
        for child in node.body:
            yield from _walk(child, at_load=False)
        for child in node.orelse:
            yield from _walk(child, at_load=at_load)
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        at_load = False
    for part in ast.iter_child_nodes(node):
        yield from _walk(part, at_load=at_load)


def _is_type_checking(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)
    return name == "TYPE_CHECKING"


def _targets(node: ast.AST, modules: dict[str, Path]) -> Iterator[str | None]:
    """The modules that a node imports; None for one that is named relative to the importing module."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        if node.level:
            yield None
            return
        for alias in node.names:
            submodule = f"{node.module}.{alias.name}"
            yield submodule if submodule in modules else node.module
    elif isinstance(node, ast.Call):
        yield from _imported_by_name(node)


def _imported_by_name(call: ast.Call) -> Iterator[str | None]:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)
    if name in {"import_module", "__import__"} and call.args and isinstance(call.args[0], ast.Constant):
        target = str(call.args[0].value)
        yield None if target.startswith(".") else target
