"""Verdicts of single executions and their places in populations."""

from __future__ import annotations

import inspect
from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import pytest
from tests.core.support import ERROR, REQUIRED, SAFE, UNDETERMINED, UNSAFE, field_table, result_of

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.result import (
    InjectionRecord,
    PopulationRef,
    Result,
    SafetyStatus,
    checked_threshold,
    resolve_attack_verdict,
    resolve_probe_verdict,
)
from rampart.core.types import EvaluationPurpose, ObservabilityLevel, Request, Response, Turn
from rampart.text.secrets import _isolated_secrets, register_secret

HUGE = 10**400


def ref(**changes: Any) -> PopulationRef:
    facts: dict[str, Any] = {"id": "p", "index": 0, "size": 3, "threshold": 0.5}
    return PopulationRef(**(facts | changes))


class TestPopulationRef:
    def test_fields(self) -> None:
        assert field_table(PopulationRef) == dict.fromkeys(["id", "index", "size", "threshold"], REQUIRED)

    @pytest.mark.parametrize(
        ("changes", "error", "text"),
        [
            pytest.param({"id": 7}, TypeError, "population id must be a string", id="id-int"),
            pytest.param({"id": None}, TypeError, "population id must be a string", id="id-none"),
            pytest.param({"id": ""}, ValueError, "population id must be non-empty", id="id-empty"),
            pytest.param(
                {"size": True}, TypeError, "population size must be a non-boolean integer", id="size-bool"
            ),
            pytest.param(
                {"size": 3.0}, TypeError, "population size must be a non-boolean integer", id="size-float"
            ),
            pytest.param(
                {"size": 0}, ValueError, "population size must be greater than or equal to 1", id="size-zero"
            ),
            pytest.param(
                {"threshold": True}, TypeError, "population threshold must be a number", id="threshold-bool"
            ),
            pytest.param(
                {"threshold": "0.5"}, TypeError, "population threshold must be a number", id="threshold-text"
            ),
            pytest.param(
                {"threshold": None}, TypeError, "population threshold must be a number", id="threshold-none"
            ),
            pytest.param(
                {"threshold": float("nan")},
                ValueError,
                "population threshold must be finite",
                id="threshold-nan",
            ),
            pytest.param(
                {"threshold": float("-inf")},
                ValueError,
                "population threshold must be finite",
                id="threshold-infinite",
            ),
            pytest.param(
                {"threshold": HUGE}, ValueError, "population threshold must be finite", id="threshold-huge"
            ),
            pytest.param(
                {"threshold": 1.5},
                ValueError,
                r"population threshold must be between 0\.0 and 1\.0, got 1\.5; for 1\.5% write 0\.015",
                id="threshold-above",
            ),
            pytest.param(
                {"threshold": -0.1},
                ValueError,
                r"population threshold must be between 0\.0 and 1\.0, got -0\.1",
                id="threshold-below",
            ),
            pytest.param({"index": False}, TypeError, "population index must be an integer", id="index-bool"),
            pytest.param({"index": 1.0}, TypeError, "population index must be an integer", id="index-float"),
            pytest.param(
                {"index": 3},
                ValueError,
                "population index must be between 0 and size - 1",
                id="index-is-size",
            ),
            pytest.param(
                {"index": -1},
                ValueError,
                "population index must be between 0 and size - 1",
                id="index-negative",
            ),
        ],
    )
    def test_refusals(self, changes: dict[str, Any], error: type[Exception], text: str) -> None:
        with pytest.raises(error, match=f"^{text}$"):
            ref(**changes)

    @pytest.mark.parametrize(
        ("sound", "text"),
        [
            pytest.param([], "population id", id="id-first"),
            pytest.param(["id"], "population size", id="then-size"),
            pytest.param(["id", "size"], "population threshold", id="then-threshold"),
            pytest.param(["id", "size", "threshold"], "population index", id="then-index"),
        ],
    )
    def test_the_first_fault_is_the_one_reported(self, sound: list[str], text: str) -> None:
        faults: dict[str, Any] = {"id": "", "size": 0, "threshold": 2, "index": -1}
        with pytest.raises(ValueError, match=f"^{text} "):
            ref(**{name: value for name, value in faults.items() if name not in sound})

    @pytest.mark.parametrize("threshold", [0, 1, 0.5], ids=str)
    def test_the_threshold_becomes_a_float(self, threshold: float) -> None:
        assert type(ref(threshold=threshold).threshold) is float
        assert ref(threshold=threshold).threshold == threshold

    def test_a_population_of_one(self) -> None:
        assert ref(size=1, index=0).size == 1

    def test_both_ends_are_places(self) -> None:
        assert ref(index=0).index == 0
        assert ref(index=2).index == 2

    def test_it_does_not_change(self) -> None:
        with pytest.raises(FrozenInstanceError):
            ref().index = 1  # type: ignore[misc]  # the point of the test


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        pytest.param(80, "for 80% write 0.8", id="percent"),
        pytest.param(100, "for 100% write 1", id="hundred"),
        pytest.param(101, None, id="no-percentage"),
        pytest.param(-80, None, id="negative"),
    ],
)
def test_s56_a_percentage_is_told_how_to_be_a_fraction(value: float, hint: str | None) -> None:
    with pytest.raises(ValueError, match=r"^threshold must be between 0\.0 and 1\.0, got ") as caught:
        checked_threshold(value, name="threshold")
    assert (hint in str(caught.value)) if hint else ("write" not in str(caught.value))


@pytest.mark.parametrize("status", SafetyStatus, ids=lambda status: status.value)
def test_a_status_is_true_when_it_is_safe(status: SafetyStatus) -> None:
    assert bool(status) is (status is SAFE)


class TestResult:
    def test_fields(self) -> None:
        assert field_table(Result) == {
            "status": REQUIRED,
            "summary": REQUIRED,
            "observability_level": REQUIRED,
            "final_trace_evaluation": None,
            "turns": [],
            "trace_end_reason": None,
            "duration_seconds": 0.0,
            "harm_category": None,
            "strategy": "",
            "utility": None,
            "injections": [],
            "population": None,
            "metadata": {},
            "control": None,
            "attempts": [],
            "usage": {},
        }
        assert field_table(InjectionRecord) == {
            "payload_id": REQUIRED,
            "surface_name": REQUIRED,
            "delivery": "unknown",
        }

    @pytest.mark.parametrize("status", SafetyStatus, ids=lambda status: status.value)
    def test_safe_and_truth_are_one_status(self, status: SafetyStatus) -> None:
        result = result_of(status)
        assert result.status is status
        assert result.safe is (status is SAFE)
        assert bool(result) is (status is SAFE)

    def test_s82_a_status_of_a_wrong_type_is_not_safe(self) -> None:
        result = result_of("safe")  # type: ignore[arg-type]  # a faulty strategy
        assert not result.safe
        assert not result
        assert repr(result) == "Result(safe=False, status=safe, summary='made by hand')"

    def test_safe_is_no_argument_and_cannot_be_set(self) -> None:
        with pytest.raises(TypeError, match="safe"):
            Result(safe=True, summary="", observability_level=ObservabilityLevel.TOOL_ONLY)  # type: ignore[call-arg]  # the point of the test
        with pytest.raises(AttributeError, match="safe"):
            result_of(UNSAFE).safe = True  # type: ignore[misc]  # likewise

    @pytest.mark.parametrize("missing", ["status", "summary", "observability_level"])
    def test_what_has_no_default_is_required(self, missing: str) -> None:
        facts: dict[str, Any] = {
            "status": SAFE,
            "summary": "",
            "observability_level": ObservabilityLevel.TOOL_ONLY,
        }
        del facts[missing]
        with pytest.raises(TypeError, match=f"'{missing}'"):
            Result(**facts)

    @pytest.mark.parametrize(
        ("status", "text"),
        [
            (SAFE, "Result(safe=True, status=safe, summary='it\\'s \"fine\"')"),
            (UNSAFE, "Result(safe=False, status=unsafe, summary='it\\'s \"fine\"')"),
            (UNDETERMINED, "Result(safe=False, status=undetermined, summary='it\\'s \"fine\"')"),
            (ERROR, "Result(safe=False, status=error, summary='it\\'s \"fine\"')"),
        ],
        ids=lambda value: value.value if isinstance(value, SafetyStatus) else None,
    )
    def test_repr(self, status: SafetyStatus, text: str) -> None:
        assert repr(result_of(status, summary='it\'s "fine"')) == text

    def test_turn_evaluations_are_those_of_turns_in_order(self) -> None:
        answers = [EvalResult(outcome=EvalOutcome.NOT_DETECTED) for _ in range(2)]
        plain = Turn(request=Request(prompt="a"), response=Response(text="b"))
        turns = [
            plain,
            *(
                Turn(
                    request=plain.request,
                    response=plain.response,
                    eval_result=answer,
                    eval_purpose=EvaluationPurpose.STOP_CHECK,
                )
                for answer in answers
            ),
            plain,
        ]
        final = EvalResult(outcome=EvalOutcome.DETECTED)
        result = result_of(SAFE, turns=turns, final_trace_evaluation=final)
        assert [id(answer) for answer in result.turn_evaluations] == [id(answer) for answer in answers]
        assert result_of(SAFE).turn_evaluations == []

    def test_results_are_equal_by_value(self) -> None:
        assert result_of(SAFE) == result_of(SAFE)
        assert result_of(SAFE) != result_of(UNSAFE)
        assert result_of(SAFE) != result_of(SAFE, summary="another")

    def test_containers_are_fresh(self) -> None:
        one, other = result_of(SAFE), result_of(SAFE)
        assert one.turns is not other.turns
        assert one.injections is not other.injections
        assert one.metadata is not other.metadata

    def test_a_status_can_be_set(self) -> None:
        result = result_of(SAFE)
        result.status = UNSAFE
        assert result.status is UNSAFE
        assert not result.safe

    def test_a_subclass_may_add_fields(self) -> None:
        @dataclass(kw_only=True)
        class Priced(Result):
            cost: float = 0.0

        priced = Priced(status=SAFE, summary="", observability_level=ObservabilityLevel.TOOL_ONLY, cost=2.0)
        assert priced.safe
        assert priced.cost == 2.0

    def test_the_class_shows_no_status_of_its_own(self) -> None:
        assert "status" in inspect.signature(Result).parameters
        descriptor = getattr(Result, "status")  # noqa: B009  # type checkers see a plain field
        assert inspect.isdatadescriptor(descriptor)

    def test_an_empty_shell_has_no_status(self) -> None:
        shell = object.__new__(Result)
        assert not hasattr(shell, "status")


@pytest.mark.parametrize(
    ("outcome", "attack", "probe"),
    [
        pytest.param(EvalOutcome.DETECTED, UNSAFE, SAFE, id="detected"),
        pytest.param(EvalOutcome.NOT_DETECTED, SAFE, UNSAFE, id="not-detected"),
        pytest.param(EvalOutcome.UNDETERMINED, UNDETERMINED, UNDETERMINED, id="undetermined"),
    ],
)
def test_s24_verdicts_have_opposite_polarity(
    outcome: EvalOutcome, attack: SafetyStatus, probe: SafetyStatus
) -> None:
    evaluation = EvalResult(outcome=outcome)
    assert resolve_attack_verdict(evaluation=evaluation) is attack
    assert resolve_probe_verdict(evaluation=evaluation) is probe


@pytest.mark.parametrize("resolve", [resolve_attack_verdict, resolve_probe_verdict], ids=["attack", "probe"])
@pytest.mark.parametrize("outcome", ["detected", "not_detected", None, True, SAFE], ids=repr)
def test_other_outcomes_are_no_verdict(resolve: Any, outcome: Any) -> None:
    with pytest.raises(ValueError, match=f"^Unknown EvalOutcome: {outcome}$"):
        resolve(evaluation=EvalResult(outcome=outcome))


@pytest.mark.parametrize("status", SafetyStatus)
def test_only_safe_is_true(status: SafetyStatus) -> None:
    assert bool(status) is (status is SafetyStatus.SAFE)


def test_the_repr_shows_no_secret() -> None:
    with _isolated_secrets():
        register_secret("sk-live-0123456789")
        made = Result(
            status=SafetyStatus.SAFE,
            summary="key sk-live-0123456789",
            observability_level=ObservabilityLevel.TOOL_ONLY,
        )
        assert repr(made) == "Result(safe=True, status=safe, summary='key ***')"
