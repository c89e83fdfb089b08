"""What the tests of language models share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.llm.chat_server import ChatServer

from rampart.llm import learned, prices
from rampart.text.secrets import _isolated_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No credential of the environment, no proxy, and no secret, price or lesson of another test."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_VERSION", "OPENAI_ORG_ID", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(prices, "_own_prices", {})
    for learned_so_far in ("_refuse_schemas", "_told"):
        monkeypatch.setattr(learned, learned_so_far, set())
    with _isolated_secrets():
        yield


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A server that answers `hello`."""
    with ChatServer() as running:
        yield running
