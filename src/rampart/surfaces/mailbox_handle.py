"""The handle of a planted mail."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rampart.core.errors import InfrastructureError
from rampart.surfaces.blocking import run_blocking_async
from rampart.surfaces.handle import PlantedHandle
from rampart.surfaces.mailbox_record import MailRecord, recover_async
from rampart.surfaces.undo import Undo
from rampart.text.leaves import leaf_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.types import Payload
    from rampart.surfaces.mailbox_delivery import MailDelivery
    from rampart.surfaces.mailbox_message import BuiltMail


class PlantedMail(PlantedHandle):
    """One payload as a mail.

    Args:
        build: Makes the mail; blocks.
        delivery: Brings it to where the agent reads; used for this mail alone.
        payload: What the mail carries.
        surface_name: The place, as reports name it.
        place: Where exactly, for error messages.
        isolation_key: Handles with the same key never overlap.
    """

    def __init__(
        self,
        *,
        build: Callable[[], BuiltMail],
        delivery: MailDelivery,
        payload: Payload,
        surface_name: str,
        place: str,
        isolation_key: str,
    ) -> None:
        super().__init__(payload=payload, surface_name=surface_name, place=place, isolation_key=isolation_key)
        self._build = build
        self._delivery = delivery
        self._mail: BuiltMail | None = None

    async def _plant_async(self, undo: Undo) -> None:
        mail = await run_blocking_async(self._build)
        store = self._delivery.store
        if store is None:
            await self._delivery.plant_async(mail, undo)
        else:
            await recover_async(store)
            planted = Undo()
            record = MailRecord(store=store, mail=mail, payload_id=self.payload.id)
            undo.add(partial(record.take_back_async, planted))
            await self._delivery.plant_async(mail, planted)
        self._mail = mail

    async def wait_until_ready_async(self) -> None:
        """Wait until the mail has arrived.

        Raises:
            InfrastructureError: If it does not.
        """
        if self._mail is None:
            return
        try:
            await self._delivery.wait_async(self._mail)
        except Exception as error:
            raise InfrastructureError(self._failure("did not become readable", leaf_lines(error))) from error
