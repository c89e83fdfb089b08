"""Async fixtures in the lane: kinds, scopes, errors, context variables."""

from __future__ import annotations

import pytest

# Not needed here, and slow to load; and verdicts are no subject of these tests.
LIGHT = ("-pno:inline_snapshot", "-pno:hypothesispytest", "-pno:rerunfailures", "-pno:timeout")
SETTINGS = ("-orampart_unchecked=ignore", "-orampart_journal=off", "-pno:cacheprovider", *LIGHT)
NO_PLUGIN = ("-p", "no:asyncio", "-p", "no:anyio")
STRICT = ("-o", "asyncio_default_fixture_loop_scope=function")
OURS = [pytest.param(NO_PLUGIN, id="no-async-plugin"), pytest.param(STRICT, id="pytest-asyncio-strict")]


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-W", "error", *SETTINGS, *options)


@pytest.mark.parametrize("options", OURS)
def test_fixtures_of_every_kind_and_scope(pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
    pytester.makeconftest(
        """
        import asyncio
        import pytest

        LOG = []

        @pytest.fixture(scope="session")
        async def session_group():
            async with asyncio.TaskGroup() as group:
                ticker = group.create_task(asyncio.sleep(60))
                LOG.append("session up")
                yield asyncio.current_task()
                ticker.cancel()
            LOG.append("session down")

        @pytest.fixture(scope="package")
        async def package(session_group):
            return asyncio.current_task()

        @pytest.fixture
        def log():
            return LOG

        def pytest_unconfigure(config):
            print("LOG", *LOG, sep=" | ")
        """
    )
    pytester.makepyfile(
        """
        import asyncio
        import anyio
        import pytest

        @pytest.fixture(scope="module")
        async def module(package):
            async with asyncio.timeout(60):
                yield asyncio.current_task()

        @pytest.fixture
        async def function_group(log):
            async with anyio.create_task_group() as group:
                group.start_soon(anyio.sleep, 60)
                yield group
                group.cancel_scope.cancel()
            log.append("function down")

        @pytest.fixture(params=["a", "b"])
        async def letter(request):
            return request.param

        @pytest.fixture(autouse=True)
        async def everywhere(request):
            request.node.seen = True

        class TestMethods:
            @pytest.fixture(scope="class")
            async def shared(self_or_class):
                yield ["shared"]

            @pytest.fixture
            async def own(self, request):
                self.value = 1
                yield self
                self.value = 2

            async def test_bound(self, own, shared):
                assert own is self and self.value == 1
                shared.append("seen")

            async def test_class_scope(self, shared):
                assert shared == ["shared", "seen"]
                assert not hasattr(self, "value")

            @staticmethod
            async def test_static(letter):
                assert letter in ("a", "b")

        async def test_one_task(session_group, package, module, function_group, request):
            assert {session_group, package, module} == {asyncio.current_task()}
            assert request.node.seen

        def test_sync_test_with_async_fixtures(session_group, module, letter, request):
            assert session_group is module
            assert request.node.seen

        @pytest.fixture
        def sync_from_async(letter):
            return letter * 2

        async def test_sync_fixture_from_async_one(sync_from_async, log):
            assert sync_from_async in ("aa", "bb")
            assert log == ["session up", "function down"]

        def test_asked_for_by_name(request):
            assert request.getfixturevalue("module") is request.getfixturevalue("session_group")

        def test_asked_for_inside_another_loop(request):
            async def main():
                request.getfixturevalue("late")
            with pytest.raises(RuntimeError, match="another event loop is running"):
                asyncio.run(main())

        @pytest.fixture
        async def late():
            return "late"

        async def test_asked_for_inside_an_async_test(request):
            with pytest.raises(RuntimeError, match="cannot wait for another one"):
                request.getfixturevalue("late")

        async def test_the_refused_fixture_works_in_the_next_test(late):
            assert late == "late"
        """
    )
    # pytest warns of instance methods as class-scoped fixtures; here it is the subject.
    result = run(pytester, *options, "-W", "default")
    result.assert_outcomes(passed=13)
    result.stdout.fnmatch_lines(["LOG | session up | function down | session down"])
    result.stderr.no_fnmatch_line("*never*")


def test_errors_are_shown_where_they_belong(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import asyncio
        import pytest

        @pytest.fixture(scope="module")
        async def broken():
            raise ValueError("broken set-up")

        async def test_broken_first(broken): ...
        async def test_broken_again(broken): ...

        @pytest.fixture
        async def broken_later():
            yield
            raise ValueError("broken tear-down")

        async def test_passes(broken_later): ...

        @pytest.fixture
        async def no_yield():
            if False:
                yield

        async def test_no_yield(no_yield): ...

        @pytest.fixture
        async def two_yields():
            yield 1
            yield 2

        async def test_two_yields(two_yields): ...

        @pytest.fixture(scope="module")
        async def cancelled():
            raise asyncio.CancelledError

        async def test_cancelled(cancelled): ...
        async def test_cancelled_again(cancelled): ...

        @pytest.fixture
        async def skipping():
            pytest.skip("not here")

        async def test_skipped(skipping): ...

        async def test_skips_itself():
            pytest.skip("not now")

        @pytest.mark.xfail(strict=True)
        async def test_expected():
            await asyncio.sleep(0)
            assert False

        async def test_cancels_itself():
            asyncio.current_task().cancel()
            await asyncio.sleep(1)

        async def test_after_it():
            await asyncio.sleep(0)
            assert asyncio.current_task().cancelling() == 0

        async def test_returns():
            return True

        @pytest.fixture
        async def crashing():
            async with asyncio.TaskGroup() as group:
                group.create_task(self_destruct())
                yield

        async def self_destruct():
            raise ValueError("background")

        async def test_background_task_crashes(crashing):
            await asyncio.sleep(5)

        async def test_is_untouched_by_it():
            await asyncio.sleep(0.001)

        @pytest.fixture
        async def group():
            async with asyncio.TaskGroup() as group:
                yield group

        @pytest.fixture
        async def inner(group):
            yield
            await asyncio.sleep(0)
            print("INNER CLEANED UP")

        async def test_crash_is_noticed_after_it(group, inner):
            group.create_task(self_destruct())
        """
    )
    result = run(pytester, *NO_PLUGIN, "-rA", "--tb=short")
    result.assert_outcomes(passed=5, failed=3, errors=9, skipped=2, xfailed=1)
    result.stdout.fnmatch_lines_random(
        [
            "ERROR *::test_broken_first - ValueError: broken set-up",
            "ERROR *::test_broken_again - ValueError: broken set-up",
            "ERROR *::test_passes - ValueError: broken tear-down",
            "ERROR *::test_no_yield - ValueError: no_yield did not yield a value",
            "ERROR *::test_two_yields - Failed: async fixture 'two_yields' has more than one*",
            "ERROR *::test_cancelled - RuntimeError: the set-up of async fixture 'cancelled' was*",
            "ERROR *::test_cancelled_again - RuntimeError: the set-up of async fixture 'cancelled' was*",
            "FAILED *::test_cancels_itself - asyncio.exceptions.CancelledError",
            "FAILED *::test_returns - pytest.Pytest*Warning: *should return None*",
            "ERROR *::test_background_task_crashes - *ValueError('background')*ExceptionGroup*",
            "PASSED *::test_is_untouched_by_it",
            "PASSED *::test_crash_is_noticed_after_it",
            "ERROR *::test_crash_is_noticed_after_it - *ValueError('background')*",
            "INNER CLEANED UP",
            "PASSED *::test_after_it",
        ]
    )
    result.stdout.no_fnmatch_line("*AssertionError*assert not self._finalizers*")
    result.stdout.no_fnmatch_line("*_lane.py*")  # our frames are not the user's business


def test_context_variables(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import asyncio
        import contextvars
        import pytest

        COLOUR = contextvars.ContextVar("COLOUR", default="none")
        SHAPE = contextvars.ContextVar("SHAPE", default="none")

        @pytest.fixture(scope="module", autouse=True)
        async def shape():
            token = SHAPE.set("square")
            yield
            SHAPE.reset(token)

        @pytest.fixture
        async def red():
            token = COLOUR.set("red")
            yield
            assert COLOUR.get() == "red"
            COLOUR.reset(token)

        @pytest.fixture
        async def blue():
            COLOUR.set("blue")

        @pytest.fixture
        def green():
            token = COLOUR.set("green")
            yield
            COLOUR.reset(token)

        async def test_async_generator(red):
            assert COLOUR.get() == "red"
            COLOUR.set("set in a test")
            SHAPE.set("set in a test")

        async def test_nothing_leaks():
            assert (COLOUR.get(), SHAPE.get()) == ("none", "square")

        async def test_async_function(blue):
            assert COLOUR.get() == "blue"
            assert await asyncio.to_thread(COLOUR.get) == "blue"

        def test_sync_test_sees_them(blue):
            assert (COLOUR.get(), SHAPE.get()) == ("blue", "square")

        def test_nor_to_a_sync_test():
            assert COLOUR.get() == "none"

        async def test_sync_fixture(green):
            assert COLOUR.get() == "green"

        async def test_order(blue, red):
            assert COLOUR.get() == "red"

        async def test_order_again(red, blue):
            assert COLOUR.get() == "blue"

        async def test_nothing_is_left():
            assert COLOUR.get() == "none"
        """
    )
    pytester.makepyfile(
        test_next="""
        from test_context_variables import SHAPE

        def test_module_fixture_is_gone():
            assert SHAPE.get() == "none"
        """
    )
    run(pytester, *NO_PLUGIN).assert_outcomes(passed=10)
