"""Failures are logged once each, with the frames that a user can do something about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.execution.support import Agent, Says, run

from rampart.execution.trials import execute_trials_async
from rampart.probes import Probes

if TYPE_CHECKING:
    import pytest

    from rampart.core.types import Request


def failing(*errors: Exception) -> Agent:
    left = list(errors)

    async def send(request: Request) -> object:
        raise left.pop(0)

    return Agent(send)


def test_trials_that_fail_alike_share_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    agent = failing(OSError("down"), OSError("down"), KeyError("k"), OSError("down"))
    run(
        execute_trials_async(
            execution_factory=lambda: Probes.behavior(prompt="x", evaluator=Says("x")),
            adapter=agent,
            n=4,
            concurrency=1,
        )
    )
    assert [(record.getMessage(), bool(record.exc_info)) for record in caplog.records] == [
        ("probe failed in trial 0", True),
        ("probe failed in trial 1 as in trial 0: OSError: down", False),
        ("probe failed in trial 2", True),
        ("probe failed in trial 3 as in trial 0: OSError: down", False),
    ]


def test_the_traceback_begins_where_the_error_left_rampart(caplog: pytest.LogCaptureFixture) -> None:
    run(Probes.behavior(prompt="x", evaluator=Says("x")).execute_async(adapter=failing(OSError("down"))))
    (record,) = caplog.records
    assert record.exc_text is not None
    assert "in send" in record.exc_text
    assert "lifecycle.py" not in record.exc_text
    assert record.exc_text.endswith("OSError: down")
