"""Tools that are recorded for one session belong to it, wherever they are called."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.adapters.conversation import History, calls_of, reply_to
from tests.adapters.spied_tools import RESPONSE_ONLY, TOOL_ONLY, in_own_thread, send

from rampart.adapters import CallableAdapter, record_tools
from rampart.adapters.tool_warnings import LateToolCallWarning, UnattributedToolCallWarning
from rampart.core.types import Request


def own_tools() -> Callable[[str, History], str]:
    """An agent that has tools of its own and calls them in threads that know nothing."""

    def note(text: str) -> str:
        return f"noted {text}"

    tool = record_tools(note)

    def agent(prompt: str, history: History) -> str:
        results: list[str] = []
        in_own_thread(lambda: results.append(tool(prompt)))
        return results[0]

    return agent


class TestToolsOfASession:
    async def test_tools_made_by_the_factory_belong_to_its_session(self) -> None:
        adapter = CallableAdapter(session_factory=own_tools)
        everybody_is_in = asyncio.Barrier(20)

        async def trial(index: int) -> None:
            async with await adapter.create_session_async() as session:
                await everybody_is_in.wait()
                for prompt in (f"{index} one", f"{index} two"):
                    reply = await session.send_async(Request(prompt=prompt))
                    assert calls_of(reply) == [("note", {"text": prompt})]
                    assert session.observability_profile is TOOL_ONLY
                await everybody_is_in.wait()

        await asyncio.gather(*map(trial, range(20)))

    async def test_tools_recorded_again_by_the_factory_belong_to_its_session(self) -> None:
        def factory() -> Callable[[str, History], str]:
            (tool,) = record_tools([send])

            def agent(prompt: str, history: History) -> str:
                in_own_thread(lambda: tool(prompt))
                return ""

            return agent

        adapter = CallableAdapter(session_factory=factory)
        async with (
            await adapter.create_session_async() as first,
            await adapter.create_session_async() as second,
        ):
            assert calls_of(await first.send_async(Request(prompt="a"))) == [("send", {"to": "a"})]
            assert calls_of(await second.send_async(Request(prompt="b"))) == [("send", {"to": "b"})]

    async def test_tools_bound_to_a_session(self) -> None:
        tools: dict[str, Callable[[str], str]] = {}

        def agent(prompt: str, history: History) -> str:
            in_own_thread(lambda: tools[prompt]("x"))
            return ""

        adapter = CallableAdapter(agent)
        async with (
            await adapter.create_session_async() as first,
            await adapter.create_session_async() as second,
        ):
            tools |= {
                "first": record_tools(send, session=first),
                "second": record_tools(send, session=second),
            }
            assert calls_of(await first.send_async(Request(prompt="first"))) == [("send", {"to": "x"})]
            assert first.observability_profile is TOOL_ONLY
            # A binding counts for more than the context.
            assert (await second.send_async(Request(prompt="first"))).tool_calls == []
            assert calls_of(await first.send_async(Request(prompt="nothing" and "first"))) == [
                ("send", {"to": "x"}),
                ("send", {"to": "x"}),
            ]
        with pytest.warns(LateToolCallWarning):
            tools["first"]("too late")

    async def test_a_tool_of_another_open_session_is_nobodys(self) -> None:
        """Whether the tool or the context is right, nobody can tell."""
        borrowed: list[Callable[[str], str]] = []

        def factory() -> Any:
            borrowed.append(record_tools(lambda text: text, name="note"))

            async def agent(prompt: str, history: History) -> str:
                return borrowed[0](prompt)

            return agent

        adapter = CallableAdapter(session_factory=factory)
        async with (
            await adapter.create_session_async() as first,
            await adapter.create_session_async() as second,
        ):
            with pytest.warns(UnattributedToolCallWarning):
                reply = await second.send_async(Request(prompt="x"))
            assert reply.tool_calls == []
            assert first.observability_profile is second.observability_profile is RESPONSE_ONLY

    async def test_in_the_sessions_own_thread_there_is_no_doubt(self) -> None:
        borrowed: list[Callable[[str], str]] = []

        def factory() -> Callable[[str, History], str]:
            borrowed.append(record_tools(lambda text: text, name="note"))
            return lambda prompt, _history: borrowed[0](prompt)

        adapter = CallableAdapter(session_factory=factory)
        async with await adapter.create_session_async(), await adapter.create_session_async() as second:
            assert calls_of(await second.send_async(Request(prompt="x"))) == [("note", {"text": "x"})]

    async def test_tools_recorded_in_a_turn_belong_to_all(self) -> None:
        """An agent that is built by its first turn and kept serves every session."""
        kept: list[Callable[[str], str]] = []

        async def agent(prompt: str, history: History) -> str:
            if not kept:
                kept.append(record_tools(lambda text: text, name="note"))
            return kept[0](prompt)

        adapter = CallableAdapter(agent)
        async with (
            await adapter.create_session_async() as first,
            await adapter.create_session_async() as second,
        ):
            for session in (first, second):
                assert calls_of(await session.send_async(Request(prompt="x"))) == [("note", {"text": "x"})]
                assert session.observability_profile is TOOL_ONLY

    async def test_a_tool_of_a_closed_session_follows_the_context(self) -> None:
        kept: list[Callable[[str], str]] = []

        def factory() -> Callable[[str, History], str]:
            if not kept:
                kept.append(record_tools(lambda text: text, name="note"))
            return lambda prompt, _history: kept[0](prompt)

        adapter = CallableAdapter(session_factory=factory)
        for prompt in ("one", "two"):
            assert calls_of(await reply_to(adapter, prompt)) == [("note", {"text": prompt})]

    async def test_a_tool_of_a_closed_session_without_context_is_nobodys(self) -> None:
        kept: list[Callable[[str], str]] = []

        def factory() -> Callable[[str, History], str]:
            if not kept:
                kept.append(record_tools(lambda text: text, name="note"))

            def agent(prompt: str, history: History) -> str:
                in_own_thread(lambda: kept[0](prompt))
                return ""

            return agent

        adapter = CallableAdapter(session_factory=factory)
        assert calls_of(await reply_to(adapter, "one")) == [("note", {"text": "one"})]
        async with await adapter.create_session_async() as session:
            with pytest.warns(UnattributedToolCallWarning, match="1 session was open"):
                reply = await session.send_async(Request(prompt="two"))
            assert reply.tool_calls == []
            assert session.observability_profile is RESPONSE_ONLY

    async def test_a_module_that_a_session_imports_first_serves_all(
        self, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "tools_imported_late.py").write_text(
            "from rampart.adapters import record_tools\n\n@record_tools\ndef note(text):\n    return text\n"
        )
        monkeypatch.syspath_prepend(tmp_path)

        def factory() -> Any:
            from tools_imported_late import note  # type: ignore[import-not-found]  # written above

            async def agent(prompt: str, history: History) -> str:
                in_own_thread(lambda: note(prompt))
                return ""

            return agent

        adapter = CallableAdapter(session_factory=factory)
        for prompt in ("one", "two"):
            assert calls_of(await reply_to(adapter, prompt)) == [("note", {"text": prompt})]
