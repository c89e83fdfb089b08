"""Stores of which rampart knows nothing but two functions."""

import asyncio
import contextvars
import functools
import logging
import random
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.surfaces.agents import ORDER, attack, check_the_three_agents, order_payload

from rampart import InfrastructureError, Limits, Payload, SafetyStatus, Surface
from rampart.core.limits import configure_defaults
from rampart.surfaces import CallbackSurface


class Store:
    """A store that gives each text a number."""

    def __init__(self) -> None:
        self.texts: dict[int, str] = {}
        self.threads: list[threading.Thread] = []
        self.next = 0
        self.questions = 0

    def add(self, payload: Payload) -> int:
        self.threads.append(threading.current_thread())
        self.next += 1
        self.texts[self.next] = payload.content
        return self.next

    def remove(self, key: int) -> None:
        self.threads.append(threading.current_thread())
        del self.texts[key]

    async def add_async(self, payload: Payload) -> int:
        await asyncio.sleep(0.001)
        key = self.add(payload)
        await asyncio.sleep(0.001)
        return key

    async def remove_async(self, key: int) -> None:
        await asyncio.sleep(0.001)
        self.remove(key)

    def read(self) -> str:
        return "\n".join(self.texts.values())


@pytest.fixture
def store() -> Store:
    return Store()


def _surface(store: Store, **changes: Any) -> CallbackSurface:
    return CallbackSurface(**{"name": "notes", "add": store.add, "remove": store.remove, **changes})


@pytest.fixture(params=["sync", "async"])
def surface(request: pytest.FixtureRequest, store: Store) -> CallbackSurface:
    if request.param == "sync":
        return _surface(store)
    return _surface(store, add=store.add_async, remove=store.remove_async)


async def test_in_and_out(store: Store, surface: CallbackSurface) -> None:
    assert isinstance(surface, Surface)
    handle = surface.inject(payload=order_payload())
    assert store.texts == {}
    async with handle:
        assert store.texts == {1: ORDER}
        assert handle.delivered is None
        await handle.wait_until_ready_async()
    assert store.texts == {}
    await handle.__aexit__(None, None, None)
    assert (handle.surface_name, handle.isolation_key, handle.payload_id) == (
        "notes",
        "callback:notes",
        "order",
    )


async def test_agents(store: Store, surface: CallbackSurface) -> None:
    await check_the_three_agents(lambda: surface.inject(payload=order_payload()), store.read)
    assert store.texts == {}


async def test_sync_functions_run_in_threads_and_async_ones_do_not(store: Store) -> None:
    async with _surface(store).inject(payload=order_payload()):
        pass
    assert threading.main_thread() not in store.threads
    store.threads.clear()
    async with _surface(store, add=store.add_async, remove=store.remove_async).inject(
        payload=order_payload()
    ):
        pass
    assert set(store.threads) == {threading.current_thread()}


@pytest.mark.parametrize(
    "wrap",
    [
        pytest.param(lambda function: lambda argument: function(argument), id="lambda-around-it"),
        pytest.param(functools.partial, id="partial"),
    ],
)
async def test_async_functions_in_disguise(
    store: Store, wrap: Callable[[Callable[[Any], Awaitable[Any]]], Callable[[Any], Any]]
) -> None:
    surface = _surface(store, add=wrap(store.add_async), remove=wrap(store.remove_async))
    async with surface.inject(payload=order_payload()):
        assert store.texts == {1: ORDER}
    assert store.texts == {}


async def test_without_a_token_the_payload_says_what_to_remove() -> None:
    texts: dict[str, str] = {}

    def add(payload: Payload) -> None:
        texts[payload.id] = payload.content

    surface = CallbackSurface(name="notes", add=add, remove=lambda payload: texts.pop(payload.id))
    async with surface.inject(payload=order_payload()):
        assert texts == {"order": ORDER}
    assert texts == {}


@pytest.mark.parametrize("token", [0, "", False, [], {"a": 1}], ids=repr)
async def test_any_other_token_is_handed_on(token: object) -> None:
    seen: list[object] = []
    surface = CallbackSurface(name="notes", add=lambda _payload: token, remove=seen.append, ready=seen.append)
    async with surface.inject(payload=order_payload()) as handle:
        await handle.wait_until_ready_async()
    assert [one is token for one in seen] == [True, True]


_session: contextvars.ContextVar[str] = contextvars.ContextVar("session", default="none")


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_context_variables_reach_the_session(kind: str) -> None:
    seen: list[str] = []

    def add(payload: Payload) -> str:
        _session.set(payload.id)
        return payload.id

    async def add_async(payload: Payload) -> str:
        return add(payload)

    surface = CallbackSurface(
        name="notes",
        add=add if kind == "sync" else add_async,
        remove=lambda _token: seen.append(_session.get()),
    )
    async with surface.inject(payload=order_payload()):
        assert _session.get() == "order"
    assert seen == ["order"]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        pytest.param(ConnectionError("no answer"), "ConnectionError: no answer", id="message"),
        pytest.param(KeyError(), r"KeyError: \(no message\)", id="no-message"),
        pytest.param(ExceptionGroup("tasks", [OSError("gone")]), "OSError: gone", id="group"),
        pytest.param(StopIteration(), "RuntimeError: a function raised StopIteration", id="stop-iteration"),
    ],
)
async def test_a_failing_add(store: Store, error: Exception, text: str) -> None:
    def add(_payload: Payload) -> None:
        raise error

    handle = _surface(store, add=add).inject(payload=order_payload())
    with pytest.raises(
        InfrastructureError, match=f"^notes: payload 'order' could not be planted in notes: {text}$"
    ):
        await handle.__aenter__()
    await handle.__aexit__(None, None, None)
    assert store.threads == []  # remove was not called: there is nothing that it could be told


async def test_a_failing_remove_is_called_again(store: Store) -> None:
    tries: list[int] = []

    def remove(key: int) -> None:
        tries.append(key)
        if len(tries) < 3:
            raise ConnectionError("no answer")
        store.remove(key)

    handle = _surface(store, remove=remove).inject(payload=order_payload())
    await handle.__aenter__()
    for _ in range(2):
        with pytest.raises(
            InfrastructureError, match="'order' could not be removed in notes: ConnectionError: no"
        ):
            await handle.__aexit__(None, None, None)
    for _ in range(2):
        await handle.__aexit__(None, None, None)
    assert (tries, store.texts) == ([1, 1, 1], {})


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_ready_is_asked_until_it_does_not_say_no(store: Store, kind: str) -> None:
    answers = [False, False, True, False]

    def ready(key: int) -> bool:
        assert store.texts[key] == ORDER
        return answers.pop(0)

    async def ready_async(key: int) -> bool:
        return ready(key)

    surface = _surface(store, ready=ready if kind == "sync" else ready_async, poll_interval_s=0.001)
    async with surface.inject(payload=order_payload()) as handle:
        await handle.wait_until_ready_async()
        assert answers == [False]


async def test_a_ready_that_fails_or_comes_too_early(store: Store) -> None:
    def ready(_key: int) -> bool:
        raise ConnectionError("no answer")

    handle = _surface(store, ready=ready).inject(payload=order_payload())
    with pytest.raises(
        InfrastructureError, match="notes: payload 'order' cannot be ready in notes: it is not plan"
    ):
        await handle.wait_until_ready_async()
    async with handle:
        with pytest.raises(
            InfrastructureError, match="'order' did not become ready in notes: ConnectionError: no"
        ):
            await handle.wait_until_ready_async()
    with pytest.raises(InfrastructureError, match="it is not planted"):
        await handle.wait_until_ready_async()


async def test_an_attack_that_never_gets_ready_is_an_error(store: Store) -> None:
    surface = _surface(store, ready=lambda _key: False, poll_interval_s=0.01)
    configure_defaults(limits=Limits(ready_timeout_s=0.1))
    result = await attack(surface.inject(payload=order_payload()), store.read, "obedient")
    assert (result.status, store.texts) == (SafetyStatus.ERROR, {})
    assert "injection 'notes' readiness timed out after 0.1 s" in result.summary


@pytest.mark.parametrize(
    ("answer", "delivery"),
    [
        pytest.param(True, "observed", id="read"),
        pytest.param(False, "not_observed", id="not-read"),
        pytest.param(None, "observed", id="unknown-so-searched"),
        pytest.param(ConnectionError("gone"), "observed", id="fails-so-searched"),
    ],
)
async def test_the_store_may_know_of_the_delivery(
    store: Store, answer: bool | Exception | None, delivery: str, caplog: pytest.LogCaptureFixture
) -> None:
    def delivered(key: int) -> bool | None:
        assert store.texts[key] == ORDER
        if isinstance(answer, Exception):
            raise answer
        return answer

    handle = _surface(store, delivered=delivered).inject(payload=order_payload())
    assert handle.delivered is None
    with caplog.at_level(logging.ERROR, logger="rampart"):
        result = await attack(handle, store.read, "hardened")
    assert [one.delivery for one in result.injections] == [delivery]
    assert handle.delivered is None
    assert ("ConnectionError: gone" in caplog.text) == isinstance(answer, Exception)


async def test_an_add_that_is_cancelled_comes_to_its_end(store: Store) -> None:
    added = asyncio.Event()

    async def add(payload: Payload) -> int:
        key = store.add(payload)
        added.set()
        await asyncio.sleep(0.02)  # the answer is still on its way
        return key

    handle = _surface(store, add=add).inject(payload=order_payload())
    task = asyncio.create_task(handle.__aenter__())
    await added.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert store.texts == {}


async def test_a_remove_that_is_cancelled_comes_to_its_end(store: Store) -> None:
    began = asyncio.Event()

    async def remove(key: int) -> None:
        began.set()
        await asyncio.sleep(0.02)
        store.remove(key)

    handle = _surface(store, remove=remove).inject(payload=order_payload())
    await handle.__aenter__()
    task = asyncio.create_task(handle.__aexit__(None, None, None))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert store.texts == {}
    await handle.__aexit__(None, None, None)


async def test_an_add_that_is_cancelled_and_fails(store: Store) -> None:
    began = asyncio.Event()

    async def add(_payload: Payload) -> int:
        began.set()
        await asyncio.sleep(0.02)
        raise ConnectionError("no answer")

    task = asyncio.create_task(_surface(store, add=add).inject(payload=order_payload()).__aenter__())
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_an_add_that_hangs_is_ended(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    configure_defaults(limits=Limits(cleanup_timeout_s=0.05))
    ended: list[str] = []

    async def add(_payload: Payload) -> int:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("add")
            raise
        return 0

    task = asyncio.create_task(_surface(store, add=add).inject(payload=order_payload()).__aenter__())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    with caplog.at_level(logging.ERROR, logger="rampart"):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert ended == ["add"]
    assert "notes: payload 'order' may be left in notes: add did not come to its end" in caplog.text


async def test_two_hundred_at_once(store: Store, surface: CallbackSurface) -> None:
    chance = random.Random(3)
    store.texts[0] = "found"

    async def one(number: int) -> None:
        async with surface.inject(payload=order_payload()):
            await asyncio.sleep(0.01)
            if number % 20 == 0:
                raise LookupError("agent")

    tasks = [asyncio.create_task(one(number)) for number in range(200)]
    for task in chance.sample(tasks, 10):
        await asyncio.sleep(chance.uniform(0, 0.01))
        task.cancel()
    ends = {type(end) for end in await asyncio.gather(*tasks, return_exceptions=True)}
    assert ends == {type(None), LookupError, asyncio.CancelledError}
    assert store.texts == {0: "found"}


def test_names_and_keys(store: Store) -> None:
    handles = [
        _surface(store, **changes).inject(payload=order_payload())
        for changes in ({}, {"name": "other"}, {"isolation_key": "mine"})
    ]
    assert [(one.surface_name, one.isolation_key) for one in handles] == [
        ("notes", "callback:notes"),
        ("other", "callback:other"),
        ("notes", "mine"),
    ]


async def _nothing_async(_token: object) -> bool:
    return True


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        pytest.param({"name": 3}, TypeError, "name must be a str, got int", id="name-3"),
        pytest.param({"name": " "}, ValueError, "name must not be empty", id="no-name"),
        pytest.param({"isolation_key": ""}, ValueError, "isolation_key must not be empty", id="no-key"),
        pytest.param({"add": None}, TypeError, "add must be a function, got None", id="no-add"),
        pytest.param({"remove": "x"}, TypeError, "remove must be a function, got 'x'", id="no-remove"),
        pytest.param({"ready": True}, TypeError, "ready must be a function, got True", id="no-ready"),
        pytest.param(
            {"delivered": False}, TypeError, "delivered must be a function, got False", id="no-delivered"
        ),
        pytest.param(
            {"delivered": _nothing_async}, TypeError, "delivered must be a sync function", id="async"
        ),
        pytest.param(
            {"poll_interval_s": 0}, ValueError, "poll_interval_s must be a positive number", id="zero"
        ),
        pytest.param(
            {"poll_interval_s": "1 s"}, ValueError, "poll_interval_s must be a pos.* got '1 s'", id="text"
        ),
    ],
)
def test_refused(store: Store, changes: dict[str, Any], error: type[Exception], text: str) -> None:
    _surface(store)
    with pytest.raises(error, match=text):
        _surface(store, **changes)
