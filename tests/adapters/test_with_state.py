"""Snapshots around turns, under the engine: probes, attacks that fail half way, trials."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

import pytest

from rampart.adapters import CallableAdapter, FilesState, record_tools, with_state
from rampart.core.adapter import AgentAdapter, Session
from rampart.core.errors import InfrastructureError
from rampart.core.result import SafetyStatus
from rampart.core.types import ObservabilityLevel, Request, Response
from rampart.evaluators import StateChanged, StateEquals, StateUnchanged
from rampart.execution import execute_trials_async
from rampart.probes import Probes
from rampart.records import deserialize_record, prepare_record, serialize_record
from rampart.testing import ScriptedAgent
from rampart.text import register_secret

if TYPE_CHECKING:
    from pathlib import Path

    from tests.adapters.conversation import History


class Shop:
    def __init__(self) -> None:
        self.orders = {"7": "open", "8": "open"}

    def agent(self, prompt: str, history: History) -> str:
        if prompt.startswith("cancel "):
            self.orders[prompt.removeprefix("cancel ")] = "cancelled"
        return "Done."

    def adapter(self, **sources: Any) -> AgentAdapter:
        return with_state(CallableAdapter(self.agent), **(sources or {"orders": lambda: self.orders}))


async def run(adapter: AgentAdapter, evaluator: Any, *prompts: str) -> Any:
    return await Probes.behavior(prompts=list(prompts), evaluator=evaluator).execute_async(adapter=adapter)


async def test_a_change_is_seen_with_its_turn() -> None:
    shop = Shop()
    result = await run(shop.adapter(), StateChanged("orders", path="7", expect="cancelled"), "hi", "cancel 7")
    assert result.status is SafetyStatus.SAFE
    assert shop.orders["7"] == "cancelled"
    assert result.turns[0].response.metadata["state"] == {
        "orders": {"before": {"7": "open", "8": "open"}, "unchanged": True}
    }
    assert result.turns[1].response.metadata["state"] == {
        "orders": {"after": {"7": "cancelled", "8": "open"}}
    }


async def test_nothing_changed() -> None:
    result = await run(Shop().adapter(), StateUnchanged("orders"), "hi", "there")
    assert result.status is SafetyStatus.SAFE
    result = await run(Shop().adapter(), StateUnchanged("orders"), "cancel 8")
    assert result.status is SafetyStatus.UNSAFE
    assert "8: 'open' became 'cancelled'" in result.summary


async def test_what_it_ends_as() -> None:
    end = StateEquals("orders", {"7": "cancelled", "8": "cancelled"})
    assert (await run(Shop().adapter(), end, "cancel 7", "cancel 8")).status is SafetyStatus.SAFE
    assert (await run(Shop().adapter(), end, "cancel 7")).status is SafetyStatus.UNSAFE


async def test_a_snapshot_that_fails_is_undetermined_and_says_why() -> None:
    def broken() -> object:
        raise OSError("the shop is closed")

    adapter = Shop().adapter(orders=broken, fine=lambda: 1)
    result = await run(adapter, StateUnchanged("orders"), "hi")
    assert result.status is SafetyStatus.UNDETERMINED
    assert "no snapshot: OSError: the shop is closed" in result.summary
    assert (await run(adapter, StateUnchanged("fine"), "hi")).status is SafetyStatus.SAFE


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (object(), "TypeError: a state must be JSON, and holds a object"),
        ([0] * 60_000, "the state has more than 50,000 values"),
    ],
)
async def test_a_state_that_cannot_be_compared(state: object, why: str) -> None:
    result = await run(Shop().adapter(orders=lambda: state), StateUnchanged("orders"), "hi")
    assert result.status is SafetyStatus.UNDETERMINED
    assert why in result.summary


async def test_a_snapshot_is_a_copy() -> None:
    shop = Shop()
    result = await run(shop.adapter(), StateChanged("orders"), "cancel 7", "cancel 8")
    shop.orders.clear()
    states = [turn.response.metadata["state"]["orders"]["after"] for turn in result.turns]
    assert states == [{"7": "cancelled", "8": "open"}, {"7": "cancelled", "8": "cancelled"}]


async def test_what_the_agent_did_before_it_failed() -> None:
    shop = Shop()

    def fails(prompt: str, history: History) -> str:
        shop.agent(prompt, history)
        raise InfrastructureError("lost", partial=Response(text="I have"))

    async with await with_state(
        CallableAdapter(fails), orders=lambda: shop.orders
    ).create_session_async() as one:
        with pytest.raises(InfrastructureError) as caught:
            await one.send_async(Request(prompt="cancel 7"))
    assert caught.value.partial is not None
    assert caught.value.partial.metadata["state"]["orders"]["after"]["7"] == "cancelled"


class TestWrapping:
    async def test_everything_else_is_as_it_was(self) -> None:
        @record_tools
        def pay(amount: int) -> str:
            return f"paid {amount}"

        inner = CallableAdapter(lambda prompt, history: pay(5))
        adapter = with_state(inner, n=lambda: 1)
        assert isinstance(adapter, AgentAdapter)
        assert adapter.manifest == inner.manifest
        session = await adapter.create_session_async()
        assert isinstance(session, Session)
        async with session:
            response = await session.send_async(Request(prompt="pay"))
            assert session.observability_profile is ObservabilityLevel.TOOL_ONLY
        assert [call.name for call in response.tool_calls] == ["pay"]

    async def test_other_metadata_is_kept(self) -> None:
        inner = CallableAdapter(lambda prompt, history: {"text": "x", "metadata": {"model": "m"}})
        async with await with_state(inner, n=lambda: 1).create_session_async() as session:
            response = await session.send_async(Request(prompt="hi"))
        assert response.metadata["model"] == "m"

    async def test_a_session_that_is_cancelled_while_it_opens_is_released(self) -> None:
        left: list[bool] = []

        class Made:
            def close(self) -> None:
                left.append(True)

        async def forever() -> None:
            await asyncio.sleep(60)

        inner = CallableAdapter(lambda made, prompt, history: "x", session_factory=Made)
        session = await with_state(inner, slow=forever).create_session_async()
        opening = asyncio.ensure_future(session.__aenter__())
        await asyncio.sleep(0.05)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert left == [True]

    def test_missing_attributes_are_missing(self) -> None:
        adapter = with_state(ScriptedAgent(["x"]), n=lambda session: 1)
        with pytest.raises(AttributeError):
            _ = adapter.no_such_thing

    @pytest.mark.parametrize(
        ("sources", "text"),
        [
            ({}, "with_state got no source; name one"),
            ({"orders": {"7": "open"}}, "the source orders is dict, expected a function"),
        ],
    )
    def test_refusals(self, sources: Any, text: str) -> None:
        with pytest.raises(TypeError, match=text):
            with_state(CallableAdapter(lambda prompt, history: "x"), **sources)


class TestTrials:
    def test_a_shared_state_is_seen_by_one_session_at_a_time(self, tmp_path: Path) -> None:
        inner = CallableAdapter(lambda prompt, history: "x", max_concurrent_sessions=5)
        assert with_state(inner, n=lambda: 1).max_concurrent_sessions == 1
        assert with_state(inner, files=FilesState(tmp_path)).max_concurrent_sessions == 1
        assert with_state(inner, n=lambda session: 1).max_concurrent_sessions == 5
        assert with_state(inner, files=FilesState(lambda session: tmp_path)).max_concurrent_sessions == 5
        assert with_state(inner, a=lambda session: 1, b=lambda: 1).max_concurrent_sessions == 1

    async def test_trials_do_not_see_each_others_changes(self) -> None:
        shop = Shop()

        async def slow(prompt: str, history: History) -> str:
            before = dict(shop.orders)
            await asyncio.sleep(0.01)
            assert shop.orders == before
            shop.orders[str(len(shop.orders) + 7)] = "open"
            return "x"

        adapter = with_state(CallableAdapter(slow), orders=lambda: shop.orders)
        population = await execute_trials_async(
            execution_factory=lambda: Probes.behavior(prompt="hi", evaluator=StateChanged("orders")),
            adapter=adapter,
            n=5,
            threshold=1.0,
            concurrency=5,
        )
        assert bool(population), population
        added = [
            len(one.turns[0].response.metadata["state"]["orders"]["after"]) for one in population.results
        ]
        assert sorted(added) == [3, 4, 5, 6, 7]

    async def test_each_session_has_a_state_of_its_own(self, tmp_path: Path) -> None:
        class Sandbox:
            """A session whose agent works in a folder of its own."""

            def __init__(self) -> None:
                self.folder = tmp_path

            async def __aenter__(self) -> Self:
                self.folder = tmp_path / str(id(self))
                self.folder.mkdir()
                return self

            async def __aexit__(self, *error: object) -> None: ...

            async def send_async(self, request: Request, /) -> Response:
                (self.folder / "note.txt").write_text(request.prompt or "")
                return Response(text="Noted.")

        class Sandboxes(ScriptedAgent):
            async def create_session_async(self) -> Any:
                return Sandbox()

        adapter = with_state(Sandboxes(["x"]), files=FilesState(lambda session: session.folder))
        result = await run(adapter, StateChanged("files", path="note.txt", expect="hello"), "hello")
        assert result.status is SafetyStatus.SAFE


async def test_records_hold_the_snapshots_without_secrets() -> None:
    secret = "hunter2-state-secret"
    register_secret(secret)
    shop = Shop()
    shop.orders["9"] = f"paid with {secret}"
    result = await run(shop.adapter(), StateChanged("orders"), "cancel 7")
    text = serialize_record(record=prepare_record(result=result))
    state = deserialize_record(data=text).result.turns[0].response.metadata["state"]
    assert state["orders"]["after"]["7"] == "cancelled"
    assert secret not in text
