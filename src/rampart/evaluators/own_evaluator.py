"""Making an evaluator of a function."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, cast

from rampart.core.channel import Channel
from rampart.core.errors import EvaluatorError
from rampart.core.evaluation import EvalContext, EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator, checked_evaluation
from rampart.evaluators._observed import unobserved_reasons
from rampart.evaluators._shown import shown_error, shown_value

if TYPE_CHECKING:
    from typing import TypeAlias

P = ParamSpec("P")

Answer: TypeAlias = "bool | str | list[str] | EvalOutcome | EvalResult | None"
Predicate: TypeAlias = "Callable[Concatenate[EvalContext, P], Answer | Awaitable[Answer]]"

_EXAMPLE = "@evaluator(channels=[Channel.REPLIES])"
_ANSWERS = (
    "a bool, a str or a list of str (what was seen), None (who can say), an EvalOutcome or an EvalResult"
)


def evaluator(
    *, channels: Channel | Iterable[Channel]
) -> Callable[[Predicate[P]], Callable[P, BaseEvaluator]]:
    """Make an evaluator of a function of the context, plain or async.

    What the function returns: True, or what it saw (a str, a list of str: the evidence), is DETECTED. False,
    an empty str or an empty list is NOT_DETECTED, but UNDETERMINED where a channel was not observed. None is
    UNDETERMINED. An EvalOutcome or an EvalResult stands for itself, with the same reservation.
    What the function raises, or any other answer, becomes an EvaluatorError that names it.

    The function's further parameters become those of the evaluator: what is decorated is called with them,
    and with nothing if there are none, to make one.

    Args:
        channels: What has to be observed before its absence can be told.

    Raises:
        TypeError: If the channels are no channels, or the function takes no context.
        ValueError: If there are no channels.
    """
    declared = _checked(channels)

    def decorate(predicate: Predicate[P]) -> Callable[P, BaseEvaluator]:
        signature = _signature_without_context(predicate)
        name: str = getattr(predicate, "__name__", type(predicate).__name__)
        module: str = getattr(predicate, "__module__", __name__)
        members = {
            "channels": declared,
            "__module__": module,
            "__doc__": getattr(predicate, "__doc__", None),
            "__signature__": signature,
            "_predicate": staticmethod(predicate),
            "_parameters": signature,
        }
        made = type(name, (_PredicateEvaluator,), members)
        update_wrapper(made, predicate, assigned=("__qualname__",), updated=())
        return cast("Callable[P, BaseEvaluator]", made)

    return decorate


class _PredicateEvaluator(BaseEvaluator):
    """An evaluator whose answer is what a function of the context returns."""

    _predicate: ClassVar[Callable[..., object]]
    _parameters: ClassVar[inspect.Signature]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        try:
            self._parameters.bind(*args, **kwargs)
        except TypeError as error:
            msg = f"{type(self).__name__}{self._parameters} cannot be made: {error}"
            raise TypeError(msg) from None
        self._args = args
        self._kwargs = kwargs

    def __repr__(self) -> str:
        """The call that makes it."""
        given = [*map(shown_value, self._args), *(f"{k}={shown_value(v)}" for k, v in self._kwargs.items())]
        return f"{type(self).__name__}({', '.join(given)})"

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Ask the function.

        Raises:
            EvaluatorError: If it raises, or returns something else than an answer.
        """
        try:
            answer = self._predicate(context, *self._args, **self._kwargs)
            if inspect.isawaitable(answer):
                answer = await answer
            result = self._result(answer)
        except Exception as error:
            msg = f"the evaluator {self!r} raised {shown_error(error)}"
            raise EvaluatorError(msg) from error
        if result.outcome is not EvalOutcome.NOT_DETECTED:
            return result
        reasons = [f"{self!r}: {reason}" for reason in unobserved_reasons(context, self.channels)]
        if not reasons:
            return result
        return EvalResult(
            outcome=EvalOutcome.UNDETERMINED,
            evidence=result.evidence,
            rationale="; ".join(reasons),
            undetermined_operands=reasons,
        )

    def _result(self, answer: object) -> EvalResult:
        if isinstance(answer, EvalResult):
            return checked_evaluation(answer, evaluator=self)
        evidence: list[str] = []
        if isinstance(answer, bool):
            outcome = EvalOutcome.DETECTED if answer else EvalOutcome.NOT_DETECTED
        elif isinstance(answer, EvalOutcome):
            outcome = answer
        elif answer is None:
            outcome = EvalOutcome.UNDETERMINED
        elif isinstance(answer, str):
            outcome = EvalOutcome.DETECTED if answer else EvalOutcome.NOT_DETECTED
            evidence = [answer] if answer else []
        elif isinstance(answer, list) and all(isinstance(item, str) for item in answer):
            outcome = EvalOutcome.DETECTED if answer else EvalOutcome.NOT_DETECTED
            evidence = list(answer)
        else:
            msg = f"it returned {shown_value(answer)} ({type(answer).__name__}), expected {_ANSWERS}"
            raise TypeError(msg)
        return EvalResult(outcome=outcome, evidence=evidence, rationale=f"{self!r} {_SAYS[outcome]}")


_SAYS = {
    EvalOutcome.DETECTED: "holds",
    EvalOutcome.NOT_DETECTED: "does not hold",
    EvalOutcome.UNDETERMINED: "cannot tell",
}


def _checked(channels: object) -> frozenset[Channel]:
    if isinstance(channels, Channel):
        return frozenset({channels})
    if isinstance(channels, str) or not isinstance(channels, Iterable):
        msg = f"channels must be channels, got {shown_value(channels)}; write {_EXAMPLE}"
        raise TypeError(msg)
    declared: list[object] = list(channels)
    for one in declared:
        if not isinstance(one, Channel):
            members = ", ".join(f"Channel.{member.name}" for member in Channel)
            msg = f"{shown_value(one)} is no Channel; choose from {members}"
            raise TypeError(msg)
    if not declared:
        msg = f"channels is empty; declare what has to be observed, as in {_EXAMPLE}"
        raise ValueError(msg)
    return frozenset(one for one in declared if isinstance(one, Channel))


def _signature_without_context(predicate: object) -> inspect.Signature:
    if not callable(predicate) or isinstance(predicate, type):
        msg = f"an evaluator is made of a function of the context, got {shown_value(predicate)}"
        raise TypeError(msg)
    signature = inspect.signature(predicate)
    parameters = list(signature.parameters.values())
    positional = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    if not parameters or parameters[0].kind not in positional:
        name = getattr(predicate, "__name__", "the function")
        msg = f"{name}{signature} takes no context; write def {name}(context, ...)"
        raise TypeError(msg)
    return signature.replace(parameters=parameters[1:], return_annotation=inspect.Signature.empty)
