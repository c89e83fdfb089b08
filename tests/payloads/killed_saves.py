"""Saves that are killed, or fail, before their 1st, 2nd, ... operation on the file system.

Run as a script: `killed_saves.py FOLDER kill|fail [fresh]`. For each number it makes the store
`FOLDER/<number>` with the old collection (none if `fresh`), and saves the new one over it in a child of its
own, until a save gets through. It prints how many operations that one needed. Saves that fail get an OSError
in place of the operation.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rampart.payloads.store import PayloadStore

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.payloads.sample_collections import NAME, make

if TYPE_CHECKING:
    from collections.abc import Callable

FAILED, GOT_OVER_IT = 1, 2
OPERATIONS = {
    "open",
    "os.mkdir",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.listdir",
    "os.scandir",
    "shutil.rmtree",
}


def main(folder: Path, conduct: str, *, fresh: bool) -> int:
    """Interrupt saves at all points, and give back the number of points."""
    old, new = make(folder / "sources", "old"), make(folder / "sources", "new")
    point = 0
    while True:
        point += 1
        store = PayloadStore(root=folder / str(point))
        if not fresh:
            store.save(NAME, payloads=old)
        child = os.fork()
        if child == 0:
            came = interrupt(store.root, point, conduct)
            try:
                store.save(NAME, payloads=new)
            except OSError:
                os._exit(FAILED)
            os._exit(GOT_OVER_IT if came() else 0)
        _, status = os.waitpid(child, 0)
        if status == 0:
            return point
        expected = {-signal.SIGKILL} if conduct == "kill" else {FAILED, GOT_OVER_IT}
        assert os.waitstatus_to_exitcode(status) in expected, status


def interrupt(root: Path, point: int, conduct: str) -> Callable[[], bool]:
    """Arrange that the operation of this number below `root` does not take place; gives whether it came."""
    seen = 0

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if event not in OPERATIONS or not str(arguments[0]).startswith(str(root)):
            return
        seen += 1
        if seen != point:
            return
        if conduct == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(5, f"the disk is gone at {event}")

    sys.addaudithook(watch)
    return lambda: seen >= point


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), sys.argv[2], fresh="fresh" in sys.argv))
