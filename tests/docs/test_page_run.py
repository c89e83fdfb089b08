"""Blocks that are right pass, blocks that are wrong do not: one small page a case."""

from pathlib import Path

import pytest
from tests.docs.blocks import Block, Kind, parse_blocks
from tests.docs.page_run import PageRun

_PASSING = "```python\ndef test_right():\n    pass\n```\n"
_FAILING = "```python\ndef test_wrong():\n    assert 1 == 2\n```\n"


def _faults(page: str, folder: Path) -> list[str | None]:
    blocks = parse_blocks(page)
    run = PageRun(blocks=blocks, folder=folder)
    return [run.fault(block) for block in blocks]


def _texts(faults: list[str | None]) -> list[str]:
    assert None not in faults
    return [str(fault) for fault in faults]


def test_a_page_that_is_right(tmp_path: Path) -> None:
    page = (
        "<!-- file: agent.py -->\n```python\nANSWER = 42\n```\n"
        "<!-- file: pytest.ini -->\n```ini\n[pytest]\nrampart_journal = off\n```\n"
        "```python\nimport agent\ndef test_answer():\n    assert agent.ANSWER == 42\n```\n"
        "```python\nasync def test_async():\n    pass\n```\n"
        "<!-- fails: no such answer -->\n"
        "```python\ndef test_wrong():\n    raise ValueError('no such answer')\n```\n"
        "```python\nimport agent\nprint('the answer', agent.ANSWER)\n```\n"
        "<!-- output -->\n```text\nthe answer 42\n```\n"
        "```console\n$ python -c 'import agent; print(agent.ANSWER)'\n42\n```\n"
        "<!-- fails: no-such-file -->\n```bash\nls no-such-file\n```\n"
        "```toml\n[tool.pytest.ini_options]\nrampart_async = 'marked'\n```\n"
        '```json\n{"a": 1}\n```\n'
    )
    assert _faults(page, tmp_path) == [None] * 11
    assert sorted(path.name for path in tmp_path.glob("*.py")) == ["agent.py"]


def test_a_failing_test_is_told_from_its_neighbours(tmp_path: Path) -> None:
    faults = _faults(_PASSING + _FAILING + _PASSING, tmp_path)
    assert [fault is None for fault in faults] == [True, False, True]
    assert "assert 1 == 2" in str(faults[1])


def test_output_of_tests_is_that_of_the_block_above(tmp_path: Path) -> None:
    shown = "<!-- output -->\n```text\n1 passed\n```\n"
    assert _faults(_PASSING + _PASSING + shown, tmp_path) == [None] * 3
    faults = _faults(_PASSING + shown.replace("1 passed", "2 passed"), tmp_path)
    assert "the output lacks this line" in str(faults[1])


@pytest.mark.parametrize(
    ("page", "text"),
    [
        pytest.param("```python\nraise SystemExit(3)\n```\n", "exit status 3", id="script"),
        pytest.param("```bash\nfalse\ntrue\n```\n", "exit status 1", id="first-command-fails"),
        pytest.param("```console\n$ echo one\ntwo\n```\n", "lacks this line, or has it", id="console-output"),
        pytest.param(f"<!-- fails: x -->\n{_PASSING}", "it should fail", id="fails-but-passes"),
        pytest.param(f"<!-- fails: x y -->\n{_FAILING}", "without saying 'x y'", id="fails-otherwise"),
        pytest.param("<!-- fails: x -->\n```bash\ntrue\n```\n", "it should fail", id="command-passes"),
        pytest.param("```python\nimport nothing_at_all\ndef test_it(): pass\n```\n", "error", id="no-import"),
        pytest.param(
            "```python\nimport pytest\n@pytest.mark.skip\ndef test_it(): pass\n```\n",
            "skipped",
            id="skipping",
        ),
        pytest.param(
            "```python\nif 0:\n    def test_it(): pass\n```\n", "none was run", id="no-test-collected"
        ),
        pytest.param("```toml\na =\n```\n", "no valid toml", id="toml"),
        pytest.param("```json\n{'a': 1}\n```\n", "no valid json", id="json"),
        pytest.param("```ini\na\n```\n", "no valid ini", id="ini"),
        pytest.param("```ini\n[pytest]\nrampart_no_such = 1\n```\n", "rampart_no_such", id="unknown-setting"),
        pytest.param("```ini\n[pytest]\nrampart_journal = maybe\n```\n", "rampart_journal", id="wrong-value"),
        pytest.param("<!-- file: x.toml -->\n```toml\na =\n```\n", "no valid toml", id="file"),
    ],
)
def test_faults(page: str, text: str, tmp_path: Path) -> None:
    [fault] = _texts(_faults(page, tmp_path))
    assert text in fault


def test_a_file_of_code_has_to_be_python(tmp_path: Path) -> None:
    block = Block(line=1, language="python", text="def\n", kind=Kind.FILE, file="agent.py")
    fault = PageRun(blocks=[block], folder=tmp_path).fault(block)
    assert fault == "line 1 of the block: invalid syntax"
