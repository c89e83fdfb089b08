"""The tree of errors."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import pytest

from rampart.core import errors
from rampart.core.errors import (
    ChatModelError,
    ConfigurationError,
    DriverError,
    EmptyCompletionError,
    EvaluatorError,
    ExecutionTimeoutError,
    InfrastructureError,
    RampartError,
    RateLimitError,
    SchemaError,
    UnsupportedSchemaVersionError,
    attach_partial,
    partial_of,
)
from rampart.core.types import Response

if TYPE_CHECKING:
    from collections.abc import Callable

BASES: dict[type[Exception], tuple[type[Exception], ...]] = {
    RampartError: (Exception,),
    ConfigurationError: (RampartError,),
    InfrastructureError: (RampartError,),
    DriverError: (RampartError,),
    EvaluatorError: (InfrastructureError,),
    ExecutionTimeoutError: (InfrastructureError, TimeoutError),
    ChatModelError: (InfrastructureError,),
    RateLimitError: (ChatModelError,),
    EmptyCompletionError: (ChatModelError,),
    SchemaError: (RampartError, ValueError),
    UnsupportedSchemaVersionError: (SchemaError,),
}


@pytest.mark.parametrize("error", BASES, ids=lambda error: error.__name__)
def test_bases(error: type[Exception]) -> None:
    assert error.__bases__ == BASES[error]
    assert error.__module__ == "rampart.core.errors"


def test_the_table_covers_every_error() -> None:
    defined = {
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    assert defined == set(BASES)


def test_an_infrastructure_error_carries_what_was_done() -> None:
    partial = Response(text="half")
    error = InfrastructureError("down", partial=partial, retryable=True)
    assert str(error) == "down"
    assert partial_of(error) is partial
    assert error.retryable


@pytest.mark.parametrize("error", [InfrastructureError("down"), EvaluatorError("no"), RateLimitError()])
def test_by_default_nothing_was_done_and_nothing_is_retryable(error: InfrastructureError) -> None:
    assert partial_of(error) is None
    assert not error.retryable


def test_an_error_of_others_may_carry_it_too() -> None:
    error, partial = TimeoutError(), Response(text="half")
    assert partial_of(error) is None
    attach_partial(error, partial)
    assert partial_of(error) is partial


@pytest.mark.parametrize(("seconds", "shown"), [(0.2, "0.2"), (120, "120"), (30.0, "30")])
def test_a_timeout_says_what_hung_and_for_how_long(seconds: float, shown: str) -> None:
    error = ExecutionTimeoutError("send_async (turn 2)", seconds=seconds)
    assert str(error) == f"send_async (turn 2) timed out after {shown} s"
    assert (error.what, error.seconds) == ("send_async (turn 2)", seconds)


def pickled(error: Exception) -> Exception:
    loaded: Exception = pickle.loads(pickle.dumps(error))
    return loaded


@pytest.mark.parametrize("duplicate", [pickled, copy.copy, copy.deepcopy], ids=["pickle", "copy", "deepcopy"])
@pytest.mark.parametrize(
    "error",
    [
        pytest.param(InfrastructureError("down", partial=Response(text="half"), retryable=True), id="facts"),
        pytest.param(ExecutionTimeoutError("session exit", seconds=1.5), id="timeout"),
        pytest.param(SchemaError("at $.turns"), id="plain"),
    ],
)
def test_errors_survive_copying_and_pickling(
    error: Exception, duplicate: Callable[[Exception], Exception]
) -> None:
    error.add_note("a note")
    made = duplicate(error)
    assert type(made) is type(error)
    assert str(made) == str(error)
    assert vars(made) == vars(error)
