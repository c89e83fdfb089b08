"""Whether calls are the steps of a sequence, in three-valued logic.

Each mode answers two questions: is it sure, whatever becomes of what is in doubt; and is it possible at all?
Steps are matched with calls one to one. Where steps overlap (patterns, arguments), that is a matching in a
bipartite graph, found by augmenting paths; source: H. W. Kuhn, "The Hungarian method for the assignment
problem", Naval Research Logistics Quarterly 2 (1955). That both sides can be covered at once if each can be
alone is the theorem of N. S. Mendelsohn and A. L. Dulmage, Canadian Journal of Mathematics 10 (1958).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rampart.evaluators._steps import Fit


@dataclass(kw_only=True)
class Alignment:
    """Steps and calls, and what is known of each pair.

    Attributes:
        fits: For each step, whether each call is it.
        certain: For each call, whether it counts for sure.
    """

    fits: Sequence[Sequence[Fit]]
    certain: Sequence[bool]

    @cached_property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self.fits)

    @cached_property
    def sure_calls(self) -> list[int]:
        """The calls that count for sure."""
        return [call for call, sure in enumerate(self.certain) if sure]

    @property
    def all_calls(self) -> range:
        """All calls, those included that may not count."""
        return range(len(self.certain))

    def surely(self, step: int, call: int) -> bool:
        """Whether a call is a step for sure."""
        return self.fits[step][call] is True

    def possibly(self, step: int, call: int) -> bool:
        """Whether a call may be a step."""
        return self.fits[step][call] is not False


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """One way to compare calls with steps.

    Attributes:
        sure: Whether it holds whatever becomes of what is in doubt.
        possible: Whether it may hold.
        completable: Whether it may hold once calls are added that nobody saw.
        monotone: Whether it holds for good once it holds: more calls do not end it.
        closed: Whether more calls never bring it about.
        met: What is said when it holds, and `missed` when it does not.
    """

    sure: Callable[[Alignment], bool]
    possible: Callable[[Alignment], bool]
    completable: Callable[[Alignment], bool]
    monotone: bool = False
    closed: bool = False
    met: str
    missed: str


def _every_step_called_surely(one: Alignment) -> bool:
    return _covers_steps(one, one.sure_calls, one.surely)


def _every_step_called_possibly(one: Alignment) -> bool:
    return _covers_steps(one, one.all_calls, one.possibly)


def _nothing_else_surely(one: Alignment) -> bool:
    return _covers_calls(one, one.all_calls, one.surely)


def _nothing_else_possibly(one: Alignment) -> bool:
    return _covers_calls(one, one.sure_calls, one.possibly)


def _unordered_surely(one: Alignment) -> bool:
    return len(one.sure_calls) == len(one.certain) == one.steps and _every_step_called_surely(one)


def _unordered_possibly(one: Alignment) -> bool:
    return _nothing_else_possibly(one) and _every_step_called_possibly(one)


def _strict_surely(one: Alignment) -> bool:
    return len(one.sure_calls) == len(one.certain) == one.steps and all(
        one.surely(position, position) for position in range(one.steps)
    )


def _strict_possibly(one: Alignment) -> bool:
    """Whether the calls are the steps once some of those that may not count are left out."""
    if len(one.sure_calls) > one.steps:
        return False
    reached = {0}  # how many steps the calls so far can be
    for call, sure in enumerate(one.certain):
        taken = {step + 1 for step in reached if step < one.steps and one.possibly(step, call)}
        reached = taken if sure else taken | reached
        if not reached:
            return False
    return one.steps in reached


def _strict_completably(one: Alignment) -> bool:
    """Whether the calls that count are some of the steps, in order."""
    step = 0
    for call in one.sure_calls:
        while step < one.steps and not one.possibly(step, call):
            step += 1
        if step == one.steps:
            return False
        step += 1
    return True


def _in_order_surely(one: Alignment) -> bool:
    return _in_order(one, one.sure_calls, one.surely)


def _in_order_possibly(one: Alignment) -> bool:
    return _in_order(one, one.all_calls, one.possibly)


def _in_order(one: Alignment, calls: Sequence[int], fits: Callable[[int, int], bool]) -> bool:
    step = 0
    for call in calls:  # the first call that fits leaves most calls to the steps after it
        if step < one.steps and fits(step, call):
            step += 1
    return step == one.steps


def _always(one: Alignment) -> bool:
    del one
    return True


def _covers_steps(one: Alignment, calls: Sequence[int], fits: Callable[[int, int], bool]) -> bool:
    """Whether each step can have a call of its own."""
    if len(calls) < one.steps:
        return False
    # More calls for a step than there are steps are of no use: one of them is free in any case.
    edges: list[list[int]] = []
    for step in range(one.steps):
        fitting: list[int] = []
        for call in calls:
            if fits(step, call):
                fitting.append(call)
                if len(fitting) == one.steps:
                    break
        edges.append(fitting)
    return _all_matched(edges)


def _covers_calls(one: Alignment, calls: Sequence[int], fits: Callable[[int, int], bool]) -> bool:
    """Whether each call can be a step of its own."""
    if len(calls) > one.steps:
        return False
    return _all_matched([[step for step in range(one.steps) if fits(step, call)] for call in calls])


def _all_matched(edges: Sequence[Sequence[int]]) -> bool:
    """Whether each node on the left can have a node of its own on the right."""
    owner: dict[int, int] = {}
    return all(_augmented(start, edges, owner) for start in range(len(edges)))


def _augmented(start: int, edges: Sequence[Sequence[int]], owner: dict[int, int]) -> bool:
    """Find a node for `start`, moving others on; without recursion, since there may be many."""
    came_from: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        left = waiting.popleft()
        for right in edges[left]:
            if right in came_from:
                continue
            came_from[right] = left
            if right in owner:
                waiting.append(owner[right])
                continue
            _move(right, came_from, owner, start=start)
            return True
    return False


def _move(right: int, came_from: dict[int, int], owner: dict[int, int], *, start: int) -> None:
    previous = {left: node for node, left in owner.items()}
    while True:
        left = came_from[right]
        owner[right] = left
        if left == start:
            return
        right = previous[left]


MODES = {
    "strict": Mode(
        sure=_strict_surely,
        possible=_strict_possibly,
        completable=_strict_completably,
        met="the calls are the steps, in order",
        missed="the calls are not the steps in order",
    ),
    "in_order": Mode(
        sure=_in_order_surely,
        possible=_in_order_possibly,
        completable=_always,
        monotone=True,
        met="the steps were called in order",
        missed="the steps were not all called in order",
    ),
    "unordered": Mode(
        sure=_unordered_surely,
        possible=_unordered_possibly,
        completable=_nothing_else_possibly,
        met="the calls are the steps, in some order",
        missed="the calls are not the steps",
    ),
    "superset": Mode(
        sure=_every_step_called_surely,
        possible=_every_step_called_possibly,
        completable=_always,
        monotone=True,
        met="every step was called",
        missed="not every step was called",
    ),
    "subset": Mode(
        sure=_nothing_else_surely,
        possible=_nothing_else_possibly,
        completable=_nothing_else_possibly,
        closed=True,
        met="nothing but the steps was called",
        missed="something else than the steps was called",
    ),
}
"""The modes by their names, each seen from the agent's calls."""
