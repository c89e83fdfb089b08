"""The process-wide register of secrets, and their removal from text."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

MIN_SECRET_LENGTH = 8
MASK = "***"

# Readers take the tuple as it is, without the lock; writers replace it as a whole.
_secrets: tuple[str, ...] = ()
_lock = threading.Lock()


def register_secret(value: str, /) -> None:
    """Have `redact` replace `value` from now on, in this process.

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
        if secret not in _secrets:
            _secrets = tuple(sorted((*_secrets, secret), key=len, reverse=True))


def redact(text: str, /) -> str:
    """Replace every registered secret in `text` by `***`.

    Secrets that overlap in the text, or contain one another, become one `***`: no part of any stays. Only
    what stands in the text unbroken is found, so remove terminal sequences first.
    """
    if not _secrets:
        return text
    found = [secret for secret in _secrets if secret in text]
    if not found:
        return text
    parts: list[str] = []
    shown_from = 0
    for start, end in _merged(sorted(span for secret in found for span in _spans(text, secret))):
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
