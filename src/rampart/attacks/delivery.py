"""Proof of delivery: did the payload reach the agent?

An attack that never reached the agent proves nothing. What a surface knows by itself counts; without that
the payload is looked for in what the agent is known to have got and said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.attacks.evidence import Evidence
from rampart.core.log import log
from rampart.core.result import InjectionRecord
from rampart.core.types import Payload

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rampart.core.injection import InjectionHandle
    from rampart.core.types import Turn

OBSERVED, NOT_OBSERVED, UNKNOWN = "observed", "not_observed", "unknown"

ATTACHMENT = "attachment"
"""The name of the place of a payload that travels with the message."""


async def note_deliveries_async(
    entered: Sequence[tuple[InjectionHandle, InjectionRecord]], turns: Sequence[Turn]
) -> None:
    """Write into each record whether its payload reached the agent.

    Args:
        entered: The handles that were entered, with their records.
        turns: The trace.
    """
    open_ones: list[tuple[Payload, InjectionRecord]] = []
    for handle, record in entered:
        known, payload = _own_knowledge(handle)
        if known is not None:
            record.delivery = OBSERVED if known else NOT_OBSERVED
        elif payload is not None:
            open_ones.append((payload, record))
    if not open_ones or not turns:
        return
    evidence = Evidence(turns)
    for payload, record in open_ones:
        seen = await evidence.shows_async(carried_text(payload))
        record.delivery = OBSERVED if seen else NOT_OBSERVED if evidence.has_tool_results else UNKNOWN


def attachment_records(turns: Iterable[Turn]) -> list[InjectionRecord]:
    """A record for each payload that travelled with a message: what was sent was delivered."""
    return [
        InjectionRecord(payload_id=attachment.id, surface_name=ATTACHMENT, delivery=OBSERVED)
        for turn in turns
        for attachment in turn.request.attachments or ()
    ]


def carried_text(payload: Payload) -> str:
    """What is looked for: of a whole mail or page, the text for whose sake it was made."""
    carried: object = payload.metadata.get("carried_text")
    return carried if isinstance(carried, str) and carried else payload.content


def _own_knowledge(handle: InjectionHandle) -> tuple[bool | None, Payload | None]:
    """What a handle itself knows of the delivery, and what it planted."""
    try:
        known: object = getattr(handle, "delivered", None)
        payload: object = getattr(handle, "payload", None)
    except Exception:  # a handle that cannot say knows nothing
        log.exception("%s cannot say whether its payload was delivered", type(handle).__name__)
        return None, None
    return (
        known if isinstance(known, bool) else None,
        payload if isinstance(payload, Payload) else None,
    )
