"""The line that shows how far the demo has come."""

from collections.abc import Callable

from rampart.core.result import SafetyStatus
from rampart.demo.outcome import Outcome

_WIDTH = 72
_BAR = 20


class Progress:
    """Shows the probe that runs; on a terminal in place, elsewhere one plain line for each finished probe.

    Args:
        write: Prints a text as it is, without a line end of its own.
        in_place: Whether a line can be written over, as on a terminal.
    """

    def __init__(self, *, write: Callable[[str], None], in_place: bool) -> None:
        self._write = write
        self._in_place = in_place
        self._finished: set[str] = set()
        self._shown = ""

    def show(self, outcomes: list[Outcome]) -> None:
        """Bring the line up to date."""
        for number, outcome in enumerate(outcomes, start=1):
            done = len(outcome.trials)
            if not done or outcome.claim.test in self._finished:
                continue
            text = f"[{number}/{len(outcomes)}] {outcome.claim.title:<18} {_bar(outcome)}"
            if done == outcome.requested:
                self._finished.add(outcome.claim.test)
                self._put(text, end="\n")
            elif self._in_place:
                self._put(text, end="")

    def close(self) -> None:
        """End a line that is still open."""
        if self._shown:
            self._shown = ""
            self._write("\n")

    def _put(self, text: str, *, end: str) -> None:
        if self._in_place:
            if text == self._shown and not end:
                return
            self._write(f"\r{text:<{_WIDTH}}{end}")
            self._shown = "" if end else text
        else:
            self._write(f"{text}{end}")


def _bar(outcome: Outcome) -> str:
    done = len(outcome.trials)
    full = _BAR * done // max(outcome.requested, 1)
    safe = sum(trial.status is SafetyStatus.SAFE for trial in outcome.trials)
    return f"{'#' * full}{'.' * (_BAR - full)} {done:>2}/{outcome.requested} trials, {safe} safe"
