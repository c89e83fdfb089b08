"""Mails that a run that was killed has left in a mailbox."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rampart.core.log import log
from rampart.surfaces.blocking import run_blocking_async
from rampart.surfaces.planting_record import PlantingRecord
from rampart.text.leaves import leaf_lines

if TYPE_CHECKING:
    from rampart.surfaces.mailbox_message import BuiltMail
    from rampart.surfaces.mailbox_store import MailStore
    from rampart.surfaces.undo import Undo

_KIND = "mail"
_looked_at: set[str] = set()


class MailRecord:
    """Which mail is planted, written down for the run after one that is killed.

    Args:
        store: Where it is planted.
        mail: The mail.
        payload_id: The payload's id.

    Raises:
        OSError: If there is nowhere to write.
    """

    def __init__(self, *, store: MailStore, mail: BuiltMail, payload_id: str) -> None:
        about = {"message_id": mail.message_id, "payload_id": payload_id}
        self._record = PlantingRecord.write(kind=_KIND, place=store.place, about=about)

    async def take_back_async(self, planted: Undo) -> None:
        """Run what takes the mail back, and forget it once it is gone."""
        try:
            await planted.run_async()
        except Exception:
            self._record.let_go()  # another attempt, or the next run, may succeed
            raise
        self._record.release()


async def recover_async(store: MailStore) -> None:
    """Remove what killed runs have left in a mailbox; only the first call of a process looks."""
    if store.place in _looked_at:
        return
    _looked_at.add(store.place)
    for record in PlantingRecord.abandoned(kind=_KIND, place=store.place):
        message_id = record.about["message_id"]
        what = f"{store.place}: a run that was killed had left payload {record.about['payload_id']!r} there"
        try:
            is_there = await run_blocking_async(partial(store.holds, message_id, frozenset()))
            await run_blocking_async(partial(store.remove, message_id, frozenset()))
        except Exception as error:  # a mailbox that cannot be read now; this run finds out by itself
            log.warning(
                "%s, as mail %s, which stays (%s): %s", what, message_id, record.path, leaf_lines(error)
            )
            record.let_go()
            continue
        if is_there:
            log.warning("%s; the mail %s was removed", what, message_id)
        record.release()
