"""Secrets do not reach the log."""

from __future__ import annotations

import io
import logging
from typing import TYPE_CHECKING

import pytest

from rampart.core.llm import LLMConfig
from rampart.core.log import log
from rampart.text.secrets import _isolated_secrets, register_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "sk-test-AAAA1111"


@pytest.fixture(autouse=True)
def register_of_secrets() -> Iterator[None]:
    with _isolated_secrets():
        yield


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What an ordinary handler writes, exceptions included."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    log.addHandler(handler)
    yield stream
    log.removeHandler(handler)


def fail_with_key() -> None:
    try:
        raise KeyError(f"first {KEY}")
    except KeyError as error:
        raise ConnectionError(f"then {KEY}") from error


def log_failure() -> None:
    try:
        fail_with_key()
    except ConnectionError:
        log.exception("call with %s failed", KEY)


def test_the_logger_is_named_after_the_package() -> None:
    assert log.name == "rampart"
    assert log is logging.getLogger("rampart")


def test_s98_an_api_key_is_blanked_out_in_the_message(written: io.StringIO) -> None:
    LLMConfig(model="m", api_key=KEY)
    log.warning("refused key %s of %s", KEY, {"key": KEY})
    assert written.getvalue() == "refused key *** of {'key': '***'}\n"


def test_s98_a_secret_is_blanked_out_in_exceptions_and_their_causes(written: io.StringIO) -> None:
    register_secret(KEY)
    log_failure()
    text = written.getvalue()
    assert KEY not in text
    assert text.startswith("call with *** failed\nTraceback")
    assert "KeyError: 'first ***'" in text
    assert text.endswith("ConnectionError: then ***\n")


def test_s98_handlers_that_write_exceptions_their_own_way_see_no_secret(
    caplog: pytest.LogCaptureFixture,
) -> None:
    register_secret(KEY)
    log_failure()
    (record,) = caplog.records
    assert record.exc_info is None
    assert record.args is None
    assert KEY not in repr(vars(record))


def test_s98_a_secret_with_a_control_sequence_inside_is_blanked_out(written: io.StringIO) -> None:
    register_secret(KEY)
    log.warning("refused %s", f"{KEY[:5]}\x1b[0m{KEY[5:]}")
    assert written.getvalue() == "refused ***\n"


def test_s88_control_sequences_go(written: io.StringIO) -> None:
    def fail() -> None:
        raise ValueError("\x1b[3Jgone\x07")

    try:
        fail()
    except ValueError:
        log.exception("\x1b]2;title\x07said %s\n\tand more", "\x1b[31mred\x1b[0m\x9b")
    text = written.getvalue()
    assert text.startswith("said red\n\tand more\nTraceback")
    assert text.endswith("ValueError: gone\n")
    assert not set(text) & set("\x1b\x07\x9b")


def test_an_exception_without_secrets_stays_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    log_failure()
    (record,) = caplog.records
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ConnectionError)
    assert KEY in (record.exc_text or "")


def test_without_secrets_nothing_is_changed(written: io.StringIO) -> None:
    log.warning("%s of %d: %.0f%%", "a", 3, 50)
    assert written.getvalue() == "a of 3: 50%\n"


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


class Exits:
    def __str__(self) -> str:
        raise SystemExit


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        pytest.param(("%s failed", Exits()), "%s failed <unprintable value>", id="exits"),
        pytest.param(("%s failed", Unprintable()), "%s failed <unprintable value>", id="raises"),
        pytest.param(("%s and %s", 1), "%s and %s <unprintable value>", id="too-few"),
    ],
)
def test_a_value_that_cannot_be_rendered_does_not_fail_the_run(
    arguments: tuple[str, object], text: str, written: io.StringIO
) -> None:
    log.warning(*arguments)
    assert written.getvalue() == f"{text}\n"


def test_a_secret_beside_an_unprintable_value_is_blanked_out(written: io.StringIO) -> None:
    register_secret(KEY)
    log.warning(f"{KEY} %s", Unprintable())
    assert written.getvalue() == "*** %s <unprintable value>\n"
