"""No secret in what the libraries below log, wherever a server or an address puts it."""

from __future__ import annotations

import io
import logging
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

import pytest
from tests.llm.chat_answers import ChatAnswer, completion
from tests.llm.chat_server import KEY, ChatServer

from rampart.core.errors import ChatModelError
from rampart.core.llm import ChatMessage
from rampart.llm import OpenAIChatModel
from rampart.llm.library_logs import keep_secrets_from_logs
from rampart.text.secrets import register_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

ASKED = [ChatMessage(role="user", content="Say hello.")]
SECRET = "a+b/c=d&e f%20g"


@pytest.fixture
def told() -> Iterator[io.StringIO]:
    """All that is logged, as a handler of the user's writes it."""
    stream = io.StringIO()
    handler, root = logging.StreamHandler(stream), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.mark.parametrize("name", ["api-key", "key", "subscription-key", "sig", "access_token"])
async def test_a_key_in_the_address_stays_out_of_logs_and_errors(name: str, told: io.StringIO) -> None:
    answer = ChatAnswer(status=400, body=f"no such key: {SECRET}".encode())
    with ChatServer(default=answer) as server:
        config = server.config(endpoint=f"{server.url}?{name}={quote(SECRET, safe='')}", api_key="none")
        with pytest.raises(ChatModelError, match=r"no such key: \*\*\*$"):
            await OpenAIChatModel(config=config).complete_async(messages=ASKED)
        assert name in server.calls[0].path
    assert "HTTP Request: POST" in told.getvalue()
    for form in (SECRET, quote(SECRET), quote(SECRET, safe=""), quote_plus(SECRET)):
        assert form not in told.getvalue()


async def test_another_value_in_the_address_is_no_secret(told: io.StringIO) -> None:
    with ChatServer() as server:
        config = server.config(endpoint=f"{server.url}?region=westeurope")
        await OpenAIChatModel(config=config).complete_async(messages=ASKED)
    assert "region=westeurope" in told.getvalue()


async def test_a_key_that_the_server_repeats_in_its_headers_stays_out_of_logs(told: io.StringIO) -> None:
    answer = ChatAnswer(body=completion("hello").body, headers={"X-Asked-With": f"Bearer {KEY}"})
    with ChatServer(default=answer) as server:
        await OpenAIChatModel(config=server.config()).complete_async(messages=ASKED)
    assert "X-Asked-With" in told.getvalue()
    assert KEY not in told.getvalue()


def test_a_secret_in_an_exception_that_is_logged(told: io.StringIO) -> None:
    register_secret(KEY)
    keep_secrets_from_logs()
    try:
        raise ValueError(KEY)
    except ValueError:
        logging.getLogger("httpx2").exception("it failed with %s", KEY)
    assert "it failed with ***" in told.getvalue()
    assert "ValueError: ***" in told.getvalue()
    assert KEY not in told.getvalue()


def test_other_records_stay_as_they_are(caplog: pytest.LogCaptureFixture) -> None:
    register_secret(KEY)
    keep_secrets_from_logs()
    keep_secrets_from_logs()
    caplog.set_level(logging.INFO)
    logging.getLogger("httpx2").info("%s of %d", "one", 2)
    assert [(record.msg, record.args) for record in caplog.records] == [("%s of %d", ("one", 2))]
