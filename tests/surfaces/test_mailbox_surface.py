"""What cannot work is refused where it is written."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.surfaces.agents import order_payload

from rampart import InjectionHandle, Surface
from rampart.core.errors import InfrastructureError
from rampart.surfaces import MailboxSurface

BOX: dict[str, Any] = {"maildir": "/nowhere/Maildir"}


def _remove(message_id: str) -> None:
    """Removes nothing."""


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        pytest.param({}, "give the mailbox: maildir=, mbox=, or smtp=", id="nothing"),
        pytest.param({**BOX, "mbox": "/nowhere/inbox"}, "either maildir or mbox, not both", id="both"),
        pytest.param({"smtp": "127.0.0.1:25"}, "cannot be taken back by SMTP", id="no-way-back"),
        pytest.param({"remove": _remove}, "give the mailbox", id="only-the-way-back"),
        pytest.param(
            {**BOX, "smtp": "127.0.0.1:25", "remove": _remove},
            "remove and arrived are for smtp",
            id="two-ways-back",
        ),
        pytest.param({**BOX, "arrived": _remove}, "remove and arrived are for", id="arrived-for-nothing"),
        pytest.param({"mbox": "/nowhere/inbox", "folder": "News"}, "needs a maildir", id="mbox-folder"),
        pytest.param({**BOX, "folder": "a/b"}, "without slashes and empty parts, got 'a/b'", id="slash"),
        pytest.param({**BOX, "folder": "../other"}, "without slashes", id="leads-out"),
        pytest.param({**BOX, "folder": ".."}, "without slashes and empty parts", id="dots"),
        pytest.param({**BOX, "folder": ""}, "without slashes and empty parts", id="no-name"),
        pytest.param({**BOX, "placement": "footer"}, "one of body, .* got 'footer'", id="where"),
        pytest.param({**BOX, "max_bytes": 0}, "max_bytes must be positive, got 0", id="no-room"),
        pytest.param({**BOX, "arrival_timeout_s": 0}, "arrival_timeout_s must be positive", id="no-time"),
        pytest.param({**BOX, "arrival_timeout_s": math.inf}, "must be positive and finite", id="all-time"),
        pytest.param({**BOX, "smtp": "127.0.0.1"}, "host and port, such as .* got '127.0.0.1'", id="no-port"),
        pytest.param({**BOX, "smtp": "127.0.0.1:0"}, "host and port", id="port-0"),
        pytest.param({**BOX, "smtp": ":25"}, "host and port", id="no-host"),
        pytest.param({**BOX, "smtp": "localhost:99999"}, "host and port", id="port-too-high"),
        pytest.param({**BOX, "subject": "a\nBcc: b@c.d"}, "subject must be one line", id="header-injection"),
    ],
)
def test_what_cannot_work_is_refused(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        MailboxSurface(**arguments)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        pytest.param({**BOX, "folder": 3}, "folder must be a str, got 3", id="folder"),
        pytest.param({**BOX, "max_bytes": "1"}, "max_bytes must be an int, got '1'", id="size"),
        pytest.param({**BOX, "max_bytes": True}, "max_bytes must be an int, got True", id="size-bool"),
        pytest.param({**BOX, "arrival_timeout_s": "1"}, "must be a number of seconds, got '1'", id="time"),
        pytest.param({**BOX, "smtp": 25}, "smtp must be a str such as", id="smtp"),
        pytest.param({"smtp": "a:1", "remove": "x"}, "remove must be a function", id="remove"),
        pytest.param({"smtp": "a:1", "remove": _remove, "arrived": 1}, "arrived must be", id="arrived"),
    ],
)
def test_what_has_the_wrong_type_is_refused(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        MailboxSurface(**arguments)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        pytest.param(BOX, "mailbox Maildir", id="maildir"),
        pytest.param({**BOX, "folder": "News"}, "mailbox News", id="folder"),
        pytest.param({"mbox": "/nowhere/inbox"}, "mailbox inbox", id="mbox"),
        pytest.param({"smtp": "a:1", "remove": _remove}, "mailbox you@example.com", id="smtp"),
        pytest.param({**BOX, "name": "Ada's mail"}, "Ada's mail", id="named"),
    ],
)
def test_names(arguments: dict[str, Any], name: str) -> None:
    assert MailboxSurface(**arguments).inject(payload=order_payload()).surface_name == name


def test_a_server_is_a_place_for_each_recipient() -> None:
    def key(to: str) -> str:
        surface = MailboxSurface(smtp="[::1]:25", remove=_remove, to=to)
        return surface.inject(payload=order_payload()).isolation_key

    assert key("ada@example.com") == key("Ada <ada@example.com>")
    assert key("ada@example.com") != key("bob@example.com")


def test_is_a_surface_with_handles() -> None:
    surface = MailboxSurface(**BOX)
    assert isinstance(surface, Surface)
    assert isinstance(surface.inject(payload=order_payload()), InjectionHandle)


async def test_a_payload_that_does_not_fit_is_an_error_that_names_it() -> None:
    handle = MailboxSurface(**BOX, placement="subject").inject(payload=order_payload(content="x" * 5000))
    wanted = (
        r"^mailbox Maildir: payload 'order' could not be planted in maildir /nowhere/Maildir \(subject\): "
        "ValueError: the payload has 5000 characters; the subject takes 4000$"
    )
    with pytest.raises(InfrastructureError, match=wanted):
        await handle.__aenter__()
