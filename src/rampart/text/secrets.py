"""The process-wide register of secrets, and their removal from text."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from rampart.text._secret_forms import escaped_form, forms_by_lines

MIN_SECRET_LENGTH = 8
MASK = "***"

# Readers take the tuple as it is, without the lock; writers replace it as a whole.
_secrets: tuple[str, ...] = ()
_lock = threading.Lock()


def register_secret(value: str, /) -> None:
    """Have `redact` replace `value` from now on, in this process.

    Of a value with line breaks, lines of 16 characters or more are replaced by themselves too, so that a
    key which a tool cuts into lines stays hidden; the frame of a PEM file, which tells nothing, is not.

    White space around the value is not part of it: a key read with its line end shows up elsewhere without.
    Registering a value again changes nothing.

    Args:
        value: The secret, at least 8 characters long.

    Raises:
        TypeError: If `value` is no str.
        ValueError: If `value` is shorter; short values would blank out ordinary words. The value itself is
            never part of the message.
    """
    global _secrets  # noqa: PLW0603 - the register is process-wide by purpose
    if not isinstance(value, str):
        raise TypeError(f"a secret must be a str, got {type(value).__name__}")
    secret = str.__str__(value).strip()
    if len(secret) < MIN_SECRET_LENGTH:
        raise ValueError(
            f"a secret of {len(secret)} characters is too short to be told from ordinary text; "
            f"register values of {MIN_SECRET_LENGTH} characters or more"
        )
    with _lock:
        known = {*_secrets, secret, *forms_by_lines(secret)}
        if len(known) > len(_secrets):
            _secrets = tuple(sorted(known, key=len, reverse=True))


def redact(text: str, /) -> str:
    """Replace every registered secret in `text` by `***`.

    A secret is found as it is and as `repr`, `ascii`, JSON or `quote` escape it, also several times over.
    Secrets that overlap in the text, or contain one another, become one `***`: no part of any stays. Only
    what stands in the text unbroken is found, so remove terminal sequences, and cut the text, afterwards.
    """
    if not _secrets:
        return text
    spans = [span for secret in _secrets if secret in text for span in _spans(text, secret)]
    if "\\" in text:
        spans += [span for secret in _secrets for span in _escaped_spans(text, secret)]
    if not spans:
        return text
    parts: list[str] = []
    shown_from = 0
    for start, end in _merged(sorted(spans)):
        parts += (text[shown_from:start], MASK)
        shown_from = end
    parts.append(text[shown_from:])
    return "".join(parts)


def _spans(text: str, secret: str) -> Iterator[tuple[int, int]]:
    """Yield where `secret` occurs, also where it overlaps itself."""
    start = text.find(secret)
    while start >= 0:
        yield start, start + len(secret)
        start = text.find(secret, start + 1)


def _escaped_spans(text: str, secret: str) -> Iterator[tuple[int, int]]:
    """Yield where `secret` occurs with some of its characters escaped."""
    pattern = _escaped_form(secret)
    match = None if pattern is None else pattern.search(text)
    while match is not None:
        yield match.span()
        match = match.re.search(text, match.start() + 1)


@lru_cache(maxsize=256)
def _escaped_form(secret: str) -> re.Pattern[str] | None:
    """Made when it is first needed: most runs meet no text with a backslash."""
    return escaped_form(secret)


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans that overlap; spans that only touch stay apart."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


@contextmanager
def _isolated_secrets() -> Iterator[None]:
    """Start from an empty register and restore the former one at the end; for tests."""
    global _secrets  # noqa: PLW0603 - the register is process-wide by purpose
    with _lock:
        before, _secrets = _secrets, ()
    try:
        yield
    finally:
        with _lock:
            _secrets = before
