"""What one client has learned of a service others know too, and what is told is told once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
from tests.llm.chat_answers import completion, refused
from tests.llm.chat_server import ChatServer

from rampart.core.errors import RateLimitError
from rampart.core.llm import ChatMessage
from rampart.core.spending import Spending, UsageRole, ask_async, spend_on
from rampart.core.types import Usage
from rampart.llm import OpenAIChatModel

if TYPE_CHECKING:
    from tests.llm.chat_answers import ChatAnswer, ChatCall

ASKED = [ChatMessage(role="user", content="hi")]
SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def _knows_no_schema(call: ChatCall) -> ChatAnswer:
    if "response_format" in call.body:
        return refused(400, "response_format json_schema is not supported")
    return completion("{}")


async def test_five_clients_of_one_service_learn_once_that_it_takes_no_schema() -> None:
    with ChatServer(default=_knows_no_schema) as server:
        for _ in range(5):
            model = OpenAIChatModel(config=server.config())
            await model.complete_async(messages=ASKED, response_schema=SCHEMA)
        assert ["response_format" in body for body in server.bodies] == [True] + [False] * 5


async def test_another_model_of_the_same_service_is_asked_for_itself() -> None:
    with ChatServer(default=_knows_no_schema) as server:
        for name in ("one", "two"):
            model = OpenAIChatModel(config=server.config(model=name))
            await model.complete_async(messages=ASKED, response_schema=SCHEMA)
        assert len(server.bodies) == 4


async def test_what_is_not_sent_is_named_once_for_all_clients_of_a_configuration(
    server: ChatServer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="rampart"):
        for _ in range(3):
            model = OpenAIChatModel(config=server.config(metadata={"top_k": 5}))
            await model.complete_async(messages=ASKED)
    assert [record.message.partition(";")[0] for record in caplog.records] == [
        f"LLMConfig(model={server.config().model!r}): the metadata keys top_k are not sent"
    ]


@pytest.mark.parametrize("retries", [0, 2])
async def test_requests_of_a_call_that_failed_for_good_count(retries: int) -> None:
    with ChatServer(default=refused(429)) as server:
        spending = Spending()
        spend_on(spending)
        model = OpenAIChatModel(config=server.config(max_retries=retries))
        with pytest.raises(RateLimitError):
            await ask_async(model, role=UsageRole.JUDGE, messages=ASKED)
        assert len(server.calls) == retries + 1
        assert spending.by_role() == {"judge": Usage(requests=retries + 1)}
