"""An invitation to a meeting as mails carry it.

Format: RFC 5545 (iCalendar), RFC 6047 (iCalendar in mail).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rampart.surfaces.mailbox_headers import MailAddress

_LINE_OCTETS = 75


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
        f"SUMMARY:{_text(summary)}",
        f"DESCRIPTION:{_text(description)}",
        f"ORGANIZER:mailto:{organizer.address}",
        f"ATTENDEE;RSVP=TRUE:mailto:{guest.address}",
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return "".join(_fold(line) + "\n" for line in lines)


def description_of(calendar: str) -> str | None:
    """The description of the first entry that has one, with folding and escapes undone."""
    for line in calendar.replace("\r\n", "\n").replace("\n ", "").split("\n"):
        if line.startswith("DESCRIPTION:"):
            return _plain(line.removeprefix("DESCRIPTION:"))
    return None


def _utc(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _text(text: str) -> str:
    for character in ("\\", ";", ","):
        text = text.replace(character, f"\\{character}")
    return "\\n".join(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def _plain(text: str) -> str:
    plain: list[str] = []
    characters = iter(text)
    for character in characters:
        following = next(characters, "") if character == "\\" else character
        plain.append("\n" if character == "\\" and following in {"n", "N"} else following)
    return "".join(plain)


def _fold(line: str) -> str:
    lines = [b""]
    for character in line:
        octets = character.encode()
        if len(lines[-1]) + len(octets) > _LINE_OCTETS - (len(lines) > 1):
            lines.append(b"")
        lines[-1] += octets
    return "\n ".join(one.decode() for one in lines)
