"""The life of the processes that match patterns."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rampart.evaluators import _pattern_process, _pattern_worker
from rampart.evaluators._pattern_pool import PatternPool, pattern_pool
from rampart.evaluators._pattern_process import PatternGaveUpError, PatternProcess, ProcessDiedError

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDLESS = re.compile(r"^(a|a)*$")
TRAP = "a" * 40 + "b"
PLAIN = re.compile("b+")

posix_only = pytest.mark.skipif(os.name != "posix", reason="signals and fork are POSIX")


@pytest.fixture
def process() -> Iterator[PatternProcess]:
    made = PatternProcess()
    yield made
    made.close()


@pytest.fixture
def pool() -> Iterator[PatternPool]:
    made = PatternPool()
    yield made
    made.close()


def test_a_process_answers_again_and_again(process: PatternProcess) -> None:
    assert process.ask(PLAIN, "abc", whole=False, limit=2)
    assert not process.ask(PLAIN, "abc", whole=True, limit=2)
    assert process.ask(PLAIN, "bbb", whole=True, limit=2)
    assert not process.ask(PLAIN, "", whole=False, limit=2)


def test_large_texts_travel(process: PatternProcess) -> None:
    text = "\u00e9" * 3_000_000

    assert process.ask(PLAIN, text + "b", whole=False, limit=20)
    assert not process.ask(PLAIN, text, whole=False, limit=20)


def test_a_match_that_takes_too_long_ends_the_process_and_says_so(
    process: PatternProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_pattern_process, "_GRACE", 60)
    started = time.monotonic()
    with pytest.raises(PatternGaveUpError, match=r"^timed out after 0\.3 s$"):
        process.ask(ENDLESS, TRAP, whole=False, limit=0.3)

    assert 0.3 <= time.monotonic() - started < 30
    with pytest.raises(ProcessDiedError, match="the process for matching it ended"):
        process.ask(PLAIN, "b", whole=False, limit=2)


@posix_only
def test_a_process_that_cannot_end_itself_is_given_up(
    process: PatternProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_pattern_process, "_GRACE", 0.1)
    os.kill(process._process.pid, signal.SIGSTOP)

    with pytest.raises(PatternGaveUpError, match=r"timed out after 0\.1 s"):
        process.ask(PLAIN, "b", whole=False, limit=0.1)


@posix_only
def test_a_match_that_wants_too_much_memory_is_an_error_not_the_end_of_the_machine(
    process: PatternProcess,
) -> None:
    with pytest.raises(PatternGaveUpError, match=r"^failed with MemoryError$"):
        process.ask(re.compile(r"(?:(a)|b|(c))*"), "ab" * 3_000_000, whole=True, limit=30)


@posix_only
def test_a_process_does_not_hear_the_interrupt_key(process: PatternProcess) -> None:
    os.kill(process._process.pid, signal.SIGINT)

    assert process.ask(PLAIN, "b", whole=False, limit=2)


@posix_only
def test_limits_hold_where_the_parent_ignores_or_blocks_the_timer_signal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_pattern_process, "_GRACE", 60)
    before = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    try:
        process = PatternProcess()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        signal.signal(signal.SIGALRM, before)
    started = time.monotonic()
    with pytest.raises(PatternGaveUpError, match="timed out"):
        process.ask(ENDLESS, TRAP, whole=False, limit=0.2)

    assert time.monotonic() - started < 30
    process.close()


def test_an_interpreter_that_does_not_start_is_reported(
    monkeypatch: pytest.MonkeyPatch, pool: PatternPool
) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")

    with pytest.raises(PatternGaveUpError, match="failed: a process for matching it could not be started"):
        pool.match(PLAIN, "b", whole=False)


@posix_only
def test_a_program_that_is_no_python_is_reported(monkeypatch: pytest.MonkeyPatch, pool: PatternPool) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/true")

    with pytest.raises(PatternGaveUpError, match="could not be started with /bin/true"):
        pool.match(PLAIN, "b", whole=False)


def test_another_version_of_python_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "hexversion", 0)

    with pytest.raises(ProcessDiedError, match="another version of Python"):
        PatternProcess()


def test_a_pool_keeps_its_processes(pool: PatternPool) -> None:
    assert pool.match(PLAIN, "b", whole=False)
    (first,) = pool._idle
    assert not pool.match(PLAIN, "x", whole=False)

    assert pool._idle == [first]


def test_a_pool_replaces_a_process_that_died_while_it_was_idle(pool: PatternPool) -> None:
    pool.match(PLAIN, "b", whole=False)
    (first,) = pool._idle
    first._process.kill()
    first._process.wait()

    assert pool.match(PLAIN, "b", whole=False)
    assert first not in pool._idle


def test_a_pool_drops_a_process_that_timed_out(pool: PatternPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rampart.evaluators._pattern_pool.MATCH_LIMIT", 0.1)

    with pytest.raises(PatternGaveUpError, match="timed out"):
        pool.match(ENDLESS, TRAP, whole=False)
    assert pool._idle == []
    assert pool.match(PLAIN, "b", whole=False)


def test_a_closed_pool_keeps_no_process(pool: PatternPool) -> None:
    pool.match(PLAIN, "b", whole=False)
    (first,) = pool._idle
    pool.close()

    assert first._process.poll() is not None
    assert pool.match(PLAIN, "b", whole=False)
    assert pool._idle == []


def test_all_threads_share_one_pool() -> None:
    pools: list[PatternPool] = []
    threads = [threading.Thread(target=lambda: pools.append(pattern_pool())) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert set(pools) == {pattern_pool()}


_SCRIPT = """
import os, re, sys
from rampart.evaluators import _pattern_pool
pool = _pattern_pool.pattern_pool()
assert pool.submit(re.compile("b"), "abc", whole=False).result()
worker = pool._idle[0]._process.pid
"""


def _run(script: str, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *options, "-c", _SCRIPT + script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _is_gone(pid: int, *, within: float) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False


linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


@linux_only
def test_processes_end_with_the_one_that_asked_and_leave_no_warning() -> None:
    script = _run("print(worker)", "-X", "dev", "-W", "error")
    out, err = script.communicate(timeout=60)

    assert (script.returncode, err) == (0, "")
    assert _is_gone(int(out), within=2)


@linux_only
@pytest.mark.parametrize("busy", [False, True], ids=["idle", "in-a-match"])
def test_processes_end_where_the_one_that_asked_was_killed(busy: bool) -> None:
    match = "pool.submit(re.compile('^(a|a)*$'), 'a' * 40 + 'b', whole=False)" if busy else ""
    script = _run(f"_pattern_pool.MATCH_LIMIT = 0.5\n{match}\nprint(worker, flush=True)\nsys.stdin.read()")
    assert script.stdout is not None
    worker = int(script.stdout.readline())
    script.kill()
    script.communicate()

    assert _is_gone(worker, within=5)


@posix_only
def test_a_fork_gets_processes_of_its_own() -> None:
    script = _run(
        """
child = os.fork()
if not child:
    mine = _pattern_pool.pattern_pool()
    found = mine.submit(re.compile("b"), "abc", whole=False).result(timeout=30)
    os._exit(0 if found and mine is not pool and mine._idle[0]._process.pid != worker else 7)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
assert pool.submit(re.compile("b"), "abc", whole=False).result()
assert pool._idle[0]._process.pid == worker
""",
        "-W",
        "ignore::DeprecationWarning",
    )
    _, err = script.communicate(timeout=60)

    assert (script.returncode, err) == (0, "")


def _served(*requests: bytes) -> bytes:
    answers = io.BytesIO()
    _pattern_worker.serve(io.BytesIO(b"".join(requests)), answers)
    return answers.getvalue()[_pattern_worker.READY.size :]


def _request(pattern: str, text: str) -> bytes:
    parts = pattern.encode(), text.encode()
    return _pattern_worker.REQUEST.pack(9.0, False, 0, *map(len, parts)) + b"".join(parts)


def test_the_worker_answers_each_request_and_stops_at_the_end() -> None:
    answers = _served(_request("b", "abc"), _request("x", "abc"))

    assert answers == _pattern_worker.ANSWER.pack(1, 0) + _pattern_worker.ANSWER.pack(0, 0)


def test_the_worker_reports_what_it_cannot_compile() -> None:
    answers = _served(_request("(", "abc"))
    kind, size = _pattern_worker.ANSWER.unpack_from(answers)

    assert kind == _pattern_worker.FAILED
    assert "missing ), unterminated subpattern" in answers[_pattern_worker.ANSWER.size :].decode()
    assert len(answers) == _pattern_worker.ANSWER.size + size


def test_a_request_that_was_cut_off_is_no_request() -> None:
    assert _served(_request("b", "abc")[:5]) == b""
