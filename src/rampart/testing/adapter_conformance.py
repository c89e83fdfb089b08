"""The checks that every adapter should pass, for users to run on their own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from rampart.testing.adapter_checks import cleanup, isolation, observability, shape
from rampart.testing.conformance_outcome import ConformanceError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from rampart.core.adapter import AgentAdapter


class AdapterConformance:
    """Subclass it in a test file, with a fixture `adapter`, and run pytest.

    ```python
    class TestMyAdapter(AdapterConformance):
        tool_prompt = "Send a mail to {word}@example.com"

        @pytest.fixture
        def adapter(self):
            return MyAdapter()
    ```

    Only the fixture is needed. A check that needs a message which was not given is skipped and says
    which; it never passes unseen. The fixture may be async.

    Attributes:
        prompt: A message that every agent answers; best one that takes it a moment, so that it can be
            cancelled on the way.
        memory_prompts: A message that tells the agent a `{word}` and one that asks for it, such as
            `("Remember the word {word}.", "Which word?")`. With them it is checked that sessions know
            nothing of each other.
        tool_prompt: A message that makes the agent use a tool. With `{word}` in it, the word must end
            up in a tool's arguments, and calls of concurrent sessions are told apart by it.
        expected_tools: Names of tools that `tool_prompt` must show in the report.
        side_effect_prompt: A message that makes the agent cause a side effect.
        failing_prompt: A message on which the agent fails.
        reports_partially: Whether calls or effects may be reported beyond the declared level, because
            the adapter sees only some of them.
        patience_s: How long a check may take, in seconds, before it counts as hanging.
    """

    prompt: ClassVar[str] = "Say hello."
    memory_prompts: ClassVar[tuple[str, str] | None] = None
    tool_prompt: ClassVar[str | None] = None
    expected_tools: ClassVar[tuple[str, ...]] = ()
    side_effect_prompt: ClassVar[str | None] = None
    failing_prompt: ClassVar[str | None] = None
    reports_partially: ClassVar[bool] = False
    patience_s: ClassVar[float] = 60

    def open_resources(self) -> int | None:
        """How much is held open now, such as connections or processes; override it to have it checked.

        Without it only asyncio tasks are watched.
        """
        return None

    async def test_has_every_member(self, adapter: AgentAdapter) -> None:
        """The adapter and its sessions have every member, of the right type."""
        await self._check_async(shape.check_members(adapter))

    async def test_reply_is_well_formed(self, adapter: AgentAdapter) -> None:
        """A reply is a `Response` whose parts have the right types."""
        await self._check_async(shape.check_reply(adapter, prompt=self.prompt))

    async def test_takes_several_turns(self, adapter: AgentAdapter) -> None:
        """One session takes several messages, and no reply changes an earlier one."""
        await self._check_async(shape.check_several_turns(adapter, prompt=self.prompt))

    async def test_sessions_are_distinct(self, adapter: AgentAdapter) -> None:
        """Each session is an object of its own."""
        await self._check_async(isolation.check_sessions_are_distinct(adapter, prompt=self.prompt))

    async def test_new_session_forgets(self, adapter: AgentAdapter) -> None:
        """What one session was told is unknown to the next."""
        await self._check_async(
            isolation.check_a_new_session_forgets(adapter, memory_prompts=self.memory_prompts)
        )

    async def test_concurrent_sessions_do_not_mix(self, adapter: AgentAdapter) -> None:
        """What sessions are told at the same time stays in each of them."""
        await self._check_async(
            isolation.check_concurrent_sessions_do_not_mix(adapter, memory_prompts=self.memory_prompts)
        )

    async def test_tool_calls_stay_with_their_session(self, adapter: AgentAdapter) -> None:
        """Sessions that use tools at the same time report their own calls."""
        await self._check_async(
            isolation.check_tool_calls_stay_with_their_session(adapter, tool_prompt=self.tool_prompt)
        )

    async def test_declared_tool_calls_are_reported(self, adapter: AgentAdapter) -> None:
        """The level promises tool calls exactly if they are reported."""
        await self._check_async(
            observability.check_tool_calls_are_declared(
                adapter,
                tool_prompt=self.tool_prompt,
                expected_tools=self.expected_tools,
                reports_partially=self.reports_partially,
            )
        )

    async def test_declared_side_effects_are_reported(self, adapter: AgentAdapter) -> None:
        """The level promises side effects exactly if they are reported."""
        await self._check_async(
            observability.check_side_effects_are_declared(
                adapter,
                side_effect_prompt=self.side_effect_prompt,
                reports_partially=self.reports_partially,
            )
        )

    async def test_reported_tools_are_in_the_manifest(self, adapter: AgentAdapter) -> None:
        """Calls have the names that the manifest declares."""
        await self._check_async(
            observability.check_reported_tools_are_in_the_manifest(adapter, tool_prompt=self.tool_prompt)
        )

    async def test_exit_is_idempotent(self, adapter: AgentAdapter) -> None:
        """Leaving a session twice does no harm."""
        await self._check_async(
            cleanup.check_exit_is_idempotent(adapter, prompt=self.prompt, open_resources=self.open_resources)
        )

    async def test_cleans_up_after_an_error(self, adapter: AgentAdapter) -> None:
        """An error beside the session leaves nothing behind."""
        await self._check_async(
            cleanup.check_cleanup_after_an_error(
                adapter, prompt=self.prompt, open_resources=self.open_resources
            )
        )

    async def test_cleans_up_after_a_failed_turn(self, adapter: AgentAdapter) -> None:
        """A turn that fails raises, and leaves nothing behind."""
        await self._check_async(
            cleanup.check_a_failed_turn(
                adapter,
                prompt=self.prompt,
                failing_prompt=self.failing_prompt,
                open_resources=self.open_resources,
            )
        )

    async def test_cleans_up_after_cancellation(self, adapter: AgentAdapter) -> None:
        """A cancelled turn ends at once, and leaves nothing behind."""
        await self._check_async(
            cleanup.check_cancellation(adapter, prompt=self.prompt, open_resources=self.open_resources)
        )

    async def test_cleans_up_after_a_cancelled_start(self, adapter: AgentAdapter) -> None:
        """A session that is cancelled while it opens leaves nothing behind."""
        await self._check_async(
            cleanup.check_cancelled_start(adapter, prompt=self.prompt, open_resources=self.open_resources)
        )

    async def _check_async(self, check: Awaitable[None]) -> None:
        clock = asyncio.timeout(self.patience_s)
        try:
            async with clock:
                await check
        except TimeoutError:
            if not clock.expired():
                raise
            msg = f"the adapter hangs: the check took longer than {self.patience_s:g} s (patience_s)"
            raise ConformanceError(msg) from None
