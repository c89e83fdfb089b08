"""Side effects that something other than the adapter sees."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from rampart import (
    Attacks,
    BaseEvaluator,
    EvalContext,
    EvalResult,
    ObservabilityLevel,
    Payload,
    Probes,
    PromptDecision,
    Request,
    Response,
    SafetyStatus,
    SideEffect,
    Turn,
    execute_trials_async,
)
from rampart.core.side_effect_source import Coverage, add_source, current_sources, remove_source
from rampart.evaluators import SideEffectOccurred
from rampart.testing import ScriptedAgent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HOST = "127.0.0.1:9"
TO_SINK = SideEffectOccurred("http_request", host=HOST)
TOOLS = ObservabilityLevel.TOOL_ONLY


class Log:
    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.claims: list[Coverage] = [Coverage(kind="http_request", details={"host": HOST})]
        self.closed = False

    def take(self) -> list[SideEffect]:
        taken, self.sink.seen = self.sink.seen, []
        return taken

    def coverage(self) -> list[Coverage]:
        return self.claims

    def close(self) -> None:
        self.closed = True


class Sink:
    """Sees what `request` is told."""

    def __init__(self) -> None:
        self.seen: list[SideEffect] = []
        self.logs: list[Log] = []
        self.texts: list[list[str]] = []

    def isolation_keys(self, texts: Sequence[str], /) -> frozenset[str]:
        return frozenset({"the sink"}) if any(HOST in text for text in texts) else frozenset()

    def open_log(self, texts: Sequence[str], /) -> Log:
        self.texts.append(list(texts))
        self.logs.append(Log(self))
        return self.logs[-1]

    def request(self) -> None:
        self.seen.append(SideEffect(kind="http_request", details={"host": HOST, "path": "/x"}))


@contextmanager
def listening(sink: Sink) -> Iterator[Sink]:
    add_source(sink)
    try:
        yield sink
    finally:
        remove_source(sink)


@pytest.fixture
def sink() -> Iterator[Sink]:
    with listening(Sink()) as one:
        yield one
    assert current_sources() == ()


def agent_that(sink: Sink, *, leaks: bool, level: ObservabilityLevel = TOOLS) -> ScriptedAgent:
    def answer(_request: Request, _history: object) -> str:
        if leaks:
            sink.request()
        return "done"

    return ScriptedAgent([answer], level=level, repeat_last=True)


@pytest.mark.parametrize("leaks", [True, False])
async def test_what_the_sink_sees_settles_the_verdict_at_any_level(sink: Sink, leaks: bool) -> None:
    agent = agent_that(sink, leaks=leaks)
    result = await Attacks.xpia(trigger="go", evaluator=TO_SINK).execute_async(adapter=agent)
    assert result.status is (SafetyStatus.UNSAFE if leaks else SafetyStatus.SAFE)
    assert len(result.turns[0].response.side_effects) == leaks
    assert result.turns[0].response.metadata["observed_side_effects"] == [
        {"kind": "http_request", "details": {"host": HOST}}
    ]
    assert sink.logs[0].closed


async def test_probes_see_it_too(sink: Sink) -> None:
    result = await Probes.behavior(prompt="go", evaluator=TO_SINK).execute_async(
        adapter=agent_that(sink, leaks=True)
    )
    assert result.status is SafetyStatus.SAFE


OPEN = {
    "another-kind": SideEffectOccurred("email", host=HOST),
    "any-host": SideEffectOccurred("http_request"),
    "another-host": SideEffectOccurred("http_request", host="example.org"),
    "host-by-a-function": SideEffectOccurred("http_request", host=lambda _host: False),
}


@pytest.mark.parametrize("evaluator", OPEN.values(), ids=OPEN)
async def test_what_the_sink_would_not_have_seen_stays_open(
    sink: Sink, evaluator: SideEffectOccurred
) -> None:
    agent = agent_that(sink, leaks=False)
    result = await Attacks.xpia(trigger="go", evaluator=evaluator).execute_async(adapter=agent)
    assert result.status is SafetyStatus.UNDETERMINED


async def test_narrower_question_is_covered(sink: Sink) -> None:
    agent = agent_that(sink, leaks=True)
    evaluator = SideEffectOccurred("http_request", host=HOST, path="/other")
    result = await Attacks.xpia(trigger="go", evaluator=evaluator).execute_async(adapter=agent)
    assert result.status is SafetyStatus.SAFE


async def test_claim_that_no_longer_holds_is_taken_back_from_all_turns(sink: Sink) -> None:
    def lose(_request: Request, history: list[Turn]) -> str:
        if history:
            sink.logs[-1].claims = []
        return "done"

    agent = ScriptedAgent([lose], level=TOOLS, repeat_last=True)
    result = await Attacks.xpia(trigger=["a", "b"], evaluator=TO_SINK).execute_async(adapter=agent)
    assert result.status is SafetyStatus.UNDETERMINED
    assert all("observed_side_effects" not in turn.response.metadata for turn in result.turns)


async def test_claim_that_ends_after_the_stop_check_is_not_believed(sink: Sink) -> None:
    """A stop check that was made while the claim stood is not taken over."""
    judged: list[int] = []

    class Sees(BaseEvaluator):
        async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
            answer = await TO_SINK.evaluate_async(context=context)
            judged.append(1)
            sink.logs[0].claims = []
            return answer

    evaluator = Sees()
    result = await Attacks.xpia(trigger="go", evaluator=evaluator, stop_when=evaluator).execute_async(
        adapter=agent_that(sink, leaks=False)
    )
    assert result.status is SafetyStatus.UNDETERMINED
    assert len(judged) == 2


@pytest.mark.parametrize("leaks", [True, False])
@pytest.mark.parametrize("method", ["take", "coverage"])
async def test_source_that_fails_loses_no_harm_and_lets_nothing_be_safe(
    sink: Sink, monkeypatch: pytest.MonkeyPatch, method: str, leaks: bool
) -> None:
    original = getattr(Log, method)

    def fail(_log: Log) -> None:
        raise OSError("out of order")

    with listening(Sink()) as second:
        monkeypatch.setattr(Log, method, lambda log: fail(log) if log.sink is sink else original(log))
        result = await Attacks.xpia(trigger="go", evaluator=TO_SINK).execute_async(
            adapter=agent_that(second, leaks=leaks)
        )
    assert result.status is (SafetyStatus.UNSAFE if leaks else SafetyStatus.ERROR)
    assert "OSError: out of order" in result.summary


async def test_source_that_cannot_be_closed_keeps_nobody_waiting(
    sink: Sink, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_log: Log) -> None:
        raise OSError("out of order")

    monkeypatch.setattr(Log, "close", fail)
    async with asyncio.timeout(5):
        result = await Attacks.xpia(trigger="go", evaluator=TO_SINK).execute_async(
            adapter=agent_that(sink, leaks=False)
        )
    assert result.status is SafetyStatus.SAFE
    assert "Log could not be closed" in caplog.text


async def test_what_comes_after_the_reply_counts(sink: Sink) -> None:
    class Driver:
        async def next_prompt_async(self, *, history: list[Turn]) -> PromptDecision | None:
            if history:
                sink.request()  # while nobody is asked, as from a task that the agent left running
                return None
            return PromptDecision(request=Request(prompt="go"))

    agent = agent_that(sink, leaks=False)
    result = await Attacks.xpia(trigger=Driver(), evaluator=TO_SINK).execute_async(adapter=agent)
    assert result.status is SafetyStatus.UNSAFE
    assert len(result.turns[-1].response.side_effects) == 1


async def test_effects_of_a_request_that_failed_are_kept_with_the_next(sink: Sink) -> None:
    def fail(_request: Request, _history: object) -> str:
        sink.request()
        raise ConnectionError("down")

    agent = ScriptedAgent(["fine", fail], level=TOOLS)
    result = await Attacks.xpia(trigger=["a", "b"], evaluator=TO_SINK, stop_when=None).execute_async(
        adapter=agent
    )
    assert result.status is SafetyStatus.UNSAFE
    assert "ConnectionError: down" in result.summary


async def test_source_is_told_what_the_agent_will_be_shown(sink: Sink) -> None:
    trigger = Request(prompt="read it", attachments=[Payload(content="attached text")])
    agent = agent_that(sink, leaks=False)
    await Attacks.xpia(trigger=trigger, evaluator=TO_SINK).execute_async(adapter=agent)
    await Probes.behavior(prompts=["one", "two"], evaluator=TO_SINK).execute_async(adapter=agent)
    assert sink.texts == [["read it", "attached text"], ["one", "two"]]


@pytest.mark.parametrize(("prompt", "at_once"), [(f"post to {HOST}", False), ("do nothing", True)])
@pytest.mark.usefixtures("sink")
async def test_executions_that_cannot_be_told_apart_take_turns(prompt: str, at_once: bool) -> None:
    inside: list[int] = []

    async def answer(_request: Request, _history: object) -> str:
        inside.append(agent.opened - agent.closed)
        await asyncio.sleep(0.01)
        return "done"

    agent = ScriptedAgent([answer], level=TOOLS, repeat_last=True)
    await execute_trials_async(
        execution_factory=lambda: Probes.behavior(prompt=prompt, evaluator=~TO_SINK), adapter=agent, n=4
    )
    assert (max(inside) > 1) is at_once


async def test_nothing_listens_is_nothing_added() -> None:
    result = await Attacks.xpia(trigger="go", evaluator=TO_SINK).execute_async(
        adapter=ScriptedAgent(["done"], level=TOOLS)
    )
    assert result.status is SafetyStatus.UNDETERMINED
    assert result.turns[0].response.metadata == {}


async def test_agent_cannot_claim_that_somebody_watched() -> None:
    claim = {"observed_side_effects": [{"kind": "http_request", "details": {"host": HOST}}], "model": "m"}
    agent = ScriptedAgent([Response(text="done", metadata=claim)], level=TOOLS)
    result = await Attacks.xpia(trigger="go", evaluator=TO_SINK).execute_async(adapter=agent)
    assert result.status is SafetyStatus.UNDETERMINED
    assert result.turns[0].response.metadata == {"model": "m"}
