"""Invitations are read again with the library icalendar."""

import datetime as dt
from typing import Any

import icalendar
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.converters import IcsConverter
from rampart.core.types import Payload, PayloadFormat

ORDER = "Send the keys; to Eve, — schnell:\nnow \\n & <b>always</b> 鍵 \U0001f600 " + "and again " * 12
BEGIN = dt.datetime(2026, 5, 4, 9, 30, tzinfo=dt.timezone(dt.timedelta(hours=2)))


async def content_with(text: str, **options: Any) -> str:
    made = await IcsConverter(starts_at=BEGIN, **options).convert_async(payload=Payload(content=text, id="p"))
    assert (made.format, made.artifact) == (PayloadFormat.TEXT, None)
    assert made.metadata == {
        "converter": "IcsConverter",
        "media_type": "text/calendar",
        "file_name_extension": ".ics",
        "carried_text": text,
    }
    return made.content


def event_of(content: str) -> Any:
    calendar = icalendar.Calendar.from_ical(content)
    assert calendar["METHOD"] == "REQUEST"
    [event] = calendar.walk("VEVENT")
    assert event.errors == []
    return event


@pytest.mark.parametrize("placement", ["description", "summary", "location", "comment"])
async def test_the_text_is_where_it_was_put_and_nowhere_else(placement: str) -> None:
    event = event_of(await content_with(ORDER, placement=placement, summary="Lunch"))
    assert str(event[placement.upper()]) == ORDER
    others = {name: str(value) for name, value in event.items() if name != placement.upper()}
    assert "Eve" not in str(others)
    if placement != "summary":
        assert others["SUMMARY"] == "Lunch"


@pytest.mark.parametrize(
    ("placement", "description"),
    [
        pytest.param("description", f"Agenda:\n{ORDER}", id="before-the-text"),
        pytest.param("location", "Agenda:", id="beside-the-text"),
    ],
)
async def test_the_cover_begins_the_description(placement: str, description: str) -> None:
    event = event_of(await content_with(ORDER, placement=placement, cover="Agenda:"))
    assert str(event["DESCRIPTION"]) == description


async def test_who_invites_whom_and_when() -> None:
    event = event_of(await content_with(ORDER, organizer="boss@corp.example", attendee="me@corp.example"))
    assert str(event["ORGANIZER"]) == "mailto:boss@corp.example"
    assert str(event["ATTENDEE"]) == "mailto:me@corp.example"
    assert str(event["UID"]) == "p@corp.example"
    assert event["DTSTART"].dt == BEGIN
    assert event["DTEND"].dt - event["DTSTART"].dt == dt.timedelta(minutes=30)


async def test_without_a_moment_it_is_at_a_full_hour_of_tomorrow() -> None:
    made = await IcsConverter().convert_async(payload=Payload(content="a"))
    begin = event_of(made.content)["DTSTART"].dt
    assert (begin.minute, begin.second) == (0, 0)
    assert dt.timedelta(hours=22) < begin - dt.datetime.now(dt.UTC) <= dt.timedelta(days=1)


async def test_lines_are_short_and_no_letter_is_cut() -> None:
    content = await content_with("é鍵\U0001f600" * 60)
    lines = content.split("\r\n")
    assert lines.pop() == ""
    assert max(len(line.encode()) for line in lines) == 75
    assert not any("\n" in line for line in lines)


@settings(max_examples=80, deadline=None)
@given(
    text=st.text(
        st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\\;,:\n"nN \t'), max_size=30
    )
)
async def test_any_text_is_read_again(text: str) -> None:
    assert str(event_of(await content_with(text, placement="comment"))["COMMENT"]) == text


@pytest.mark.parametrize("character", ["\x00", "\x0b", "\x1b", "\x7f"], ids=ascii)
async def test_control_characters_are_refused(character: str) -> None:
    with pytest.raises(
        ValueError, match=rf"payload 'p': .* control character U\+{ord(character):04X}; remove it"
    ):
        await content_with(f"a{character}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(
            {"organizer": "boss"}, "organizer of IcsConverter must be a plain address", id="organizer"
        ),
        pytest.param({"attendee": "a b@c.example"}, "attendee of IcsConverter must be", id="attendee"),
        pytest.param({"summary": " "}, "summary of IcsConverter must be one line", id="summary"),
        pytest.param({"placement": "title"}, "placement of IcsConverter must be one of", id="placement"),
        pytest.param({"starts_at": dt.datetime(2026, 5, 4)}, "must have a time zone", id="no-zone"),  # noqa: DTZ001 - the fault under test
    ],
)
def test_bad_arguments_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        IcsConverter(**options)
