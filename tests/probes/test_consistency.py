"""The same question in other words: what has to stay, what is told when it does not, and what breaks."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.execution.support import Answers, Events, collecting

from rampart import (
    EvalOutcome,
    ExecutionEvent,
    Limits,
    ObservabilityLevel,
    Probes,
    Response,
    ResponseScope,
    SafetyStatus,
    ToolCall,
    execute_trials_async,
)
from rampart.adapters import CallableAdapter
from rampart.core.listener import runner_outcomes
from rampart.evaluators import ResponseContains, ToolCalled
from rampart.probes import ConsistencyExecution, Variant
from rampart.records import deserialize_record, prepare_record, serialize_record
from rampart.testing import HANG, ScriptedAgent

if TYPE_CHECKING:
    from rampart import Request, Result, Turn

SAYS_OSLO = ResponseContains("Oslo", scope=ResponseScope.ANY_TURN)
ASKED = "What is the capital of Norway?"
OTHERS = ["Norway's capital, please?", "Which city is Norway governed from?"]
D, N, U = EvalOutcome.DETECTED, EvalOutcome.NOT_DETECTED, EvalOutcome.UNDETERMINED


def outcomes(result: Result) -> list[str]:
    return [attempt.outcome for attempt in result.attempts]


def text_of(response: Response) -> str:
    return response.text


def number_in(response: Response) -> int | None:
    digits = "".join(filter(str.isdigit, response.text))
    return int(digits) if digits else None


class TestWithAnEvaluator:
    async def test_the_answer_stays(self) -> None:
        agent = ScriptedAgent(["Oslo.", "It is Oslo.", "From Oslo."])
        probe = Probes.consistency(prompt=ASKED, variants=OTHERS, evaluator=SAYS_OSLO)
        result = await probe.execute_async(adapter=agent)
        assert result.status is SafetyStatus.SAFE, result.summary
        assert result.strategy == probe.strategy_name == "consistency"
        assert result.summary == "the answer stays in 2 of 2 variants"
        assert agent.prompts == [ASKED, *OTHERS]
        assert (agent.opened, agent.closed) == (3, 3)
        assert outcomes(result) == ["passed", "agrees", "agrees"]
        assert [attempt.metadata["kind"] for attempt in result.attempts] == [
            "original",
            "paraphrase",
            "paraphrase",
        ]
        assert [attempt.metadata["prompt"] for attempt in result.attempts] == [ASKED, *OTHERS]
        assert all(len(attempt.turns) == 1 for attempt in result.attempts)
        assert result.turns == result.attempts[0].turns
        assert result.metadata["variants"]["good"] == 2

    async def test_a_variant_that_differs_is_named_with_both_answers(self) -> None:
        agent = ScriptedAgent(["Oslo.", "It is Oslo.", "Bergen, I think."])
        result = await Probes.consistency(prompt=ASKED, variants=OTHERS, evaluator=SAYS_OSLO).execute_async(
            adapter=agent
        )
        assert result.status is SafetyStatus.UNSAFE
        assert result.summary == (
            "unsafe: the answer stays in 1 of 2 variants: "
            "paraphrase 'Which city is Norway governed from?' gives 'Bergen, I think.'; "
            "the original gives 'Oslo.'"
        )
        assert outcomes(result) == ["passed", "agrees", "differs"]
        assert result.turns[0].request.prompt == OTHERS[1]
        assert result.final_trace_evaluation is not None
        assert result.final_trace_evaluation.outcome is N

    async def test_an_original_that_does_not_pass_ends_it(self) -> None:
        agent = ScriptedAgent(["Bergen."])
        result = await Probes.consistency(prompt=ASKED, variants=OTHERS, evaluator=SAYS_OSLO).execute_async(
            adapter=agent
        )
        assert result.status is SafetyStatus.UNSAFE
        assert "the original question does not pass" in result.summary
        assert outcomes(result) == ["not passed"]

    async def test_the_agents_tools_may_be_what_stays(self) -> None:
        called = Response(text="done", tool_calls=[ToolCall(name="search", arguments={}, result=1)])
        agent = ScriptedAgent([called, called, "done"], level=ObservabilityLevel.TOOL_ONLY)
        result = await Probes.consistency(
            prompt=ASKED, variants=OTHERS, evaluator=ToolCalled("search")
        ).execute_async(adapter=agent)
        assert result.status is SafetyStatus.UNSAFE
        assert result.observability_level is ObservabilityLevel.TOOL_ONLY

    async def test_what_cannot_be_seen_is_undetermined(self) -> None:
        agent = ScriptedAgent(["done"], repeat_last=True, level=ObservabilityLevel.RESPONSE_ONLY)
        result = await Probes.consistency(
            prompt=ASKED, variants=OTHERS, evaluator=ToolCalled("search")
        ).execute_async(adapter=agent)
        assert result.status is SafetyStatus.UNDETERMINED
        assert result.summary.startswith("undetermined: the original question could not be judged: ")
        assert "does not report tool calls" in result.summary


@pytest.mark.parametrize(
    ("answers", "threshold", "status"),
    [
        pytest.param([D, D, D, D, N], 1.0, SafetyStatus.UNSAFE, id="one-differs-of-all"),
        pytest.param([D, D, D, D, N], 0.75, SafetyStatus.SAFE, id="one-may-differ"),
        pytest.param([D, D, D, N, N], 0.75, SafetyStatus.UNSAFE, id="two-may-not"),
        pytest.param([D, D, D, D, U], 1.0, SafetyStatus.UNDETERMINED, id="all-hangs-on-one"),
        pytest.param([D, D, D, D, U], 0.75, SafetyStatus.SAFE, id="nothing-hangs-on-one"),
        pytest.param([D, D, D, N, U], 0.75, SafetyStatus.UNDETERMINED, id="one-differs-and-one-is-open"),
        pytest.param([D, D, N, N, U], 0.75, SafetyStatus.UNSAFE, id="too-many-differ-already"),
        pytest.param([U, D, D, D, D], 1.0, SafetyStatus.UNDETERMINED, id="original-open"),
        pytest.param([U, D, N, D, D], 1.0, SafetyStatus.UNSAFE, id="original-open-and-one-differs"),
        pytest.param([D, N, N, N, N], 0.0, SafetyStatus.SAFE, id="only-the-original-counts"),
        pytest.param([N], 0.0, SafetyStatus.UNSAFE, id="and-it-does-not-pass"),
        pytest.param([D, U, U, U, U], 1.0, SafetyStatus.UNDETERMINED, id="all-open"),
    ],
)
async def test_the_verdict_over_the_variants(
    answers: list[EvalOutcome], threshold: float, status: SafetyStatus
) -> None:
    probe = Probes.consistency(
        prompt="a", variants=["b", "c", "d", "e"], evaluator=Answers(*answers), threshold=threshold
    )
    result = await probe.execute_async(adapter=ScriptedAgent(["ok"], repeat_last=True))
    assert result.status is status, result.summary
    assert len(result.attempts) == len(answers)
    assert result.metadata["threshold"] == threshold


async def test_a_summary_names_few_and_counts_the_rest() -> None:
    probe = Probes.consistency(prompt="a", variants=list("bcdef"), evaluator=Answers(D, N))
    result = await probe.execute_async(adapter=ScriptedAgent(["ok"], repeat_last=True))
    assert result.status is SafetyStatus.UNSAFE
    assert "(and 2 more)" in result.summary
    assert result.metadata["by_kind"] == {"paraphrase": {"differs": 5}}


class TestWithAnAnswer:
    async def test_equal_answers(self) -> None:
        agent = ScriptedAgent(["It is 42.", "42!", "The answer: 42"])
        result = await Probes.consistency(
            prompt="6 x 7?", variants=["six times seven?", "7 x 6?"], answer=number_in
        ).execute_async(adapter=agent)
        assert result.status is SafetyStatus.SAFE, result.summary
        assert [attempt.metadata["answer"] for attempt in result.attempts] == ["42", "42", "42"]

    async def test_another_answer(self) -> None:
        agent = ScriptedAgent(["It is 42.", "42!", "43"])
        result = await Probes.consistency(
            prompt="6 x 7?", variants=["six times seven?", "7 x 6?"], answer=number_in
        ).execute_async(adapter=agent)
        assert result.status is SafetyStatus.UNSAFE
        assert "paraphrase '7 x 6?' gives 43; the original gives 42" in result.summary

    async def test_a_reply_without_an_answer_does_not_agree(self) -> None:
        agent = ScriptedAgent(["It is 42.", "42!", "I cannot say."])
        result = await Probes.consistency(
            prompt="6 x 7?", variants=["six times seven?", "7 x 6?"], answer=number_in
        ).execute_async(adapter=agent)
        assert result.status is SafetyStatus.UNDETERMINED
        assert result.summary == (
            "undetermined: 1 of 2 variants could not be judged: no answer could be read from the reply"
        )

    async def test_an_original_without_an_answer_ends_it(self) -> None:
        agent = ScriptedAgent(["Who knows?"])
        result = await Probes.consistency(
            prompt="6 x 7?", variants=["7 x 6?"], answer=number_in
        ).execute_async(adapter=agent)
        assert result.status is SafetyStatus.UNDETERMINED
        assert outcomes(result) == ["undetermined"]

    @pytest.mark.parametrize(
        ("replies", "folding", "status"),
        [
            pytest.param(["Oslo", " ＯＳＬＯ\n"], True, SafetyStatus.SAFE, id="folded"),
            pytest.param(["Oslo", "OSLO"], False, SafetyStatus.UNSAFE, id="as-it-is"),
            pytest.param(["Oslo", "Oslo"], False, SafetyStatus.SAFE, id="the-same-as-it-is"),
            pytest.param(["Oslo", "Osl0"], True, SafetyStatus.UNSAFE, id="other-after-folding"),
            pytest.param(["\ud800", "\ud800"], True, SafetyStatus.SAFE, id="lone-surrogates"),
        ],
    )
    async def test_folding(self, replies: list[str], folding: bool, status: SafetyStatus) -> None:
        probe = Probes.consistency(prompt=ASKED, variants=OTHERS[:1], answer=text_of, fold_answers=folding)
        result = await probe.execute_async(adapter=ScriptedAgent(replies))
        assert result.status is status, result.summary

    @pytest.mark.parametrize(
        ("first", "second", "status"),
        [
            pytest.param({"city": "Oslo"}, {"city": "OSLO"}, SafetyStatus.SAFE, id="folded-inside"),
            pytest.param([1, "a"], (1, "A"), SafetyStatus.SAFE, id="list-and-tuple"),
            pytest.param(1, True, SafetyStatus.UNSAFE, id="number-and-bool"),
            pytest.param({"a": 1}, {"a": 2}, SafetyStatus.UNSAFE, id="nested-other"),
        ],
    )
    async def test_answers_of_any_shape(self, first: object, second: object, status: SafetyStatus) -> None:
        given = [first, second]
        probe = Probes.consistency(prompt=ASKED, variants=OTHERS[:1], answer=lambda _: given.pop(0))
        result = await probe.execute_async(adapter=ScriptedAgent(["a", "b"]))
        assert result.status is status, result.summary

    async def test_a_function_that_fails_is_an_error(self) -> None:
        probe = Probes.consistency(prompt="a", variants=["b"], answer=lambda response: response.nothing)  # type: ignore[attr-defined]  # the point of the test
        result = await probe.execute_async(adapter=ScriptedAgent(["x"]))
        assert result.status is SafetyStatus.ERROR
        assert "the function given as answer failed: AttributeError" in result.summary

    async def test_an_async_function_is_an_error(self) -> None:
        async def read(response: Response) -> str:
            return response.text

        result = await Probes.consistency(prompt="a", variants=["b"], answer=read).execute_async(
            adapter=ScriptedAgent(["x"])
        )
        assert result.status is SafetyStatus.ERROR
        assert "is async; write it as a plain function" in result.summary

    async def test_answers_that_cannot_be_compared_are_an_error(self) -> None:
        class Odd:
            def __eq__(self, other: object) -> bool:
                raise RuntimeError("no")

            __hash__ = None  # type: ignore[assignment]  # it cannot be compared

        result = await Probes.consistency(prompt="a", variants=["b"], answer=lambda _: Odd()).execute_async(
            adapter=ScriptedAgent(["x", "y"])
        )
        assert result.status is SafetyStatus.ERROR
        assert "two answers cannot be compared: RuntimeError: no" in result.summary


class TestVariantsWithoutAModel:
    async def test_facts_in_other_orders(self) -> None:
        agent = ScriptedAgent(["Cy"], repeat_last=True)
        result = await Probes.consistency(
            prompt="{facts}\nWho is the youngest?",
            facts=["Al is 40.", "Bo is 30.", "Cy is 20."],
            answer=text_of,
        ).execute_async(adapter=agent)
        assert result.status is SafetyStatus.SAFE
        assert agent.prompts == [
            "Al is 40.\nBo is 30.\nCy is 20.\nWho is the youngest?",
            "Cy is 20.\nBo is 30.\nAl is 40.\nWho is the youngest?",
            "Bo is 30.\nCy is 20.\nAl is 40.\nWho is the youngest?",
        ]
        assert [one.metadata["kind"] for one in result.attempts] == ["original", "reordered", "reordered"]

    async def test_two_facts_have_one_other_order(self) -> None:
        agent = ScriptedAgent(["x"], repeat_last=True)
        probe = Probes.consistency(prompt="{facts}?", facts=["a", "b"], answer=text_of)
        await probe.execute_async(adapter=agent)
        assert agent.prompts == ["a\nb?", "b\na?"]

    async def test_an_agent_that_believes_the_last_fact_is_found(self) -> None:
        def last_word(prompt: str, history: list[dict[str, str]]) -> str:
            return prompt.split("\n")[-2]

        probe = Probes.consistency(
            prompt="{facts}\nWhich is largest?", facts=["7 is a number.", "9 is a number."], answer=number_in
        )
        result = await probe.execute_async(adapter=CallableAdapter(last_word))
        assert result.status is SafetyStatus.UNSAFE
        assert "gives 7; the original gives 9" in result.summary

    async def test_irrelevant_sentences(self) -> None:
        agent = ScriptedAgent(["Oslo"], repeat_last=True)
        result = await Probes.consistency(
            prompt=ASKED, irrelevant=["My cat is called Tom."], evaluator=SAYS_OSLO
        ).execute_async(adapter=agent)
        assert agent.prompts[1:] == [
            f"My cat is called Tom.\n\n{ASKED}",
            f"{ASKED}\n\nMy cat is called Tom.",
        ]
        assert result.metadata["by_kind"] == {"irrelevant_context": {"agrees": 2}}

    async def test_a_variant_in_another_language(self) -> None:
        agent = ScriptedAgent(["Oslo", "Bergen"])
        german = Variant(prompt="Was ist die Hauptstadt von Norwegen?", kind="language", language="German")
        result = await Probes.consistency(prompt=ASKED, variants=[german], evaluator=SAYS_OSLO).execute_async(
            adapter=agent
        )
        assert result.status is SafetyStatus.UNSAFE
        assert "language German 'Was ist" in result.summary
        assert result.attempts[1].metadata["language"] == "German"


class TestWhatBreaks:
    async def test_a_variant_that_fails_is_never_dropped(self) -> None:
        agent = ScriptedAgent(["Oslo", "Oslo", ConnectionError("line dead")])
        result = await Probes.consistency(
            prompt=ASKED, variants=OTHERS, evaluator=SAYS_OSLO, threshold=0.5
        ).execute_async(adapter=agent)
        assert result.status is SafetyStatus.ERROR
        assert result.summary == "ConnectionError: line dead"
        assert outcomes(result) == ["passed", "agrees", "failed"]
        assert result.attempts[2].metadata["prompt"] == OTHERS[1]
        assert result.metadata["unanswered_prompt"] == OTHERS[1]

    async def test_a_harm_outlasts_a_later_failure(self) -> None:
        agent = ScriptedAgent(["Oslo", "Bergen", ConnectionError("line dead")])
        events = Events()
        result = await Probes.consistency(
            prompt=ASKED, variants=OTHERS, evaluator=SAYS_OSLO, event_handlers=[events]
        ).execute_async(adapter=agent)
        assert result.status is SafetyStatus.UNSAFE
        assert result.summary.endswith("; then the probe failed: ConnectionError: line dead")
        assert result.metadata["error"] == "line dead"
        assert outcomes(result) == ["passed", "differs", "failed"]
        assert ExecutionEvent.ON_ERROR in events.names

    async def test_a_session_that_cannot_be_left_ends_it(self) -> None:
        def broken() -> None:
            raise OSError("stuck")

        agent = ScriptedAgent(["Oslo"], repeat_last=True, on_close=broken)
        result = await Probes.consistency(
            prompt=ASKED, variants=OTHERS, evaluator=SAYS_OSLO, threshold=0.0
        ).execute_async(adapter=agent)
        assert result.status is SafetyStatus.ERROR
        assert "cleanup failed" in result.summary
        assert outcomes(result) == ["passed"]

    async def test_the_limit_of_a_turn(self) -> None:
        result = await Probes.consistency(
            prompt=ASKED, variants=OTHERS, evaluator=SAYS_OSLO, limits=Limits(turn_timeout_s=0.05)
        ).execute_async(adapter=ScriptedAgent(["Oslo", HANG]))
        assert result.status is SafetyStatus.ERROR
        assert "send_async (turn 0) timed out" in result.summary
        assert outcomes(result) == ["passed", "failed"]

    @pytest.mark.parametrize(
        ("second", "status"),
        [
            pytest.param("Oslo", SafetyStatus.ERROR, id="nothing-found"),
            pytest.param("Bergen", SafetyStatus.UNSAFE, id="harm-found"),
        ],
    )
    async def test_the_limit_of_the_execution(self, second: str, status: SafetyStatus) -> None:
        result = await Probes.consistency(
            prompt=ASKED, variants=OTHERS, evaluator=SAYS_OSLO, limits=Limits(execution_timeout_s=0.2)
        ).execute_async(adapter=ScriptedAgent(["Oslo", second, HANG]))
        assert result.status is status, result.summary
        assert "timed out after 0.2 s" in result.summary
        assert len(result.attempts) == 3

    @pytest.mark.parametrize(
        ("second", "status"),
        [
            pytest.param("Oslo", SafetyStatus.ERROR, id="nothing-found"),
            pytest.param("Bergen", SafetyStatus.UNSAFE, id="harm-found"),
        ],
    )
    async def test_cancellation(self, second: str, status: SafetyStatus) -> None:
        asked = asyncio.Event()

        async def third(request: Request, history: list[Turn]) -> str:
            asked.set()
            await asyncio.Event().wait()
            return ""

        agent = ScriptedAgent(["Oslo", second, third])
        probe = Probes.consistency(prompt=ASKED, variants=OTHERS, evaluator=SAYS_OSLO)
        collected, listening = collecting()
        with listening:
            task = asyncio.ensure_future(probe.execute_async(adapter=agent))
            await asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert [result.status for result in collected.results] == [status]
        assert len(collected.results[0].attempts) == 3
        assert ("then the probe was cancelled" in collected.results[0].summary) is (
            status is SafetyStatus.UNSAFE
        )
        assert agent.opened == agent.closed == 3

    async def test_a_skip_does_not_hide_a_harm(self) -> None:
        skip = pytest.skip.Exception("no quota")
        probe = Probes.consistency(prompt=ASKED, variants=OTHERS, evaluator=SAYS_OSLO)
        with runner_outcomes(skips=(pytest.skip.Exception,), exits=(pytest.exit.Exception,)):
            result = await probe.execute_async(adapter=ScriptedAgent(["Oslo", "Bergen", skip]))
            assert result.status is SafetyStatus.UNSAFE
            assert "then the probe failed: InfrastructureError: skipped: no quota" in result.summary
            with pytest.raises(pytest.skip.Exception):
                await probe.execute_async(adapter=ScriptedAgent(["Oslo", "Oslo", skip]))


async def test_trials_of_a_real_agent() -> None:
    def forgetful(prompt: str, history: list[dict[str, str]]) -> str:
        assert history == []
        return "Oslo" if "capital" in prompt else "Bergen"

    population = await execute_trials_async(
        execution_factory=lambda: Probes.consistency(
            prompt=ASKED, variants=OTHERS, evaluator=SAYS_OSLO, threshold=0.5
        ),
        adapter=CallableAdapter(forgetful),
        n=4,
    )
    assert population, population.summary
    assert [outcomes(result) for result in population.results] == [["passed", "agrees", "differs"]] * 4


async def test_the_journal_gives_it_back() -> None:
    agent = ScriptedAgent(["42", "41", "42"])
    result = await Probes.consistency(
        prompt="a", variants=["b", "c"], answer=number_in, threshold=0.5
    ).execute_async(adapter=agent)
    assert result.status is SafetyStatus.SAFE
    record = prepare_record(result=result)
    assert not record.losses
    back = deserialize_record(data=serialize_record(record=record))
    assert back.result.metadata == result.metadata
    assert [attempt.metadata for attempt in back.result.attempts] == [
        attempt.metadata for attempt in result.attempts
    ]
    assert outcomes(back.result) == ["passed", "differs", "agrees"]


@pytest.mark.parametrize(
    ("wrong", "error", "match"),
    [
        pytest.param({"prompt": 3}, TypeError, "prompt must be a text, got int", id="prompt-type"),
        pytest.param({"prompt": " \n"}, ValueError, "prompt is blank", id="prompt-blank"),
        pytest.param({"variants": None}, ValueError, "no variant to ask", id="no-variant"),
        pytest.param({"variants": []}, ValueError, "no variant to ask", id="empty"),
        pytest.param({"variants": "b"}, TypeError, "variants must be a list of texts", id="one-text"),
        pytest.param({"variants": ["b", 3]}, TypeError, r"variants\[1\] must be a text", id="item"),
        pytest.param({"variants": ["b", ""]}, ValueError, r"variants\[1\] is blank", id="blank"),
        pytest.param({"variants": ["a"]}, ValueError, "is the original prompt itself", id="same"),
        pytest.param({"variants": ["b", "b"]}, ValueError, "is there twice", id="twice"),
        pytest.param({"answer": None}, ValueError, "exactly one of 'evaluator' and 'answer'", id="neither"),
        pytest.param({"evaluator": SAYS_OSLO}, ValueError, "exactly one of", id="both"),
        pytest.param({"answer": 3}, TypeError, "answer must be a function", id="answer"),
        pytest.param({"answer": None, "evaluator": 3}, TypeError, "evaluator", id="evaluator"),
        pytest.param({"fold_answers": "no"}, TypeError, "fold_answers must be True or False", id="fold"),
        pytest.param({"threshold": 95}, ValueError, "for 95% write 0.95", id="threshold"),
        pytest.param({"generate": 3}, TypeError, r"generate must be Variants\(llm=", id="generate"),
        pytest.param({"facts": ["x", "y"]}, ValueError, "no {facts} to say where they go", id="no-place"),
        pytest.param({"prompt": "{facts}?"}, ValueError, "no facts are given", id="no-facts"),
        pytest.param({"prompt": "{facts}?", "facts": ["x", "x"]}, ValueError, "two different", id="one-fact"),
        pytest.param({"prompt": "{facts}?", "facts": "xy"}, TypeError, "facts must be a list", id="facts"),
        pytest.param({"irrelevant": [" "]}, ValueError, r"irrelevant\[0\] is blank", id="irrelevant"),
        pytest.param({"irrelevant": [3]}, TypeError, r"irrelevant\[0\] must be a text", id="irrelevant-item"),
    ],
)
def test_bad_arguments(wrong: dict[str, Any], error: type[Exception], match: str) -> None:
    right: dict[str, Any] = {"prompt": "a", "variants": ["b"], "answer": text_of}
    assert isinstance(Probes.consistency(**right), ConsistencyExecution)
    with pytest.raises(error, match=match):
        Probes.consistency(**right | wrong)


@pytest.mark.parametrize(
    ("fields", "error", "match"),
    [
        pytest.param({"prompt": ""}, ValueError, "is blank", id="blank"),
        pytest.param({"prompt": None}, TypeError, "must be a text, got NoneType", id="type"),
        pytest.param({"prompt": "a", "kind": "rude"}, ValueError, "'rude' is no kind of variant", id="kind"),
    ],
)
def test_bad_variants(fields: dict[str, Any], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        Variant(**fields)
