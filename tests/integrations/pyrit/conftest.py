"""PyRIT with its memory ready, and a real target whose endpoint is on the loopback."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from tests.integrations.pyrit.openai_server import OpenAIServer, openai_server


@pytest.fixture(scope="session")
def _engine() -> Iterator[None]:
    """Close PyRIT's database when all is over; PyRIT has one in a process."""
    yield
    from pyrit.memory import CentralMemory

    CentralMemory.get_memory_instance().dispose_engine()


@pytest.fixture
async def memory(monkeypatch: pytest.MonkeyPatch, _engine: None) -> Any:
    """PyRIT's memory; calls that fail are made twice and not waited for."""
    from pyrit.memory import CentralMemory
    from pyrit.setup import initialize_pyrit_async

    for name, value in (("MAX_NUM_ATTEMPTS", "2"), ("WAIT_MIN_SECONDS", "0"), ("WAIT_MAX_SECONDS", "0")):
        monkeypatch.setenv(f"RETRY_{name}", value)
    await initialize_pyrit_async("InMemory", load_defaults=False, env_files=[], silent=True)
    return CentralMemory.get_memory_instance()


@pytest.fixture
def endpoint() -> Iterator[OpenAIServer]:
    """An endpoint without a model behind it."""
    with openai_server() as server:
        yield server


@pytest.fixture
async def target(memory: Any, endpoint: OpenAIServer) -> AsyncIterator[Any]:
    """PyRIT's own target for OpenAI-compatible endpoints."""
    from pyrit.prompt_target import OpenAIChatTarget

    target = OpenAIChatTarget(
        model_name="mine", underlying_model="gpt-5", endpoint=endpoint.url, api_key="key-of-the-test"
    )
    yield target
    await target._client.close()  # PyRIT itself leaves its connections open
