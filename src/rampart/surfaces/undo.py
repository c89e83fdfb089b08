"""The steps that put a place back as it was found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

UndoStep = Callable[[], Awaitable[object]]


class Undo:
    """Steps to be run last first, each until it has succeeded once.

    A step that fails does not keep the others from running, and is tried again by the next `run_async`.
    """

    def __init__(self) -> None:
        self._steps: list[UndoStep] = []

    def add(self, step: UndoStep) -> None:
        """Remember how to take something back; call it just before doing what the step takes back.

        Args:
            step: Called with nothing and awaited. It has to bear that what it takes back never happened,
                since the doing may have failed or been cancelled half-way, and that it has taken it back
                already: a step that is cancelled is run again.
        """
        self._steps.append(step)

    async def run_async(self) -> None:
        """Run what is left.

        Raises:
            Exception: The error of the only step that failed.
            ExceptionGroup: If several failed.
        """
        failures: list[Exception] = []
        left: list[UndoStep] = []
        while self._steps:
            step = self._steps.pop()
            try:
                await step()
            except Exception as error:
                failures.append(error)
                left.insert(0, step)
            except BaseException:
                self._steps += [step, *left]
                raise
        self._steps = left
        if len(failures) == 1:
            raise failures[0]
        if failures:
            msg = f"{len(failures)} steps failed"
            raise ExceptionGroup(msg, failures)
