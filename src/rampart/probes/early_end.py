"""What ended a probe of several conversations after its verdict had been settled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.execution.failures import error_line
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from rampart.core.result import Result
    from rampart.execution.attempts import Attempts


def tell_early_end(result: Result, attempts: Attempts) -> None:
    """Add to a result what ended its conversations early, if anything did."""
    failure = attempts.failure
    if attempts.cancelled:
        result.summary += "; then the probe was cancelled"
    if failure is not None:
        result.summary += f"; then the probe failed: {error_line(failure)}"
        result.metadata |= {"error": safe_str(failure), "error_type": type(failure).__name__}
