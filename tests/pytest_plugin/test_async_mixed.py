"""Async fixtures and tests that live in different event loops."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

# Not needed here, and slow to load; and verdicts are no subject of these tests.
LIGHT = ("-pno:inline_snapshot", "-pno:hypothesispytest", "-pno:rerunfailures", "-pno:timeout")
SETTINGS = ("-pno:cacheprovider", "-pno:trio", "-oasyncio_default_fixture_loop_scope=function", *LIGHT)
OWN = ("-orampart_unchecked=ignore", "-orampart_journal=off")


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


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
    result = pytester.runpytest_inprocess("-rA", "--tb=short", *SETTINGS, *OWN)
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
    result = pytester.runpytest_inprocess("-rE", *SETTINGS, *OWN)
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
    result = pytester.runpytest_inprocess("-rE", "--tb=no", *SETTINGS, *OWN)
    result.assert_outcomes(passed=2, errors=2)
    result.stdout.fnmatch_lines(
        [
            "*::test_unknown_plugin - *'elsewhere' belongs to another plugin*",
            "*::test_shared_with_anyio - *'shared' belongs to anyio*",
        ]
    )


@pytest.mark.skipif(find_spec("pytest_trio") is not None, reason="it would be in the way of its stand-in")
def test_fixtures_of_pytest_trio(pytester: pytest.Pytester) -> None:
    """It replaces no function, but takes its fixtures when all wrappers have had their turn."""
    pytester.makeconftest(
        """
        class StandIn:
            def pytest_fixture_setup(self, fixturedef, request):
                if getattr(fixturedef.func, "_force_trio_fixture", False):
                    raise RuntimeError("for trio tests only")

        def pytest_addoption(parser):
            parser.addini("trio_mode", "as in pytest-trio", type="bool", default=False)

        def pytest_configure(config):
            config.addinivalue_line("markers", "trio: as in pytest-trio")
            config.pluginmanager.register(StandIn(), "trio")
        """
    )
    pytester.makepyfile(
        """
        import pytest

        async def make():
            return 1

        make._force_trio_fixture = True
        theirs = pytest.fixture(make)

        @pytest.fixture
        async def plain():
            return 1

        async def test_async(theirs): ...
        def test_sync(theirs): ...
        def test_sync_again(theirs): ...
        async def test_ours(plain): ...

        @pytest.mark.trio
        async def test_claimed(): ...
        """
    )
    arguments = [argument for argument in SETTINGS if "trio" not in argument]
    result = pytester.runpytest_inprocess("-rEfp", *arguments, *OWN)
    result.assert_outcomes(passed=1, failed=1, errors=3)
    result.stdout.fnmatch_lines_random(
        [
            "PASSED *::test_ours",
            "FAILED *::test_claimed - Failed: async def functions are not natively supported*",
            "ERROR *::test_async - Failed: async fixture 'theirs' belongs to pytest-trio*",
            "ERROR *::test_sync - RuntimeError: for trio tests only",
            "ERROR *::test_sync_again - RuntimeError: for trio tests only",
        ]
    )
    everything = pytester.runpytest_inprocess("-rEfp", *arguments, *OWN, "-otrio_mode=true")
    assert "passed" not in everything.parseoutcomes()
