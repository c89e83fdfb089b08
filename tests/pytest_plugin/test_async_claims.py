"""Who runs an async test."""

from __future__ import annotations

import anyio.pytest_plugin
import pytest

# Not needed here, and slow to load; and verdicts are no subject of these tests.
LIGHT = ("-pno:inline_snapshot", "-pno:hypothesispytest", "-pno:rerunfailures", "-pno:timeout")
SETTINGS = ("-pno:cacheprovider", "-pno:trio", "-oasyncio_default_fixture_loop_scope=function", *LIGHT)
OWN = ("-orampart_unchecked=ignore", "-orampart_journal=off")

ANYIO_MODE = pytest.mark.skipif(
    not hasattr(anyio.pytest_plugin, "_is_auto_mode"), reason="this version of anyio has no auto mode"
)


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def outcomes(result: pytest.RunResult) -> list[str]:
    """The lines of `-v`, in the order of execution."""
    return [line.split("[")[0].strip() for line in result.outlines if "::" in line and "%]" in line]


CLAIMS = """
import pytest

async def test_plain(): ...
def test_sync(): ...
async def test_uses_backend(anyio_backend): ...
@pytest.mark.anyio
async def test_anyio(): ...
@pytest.mark.asyncio
async def test_asyncio(): ...
@pytest.mark.trio
async def test_trio(): ...
@pytest.mark.harm("jailbreak")
async def test_harm(): ...
@pytest.mark.harm("jailbreak")
@pytest.mark.asyncio
async def test_harm_asyncio(): ...
async def test_trial_config(trial_config): ...
"""
WHOSE = """
from rampart.pytest_plugin._claims import is_ours

def pytest_collection_finish(session):
    names = sorted({item.originalname for item in session.items if is_ours(item)})
    print("OURS", *names)
"""


@pytest.mark.parametrize(
    ("options", "ours"),
    [
        pytest.param(
            (),
            "harm plain sync trial_config trio",
            id="strict-modes",
        ),
        pytest.param(
            ("-orampart_async=marked",),
            "harm trial_config",
            id="marked-only",
        ),
        pytest.param(
            ("-pno:asyncio",),
            "asyncio harm harm_asyncio plain sync trial_config trio",
            id="mark-of-an-absent-plugin-claims-nothing",
        ),
        pytest.param(
            ("-pno:asyncio", "-orampart_async=marked"),
            "harm harm_asyncio trial_config",
            id="absent-and-marked-only",
        ),
        pytest.param(("--asyncio-mode=auto",), "", id="asyncio-auto-option"),
        pytest.param(("-oasyncio_mode=auto",), "", id="asyncio-auto-ini"),
        pytest.param(("-pno:asyncio", "--anyio-mode=auto"), "", id="anyio-auto-option", marks=ANYIO_MODE),
        pytest.param(("-pno:asyncio", "-oanyio_mode=auto"), "", id="anyio-auto-ini", marks=ANYIO_MODE),
    ],
)
def test_which_tests_are_ours(pytester: pytest.Pytester, options: tuple[str, ...], ours: str) -> None:
    pytester.makeconftest(WHOSE)
    pytester.makepyfile(CLAIMS)
    marks = ("-omarkers=trio: of a plugin that is absent\nasyncio: perhaps absent",)
    result = pytester.runpytest_inprocess("--collect-only", "-q", *SETTINGS, *OWN, *marks, *options)
    names = " ".join(f"test_{name}" for name in ours.split())
    result.stdout.fnmatch_lines([f"OURS {names}".strip()])


def test_what_others_claim_stays_as_it_is(pytester: pytest.Pytester) -> None:
    """The same outcomes in the same order, with rampart and without."""
    pytester.makepyfile(
        test_asyncio="""
        import asyncio
        import pytest
        import pytest_asyncio

        @pytest_asyncio.fixture(scope="module", loop_scope="module")
        async def shared():
            yield asyncio.get_running_loop()

        @pytest_asyncio.fixture
        async def own():
            return asyncio.get_running_loop()

        @pytest.fixture
        async def plain():
            return 1

        pytestmark = pytest.mark.asyncio

        async def test_function_loop(own):
            assert own is asyncio.get_running_loop()

        @pytest.mark.asyncio(loop_scope="module")
        async def test_module_loop(shared):
            assert shared is asyncio.get_running_loop()

        @pytest.mark.asyncio(loop_scope="module")
        async def test_module_loop_again(shared):
            assert shared is asyncio.get_running_loop()

        async def test_plain_fixture_in_strict_mode(plain): ...

        async def test_failing(own):
            assert own is None
        """,
        test_asyncio_sync="""
        import asyncio
        import pytest_asyncio

        @pytest_asyncio.fixture
        async def value():
            return 7

        def test_sync_test_with_their_fixture(value):
            assert value == 7
        """,
        test_anyio="""
        import anyio
        import pytest

        pytestmark = pytest.mark.anyio

        @pytest.fixture(scope="module")
        async def group(anyio_backend):
            async with anyio.create_task_group() as group:
                yield group

        @pytest.fixture
        async def number(group):
            return 3

        async def test_group(group, number):
            group.start_soon(anyio.sleep, 0)
            assert number == 3

        async def test_failing(number):
            assert number == 4
        """,
    )
    with_us = pytester.runpytest_subprocess("-v", *SETTINGS, *OWN)
    without_us = pytester.runpytest_subprocess("-v", *SETTINGS, "-pno:rampart")
    assert outcomes(with_us) == outcomes(without_us)
    assert with_us.parseoutcomes() == without_us.parseoutcomes()
    assert with_us.parseoutcomes()["passed"] >= 5, "the control: most of them pass"
