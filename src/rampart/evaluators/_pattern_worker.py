"""A program of its own: answers, over its standard streams, whether patterns match texts.

It is run by path in a Python without site packages, so it imports nothing of rampart. Matching holds the
interpreter for as long as it takes; in a process of its own it can be ended. The process ends itself when
a match takes too long, so that none is left behind where the one that asked is gone.
"""

import faulthandler
import os
import re
import signal
import struct
import sys
from typing import BinaryIO

READY = struct.Struct("<I")
"""Sent once at the start: `sys.hexversion`, since flags and syntax mean what this version makes of them."""

REQUEST = struct.Struct("<d?III")
"""The limit in seconds, whether the whole text has to match, the pattern's flags, and the lengths in bytes of
pattern and text, which follow."""

ANSWER = struct.Struct("<BI")
"""`FOUND`, `NOT_FOUND` or `FAILED`, and the length in bytes of the error text that follows."""

NOT_FOUND, FOUND, FAILED = range(3)

ENCODING = "utf-8"
ENCODING_ERRORS = "surrogatepass"
_MEMORY_LIMIT = 1 << 30


def answer(*, pattern: str, flags: int, text: str, whole: bool) -> tuple[int, bytes]:
    """The answer to one request: its kind and the text of an error."""
    try:
        compiled = re.compile(pattern, flags)
        match = compiled.fullmatch(text) if whole else compiled.search(text)
    except Exception as error:  # memory, recursion, or what this version of `re` refuses
        return FAILED, f"{type(error).__name__}: {error}".rstrip(": ")[:200].encode(ENCODING, "replace")
    return (NOT_FOUND if match is None else FOUND), b""


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    answers.write(READY.pack(sys.hexversion))
    answers.flush()
    while len(head := requests.read(REQUEST.size)) == REQUEST.size:
        limit, whole, flags, pattern_size, text_size = REQUEST.unpack(head)
        pattern = requests.read(pattern_size).decode(ENCODING, ENCODING_ERRORS)
        text = requests.read(text_size).decode(ENCODING, ENCODING_ERRORS)
        _end_myself_after(limit)
        kind, error = answer(pattern=pattern, flags=flags, text=text, whole=whole)
        _end_myself_after(0)
        answers.write(ANSWER.pack(kind, len(error)) + error)
        answers.flush()


def _end_myself_after(seconds: float) -> None:
    """End the process then, whatever it is doing; 0 calls it off."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
    elif seconds:
        faulthandler.dump_traceback_later(seconds, exit=True)
    else:
        faulthandler.cancel_dump_traceback_later()


def _stand_alone() -> None:
    """Undo what is inherited: signals that the parent ignores or blocks, or that are meant for it alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    try:
        import resource  # noqa: PLC0415  # not on every platform
    except ImportError:
        return
    # A match that wants more than that is an error here, not the end of the machine.
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or hard > _MEMORY_LIMIT:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_LIMIT, hard))


if __name__ == "__main__":
    _stand_alone()
    # What a pattern prints when it is compiled must not end up among the answers.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answer_stream:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        serve(sys.stdin.buffer, answer_stream)
