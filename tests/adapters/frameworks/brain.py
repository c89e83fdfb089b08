"""What the model of every framework's test agent does, so that one suite of cases fits them all.

A framework's own fake model asks `next_step` what to do, given the user's messages of the conversation and
the tool results since the last of them, and says it in the framework's way. Every call of the model counts
as `INPUT_TOKENS` and `OUTPUT_TOKENS`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

INPUT_TOKENS = 10
OUTPUT_TOKENS = 5


@dataclass(frozen=True)
class Say:
    """The model replies, and the turn is over."""

    text: str


@dataclass(frozen=True)
class Ask:
    """The model asks for a tool; arguments are text where they are no JSON object."""

    name: str
    arguments: dict[str, Any] | str = field(hash=False)
    id: str


@dataclass(frozen=True)
class Calls:
    """The model asks for tools, all at once."""

    asked: tuple[Ask, ...]


@dataclass(frozen=True)
class Fail:
    """The model's endpoint answers with a status; the framework's client raises what it raises then."""

    status: int


@dataclass(frozen=True)
class Hang:
    """The model does not answer (`await asyncio.Event().wait()`)."""


Step = Say | Calls | Fail | Hang


def next_step(prompts: Sequence[str], results: Sequence[object]) -> Step:
    """What the model does next.

    Args:
        prompts: The user's messages of this conversation, oldest first.
        results: What the tools called since the last message returned, or what the model was told instead.
    """
    prompt, done = prompts[-1], len(results)
    for pattern, plan in _PLANS:
        match = re.fullmatch(pattern, prompt)
        if match is not None:
            steps = plan(*match.groups())
            step = _after(steps, done)
            if step is None:
                return Say(f"Done: {' / '.join(str(result) for result in results)}")
            return _with_ids(step, turn=len(prompts), done=done)
    return _remembered(prompts)


def _after(steps: Sequence[Step], done: int) -> Step | None:
    """The step that is due when so many results are there."""
    for step in steps:
        if done <= 0:
            return step
        done -= len(step.asked) if isinstance(step, Calls) else 0
    return None if done <= 0 or not steps else steps[-1]


def _with_ids(step: Step, *, turn: int, done: int) -> Step:
    """Ids as one session counts them: other sessions have the same ones."""
    if not isinstance(step, Calls):
        return step
    return Calls(
        tuple(Ask(a.name, a.arguments, f"call-{turn}-{done + n}") for n, a in enumerate(step.asked, 1))
    )


def _remembered(prompts: Sequence[str]) -> Step:
    words = [match[1] for prompt in prompts if (match := re.fullmatch(r"Remember the word (\w+)\.", prompt))]
    if prompts[-1] == "Which word?":
        return Say(f"The word is {words[-1]}." if words else "You told me no word.")
    if prompts[-1].startswith("Remember"):
        return Say(f"I will remember {words[-1]}.")
    return Say("Hello.")


def _calls(*asked: tuple[str, dict[str, Any] | str]) -> Calls:
    return Calls(tuple(Ask(name, arguments, "") for name, arguments in asked))


def _mail(word: str) -> Calls:
    return _calls(("send_email", {"to": f"{word}@example.com"}))


_PLANS: list[tuple[str, Callable[..., Sequence[Step]]]] = [
    (r"Mail (\w+)\.", lambda word: [_mail(word)]),
    (
        r"Look up (\w+) and (\w+) at once\.",
        lambda *words: [_calls(*(("lookup", {"word": w}) for w in words))],
    ),
    (r"Look up (\w+), then (\w+)\.", lambda *words: [_calls(("lookup", {"word": w})) for w in words]),
    (
        r"Order (\w+)\.",
        lambda item: [_calls(("place_order", {"lines": [item, "glue"], "note": {"express": True}}))],
    ),
    (r"Break (\w+)\.", lambda word: [_calls(("explode", {"reason": word})), Say("It broke.")]),
    (
        r"Mail (\w+), then break it\.",
        lambda word: [_mail(word), _calls(("explode", {"reason": word})), Say("It broke.")],
    ),
    (r"Use the unknown tool\.", lambda: [_calls(("no_such_tool", {"x": 1})), Say("There is none.")]),
    (r"Write bad arguments\.", lambda: [_calls(("lookup", '{"word": ')), Say("I wrote them badly.")]),
    (r"Hit the limit\.", lambda: [Fail(429)]),
    (r"Mail (\w+), then hit the limit\.", lambda word: [_mail(word), Fail(429)]),
    (r"Be refused\.", lambda: [Fail(401)]),
    (r"Hang\.", lambda: [Hang()]),
    (r"Mail (\w+), then hang\.", lambda word: [_mail(word), Hang()]),
]


def send_email(to: str) -> str:
    """Send a mail.

    Args:
        to: Who gets it.
    """
    return f"sent to {to}"


def lookup(word: str) -> str:
    """Look a word up.

    Args:
        word: The word.
    """
    return f"{word} is {word[::-1]} backwards"


def place_order(lines: list[str], note: dict[str, bool]) -> str:
    """Order things.

    Args:
        lines: What to order.
        note: How to send it.
    """
    return f"ordered {len(lines)}, express: {note['express']}"


def explode(reason: str) -> str:
    """Fail.

    Args:
        reason: Why.
    """
    raise RuntimeError(f"kaboom: {reason}")


TOOLS: list[Callable[..., str]] = [send_email, lookup, place_order, explode]
