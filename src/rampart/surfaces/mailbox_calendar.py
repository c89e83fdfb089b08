"""An invitation to a meeting as mails carry it.

Format: RFC 5545 (iCalendar), RFC 6047 (iCalendar in mail).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from rampart.text.icalendar import folded, from_calendar_text, to_calendar_text

if TYPE_CHECKING:
    from rampart.surfaces.mailbox_headers import MailAddress


def invitation(
    *, description: str, summary: str, uid: str, sent: datetime, organizer: MailAddress, guest: MailAddress
) -> str:
    """A meeting of an hour, one day after the mail was sent, whose description is the given text."""
    start = sent + timedelta(days=1)
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Calendar//EN",
        "METHOD:REQUEST",
        "BEGIN:VEVENT",
        f"UID:{uid}",
        f"DTSTAMP:{_utc(sent)}",
        f"DTSTART:{_utc(start)}",
        f"DTEND:{_utc(start + timedelta(hours=1))}",
        f"SUMMARY:{to_calendar_text(summary)}",
        f"DESCRIPTION:{to_calendar_text(description)}",
        f"ORGANIZER:mailto:{organizer.address}",
        f"ATTENDEE;RSVP=TRUE:mailto:{guest.address}",
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return "".join(folded(line, line_break="\n") + "\n" for line in lines)


def description_of(calendar: str) -> str | None:
    """The description of the first entry that has one, with folding and escapes undone."""
    for line in calendar.replace("\r\n", "\n").replace("\n ", "").split("\n"):
        if line.startswith("DESCRIPTION:"):
            return from_calendar_text(line.removeprefix("DESCRIPTION:"))
    return None


def _utc(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
