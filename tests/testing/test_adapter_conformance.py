"""Each check lets a good adapter pass and fails one that breaks its rule, saying how."""

import asyncio
import inspect
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from tests.testing.broken import CHECKS
from tests.testing.broken_adapters import RULES, TASKS, HiddenTools, UndeclaredEffects, UndeclaredTools
from tests.testing.broken_shapes import SHAPES
from tests.testing.memory_adapter import MemoryAdapter, MemorySession

from rampart.adapters import CallableAdapter, record_tools
from rampart.core.manifest import AppManifest, ToolDeclaration
from rampart.core.types import ObservabilityLevel, Request, Response
from rampart.testing import AdapterConformance, ConformanceError, ScriptedAgent
from rampart.testing.adapter_checks import cleanup as adapter_cleanup
from rampart.testing.protocol_members import ADAPTER, SESSION

BROKEN = [*SHAPES.rows, *RULES.rows]


class Suite(AdapterConformance):
    prompt = "hello"
    memory_prompts = ("remember {word}", "recall")
    tool_prompt = "use {word}"
    expected_tools = ("search",)
    side_effect_prompt = "change it"
    failing_prompt = "fail"
    patience_s = 5.0

    subject: ClassVar[MemoryAdapter]

    def open_resources(self) -> int:
        return self.subject.open_count


async def run(check: str, adapter: Any, suite: type[AdapterConformance] = Suite) -> None:
    Suite.subject = adapter
    await getattr(suite(), check)(adapter)


@pytest.mark.parametrize("check", CHECKS)
async def test_a_good_adapter_passes_every_check(check: str) -> None:
    await run(check, MemoryAdapter())


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("member", ADAPTER)
async def test_every_check_says_first_which_member_of_an_adapter_is_missing(member: str, check: str) -> None:
    class Adapter:
        open_count = 0

    for other in set(ADAPTER) - {member}:
        setattr(Adapter, other, getattr(MemoryAdapter, other))
    with pytest.raises(ConformanceError, match=rf"^Adapter has no {member}, which every AgentAdapter needs$"):
        await run(check, Adapter())


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("member", SESSION)
async def test_every_check_says_first_which_member_of_a_session_is_missing(member: str, check: str) -> None:
    class Session:
        pass

    for other in set(SESSION) - {member}:
        setattr(Session, other, None)

    class Adapter(MemoryAdapter):
        async def create_session_async(self) -> Any:
            return Session()

    with pytest.raises(ConformanceError, match=rf"^Session has no {member}, which every Session needs$"):
        await run(check, Adapter())


class CallableSuite(AdapterConformance):
    prompt = "hello"
    memory_prompts = ("remember {word}", "recall")
    tool_prompt = "use {word}"
    expected_tools = ("search",)
    failing_prompt = "fail"


@record_tools
def search(q: str) -> str:
    return f"found {q}"


class MemoryAgent:
    def __init__(self) -> None:
        self.memory: list[str] = []

    def reply(self, prompt: str, history: list[dict[str, str]]) -> str:
        verb, _, rest = prompt.partition(" ")
        if verb == "fail":
            raise ConnectionError("down")
        if verb == "remember":
            self.memory.append(rest)
        return search(rest) if verb == "use" else " ".join(self.memory)

    async def reply_async(self, prompt: str, history: list[dict[str, str]]) -> str:
        await asyncio.sleep(0.001)
        return self.reply(prompt, history)


@pytest.mark.parametrize("check", [name for name in CHECKS if "side_effects" not in name])
@pytest.mark.parametrize("reply", [MemoryAgent.reply, MemoryAgent.reply_async], ids=["sync", "async"])
async def test_the_adapter_over_a_function_passes(check: str, reply: Any) -> None:
    manifest = AppManifest(name="memory", tools=[ToolDeclaration(name="search")])
    adapter = CallableAdapter(reply, session_factory=MemoryAgent, manifest=manifest)
    instant_start = check == "test_cleans_up_after_a_cancelled_start" and reply is MemoryAgent.reply_async
    if instant_start:
        with pytest.raises(pytest.skip.Exception, match="opened before it could be cancelled"):
            await run(check, adapter, CallableSuite)
    else:
        await run(check, adapter, CallableSuite)


@pytest.mark.parametrize("check", CHECKS)
async def test_an_agent_that_only_talks_passes_what_can_be_checked(check: str) -> None:
    adapter = ScriptedAgent(["hello"], repeat_last=True, level=ObservabilityLevel.RESPONSE_ONLY)
    skipped = {
        "test_new_session_forgets": "set memory_prompts",
        "test_concurrent_sessions_do_not_mix": "set memory_prompts",
        "test_tool_calls_stay_with_their_session": "set tool_prompt .* with {word}",
        "test_declared_tool_calls_are_reported": "set tool_prompt",
        "test_declared_side_effects_are_reported": "set side_effect_prompt",
        "test_reported_tools_are_in_the_manifest": "the manifest declares no tools",
        "test_cleans_up_after_a_failed_turn": "set failing_prompt",
        "test_cleans_up_after_cancellation": "the reply was there before it could be cancelled",
        "test_cleans_up_after_a_cancelled_start": "opened before it could be cancelled",
    }
    if check in skipped:
        with pytest.raises(pytest.skip.Exception, match=skipped[check]):
            await run(check, adapter, AdapterConformance)
    else:
        await run(check, adapter, AdapterConformance)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left behind here stays, so nobody has to wait for long to see it."""
    monkeypatch.setattr(adapter_cleanup, "_RELEASED_WITHIN_S", 0.2)


@pytest.fixture(autouse=True)
async def _no_task_is_left() -> Any:
    yield
    for task in TASKS:
        task.cancel()
    TASKS.clear()


class Impatient(Suite):
    patience_s = 0.2


@pytest.mark.parametrize(("adapter", "check", "message"), BROKEN)
async def test_a_broken_adapter_fails(adapter: type[MemoryAdapter], check: str, message: str) -> None:
    suite = Impatient if adapter.__name__ == "Hangs" else Suite
    with pytest.raises(ConformanceError, match=message):
        await run(check, adapter(), suite)


def test_every_check_has_an_adapter_that_it_fails() -> None:
    assert {param.values[1] for param in BROKEN} == set(CHECKS)


async def test_partial_reports_can_be_declared() -> None:
    class Partly(Suite):
        reports_partially = True

    await run("test_declared_tool_calls_are_reported", UndeclaredTools(), Partly)
    await run("test_declared_side_effects_are_reported", UndeclaredEffects(), Partly)


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        ("test_concurrent_sessions_do_not_mix", "allows only one session at a time"),
        ("test_tool_calls_stay_with_their_session", "allows only one session at a time"),
    ],
)
async def test_concurrency_is_not_checked_where_there_is_none(check: str, reason: str) -> None:
    class OneAtATime(MemoryAdapter):
        max_concurrent_sessions = 1

    with pytest.raises(pytest.skip.Exception, match=reason):
        await run(check, OneAtATime())
    await run("test_cleans_up_after_a_failed_turn", OneAtATime())
    await run("test_cleans_up_after_cancellation", OneAtATime())


async def test_memory_prompts_need_a_word() -> None:
    class NoWord(Suite):
        memory_prompts = ("remember this", "recall")

    with pytest.raises(ConformanceError, match=r"the first of memory_prompts must contain {word}"):
        await run("test_new_session_forgets", MemoryAdapter(), NoWord)


@pytest.mark.parametrize(
    "check",
    ["test_tool_calls_stay_with_their_session", "test_reported_tools_are_in_the_manifest"],
)
async def test_an_agent_that_used_no_tool_was_not_checked(check: str) -> None:
    class NoTools(MemoryAdapter):
        session_class = HiddenTools
        level = ObservabilityLevel.RESPONSE_ONLY

    with pytest.raises(pytest.skip.Exception, match=r"reported a tool call|reports no tool call"):
        await run(check, NoTools())


def test_a_timeout_of_the_adapter_is_not_taken_for_a_hang() -> None:
    class TimesOut(MemorySession):
        async def send_async(self, request: Request, /) -> Response:
            raise TimeoutError("model")

    adapter = type("TimesOutAdapter", (MemoryAdapter,), {"session_class": TimesOut})
    with pytest.raises(TimeoutError, match="model"):
        asyncio.run(run("test_reply_is_well_formed", adapter()))


def checks_with_docs() -> Iterator[str]:
    for name in CHECKS:
        if inspect.getdoc(getattr(AdapterConformance, name)):
            yield name


def test_every_check_says_what_it_checks() -> None:
    assert list(checks_with_docs()) == CHECKS


def test_importing_the_fakes_does_not_import_pytest() -> None:
    import subprocess
    import sys

    script = "import sys, rampart.testing, rampart.adapters; print('pytest' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


USERS_FILE = """
import pytest
from rampart import Response
from rampart.adapters import CallableAdapter
from rampart.testing import AdapterConformance

{fixture}

class TestMyAdapter(AdapterConformance):
    memory_prompts = ("remember {{word}}", "recall")
"""
GOOD = """
@pytest.fixture
async def adapter():
    async def agent(prompt, history):
        return " ".join(message["content"] for message in history)
    yield CallableAdapter(agent)
"""
BAD = """
@pytest.fixture
def adapter():
    memory = []
    async def agent(prompt, history):
        memory.append(prompt)
        return " ".join(memory)
    return CallableAdapter(agent)
"""


def test_in_a_users_project(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(USERS_FILE.format(fixture=GOOD))
    result = pytester.runpytest_subprocess("-rs")
    result.assert_outcomes(passed=8, skipped=7)
    result.stdout.fnmatch_lines(["*set tool_prompt to a message*"])


def test_in_a_users_project_with_shared_state(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(USERS_FILE.format(fixture=BAD))
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=6, skipped=7, failed=2)
    result.stdout.fnmatch_lines(["*ConformanceError: a new session knows 'marigold'*"])
