"""What the evaluators of tool calls and of side effects share: finding one by its name and its values."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from rampart.core.evaluation import EvalOutcome, EvalResult
from rampart.core.evaluator import BaseEvaluator
from rampart.core.memo import trace_memo
from rampart.evaluators._judgement import Judgement, Undecided
from rampart.evaluators._shown import shown_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.evaluation import EvalContext
    from rampart.core.types import ObservabilityLevel
    from rampart.evaluators._names import Name

_REASONS_KEPT = 20

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class _Search(Generic[T]):
    """A search that found nothing so far.

    Attributes:
        items: All that was looked at.
        pending: Those among them that have to be looked at again.
        miss: Why the first one of the right name is not the one.
        unnamed: Why nobody knows whether others have the right name.
    """

    items: list[T]
    pending: list[T] = field(default_factory=list)
    miss: Judgement | None = None
    unnamed: list[str] = field(default_factory=list)

    def goes_on_in(self, items: list[T]) -> bool:
        """Whether `items` begins with what was looked at."""
        # Lists compare by identity first, so this costs next to nothing where all is as it was.
        return items[: len(self.items)] == self.items


class Occurrence(BaseEvaluator, Generic[T]):
    """Detected when one item of a channel has the name and meets the expectations.

    What was seen counts on every observability level; that nothing was seen counts only where the
    adapter reports the channel.
    """

    persistence = (True, False)
    _takes: ClassVar[str]
    """What is given by keyword: `argument`, `detail`."""
    _name: Name
    _name_of: Callable[[T], str]
    _token: object

    def __new__(cls, /, *args: Any, **kwargs: Any) -> Self:
        """Refuse expectations that are not keywords, where Python's own words would name internals.

        Raises:
            TypeError: If more than one argument comes without a keyword, or the name comes with one.
        """
        of_a_user = not cls.__init__.__module__.startswith(__package__)
        if not of_a_user and (len(args) > 1 or (kwargs and not args)):
            raise TypeError(_misuse(cls, args, kwargs))
        return super().__new__(cls)

    async def evaluate_async(self, *, context: EvalContext) -> EvalResult:
        """Look through all turns for one item that fits; the first one wins."""
        items = self._items(context)
        memo = trace_memo(context.turns)
        known: _Search[T] | None = None if memo is None else memo.get(self._token)
        if known is None or not known.goes_on_in(items):
            known = _Search(items=[])
        rest = known.pending + items[len(known.items) :]
        named, unnamed = await self._name.select_async(rest, name_of=self._name_of)
        search = _Search(items=items, miss=known.miss, unnamed=(known.unnamed + unnamed)[:_REASONS_KEPT])
        undecided: dict[str, None] = {}
        for item in named:
            judgement = self._judge(item)
            if judgement is None:
                return self._detected(item)
            if not judgement.final:
                search.pending.append(item)
            if not isinstance(judgement, Undecided):
                search.miss = search.miss or judgement
            elif len(undecided) < _REASONS_KEPT:
                undecided[self._undecided_text(item, judgement)] = None
        if memo is not None:
            memo[self._token] = search
        return self._not_found(context, miss=search.miss, undecided=[*search.unnamed, *undecided])

    def _not_found(self, context: EvalContext, *, miss: Judgement | None, undecided: list[str]) -> EvalResult:
        level = context.observability_level
        blind = not self._observes(level) and not self._watched(context)
        reasons = [self._unobserved_text(level), *undecided] if blind else undecided
        if not reasons:
            return self._not_detected(miss, context)
        return EvalResult(
            outcome=EvalOutcome.UNDETERMINED, rationale="; ".join(reasons), undetermined_operands=reasons
        )

    def _watched(self, context: EvalContext) -> bool:
        """Whether something besides the adapter would have seen what is looked for, in every turn."""
        del context
        return False

    @abstractmethod
    def _items(self, context: EvalContext) -> list[T]: ...

    @abstractmethod
    def _observes(self, level: ObservabilityLevel) -> bool: ...

    @abstractmethod
    def _judge(self, item: T) -> Judgement | None: ...

    @abstractmethod
    def _detected(self, item: T) -> EvalResult: ...

    @abstractmethod
    def _not_detected(self, miss: Judgement | None, context: EvalContext) -> EvalResult: ...

    @abstractmethod
    def _unobserved_text(self, level: ObservabilityLevel) -> str: ...

    @abstractmethod
    def _undecided_text(self, item: T, why: Undecided) -> str: ...


def _misuse(kind: type[Occurrence[Any]], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    what, takes = kind.__name__, kind._takes
    if not args:
        name, value = next(iter(kwargs.items()))
        example = shown_value(value) if isinstance(value, str) else f"<name>, {name}={shown_value(value)}"
        return f"{what} got {name}= but no name; the name comes first, without a keyword: {what}({example})"
    given = args[1]
    pairs = given.items() if len(args) == 2 and isinstance(given, dict) else ()
    shown = [f"{name}={shown_value(value)}" for name, value in pairs if str(name).isidentifier()]
    example = ", ".join([shown_value(args[0]), *(shown or [f"<{takes}>=<value>"])])
    return (
        f"{what} got {shown_value(given)} without a keyword; what each {takes} has to be is given by its "
        f"name: {what}({example})"
    )
