"""Who runs an async test, and what happens where a fixture and a test live in different loops."""

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


def test_fixtures_of_another_loop_are_refused_by_name(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import asyncio
        import pytest
        import pytest_asyncio

        @pytest_asyncio.fixture(loop_scope="module")
        async def theirs():
            return asyncio.get_running_loop()

        @pytest_asyncio.fixture(scope="module", loop_scope="module")
        async def their_client():
            return asyncio.get_running_loop()

        @pytest.fixture
        async def our_fixture(theirs):
            return 1

        @pytest.fixture(scope="module")
        async def our_client():
            return asyncio.get_running_loop()

        async def test_fresh(theirs): ...

        async def test_fresh_and_wide(their_client): ...

        async def test_behind_ours(our_fixture): ...

        @pytest.mark.asyncio(loop_scope="module")
        async def test_claimed(their_client, theirs):
            assert their_client is asyncio.get_running_loop()

        async def test_set_up_before_by_them(their_client): ...

        def test_sync_may_share_it(their_client, theirs): ...

        async def test_the_same_fixture_in_ours(our_client):
            assert our_client is asyncio.get_running_loop()

        @pytest.mark.asyncio
        async def test_set_up_before_by_us(our_client): ...

        @pytest.fixture(scope="module")
        async def late():
            return 1

        async def test_asked_for_too_late(request):
            with pytest.raises(RuntimeError, match="cannot wait"):
                request.getfixturevalue("late")

        async def test_asked_for_in_time(late):
            assert late == 1
        """
    )
    result = pytester.runpytest_subprocess("-rA", "--tb=short", *SETTINGS, *OWN)
    result.stdout.fnmatch_lines_random(
        [
            "ERROR *::test_fresh - Failed: async fixture 'theirs' belongs to pytest-asyncio*",
            "ERROR *::test_fresh_and_wide - Failed: async fixture 'their_client' belongs to pytest-asyncio*",
            "ERROR *::test_behind_ours - Failed: async fixture 'theirs' belongs to pytest-asyncio*",
            "ERROR *::test_set_up_before_by_them - Failed: async fixture 'their_client' belongs to*",
            "ERROR *::test_set_up_before_by_us - Failed: async fixture 'our_client' was set up in ramp*",
            "PASSED *::test_claimed",
            "PASSED *::test_sync_may_share_it",
            "PASSED *::test_the_same_fixture_in_ours",
        ]
    )
    text = result.stdout.str()
    assert "add @pytest.mark.asyncio to the test, or declare the fixture with plain @pytest.fixture" in text
    assert "without @pytest.mark.asyncio, but pytest-asyncio runs test_set_up_before_by_us" in text
    result.stdout.no_fnmatch_line("*assert not self._finalizers*")
    result.assert_outcomes(passed=5, errors=5)


@pytest.mark.skipif(pytest.version_tuple < (9,), reason="pytest 8 hands such a test the bare coroutine")
def test_the_lane_does_not_serve_claimed_tests_nor_suffer_from_them(pytester: pytest.Pytester) -> None:
    """pytest refuses the first test, and does not clear up the fixture after it."""
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture(scope="module")
        async def wide():
            return 1

        @pytest.fixture
        async def narrow(wide):
            return 2

        @pytest.mark.asyncio
        async def test_claimed_wide(wide): ...

        @pytest.mark.asyncio
        async def test_claimed_narrow(narrow): ...

        async def test_ours(wide, narrow):
            assert (wide, narrow) == (1, 2)
        """
    )
    result = pytester.runpytest_subprocess("-rE", *SETTINGS, *OWN)
    result.assert_outcomes(passed=1, errors=2)
    result.stdout.fnmatch_lines_random(
        [
            "ERROR *::test_claimed_wide - Failed: 'test_the_lane*",
            "ERROR *::test_claimed_narrow - Failed: 'test_the_lane*",
        ]
    )


def test_fixtures_of_anyio_and_of_unknown_plugins(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import asyncio
        import inspect
        import pytest

        @pytest.hookimpl(wrapper=True)
        def pytest_fixture_setup(fixturedef):
            function = fixturedef.func
            if getattr(function, "elsewhere", False):
                fixturedef.func = lambda: asyncio.run(function())
            try:
                return (yield)
            finally:
                fixturedef.func = function
        """
    )
    pytester.makepyfile(
        """
        import asyncio
        import pytest

        async def make():
            return 1

        make.elsewhere = True
        elsewhere = pytest.fixture(make)

        @pytest.fixture(scope="module")
        async def shared():
            return asyncio.get_running_loop()

        async def test_unknown_plugin(elsewhere): ...

        def test_sync(elsewhere):
            assert elsewhere == 1

        @pytest.fixture(scope="session")
        def anyio_backend():
            return "asyncio"

        @pytest.mark.anyio
        async def test_anyio(shared):
            assert shared is asyncio.get_running_loop()

        async def test_shared_with_anyio(shared): ...
        """
    )
    result = pytester.runpytest_subprocess("-rE", "--tb=no", *SETTINGS, *OWN)
    result.assert_outcomes(passed=2, errors=2)
    result.stdout.fnmatch_lines(
        [
            "*::test_unknown_plugin - *'elsewhere' belongs to another plugin*",
            "*::test_shared_with_anyio - *'shared' belongs to anyio*",
        ]
    )
