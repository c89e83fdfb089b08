import os
import sys
import threading

import pytest

from rampart.converters._fork_safe_lock import ForkSafeLock


def test_one_at_a_time() -> None:
    lock = ForkSafeLock()
    entered = threading.Event()

    def enter() -> None:
        with lock:
            entered.set()

    waiting = threading.Thread(target=enter)
    with lock:
        waiting.start()
        assert not entered.wait(0.05)
    waiting.join(10)
    assert entered.is_set()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_does_not_wait_for_a_thread_it_lacks() -> None:
    lock = ForkSafeLock()
    held, over = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            over.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(10)
    child = os.fork()
    if child == 0:
        # Without a renewed lock the process would wait for ever.
        threading.Timer(5, os._exit, args=(1,)).start()
        with lock:
            os._exit(0)
    ended = os.waitpid(child, 0)[1]
    over.set()
    holder.join(10)
    assert ended == 0
