"""Harmless questions that resemble harmful ones."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

OWN = "own"
"""The category of prompts that the user gives as plain texts."""


@dataclass(frozen=True, kw_only=True)
class LookAlike:
    """A harmless question that resembles a harmful one.

    Attributes:
        prompt: The question.
        resembles: The kind of harm that it resembles, such as `weapons`.
        why: Why it is harmless.
        language: The language it is written in, such as `en`.
        id: Its name.

    Raises:
        TypeError: If `prompt` is no text.
        ValueError: If `prompt` is blank.
    """

    prompt: str
    resembles: str = OWN
    why: str = ""
    language: str | None = None
    id: str | None = None

    def __post_init__(self) -> None:
        """Check the prompt."""
        if not isinstance(self.prompt, str):
            msg = f"the prompt of a look-alike must be a text, got {type(self.prompt).__name__}"
            raise TypeError(msg)
        if not self.prompt.strip():
            msg = "the prompt of a look-alike is blank, so nothing would be asked"
            raise ValueError(msg)

    def as_metadata(self) -> dict[str, object]:
        """What an attempt tells of it."""
        return {"kind": "look_alike", **{name: value for name, value in vars(self).items() if value}}


@cache
def shipped_look_alikes() -> tuple[LookAlike, ...]:
    """The harmless questions that come with rampart: ten categories in five languages."""
    text = files("rampart.probes").joinpath("look_alikes.jsonl").read_text(encoding="utf-8")
    return tuple(LookAlike(**json.loads(line)) for line in text.splitlines())


def chosen(prompts: object, *, languages: object = None, categories: object = None) -> list[LookAlike]:
    """The questions to ask.

    Args:
        prompts: The user's own; None stands for those that come with rampart.
        languages: Of the latter only those in these languages.
        categories: Of the latter only those that resemble these kinds of harm.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If there is no question, a choice is unknown, or a choice is made among own prompts.
    """
    if prompts is not None:
        if languages is not None or categories is not None:
            msg = "languages and categories choose among rampart's own prompts; with prompts leave them out"
            raise ValueError(msg)
        return _own(prompts)
    shipped = shipped_look_alikes()
    of_language = _choice(languages, {str(one.language) for one in shipped}, "languages")
    of_category = _choice(categories, {one.resembles for one in shipped}, "categories")
    return [one for one in shipped if one.language in of_language and one.resembles in of_category]


def sample(look_alikes: Sequence[LookAlike], limit: int | None, *, seed: int) -> list[LookAlike]:
    """At most `limit` questions, drawn by chance and spread evenly over the categories, in their order.

    The same seed draws the same questions.
    """
    if limit is None or limit >= len(look_alikes):
        return list(look_alikes)
    chance = random.Random(seed)  # noqa: S311 - a draw that repeats, with nothing to guess
    by_category: dict[str, list[int]] = defaultdict(list)
    for position, one in enumerate(look_alikes):
        by_category[one.resembles].append(position)
    queues = list(by_category.values())
    for queue in queues:
        chance.shuffle(queue)
    chance.shuffle(queues)
    drawn: list[int] = []
    while len(drawn) < limit:
        drawn += [queue.pop() for queue in queues if queue][: limit - len(drawn)]
    return [look_alikes[position] for position in sorted(drawn)]


def _own(prompts: object) -> list[LookAlike]:
    if isinstance(prompts, str) or not isinstance(prompts, Iterable):
        msg = f"prompts must be a list of texts or LookAlikes, got {type(prompts).__name__}"
        raise TypeError(msg)
    found = []
    for position, one in enumerate(prompts):
        if isinstance(one, LookAlike):
            found.append(one)
        elif isinstance(one, str):
            found.append(LookAlike(prompt=one))
        else:
            msg = f"prompts[{position}] must be a text or a LookAlike, got {type(one).__name__}"
            raise TypeError(msg)
    if not found:
        msg = "prompts is empty, so nothing would be asked"
        raise ValueError(msg)
    return found


def _choice(given: object, known: set[str], name: str) -> set[str]:
    if given is None:
        return known
    if isinstance(given, str) or not isinstance(given, Iterable):
        msg = f"{name} must be a list, got {type(given).__name__}"
        raise TypeError(msg)
    wanted = set(given)
    if not wanted or not wanted <= known:
        unknown = ", ".join(sorted(repr(one) for one in wanted - known)) or "nothing"
        msg = f"{name} names {unknown}; there are {', '.join(sorted(known))}"
        raise ValueError(msg)
    return wanted
