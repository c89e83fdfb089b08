"""One request of chat completions and its response."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from rampart.llm.call_errors import connection_error, silence_error, status_error
from rampart.llm.completion_body import stated_error

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from rampart.core.errors import ChatModelError
    from rampart.llm.openai_service import Service
    from rampart.llm.retrying import TransientError


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A whole response; its headers by lower-case name."""

    status: int
    body: str
    headers: dict[str, str]


class RequestCount:
    """How many requests one call has made."""

    def __init__(self) -> None:
        self.made = 0


async def send_async(
    client: AsyncOpenAI, request: dict[str, Any], *, service: Service, requests: RequestCount
) -> Reply:
    """Make one request; the library's errors, whose texts may hold anything, end here.

    Raises:
        TransientError: If there was no whole response.
        ChatModelError: If there was none in time.
    """
    import openai  # noqa: PLC0415  # of an extra; the client in hand shows that it is there
    from httpx2 import HTTPError  # noqa: PLC0415  # likewise

    timeout_s = service.options.timeout_s
    requests.made += 1
    failure: ChatModelError | TransientError
    try:
        async with asyncio.timeout(timeout_s):
            response = await client.chat.completions.with_raw_response.create(**request)
        return _reply_of(response.http_response)
    except openai.APIStatusError as error:
        return _reply_of(error.response)
    except TimeoutError:
        failure = silence_error(timeout_s=timeout_s, who=service.who)
    except (openai.APIConnectionError, HTTPError) as error:
        failure = connection_error(error, who=service.who)
    raise failure  # outside of the handlers, so that it carries none of their texts along


def _reply_of(response: Any) -> Reply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    body = response.content.decode("utf-8-sig", "replace")  # some servers write a byte order mark
    return Reply(status=response.status_code, body=body, headers=headers)


def failure_of(reply: Reply, *, service: Service) -> ChatModelError | TransientError | None:
    """The error that a response comes to; None for one that claims success."""
    status = reply.status if reply.status != HTTPStatus.OK else stated_error(reply.body)
    if status is None:
        return None
    return status_error(
        status, body=reply.body, headers=reply.headers, who=service.who, key_source=service.key_source
    )
