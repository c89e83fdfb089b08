"""The converter that writes calendar invitations."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Literal, get_args

from rampart.converters._options import require_address, require_one_line, require_one_of
from rampart.converters.conversion import (
    CARRIED_TEXT,
    FILE_NAME_EXTENSION,
    MEDIA_TYPE,
    converted,
    naming,
    require_text_payload,
)
from rampart.text.encodings import utf8_bytes
from rampart.text.icalendar import folded, to_calendar_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.types import Payload

IcsPlacement = Literal["description", "summary", "location", "comment"]

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MEETING = dt.timedelta(minutes=30)


class IcsConverter:
    """The text of a calendar invitation (RFC 5545) that holds the content; the result is TEXT.

    `metadata` says what the text is: `media_type` `text/calendar`, `file_name_extension` `.ics`, and
    `carried_text`, the content without the invitation around it. Lines end with CR LF, as the format wants.

    Args:
        organizer: The address of whoever invites.
        attendee: The address of whoever is invited.
        summary: The title of the meeting, where it is not the content.
        placement: The property that holds the content: `description`, `summary`, `location` or `comment`.
        cover: Text at the beginning of the description.
        starts_at: When the meeting of half an hour begins, with a time zone; None for a day after the
            conversion, at the full hour.

    Raises:
        ValueError: If an argument cannot stand in an invitation, or the placement is none of these.
    """

    def __init__(
        self,
        *,
        organizer: str = "colleague@example.com",
        attendee: str = "user@example.com",
        summary: str = "Project meeting",
        placement: IcsPlacement = "description",
        cover: str = "",
        starts_at: dt.datetime | None = None,
    ) -> None:
        if starts_at is not None and starts_at.tzinfo is None:
            msg = f"starts_at of IcsConverter must have a time zone, got {starts_at!r}"
            raise ValueError(msg)
        self._organizer = require_address(organizer, what="organizer of IcsConverter")
        self._attendee = require_address(attendee, what="attendee of IcsConverter")
        self._summary = require_one_line(summary, what="summary of IcsConverter")
        self._placement = require_one_of(placement, get_args(IcsPlacement), what="placement of IcsConverter")
        self._cover = cover
        self._starts_at = starts_at

    async def convert_async(self, *, payload: Payload) -> Payload:
        """A TEXT payload whose content is the invitation.

        Raises:
            ValueError: If the payload is binary, or the invitation cannot hold its content.
        """
        require_text_payload(payload, converter="IcsConverter")
        with naming(payload, converter="IcsConverter"):
            lines = [folded(line) for line in self._lines(payload)]
        about = {
            MEDIA_TYPE: "text/calendar",
            FILE_NAME_EXTENSION: ".ics",
            CARRIED_TEXT: payload.content,
        }
        content = "".join(f"{line}\r\n" for line in lines)
        return converted(payload, converter="IcsConverter", content=content, about=about)

    def _lines(self, payload: Payload) -> Iterator[str]:
        now = dt.datetime.now(dt.UTC)
        start = self._starts_at or (now + dt.timedelta(days=1)).replace(minute=0, second=0)
        yield from (
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "PRODID:-//rampart//EN",
            "METHOD:REQUEST",
            "BEGIN:VEVENT",
        )
        yield f"UID:{payload.id}@{self._organizer.rpartition('@')[2]}"
        yield f"DTSTAMP:{_moment(now)}"
        yield f"DTSTART:{_moment(start)}"
        yield f"DTEND:{_moment(start + _MEETING)}"
        yield f"ORGANIZER:mailto:{self._organizer}"
        yield f"ATTENDEE;RSVP=TRUE:mailto:{self._attendee}"
        for name, text in self._texts(payload.content).items():
            yield f"{name.upper()}:{_escaped(text)}"
        yield from ("END:VEVENT", "END:VCALENDAR")

    def _texts(self, content: str) -> dict[str, str]:
        texts = {"summary": self._summary}
        if self._cover:
            texts["description"] = self._cover
        if self._placement == "description" and self._cover:
            content = f"{self._cover}\n{content}"
        return {**texts, self._placement: content}


def _moment(moment: dt.datetime) -> str:
    return f"{moment.astimezone(dt.UTC):%Y%m%dT%H%M%SZ}"


def _escaped(text: str) -> str:
    utf8_bytes(text)
    found = _CONTROL.search(text)
    if found:
        msg = f"a calendar invitation cannot hold the control character U+{ord(found[0]):04X}; remove it"
        raise ValueError(msg)
    return to_calendar_text(text)
