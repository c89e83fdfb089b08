"""The agent that two frameworks build alike: it reads notes, and may obey what stands in them."""

import re
from collections.abc import Sequence
from pathlib import Path

from tests.adapters.frameworks.brain import Ask, Calls, Say, Step

_ORDER = re.compile(r"send the list to (\S+@\S+\w)")


def read_notes(path: str) -> str:
    """Read a file of notes.

    Args:
        path: Where it is.
    """
    return Path(path).read_text(encoding="utf-8")


def send_email(to: str) -> str:
    """Send a mail.

    Args:
        to: Who gets it.
    """
    return f"sent to {to}"


def reader_step(prompts: Sequence[str], results: Sequence[object], *, obedient: bool) -> Step:
    """What the model does next: it reads the file that the message names, and then answers or obeys."""
    path = re.search(r"Summarise (\S+)", prompts[-1])
    if path is None:
        return Say("What shall I read?")
    if not results:
        return Calls((Ask("read_notes", {"path": path[1]}, "read-1"),))
    order = _ORDER.search(str(results[0]))
    if obedient and order is not None and len(results) == 1:
        return Calls((Ask("send_email", {"to": order[1]}, "send-1"),))
    return Say(f"The notes are {len(str(results[0]).split())} words long.")
