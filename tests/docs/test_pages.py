"""Every code block of README.md and docs/, each reported by page and line.

A page with `<!-- needs: module -->` is about a library that development does not need. Its blocks are run in
the environment made for that library, by `scripts/test-adapters`, and skipped where it is not installed.
"""

import importlib.util
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from tests.docs.blocks import Block, Kind, PageError, parse_blocks
from tests.docs.page_run import PageRun

_NEEDS = re.compile(r"^<!-- needs: ([\w.]+) -->$", re.MULTILINE)
_ROOT = Path(os.environ.get("RAMPART_DOCS_ROOT") or Path(__file__).resolve().parents[2])


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page and its blocks, or why it has none, and the module without which they cannot run."""

    path: Path
    blocks: list[Block]
    fault: str = ""
    missing: str = ""


def _read(path: Path) -> Page:
    text = path.read_text(encoding="utf-8")
    needs = _NEEDS.search(text)
    missing = needs[1] if needs is not None and not _is_installed(needs[1]) else ""
    try:
        return Page(path=path, blocks=parse_blocks(text), missing=missing)
    except PageError as error:
        return Page(path=path, blocks=[], fault=str(error))


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of the package that it would be in
        return False


def _items() -> Iterator[ParameterSet]:
    for path in [_ROOT / "README.md", *sorted((_ROOT / "docs").rglob("*.md"))]:
        page = _read(path)
        name = path.relative_to(_ROOT).as_posix()
        if page.fault:
            yield pytest.param(page, None, id=name)
        for block in page.blocks:
            if block.kind is not Kind.SHOWN:
                yield pytest.param(page, block, id=f"{name}:{block.line}")


@pytest.fixture(scope="session")
def page_runs() -> dict[Path, PageRun]:
    """The pages that have been begun."""
    return {}


@pytest.mark.parametrize(("page", "block"), list(_items()))
def test_block(
    page: Page,
    block: Block | None,
    page_runs: dict[Path, PageRun],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    if block is None:
        pytest.fail(f"{page.path}: {page.fault}", pytrace=False)
    if block.kind is Kind.NOT_RUN:
        pytest.skip(f"not run: {block.reason}")
    if page.missing and os.environ.get("RAMPART_FRAMEWORKS") != "needed":
        pytest.skip(f"{page.missing} is not installed; scripts/test-adapters has it")
    if page.path not in page_runs:
        folder = tmp_path_factory.mktemp(page.path.stem)
        page_runs[page.path] = PageRun(blocks=page.blocks, folder=folder)
    fault = page_runs[page.path].fault(block)
    if fault is not None:
        pytest.fail(f"{page.path}:{block.line}: {fault}", pytrace=False)
