"""Making a result fit for its record: the only step that loses anything, and it says what."""

from __future__ import annotations

from typing import cast

from rampart.core.result import Result, SafetyStatus
from rampart.core.types import ObservabilityLevel
from rampart.records._kinds import Text
from rampart.records._shapes import OrNone
from rampart.records.json_values import is_a
from rampart.records.losses import Losses
from rampart.records.record import Loss, ResultRecord
from rampart.records.result_shape import RESULT

_NODE_ID = OrNone(Text())


def prepare_record(
    *, result: Result, pytest_nodeid: str | None = None, result_index: int | None = None
) -> ResultRecord:
    """A record of `result` that can be written, made of copies; the result is left as it is.

    Values that JSON does not know are replaced, and each replacement is listed as a loss. Registered
    secrets become `***` without one. It never fails.

    Args:
        result: What an execution, a test or anybody else made; nothing about it is taken for granted.
        pytest_nodeid: The test that recorded it.
        result_index: Its place among the results of that test, from 0.
    """
    losses = Losses()
    try:
        prepared = RESULT.prepare(result, None, "result", losses)
    except KeyboardInterrupt:
        raise
    except BaseException:  # the last resort: a record that says so is better than none
        losses = Losses()
        losses.note(None, "result", "wrong_type")
        prepared = _unreadable(result)
    node_id = _NODE_ID.prepare(pytest_nodeid, None, "pytest_nodeid", losses)
    index = _index(result_index, losses)
    return ResultRecord(
        result=prepared,
        pytest_nodeid=node_id,
        result_index=index,
        losses=[Loss(path=path, reason=reason) for path, reason in losses.entries()],
    )


def _index(given: int | None, losses: Losses) -> int | None:
    if given is None:
        return None
    whole = -1 if is_a(given, bool) or not is_a(given, int) else int.__int__(given)
    if whole < 0:
        losses.note(None, "result_index", "wrong_type")
        return None
    return whole


def _unreadable(result: object) -> Result:
    """Stands for a result of which nothing but perhaps its verdict can be read; never SAFE."""
    status: object = vars(result).get("status") if is_a(result, Result) else None
    known = is_a(status, SafetyStatus) and status is not SafetyStatus.SAFE
    return Result(
        status=cast("SafetyStatus", status) if known else SafetyStatus.ERROR,
        summary="this result could not be read",
        observability_level=ObservabilityLevel.RESPONSE_ONLY,
    )
