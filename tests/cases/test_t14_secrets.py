"""Cases about secrets and encodings: what must not be written, and what must be readable everywhere."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cases.child import Child, Run

from rampart import LLMConfig
from rampart.records import iter_records

KEY = "sk-test-AAAA1111"
REGISTERED = "hunter2-hunter2"

LEAKS = """
import logging

import pytest
from kit import *
from said import KEY, REGISTERED
from rampart import EvalOutcome, EvalResult, LLMConfig, Response, ToolCall
from rampart.text import register_secret

CONFIG = LLMConfig(model="m", api_key=KEY)
register_secret(REGISTERED)
SECRETS = {"key": KEY, "registered": REGISTERED}


class Quotes(BaseEvaluator):
    async def evaluate_async(self, *, context):
        said = context.text
        return EvalResult(
            outcome=EvalOutcome.NOT_DETECTED, rationale=f"agent said: {said}", evidence=[said])


@pytest.mark.parametrize("which", ["key", "registered"])
async def test_reply(which):
    call = ToolCall(name="t", arguments={SECRETS[which]: SECRETS[which]}, result=[SECRETS[which]])
    result = await one(Response(text=f"the key is {SECRETS[which]}!", tool_calls=[call]), Quotes())
    print(repr(result), repr(CONFIG))
    assert result, result.summary


@pytest.mark.parametrize("which", ["key", "registered"])
async def test_exception(which):
    result = await one(ConnectionError(f"401 for {SECRETS[which]}"))
    assert result, result.summary


@pytest.mark.trial(n=2)
async def test_trials():
    result = await one(ConnectionError(f"401 for {KEY}"))
    assert result, result.summary


def test_log():
    logging.getLogger("rampart").warning("the key is %s", KEY)
"""


@pytest.fixture(scope="module")
def leaky(make_child: Callable[..., Child]) -> tuple[Child, Run]:
    """A run in which agents and their errors tell secrets, and the bytes of all that it wrote."""
    child = make_child()
    child.write("said.py", f"KEY, REGISTERED = {KEY!r}, {REGISTERED!r}")
    child.write("test_it.py", LEAKS)
    run = child.run("-rA", "--log-file=log.txt", "--log-level=DEBUG")
    assert run.status == 1, run.output
    return child, run


def _written(folder: Path) -> list[Path]:
    """All that a run wrote, but for the sources."""
    return [path for path in folder.rglob("*") if path.is_file() and path.name != "said.py"]


@pytest.mark.case(98)
def test_s98_secrets_are_in_no_file(leaky: tuple[Child, Run]) -> None:
    child, _ = leaky
    written = _written(child.folder)
    names = {path.name for path in written}
    assert {"results.jsonl", "junit.xml", "log.txt"} <= names
    assert any(name.startswith("run_report_") for name in names)
    for path in written:
        content = path.read_bytes()
        assert KEY.encode() not in content, path
        assert REGISTERED.encode() not in content, path


@pytest.mark.case(98)
def test_s98_secrets_are_on_no_terminal_line(leaky: tuple[Child, Run]) -> None:
    _, run = leaky
    assert KEY not in run.output
    assert REGISTERED not in run.output
    assert "the key is ***!" in run.output
    assert "401 for ***" in run.output


@pytest.mark.case(98)
@pytest.mark.parametrize("which", ["key", "registered"])
def test_s98_stars_stand_in_the_report_and_are_no_loss(leaky: tuple[Child, Run], which: str) -> None:
    _, run = leaky
    (result,) = run.results(f"test_reply[{which}]")
    assert result["turns"][0]["response"]["text"] == "the key is ***!"
    (call,) = result["turns"][0]["response"]["tool_calls"]
    assert (call["arguments"], call["result"]) == ({"***": "***"}, ["***"])
    assert result["summary"] == "unsafe: agent said: the key is ***!"
    assert "losses" not in result
    (failed,) = run.results(f"test_exception[{which}]")
    assert failed["metadata"]["error"].endswith("401 for ***")


@pytest.mark.case(98)
def test_s98_key_is_in_no_repr() -> None:
    config = LLMConfig(model="m", api_key=KEY)
    assert KEY not in repr(config)
    assert config.api_key == KEY


TEXT = "日本 ﬁ 🙂 1.5°"


@pytest.fixture(scope="module")
def narrow(make_child: Callable[..., Child]) -> Run:
    """A run whose terminal knows 256 characters."""
    child = make_child()
    child.write(
        "test_it.py",
        f"""
        from kit import *

        async def test_it():
            result = await one(ConnectionError({TEXT!r}))
            assert result.status is ERROR

        async def test_reply():
            assert await one("ok {TEXT}")

        async def test_failing():
            result = await one({TEXT!r})
            assert result, result.summary
        """,
    )
    return child.run(PYTHONUTF8="0", PYTHONIOENCODING="cp1252:strict")


@pytest.mark.case(99)
def test_s99_terminal_of_another_encoding(narrow: Run) -> None:
    assert narrow.status == 1, narrow.output
    assert "UnicodeEncodeError" not in narrow.output
    assert "INTERNALERROR" not in narrow.output
    assert "ERR   test_it -- ConnectionError: " in narrow.output
    assert "Population: 3 runs" in narrow.output


@pytest.mark.case(99)
def test_s99_files_are_utf8(narrow: Run) -> None:
    (reply,) = narrow.results("test_reply")
    assert reply["turns"][0]["response"]["text"] == f"ok {TEXT}"
    assert TEXT in narrow.results("test_it")[0]["summary"]
    assert narrow.journal_path is not None
    assert TEXT.encode() in narrow.journal_path.read_bytes()
    assert len(list(iter_records(path=narrow.journal_path))) == 3
