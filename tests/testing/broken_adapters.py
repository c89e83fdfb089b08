"""Adapters that break one rule each, with the check that finds it and what it says."""

import asyncio
from typing import Any

from tests.testing.broken import Broken
from tests.testing.memory_adapter import MemoryAdapter, MemorySession

from rampart.core.errors import InfrastructureError
from rampart.core.manifest import AppManifest, ToolDeclaration
from rampart.core.types import ObservabilityLevel, Request, Response, ToolCall

RULES = Broken()
TASKS: list[asyncio.Task[None]] = []


@RULES.adapter("sessions_are_distinct", "OneSession.create_session_async gave the same session twice")
class OneSession(MemoryAdapter):
    def __init__(self) -> None:
        super().__init__()
        self.session = MemorySession(self)

    async def create_session_async(self) -> Any:
        return self.session


@RULES.adapter(
    "new_session_forgets", "a new session knows 'marigold', which an earlier one was told: they share state"
)
class SharedMemory(MemoryAdapter):
    def __init__(self) -> None:
        super().__init__()
        self.memory: list[str] = []

    async def create_session_async(self) -> Any:
        session = MemorySession(self)
        session.memory = self.memory
        return session


@RULES.adapter(
    "concurrent_sessions_do_not_mix", r"told 'marigold' knows \['quartzite', .* sessions beside it were told"
)
class MixedMemory(SharedMemory):
    """Forgets between sessions, and mixes those that are open together."""

    async def create_session_async(self) -> Any:
        if self.open_count == 0:
            self.memory = []
        return await super().create_session_async()


@RULES.session(
    "concurrent_sessions_do_not_mix", "told 'marigold' does not know it itself, so nothing is learned"
)
class Forgetful(MemorySession):
    def recall(self, _rest: str) -> Response:
        return Response(text="What word?")


class Outbox(MemoryAdapter):
    """Keeps calls in one place for all sessions."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[ToolCall] = []


@RULES.adapter("tool_calls_stay_with_their_session", "reports no such call, although others report theirs")
class TakesAll(Outbox):
    class session_class(MemorySession):  # noqa: N801 - it overrides an attribute
        adapter: Outbox

        async def send_async(self, request: Request, /) -> Response:
            self.adapter.calls += (await super().send_async(request)).tool_calls
            await asyncio.sleep(0.01)
            taken, self.adapter.calls = self.adapter.calls, []
            return Response(text="", tool_calls=taken)


@RULES.adapter("tool_calls_stay_with_their_session", "reports tool calls of sessions beside it")
class SeesAll(Outbox):
    class session_class(MemorySession):  # noqa: N801 - it overrides an attribute
        adapter: Outbox

        async def send_async(self, request: Request, /) -> Response:
            self.adapter.calls += (await super().send_async(request)).tool_calls
            await asyncio.sleep(0.01)
            return Response(text="", tool_calls=list(self.adapter.calls))


@RULES.session(
    "declared_tool_calls_are_reported", "the level is tool_and_side_effects, but .* reports no tool call"
)
class HiddenTools(MemorySession):
    def use_tool(self, argument: str) -> Response:
        return Response(text="used")


@RULES.session("declared_tool_calls_are_reported", r"does not report \['search'\]; it reports \['fetch'\]")
class HalfHiddenTools(MemorySession):
    def use_tool(self, argument: str) -> Response:
        return Response(text="used", tool_calls=[ToolCall(name="fetch")])


@RULES.adapter(
    "declared_tool_calls_are_reported", r"response_only, although tool calls are reported: \['search'\]"
)
class UndeclaredTools(MemoryAdapter):
    level = ObservabilityLevel.RESPONSE_ONLY


@RULES.session(
    "declared_tool_calls_are_reported", "the level is response_only, although tool calls are reported"
)
class SessionDeclaresLess(MemorySession):
    observability_profile = ObservabilityLevel.RESPONSE_ONLY


@RULES.session("declared_side_effects_are_reported", "reports no side effect: the adapter hides them")
class HiddenEffects(MemorySession):
    def change(self, _rest: str) -> Response:
        return Response(text="changed")


@RULES.adapter(
    "declared_side_effects_are_reported", r"tool_only, although side effects are reported: \['file_written'\]"
)
class UndeclaredEffects(MemoryAdapter):
    level = ObservabilityLevel.TOOL_ONLY


@RULES.adapter(
    "reported_tools_are_in_the_manifest",
    r"calls of \['search'\] are reported, .* only \['mcp__web__search'\]",
)
class OtherNames(MemoryAdapter):
    @property
    def manifest(self) -> Any:
        return AppManifest(name="memory", tools=[ToolDeclaration(name="mcp__web__search")])


@RULES.session("exit_is_idempotent", "leaving a session a second time raised RuntimeError: already closed")
class ExitsOnce(MemorySession):
    async def __aexit__(self, *details: object) -> None:
        if not self.is_open:
            raise RuntimeError("already closed")
        await super().__aexit__(*details)


@RULES.session("exit_is_idempotent", r"open_resources\(\) is -1, and was 0 before it")
class ReleasesTwice(MemorySession):
    async def __aexit__(self, *details: object) -> None:
        self.adapter.open_count -= 1


@RULES.session("exit_is_idempotent", r"left behind: open_resources\(\) is 1, and was 0")
class NeedsAMessage(MemorySession):
    async def __aexit__(self, *details: object) -> bool | None:
        return await super().__aexit__(*details) if self.memory else None

    async def send_async(self, request: Request, /) -> Response:
        self.memory.append("used")
        return await super().send_async(request)


@RULES.session("cleans_up_after_an_error", r"after an error, a session left behind: open_resources\(\) is 1")
class LeaksOnError(MemorySession):
    async def __aexit__(self, *details: object) -> bool | None:
        return await super().__aexit__(*details) if details[0] is None else None


@RULES.session("cleans_up_after_an_error", "left behind: running tasks .*heartbeat")
class LeavesATask(MemorySession):
    async def __aexit__(self, *details: object) -> bool | None:
        if details[0] is not None:
            TASKS.append(asyncio.create_task(asyncio.sleep(60), name="heartbeat"))
        return await super().__aexit__(*details)


@RULES.adapter(
    "cleans_up_after_an_error", "after an error in another session, a session failed: RuntimeError: poisoned"
)
class Poisoned(MemoryAdapter):
    class session_class(MemorySession):  # noqa: N801 - it overrides an attribute
        async def __aenter__(self) -> Any:
            if getattr(self.adapter, "poisoned", False):
                raise RuntimeError("poisoned")
            return await super().__aenter__()

        async def __aexit__(self, *details: object) -> bool | None:
            self.adapter.poisoned = details[0] is not None  # type: ignore[attr-defined]  # broken on purpose
            return await super().__aexit__(*details)


@RULES.session("cleans_up_after_a_failed_turn", "failing_prompt did not fail but was answered .*sorry")
class RepliesSorry(MemorySession):
    def fail(self, _rest: str) -> Response:
        return Response(text="sorry")


@RULES.session(
    "cleans_up_after_a_failed_turn", "partial of InfrastructureError must be a Response or None, got str"
)
class OddPartial(MemorySession):
    def fail(self, _rest: str) -> Response:
        raise InfrastructureError("down", partial="nothing")  # type: ignore[arg-type]  # broken on purpose


@RULES.adapter(
    "cleans_up_after_a_failed_turn", "beside a session that failed, a session failed: RuntimeError: all down"
)
class FailsTogether(MemoryAdapter):
    class session_class(MemorySession):  # noqa: N801 - it overrides an attribute
        async def send_async(self, request: Request, /) -> Response:
            if getattr(self.adapter, "down", False):
                raise RuntimeError("all down")
            self.adapter.down = request.prompt == "fail"  # type: ignore[attr-defined]  # broken on purpose
            return await super().send_async(request)


@RULES.session("cleans_up_after_cancellation", "send_async ended normally although it was cancelled")
class SwallowsCancellation(MemorySession):
    async def send_async(self, request: Request, /) -> Response:
        try:
            return await super().send_async(request)
        except asyncio.CancelledError:
            return Response(text="cancelled")


@RULES.session("cleans_up_after_cancellation", "send_async raised RuntimeError although it was cancelled")
class RenamesCancellation(MemorySession):
    async def send_async(self, request: Request, /) -> Response:
        try:
            return await super().send_async(request)
        except asyncio.CancelledError:
            raise RuntimeError from None


@RULES.adapter("cleans_up_after_cancellation", "send_async did not end within 2 s of its cancellation")
class IgnoresCancellation(MemoryAdapter):
    class session_class(MemorySession):  # noqa: N801 - it overrides an attribute
        async def send_async(self, request: Request, /) -> Response:
            try:
                return await super().send_async(request)
            except asyncio.CancelledError:
                TASKS.append(asyncio.create_task(asyncio.sleep(3)))
                await asyncio.wait(TASKS)
                raise


@RULES.session(
    "cleans_up_after_cancellation", r"after a cancelled turn, a session left behind: open_resources\(\) is 1"
)
class LeaksOnCancellation(MemorySession):
    async def send_async(self, request: Request, /) -> Response:
        try:
            return await super().send_async(request)
        except asyncio.CancelledError:
            self.is_open = False
            raise


@RULES.session(
    "cleans_up_after_a_cancelled_start", r"after a start that was cancelled, .* open_resources\(\) is 1"
)
class LeaksOnStart(MemorySession):
    async def __aenter__(self) -> Any:
        self.adapter.open_count += 1
        await asyncio.sleep(0.001)
        self.is_open = True
        return self


@RULES.session("cleans_up_after_a_cancelled_start", "__aenter__ ended normally although it was cancelled")
class SwallowsCancelledStart(MemorySession):
    async def __aenter__(self) -> Any:
        try:
            return await super().__aenter__()
        except asyncio.CancelledError:
            return self


@RULES.session("reply_is_well_formed", r"the adapter hangs: the check took longer than 0.2 s \(patience_s\)")
class Hangs(MemorySession):
    async def send_async(self, request: Request, /) -> Response:
        await asyncio.get_running_loop().create_future()
        raise AssertionError
