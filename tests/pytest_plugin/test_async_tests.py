"""Async tests and fixtures that no other plugin claims: each child run holds many small tests."""

from __future__ import annotations

import pytest

# Not needed here, and slow to load; and verdicts are no subject of these tests.
LIGHT = ("-pno:inline_snapshot", "-pno:hypothesispytest", "-pno:rerunfailures", "-pno:timeout")
SETTINGS = ("-orampart_unchecked=ignore", "-orampart_journal=off", "-pno:cacheprovider", *LIGHT)
NO_PLUGIN = ("-p", "no:asyncio", "-p", "no:anyio")
STRICT = ("-o", "asyncio_default_fixture_loop_scope=function")
OURS = [pytest.param(NO_PLUGIN, id="no-async-plugin"), pytest.param(STRICT, id="pytest-asyncio-strict")]
EVERYONE = [
    *OURS,
    pytest.param((*STRICT, "--asyncio-mode=auto"), id="pytest-asyncio-auto"),
    pytest.param(("-p", "no:asyncio", "-o", "anyio_mode=auto"), id="anyio-auto"),
]


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-W", "error", *SETTINGS, *options, timeout=60)


@pytest.mark.parametrize("options", EVERYONE)
def test_module_scoped_async_fixture_with_every_plugin(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    pytester.makepyfile(
        """
        import asyncio
        import pytest

        @pytest.fixture(scope="session")
        def anyio_backend():
            return "asyncio"

        @pytest.fixture(scope="module")
        async def numbers():
            made = [asyncio.current_task() is not None]
            yield made
            made.clear()

        async def test_first(numbers):
            await asyncio.sleep(0)
            numbers.append(1)

        @pytest.mark.harm("jailbreak")
        async def test_marked(numbers):
            assert numbers == [True, 1]

        async def test_failing(numbers):
            await asyncio.sleep(0)
            assert numbers == []

        def test_sync():
            assert asyncio.run(asyncio.sleep(0, "own loop")) == "own loop"
        """
    )
    # A module-scoped fixture needs a loop as wide where pytest-asyncio runs it.
    wide = ("-o", "asyncio_default_fixture_loop_scope=module") if "asyncio-mode" in str(options) else ()
    result = run(pytester, *options, *wide)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*assert *True, 1* == []*"])


@pytest.mark.case("S96")
@pytest.mark.parametrize("options", OURS)
def test_s96_unmarked_test_runs_by_default_and_fails_under_marked(
    pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture(params=[42])
        async def answer(request):
            return request.param

        async def test_x(answer):
            assert answer == 42

        async def test_wrong(answer):
            assert answer == 43

        @pytest.mark.harm("jailbreak")
        async def test_harm(answer):
            assert answer == 42

        @pytest.mark.trial(n=1)
        async def test_trial(answer, trial_config):
            assert answer == 42

        def test_sync(answer):
            assert answer == 42

        @pytest.mark.harm("jailbreak")
        def test_sync_harm(answer):
            assert answer == 42

        async def test_generator():
            yield
        """
    )
    auto = run(pytester, *options)
    auto.assert_outcomes(passed=5, failed=2)
    auto.stdout.fnmatch_lines(["*assert 42 == 43*", "*async def functions are not natively supported*"])
    marked = run(pytester, *options, "-o", "rampart_async=marked", "-rpE")
    marked.assert_outcomes(passed=3, failed=1, errors=3)
    marked.stdout.fnmatch_lines(
        ["PASSED *::test_harm*", "PASSED *::test_trial*", "PASSED *::test_sync_harm*"]
    )
    marked.stdout.fnmatch_lines(["*'test_x*' requested an async fixture 'answer'*no plugin or hook*"])
    marked.stdout.fnmatch_lines(["*'test_sync*' requested an async fixture 'answer'*no plugin or hook*"])


@pytest.mark.case("S95")
def test_s95_one_loop_for_session_objects_and_all_tests(pytester: pytest.Pytester) -> None:
    """A sync session-scoped client that keeps its connection, a lock it made, and a server in a fixture."""
    pytester.makepyfile(
        """
        import asyncio
        import pytest

        LOOPS = set()
        AT_IMPORT = asyncio.Lock()

        class Client:
            def __init__(self):
                self.streams = None
                self.lock = asyncio.Lock()

            async def ask(self, port):
                async with self.lock, AT_IMPORT:
                    if self.streams is None:
                        self.streams = await asyncio.open_connection("127.0.0.1", port)
                    reader, writer = self.streams
                    writer.write(b"hello\\n")
                    return await reader.readline()

        @pytest.fixture(scope="session")
        def client():
            return Client()

        @pytest.fixture(scope="session")
        async def port(client):
            async def echo(reader, writer):
                while line := await reader.readline():
                    writer.write(line)
                writer.close()
            LOOPS.add(asyncio.get_running_loop())
            async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
                yield server.sockets[0].getsockname()[1]
                client.streams[1].close()
                await client.streams[1].wait_closed()

        @pytest.mark.parametrize("number", range(3))
        async def test_pooled(client, port, number):
            LOOPS.add(asyncio.get_running_loop())
            answers = await asyncio.gather(client.ask(port), client.ask(port))
            assert answers == [b"hello\\n"] * 2

        def test_sync_between():
            asyncio.run(asyncio.sleep(0))

        async def test_again(client, port):
            assert await client.ask(port) == b"hello\\n"
            assert LOOPS == {asyncio.get_running_loop()}
        """
    )
    run(pytester, *NO_PLUGIN).assert_outcomes(passed=5)


def test_asyncio_is_imported_with_the_first_async_test_only(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import sys

        def pytest_runtest_logreport(report):
            if report.when == "teardown":
                print(report.nodeid, "asyncio" in sys.modules)
        """
    )
    pytester.makepyfile(test_it="def test_sync(): ...\nasync def test_async(): ...")
    result = run(pytester, *NO_PLUGIN, "-s", "-pno:xdist")
    result.stdout.fnmatch_lines(["*test_it.py::test_sync False", "*test_it.py::test_async True"])
