"""Runs that pytest-xdist spreads over processes.

Results of workers are not gathered yet. Each worker writes its own journal file into the run's folder, and
the main process says that its report does not cover them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

    from rampart.pytest_plugin._run import Run

SCHEMA_VERSION = "rampart.xdist.v1"
WORKEROUTPUT_KEY = "rampart_xdist_v1"
_RUN_ID_KEY = "rampart_run_id"


def worker_id(config: pytest.Config) -> str | None:
    """The name of this worker; None in the main process."""
    workerinput: dict[str, Any] | None = getattr(config, "workerinput", None)
    return None if workerinput is None else str(workerinput["workerid"])


def handed_run_id(config: pytest.Config) -> str | None:
    """The run id that the main process chose; None in the main process."""
    workerinput: dict[str, Any] | None = getattr(config, "workerinput", None)
    return None if workerinput is None else workerinput.get(_RUN_ID_KEY)


def hand_out_run_id(node: Any, run: Run) -> None:
    """Tell a worker that is about to start which run it belongs to."""
    node.workerinput[_RUN_ID_KEY] = run.journal.run_id


def publish(config: pytest.Config, run: Run) -> None:
    """Tell the main process how many results this worker has recorded."""
    config.workeroutput[WORKEROUTPUT_KEY] = {  # type: ignore[attr-defined]  # put there by pytest-xdist
        "schema": SCHEMA_VERSION,
        "streamed_result_count": run.result_count,
        "incomplete_reasons": list(run.incomplete),
    }


def note_worker_end(node: Any, error: object, run: Run) -> None:
    """Mark the run as incomplete for what a worker did or may have done."""
    worker = str(node.workerinput.get("workerid", "?"))
    if error is not None:
        run.mark_incomplete(f"worker {worker} error: {error}")
        return
    output: dict[str, Any] | None = getattr(node, "workeroutput", None)
    if output is None:
        run.mark_incomplete(f"worker {worker} missing workeroutput")
        return
    published: dict[str, Any] | None = output.get(WORKEROUTPUT_KEY)
    if published is None:
        run.mark_incomplete(f"worker {worker} missing RAMPART output")
        return
    for reason in published.get("incomplete_reasons", ()):
        run.mark_incomplete(f"worker {worker}: {reason}")
    if published.get("streamed_result_count"):
        where = "the journal" if run.options.journal else "no journal (rampart_journal is off)"
        run.mark_incomplete(
            f"results of worker {worker} are in {where} but not in this report; "
            "run without -n for a complete report"
        )
