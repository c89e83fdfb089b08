"""Evaluators and how they compose with `|`, `&` and `~` in three-valued logic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NoReturn, Protocol, runtime_checkable

from rampart.core.admission import admit_awaitable
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.text.safe import safe_float, safe_str, safe_str_list

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from rampart.core.channel import Channel
    from rampart.core.evaluation import EvalContext

_OWN_EVALUATORS = "rampart.evaluators."
_D, _N, _U = EvalOutcome.DETECTED, EvalOutcome.NOT_DETECTED, EvalOutcome.UNDETERMINED


@runtime_checkable
class Evaluator(Protocol):
    """Anything that can say whether a condition was seen in a trace."""

    @abstractmethod
    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Say whether the condition was seen; UNDETERMINED when that cannot be known.

        Raises:
            EvaluatorError: If the evaluator cannot judge.
        """
        ...


class BaseEvaluator(ABC):
    """An evaluator that composes with others.

    `a | b` is detected when either is, `a & b` when both are, `~a` when `a` is not. An undetermined
    operand leaves the whole undetermined unless the other one settles it. `|` skips its right operand
    only when the left is detected, `&` only when the left is not detected.
    """

    persistence: tuple[bool, bool] = (False, False)
    """Whether a DETECTED and a NOT_DETECTED answer are sure to stay as turns are appended.

    Believed of rampart's own evaluators only.
    """

    channels: frozenset[Channel] = frozenset()
    """What has to be observed before its absence can be told: without it the answer is UNDETERMINED.

    Empty where that is not declared.
    """

    last_turn_only: bool = False
    """Whether the answer is about the last turn alone, so that what it leaves open of one turn stays open."""

    @abstractmethod
    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Say whether the condition was seen; UNDETERMINED when that cannot be known."""

    def __or__(self, other: Evaluator) -> BaseEvaluator:
        """An evaluator that is detected when either operand is."""
        return _Or(self, other) if _is_evaluator(other) else NotImplemented

    def __and__(self, other: Evaluator) -> BaseEvaluator:
        """An evaluator that is detected when both operands are."""
        return _And(self, other) if _is_evaluator(other) else NotImplemented

    def __invert__(self) -> BaseEvaluator:
        """An evaluator that is detected when this one is not."""
        return _Not(self)

    def __bool__(self) -> NoReturn:
        """Refuse `and`, `or` and `not`, which would silently drop an operand.

        Raises:
            TypeError: Always.
        """
        msg = "evaluators compose with & | ~, not with `and`, `or` and `not`, which would drop one of them"
        raise TypeError(msg)


def asked(evaluator: Evaluator, context: EvalContext, /) -> Awaitable[object]:
    """What an evaluator is about to answer.

    Raises:
        TypeError: If its method is not async.
    """
    return admit_awaitable(
        evaluator.evaluate_async(context=context), owner=evaluator, method="evaluate_async"
    )


def checked_evaluation(result: object, *, evaluator: object) -> EvalResult:
    """Return `result` if it is an answer that an evaluator may give.

    Raises:
        TypeError: If it is no EvalResult, naming the evaluator and what it returned.
        ValueError: If its outcome is no EvalOutcome.
    """
    if not isinstance(result, EvalResult):
        msg = (
            f"{type(evaluator).__name__}.evaluate_async returned {type(result).__name__}, "
            "expected an EvalResult"
        )
        raise TypeError(msg)
    if type(result) is not EvalResult:  # a class of its own may answer otherwise the next time it is asked
        result = EvalResult(
            outcome=result.outcome,
            confidence=result.confidence,
            evidence=result.evidence,
            rationale=result.rationale,
            undetermined_operands=result.undetermined_operands,
        )
    if not isinstance(result.outcome, EvalOutcome):
        msg = f"Unknown EvalOutcome: {result.outcome}"
        raise ValueError(msg)
    return result


def detected_is_absorbing(evaluator: object) -> bool:
    """Whether a DETECTED answer of `evaluator` is sure to stay DETECTED as turns are appended.

    Known of rampart's own evaluators and of compositions of them; of a user's class, a subclass of
    ours included, nothing is assumed.
    """
    # Composing keeps a property only if all operands have it, and `~` makes one property of the other.
    # So each leaf needs the one that the number of inversions above it asks for.
    pending: list[tuple[object, bool]] = [(evaluator, False)]
    while pending:
        one, inverted = pending.pop()
        if isinstance(one, _Not):
            pending.append((one.inner, not inverted))
        elif isinstance(one, _Pair):
            pending += [(one.left, inverted), (one.right, inverted)]
        elif not _persistence(one)[inverted]:
            return False
    return True


def channels_of(evaluator: Evaluator, /) -> frozenset[Channel]:
    """What an evaluator declares that it needs to observe; empty where it declares nothing."""
    declared: object = getattr(evaluator, "channels", frozenset())
    return declared if isinstance(declared, frozenset) else frozenset()


def is_last_turn_only(evaluator: Evaluator, /) -> bool:
    """Whether an evaluator, or an operand of it, declares that it looks at the last turn alone."""
    return getattr(evaluator, "last_turn_only", False) is True


def without_negation(evaluator: Evaluator, /) -> tuple[Evaluator, bool]:
    """What stands under any number of `~`, and whether the answer is turned round on the whole."""
    negated = False
    while isinstance(evaluator, _Not):
        evaluator, negated = evaluator.inner, not negated
    return evaluator, negated


def _persistence(leaf: object) -> tuple[bool, bool]:
    if isinstance(leaf, BaseEvaluator) and type(leaf).__module__.startswith(_OWN_EVALUATORS):
        return leaf.persistence
    return False, False


def _is_evaluator(operand: object) -> bool:
    # A class has the method too, but nobody made an evaluator of it yet.
    return hasattr(operand, "evaluate_async") and not isinstance(operand, type)


class _Pair(BaseEvaluator):
    """Two operands and the answer that one of them alone can settle."""

    __slots__ = ("left", "right")
    _decisive: EvalOutcome

    def __init__(self, left: Evaluator, right: Evaluator) -> None:
        self.left = left
        self.right = right

    @property
    def channels(self) -> frozenset[Channel]:  # type: ignore[override]  # read from the operands
        return channels_of(self.left) | channels_of(self.right)

    @property
    def last_turn_only(self) -> bool:  # type: ignore[override]  # read from the operands
        return is_last_turn_only(self.left) or is_last_turn_only(self.right)

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        # `a | b | c ...` nests to the left, and lists of hundreds of phrases are composed that way:
        # step by step, since a call within a call for each would exhaust the stack.
        chain: list[_Pair] = []
        operand: Evaluator = self
        while isinstance(operand, _Pair):
            chain.append(operand)
            operand = operand.left
        result = await _answer_async(operand, context)
        while chain:
            result = await chain.pop()._resolve_async(result, context)
        return result

    async def _resolve_async(self, left: EvalResult, context: EvalContext) -> EvalResult:
        if left.outcome is self._decisive:
            return self._settled_by_left(left)
        right = await _answer_async(self.right, context)
        if right.outcome is self._decisive:
            return self._settled_by_right(left, right)
        if _U in (left.outcome, right.outcome):
            return _unresolved(left, right)
        return self._settled_by_both(left, right)

    @abstractmethod
    def _settled_by_left(self, left: EvalResult) -> EvalResult: ...

    @abstractmethod
    def _settled_by_right(self, left: EvalResult, right: EvalResult) -> EvalResult: ...

    @abstractmethod
    def _settled_by_both(self, left: EvalResult, right: EvalResult) -> EvalResult: ...


class _Or(_Pair):
    __slots__ = ()
    _decisive = _D

    def _settled_by_left(self, left: EvalResult) -> EvalResult:
        return _taken_from(left, ran=[left])

    def _settled_by_right(self, left: EvalResult, right: EvalResult) -> EvalResult:
        return _taken_from(right, ran=[left, right])

    def _settled_by_both(self, left: EvalResult, right: EvalResult) -> EvalResult:
        return EvalResult(
            outcome=_N,
            confidence=min(_confidence(left), _confidence(right)),
            rationale="neither operand detected",
            undetermined_operands=_carried_reasons([left, right]),
        )


class _And(_Pair):
    __slots__ = ()
    _decisive = _N

    def _settled_by_left(self, left: EvalResult) -> EvalResult:
        return EvalResult(
            outcome=_N,
            confidence=_confidence(left),
            rationale=f"left not detected: {safe_str(left.rationale)}",
            undetermined_operands=_carried_reasons([left]),
        )

    def _settled_by_right(self, left: EvalResult, right: EvalResult) -> EvalResult:
        return EvalResult(
            outcome=_N,
            confidence=_confidence(right),
            rationale=f"right not detected: {safe_str(right.rationale)}",
            undetermined_operands=_carried_reasons([left, right]),
        )

    def _settled_by_both(self, left: EvalResult, right: EvalResult) -> EvalResult:
        return EvalResult(
            outcome=_D,
            confidence=min(_confidence(left), _confidence(right)),
            evidence=_joined_evidence(left, right),
            rationale=f"({safe_str(left.rationale)}) AND ({safe_str(right.rationale)})",
            undetermined_operands=_carried_reasons([left, right]),
        )


class _Not(BaseEvaluator):
    __slots__ = ("inner",)

    def __init__(self, inner: Evaluator) -> None:
        self.inner = inner

    @property
    def channels(self) -> frozenset[Channel]:  # type: ignore[override]  # read from the operand
        return channels_of(self.inner)

    @property
    def last_turn_only(self) -> bool:  # type: ignore[override]  # read from the operand
        return is_last_turn_only(self.inner)

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        inner = await _answer_async(self.inner, context)
        if inner.outcome is _U:
            return inner
        return EvalResult(
            outcome=_N if inner.outcome is _D else _D,
            confidence=_confidence(inner),
            evidence=safe_str_list(inner.evidence),
            rationale=f"{safe_str(inner.rationale)} (negated)",
            undetermined_operands=_carried_reasons([inner]),
        )


async def _answer_async(evaluator: Evaluator, context: EvalContext) -> EvalResult:
    return checked_evaluation(await asked(evaluator, context), evaluator=evaluator)


def _taken_from(operand: EvalResult, *, ran: list[EvalResult]) -> EvalResult:
    return EvalResult(
        outcome=operand.outcome,
        confidence=_confidence(operand),
        evidence=safe_str_list(operand.evidence),
        rationale=safe_str(operand.rationale),
        undetermined_operands=_carried_reasons(ran),
    )


def _unresolved(left: EvalResult, right: EvalResult) -> EvalResult:
    side, operand = ("left", left) if left.outcome is _U else ("right", right)
    return EvalResult(
        outcome=_U,
        confidence=min(_confidence(one) for one in (left, right) if one.outcome is _U),
        evidence=_joined_evidence(left, right),
        rationale=f"{side} undetermined: {safe_str(operand.rationale)}",
        undetermined_operands=_carried_reasons([left, right]),
    )


def _joined_evidence(left: EvalResult, right: EvalResult) -> list[str]:
    return safe_str_list(left.evidence) + safe_str_list(right.evidence)


def _confidence(result: EvalResult) -> float:
    """The confidence of an operand, whatever it holds; what is no finite number counts as none."""
    return safe_float(result.confidence) or 0.0


def _carried_reasons(ran: list[EvalResult]) -> list[str]:
    """The distinct reasons why something below stayed open, in the order of the operands."""
    reasons: dict[str, None] = {}
    for result in ran:
        own = [text.strip() for text in safe_str_list(result.undetermined_operands) if text.strip()]
        if not own and result.outcome is _U:
            own = [safe_str(result.rationale).strip() or "an operand gave no reason"]
        reasons.update(dict.fromkeys(own))
    return list(reasons)
