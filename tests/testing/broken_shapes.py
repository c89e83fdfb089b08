"""Adapters and replies that are not what the protocols say, with the check that finds them."""

from datetime import datetime
from typing import Any, ClassVar

from tests.testing.broken import Broken
from tests.testing.memory_adapter import MemoryAdapter, MemorySession

from rampart.core.manifest import AppManifest
from rampart.core.types import Request, Response, SideEffect, ToolCall, Usage

SHAPES = Broken()
WRONG_KIND: dict[str, Any] = {"kind": 3}
WRONG_COUNT: dict[str, Any] = {"requests": "1"}


@SHAPES.adapter("has_every_member", "NoManifest has no manifest, which every AgentAdapter needs")
class NoManifest(MemoryAdapter):
    @property
    def manifest(self) -> Any:
        raise AttributeError


@SHAPES.adapter("has_every_member", "manifest must be an AppManifest with a name, got dict")
class DictManifest(MemoryAdapter):
    manifest = {"name": "memory"}  # noqa: RUF012 - broken on purpose


@SHAPES.adapter("has_every_member", "manifest gives another manifest each time")
class ChangingManifest(MemoryAdapter):
    @property
    def manifest(self) -> Any:
        return AppManifest(name="memory", metadata={"id": object()})


@SHAPES.adapter(
    "has_every_member", "observability_profile must be an ObservabilityLevel, got str 'tool_only'"
)
class TextLevel(MemoryAdapter):
    level = "tool_only"


@SHAPES.adapter("has_every_member", "max_concurrent_sessions must be an int of 1 or more, or absent, got 0")
class NoSessions(MemoryAdapter):
    max_concurrent_sessions = 0


@SHAPES.adapter("has_every_member", "create_session_async must be async, but gave MemorySession")
class SyncCreate(MemoryAdapter):
    def create_session_async(self) -> Any:
        return MemorySession(self)


@SHAPES.adapter("has_every_member", "object has no send_async, which every Session needs")
class NoSession(MemoryAdapter):
    async def create_session_async(self) -> Any:
        return object()


@SHAPES.adapter(
    "has_every_member", "ManifestMethod.manifest is a method, expected an AppManifest: make it a pr"
)
class ManifestMethod(MemoryAdapter):
    def manifest(self) -> Any:
        return AppManifest(name="memory")


@SHAPES.adapter("has_every_member", "observability_profile is a method, expected an ObservabilityLevel: make")
class LevelMethod(MemoryAdapter):
    def observability_profile(self) -> Any:
        return self.level


@SHAPES.session("reply_is_well_formed", "__aenter__ must return the session, but gave NoneType; end it with")
class EntersNothing(MemorySession):
    async def __aenter__(self) -> Any:
        await super().__aenter__()


@SHAPES.session("reply_is_well_formed", "SyncEnter.__aenter__ must be async, but gave SyncEnter; write")
class SyncEnter(MemorySession):
    def __aenter__(self) -> Any:
        return self


class Replying(MemorySession):
    """A session with one reply to everything."""

    reply: Any = None

    async def send_async(self, request: Request, /) -> Any:
        return self.reply


def replies_with(reply: object) -> type[MemoryAdapter]:
    session = type("Replies", (Replying,), {"reply": reply})
    return type("ReplyingAdapter", (MemoryAdapter,), {"session_class": session})


def response(**fields: Any) -> Response:
    return Response(**{"text": "", **fields})


def call(**fields: Any) -> Response:
    return response(tool_calls=[ToolCall(**{"name": "f", **fields})])


def arguments_of_a_list() -> Response:
    changed = ToolCall(name="f")
    changed.arguments = []  # type: ignore[assignment]  # broken on purpose
    return response(tool_calls=[changed])


for _name, _reply, _message in [
    ("reply-none", None, "must return a Response, got NoneType"),
    ("reply-text", "hi", "must return a Response, got str"),
    ("text-none", response(text=None), "returned a text of type NoneType, not str"),
    ("metadata-none", response(metadata=None), "returned a metadata of type NoneType, not dict"),
    ("usage-dict", response(usage={}), "returned a usage of type dict, not Usage or NoneType"),
    ("usage-text", response(usage=Usage(**WRONG_COUNT)), "returned a usage.requests of type str"),
    ("calls-tuple", response(tool_calls=()), "returned a tool_calls of type tuple, not list"),
    ("call-dict", response(tool_calls=[{}]), r"returned a tool_calls\[0\] of type dict, not ToolCall"),
    ("call-name", call(name=3), r"returned a tool_calls\[0\].name of type int"),
    ("call-nameless", call(name=" "), "returned a tool call without a name"),
    ("call-arguments", arguments_of_a_list(), r"returned a tool_calls\[0\].arguments of type list"),
    ("call-error", call(error=ValueError()), r"returned a tool_calls\[0\].error of type ValueError"),
    ("call-executed", call(executed=1), r"returned a tool_calls\[0\].executed of type int"),
    (
        "call-time",
        call(timestamp=datetime.fromisoformat("2026-11-30")),
        "returned a call of 'f' whose timestamp has no time zone",
    ),
    ("effects-dict", response(side_effects={}), "returned a side_effects of type dict"),
    ("effect-text", response(side_effects=["f"]), r"returned a side_effects\[0\] of type str"),
    (
        "effect-kind",
        response(side_effects=[SideEffect(**WRONG_KIND)]),
        r"returned a side_effects\[0\].kind of type int",
    ),
]:
    SHAPES.add(replies_with(_reply), "reply_is_well_formed", f"Replies.send_async {_message}", name=_name)


@SHAPES.session("reply_is_well_formed", "SyncSend.send_async must be async, but gave Response")
class SyncSend(MemorySession):
    def send_async(self, request: Request, /) -> Any:
        return Response(text="")


@SHAPES.session("reply_is_well_formed", "observability_profile must be an ObservabilityLevel, got int 3")
class OddLevel(MemorySession):
    observability_profile = 3


@SHAPES.session("takes_several_turns", "gave the same Response twice")
class OneResponse(Replying):
    reply = Response(text="hello")


@SHAPES.session("takes_several_turns", "gave the same list of tool calls twice")
class OneList(MemorySession):
    calls: ClassVar[list[ToolCall]] = []

    async def send_async(self, request: Request, /) -> Response:
        return Response(text="", tool_calls=self.calls)


@SHAPES.session("takes_several_turns", "gave the same list of side effects twice")
class OneListOfEffects(MemorySession):
    effects: ClassVar[list[SideEffect]] = []

    async def send_async(self, request: Request, /) -> Response:
        return Response(text="", side_effects=self.effects)


@SHAPES.session("takes_several_turns", "reports the calls of earlier turns again")
class WholeHistory(MemorySession):
    async def send_async(self, request: Request, /) -> Response:
        self.calls = [*getattr(self, "calls", []), ToolCall(name="f")]
        return Response(text="", tool_calls=list(self.calls))
