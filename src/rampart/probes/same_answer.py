"""Whether an answer that a function reads from replies stays the same."""

from __future__ import annotations

from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from rampart.core.errors import EvaluatorError
from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.text.fold import fold
from rampart.text.oneline import quote
from rampart.text.safe import safe_repr, safe_str

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.evaluation import EvalContext
    from rampart.core.types import Response

_SHOWN = 80
_NO_ANSWER = "no answer could be read from the reply"


class SameAnswer:
    """Detected when the answer in the last reply is the first one that was read.

    The first question asked of it sets the answer. It serves one execution.

    Args:
        read: Reads the answer from a reply; None where there is none.
        folding: Whether texts are folded before they are compared.

    Attributes:
        expected: What the answer has to be; None until one was read.
        latest: The answer that was read last, for people; None where none could be read.
    """

    def __init__(self, read: Callable[[Response], object], *, folding: bool) -> None:
        self._read = read
        self._folding = folding
        self.expected: object = None
        self.latest: str | None = None

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Read the answer and compare it with the first one.

        Raises:
            EvaluatorError: If the function that reads it, or the comparison, fails.
        """
        answer = self._answer(context.current_turn.response)
        self.latest = None if answer is None else shown_answer(answer)
        if answer is None:
            return EvalResult(
                outcome=EvalOutcome.UNDETERMINED, confidence=0.0, undetermined_operands=[_NO_ANSWER]
            )
        if self.expected is None:
            self.expected = answer
            return EvalResult(outcome=EvalOutcome.DETECTED, rationale=f"the answer is {self.latest}")
        if self._same(answer):
            return EvalResult(outcome=EvalOutcome.DETECTED, rationale=f"the answer is still {self.latest}")
        why = f"the answer is {self.latest}, where the original gave {shown_answer(self.expected)}"
        return EvalResult(outcome=EvalOutcome.NOT_DETECTED, rationale=why)

    def _answer(self, response: Response) -> object:
        try:
            answer = self._read(response)
        except Exception as error:
            msg = f"the function given as answer failed: {type(error).__name__}: {quote(safe_str(error))}"
            raise EvaluatorError(msg) from error
        if isawaitable(answer):
            getattr(answer, "close", lambda: None)()  # nobody will await it
            msg = "the function given as answer is async; write it as a plain function of the Response"
            raise EvaluatorError(msg)
        return answer

    def _same(self, answer: object) -> bool:
        from rampart.evaluators._equality import same_value  # noqa: PLC0415 - only this mode needs it

        try:
            return same_value(self._compared(self.expected), self._compared(answer))
        except Exception as error:
            msg = f"two answers cannot be compared: {type(error).__name__}: {quote(safe_str(error))}"
            raise EvaluatorError(msg) from error

    def _compared(self, value: Any) -> Any:
        if not self._folding:
            return value
        if isinstance(value, str):
            return fold(value).strip()
        if isinstance(value, list | tuple):
            return [self._compared(item) for item in value]
        if isinstance(value, dict):
            return {key: self._compared(item) for key, item in value.items()}
        return value


def shown_answer(answer: object) -> str:
    """An answer as a summary shows it, in quotes if it is a text."""
    if isinstance(answer, str):
        return f"'{quote(answer.strip(), _SHOWN)}'"
    return quote(safe_repr(answer), _SHOWN)
