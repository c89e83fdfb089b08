"""Running the blocks of a page, in order, in one folder."""

import configparser
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.docs.blocks import Block, Kind
from tests.docs.children import Ran, run_commands, run_pytest, run_script
from tests.docs.junit import read_outcomes
from tests.docs.lines import missing_line

_NO_TESTS_COLLECTED = 5
_PROMPT = "$ "


@dataclass(kw_only=True)
class PageRun:
    """The blocks of a page, run as far as somebody has asked for.

    Blocks of tests that follow one another share a process, since starting pytest is what takes time.

    Attributes:
        blocks: The blocks, in order.
        folder: Where they run; it is empty at first.
    """

    blocks: list[Block]
    folder: Path
    _faults: dict[int, str | None] = field(default_factory=dict, init=False)
    _output: str = field(default="", init=False)

    def fault(self, block: Block) -> str | None:
        """What is wrong with a block, None if nothing is; what stands before it has been run then."""
        for group in _groups(self.blocks):
            if group[0].line not in self._faults:
                self._faults |= self._run(group)
            if block.line in self._faults:
                break
        return self._faults[block.line]

    def _run(self, group: list[Block]) -> dict[int, str | None]:
        first = group[0]
        match first.kind:
            case Kind.TESTS:
                return self._run_tests(group)
            case Kind.SCRIPT:
                fault = self._run_script(first)
            case Kind.COMMANDS:
                fault = self._run_commands(first)
            case Kind.FILE:
                fault = self._write(first)
            case Kind.OUTPUT:
                fault = _compare(first.text, self._output)
            case Kind.SETTINGS:
                fault = self._try_settings(first)
            case Kind.NOT_RUN | Kind.SHOWN:
                fault = None
        return {first.line: fault}

    def _run_tests(self, group: list[Block]) -> dict[int, str | None]:
        """Write the blocks as test files, run them together, and remove them."""
        files = {block.line: self.folder / f"test_line_{block.line}.py" for block in group}
        report = self.folder / "report.xml"
        for block in group:
            files[block.line].write_text(block.text, encoding="utf-8")
        names = [path.name for path in files.values()]
        ran = run_pytest([f"--junitxml={report.name}", *names], folder=self.folder)
        self._output = ran.output
        if group[0].fails is not None:
            faults = {group[0].line: _fault_of(ran, fails=group[0].fails)}
        else:
            outcomes = read_outcomes(report)
            faults = {line: _fault_of_tests(outcomes.get(path.stem), ran) for line, path in files.items()}
        for path in [*files.values(), report]:
            path.unlink(missing_ok=True)
        return dict(faults)

    def _run_script(self, block: Block) -> str | None:
        path = self.folder / f"line_{block.line}.py"
        path.write_text(block.text, encoding="utf-8")
        ran = run_script(path, folder=self.folder)
        path.unlink()
        self._output = ran.output
        return _fault_of(ran, fails=block.fails)

    def _run_commands(self, block: Block) -> str | None:
        """Run the lines of a shell; in a block with prompts the other lines are the output."""
        lines = block.text.splitlines()
        commands = [line.removeprefix(_PROMPT) for line in lines if line.startswith(_PROMPT)]
        shown = [line for line in lines if not line.startswith(_PROMPT)] if commands else []
        ran = run_commands("\n".join(commands or lines), folder=self.folder)
        self._output = ran.output
        return _fault_of(ran, fails=block.fails) or _compare("\n".join(shown), ran.output)

    def _write(self, block: Block) -> str | None:
        path = self.folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        if block.language == "python":
            try:
                compile(block.text, block.file, "exec")
            except SyntaxError as error:
                return f"line {error.lineno} of the block: {error.msg}"
            return None
        return _parse(block)

    def _try_settings(self, block: Block) -> str | None:
        """Parse the block; let pytest read it if it has settings of pytest."""
        if (fault := _parse(block)) or "pytest" not in block.text or block.language == "json":
            return fault
        folder = self.folder / f"settings-{block.line}"
        folder.mkdir()
        name = "pytest.ini" if block.language == "ini" else "pyproject.toml"
        (folder / name).write_text(block.text, encoding="utf-8")
        ran = run_pytest(["--strict-config", "--collect-only"], folder=folder)
        return None if ran.status == _NO_TESTS_COLLECTED else ran.ending


def _groups(blocks: list[Block]) -> Iterator[list[Block]]:
    """The blocks in order, those together that can share a process."""
    group: list[Block] = []
    for position, block in enumerate(blocks):
        following = blocks[position + 1].kind if position + 1 < len(blocks) else None
        shares = block.kind is Kind.TESTS and block.fails is None and following is not Kind.OUTPUT
        if shares:
            group.append(block)
            continue
        if group:
            yield group
            group = []
        yield [block]
    if group:
        yield group


def _fault_of(ran: Ran, *, fails: str | None) -> str | None:
    if fails is None:
        return None if ran.status == 0 else ran.ending
    if ran.status is None or ran.status == 0:
        return f"it should fail: {ran.ending}"
    return None if fails in ran.output else f"it fails without saying {fails!r}: {ran.ending}"


def _fault_of_tests(outcomes: list[str] | None, ran: Ran) -> str | None:
    """A block of tests is right if pytest ran tests of it and all of them passed."""
    if outcomes and all(outcome == "passed" for outcome in outcomes):
        return None
    return f"its tests: {', '.join(outcomes or ['none was run'])}; {ran.ending}"


def _compare(expected: str, output: str) -> str | None:
    line = missing_line(expected, output)
    return None if line is None else f"the output lacks this line, or has it elsewhere: {line!r}\n{output}"


def _parse(block: Block) -> str | None:
    try:
        if block.language == "toml":
            tomllib.loads(block.text)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "ini":
            configparser.ConfigParser(interpolation=None).read_string(block.text)
    except (ValueError, configparser.Error) as error:
        return f"no valid {block.language}: {error}"
    return None
