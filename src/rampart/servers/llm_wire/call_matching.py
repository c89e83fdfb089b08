"""Which call an answer in a request is about.

Ids are made by models' servers, and not all of them are unique: some count anew in each reply, some give
none. Requests hold the whole conversation, or only what is new. So calls and answers are paired within a
request first, by the order in which they stand there, and then with the calls that are waiting.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING, Protocol, TypeVar

from rampart.servers.llm_wire.items import Answered, Asked
from rampart.servers.llm_wire.plain import parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class Waiting(Protocol):
    """A call without an answer."""

    @property
    def asked(self) -> Asked:
        """What the model asked for."""
        ...


C = TypeVar("C", bound=Waiting)


def matches(
    waiting: Sequence[C], items: Iterable[object], *, was_used: Callable[[str], bool]
) -> list[tuple[C, Answered]]:
    """The calls that are answered, each with its answer.

    Args:
        waiting: The calls, oldest first.
        items: The items of a request, or of a reply in which the provider answers.
        was_used: Whether an id was that of an earlier call too.
    """
    left = list(waiting)
    found: list[tuple[C, Answered]] = []
    # The last answers are those that are new, where a conversation is sent as a whole.
    for asked, answered in reversed(_pairs(items)):
        call = _waiting_for(left, asked, answered, was_used)
        if call is not None:
            left.remove(call)
            found.append((call, answered))
    return found[::-1]


def _pairs(items: Iterable[object]) -> list[tuple[Asked | None, Answered]]:
    """The answers, each with the call that stands before it; None where it is not sent again."""
    unanswered: dict[str | None, deque[Asked]] = defaultdict(deque)
    pairs: list[tuple[Asked | None, Answered]] = []
    for item in items:
        if isinstance(item, Asked):
            unanswered[item.id].append(item)
        elif isinstance(item, Answered):
            pairs.append((_taken(unanswered[item.id], item.name), item))
    return pairs


def _taken(calls: deque[Asked], name: str | None) -> Asked | None:
    call = next((one for one in calls if name is None or one.name == name), None)
    if call is not None:
        calls.remove(call)
    return call


def _waiting_for(
    waiting: list[C], asked: Asked | None, answered: Answered, was_used: Callable[[str], bool]
) -> C | None:
    same_id = [call for call in waiting if call.asked.id == answered.id]
    if asked is None:
        named = [call for call in same_id if answered.name in {None, call.asked.name}]
        return named[-1] if named else None
    alike = [call for call in same_id if _same(call.asked, asked)]
    if alike:
        return alike[-1]
    if len(same_id) == 1 and answered.id is not None and not was_used(answered.id):
        return same_id[0]  # some agents write the call down in other words
    # Frameworks invent ids where a server gives none.
    without = [call for call in waiting if call.asked.id is None and _same(call.asked, asked)]
    return without[-1] if without else None


def _same(one: Asked, other: Asked) -> bool:
    return one.name == other.name and _comparable(one.arguments) == _comparable(other.arguments)


def _comparable(arguments: object) -> object:
    if not isinstance(arguments, str):
        return arguments or {}
    document = parsed(arguments) if arguments.strip() else {}
    return arguments if document is None else document
