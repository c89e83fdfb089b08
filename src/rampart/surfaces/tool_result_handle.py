"""One payload in the results of a tool."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from rampart.core.errors import InfrastructureError
from rampart.surfaces.handle import PlantedHandle
from rampart.surfaces.tool_result_insertion import Insertion, PlantedResults

if TYPE_CHECKING:
    from rampart.core.types import Payload
    from rampart.surfaces.tool_result_trials import Trials
    from rampart.surfaces.undo import Undo


class ToolResultHandle(PlantedHandle):
    """While it is entered, the tool returns the payload to the trial that entered it.

    Args:
        payload: What is planted.
        trials: Tells whose call is whose.
        insertion: Where in a result it goes.
        tool: The tool's name.
        surface_name: The place, as reports name it.
    """

    def __init__(
        self, *, payload: Payload, trials: Trials, insertion: Insertion, tool: str, surface_name: str
    ) -> None:
        super().__init__(
            payload=payload,
            surface_name=surface_name,
            place=f"the results of {tool}",
            isolation_key=f"tool result {uuid.uuid4().hex}",  # context variables keep trials apart
        )
        self._trials = trials
        self._planted = PlantedResults(insertion, payload.content)

    @property
    def delivered(self) -> bool:
        """Whether a result with the payload was returned to the agent."""
        return self._planted.delivered

    async def _plant_async(self, undo: Undo) -> None:
        if not self.payload.format.is_text:
            msg = f"results take text, and the payload is of format {self.payload.format.value}"
            raise ValueError(msg)
        if not self.payload.content:
            msg = "it is empty, so nobody could be seen to get it"
            raise ValueError(msg)

        async def leave_async() -> None:
            self._trials.leave(self._planted)

        undo.add(leave_async)
        self._trials.enter(self._planted)

    async def _check_async(self) -> None:
        if self._planted.problem is not None:
            raise InfrastructureError(self._planted.problem)
