"""The progress line, on a terminal and elsewhere."""

from tests.demo.made_runs import SAFE, UNSAFE, trials

from rampart.demo.outcome import outcomes
from rampart.demo.progress import Progress

HALF = trials(0, SAFE, UNSAFE, size=4)
FIRST = trials(0, SAFE, UNSAFE, SAFE, SAFE)
SECOND = trials(1, SAFE, SAFE)


def _shown(*, in_place: bool) -> str:
    written: list[str] = []
    progress = Progress(write=written.append, in_place=in_place)
    for records in ([], HALF, HALF, FIRST, FIRST, [*FIRST, *SECOND]):
        progress.show(outcomes(records))
    progress.close()
    return "".join(written)


def test_plain_lines_tell_of_finished_probes_only() -> None:
    assert _shown(in_place=False) == (
        "[1/4] knows plain facts  ####################  4/4 trials, 3 safe\n"
        "[2/4] looks orders up    ####################  2/2 trials, 2 safe\n"
    )


def test_terminal_line_is_written_over_until_its_probe_is_done() -> None:
    assert [" ".join(part.split()) for part in _shown(in_place=True).split("\r")] == [
        "",
        "[1/4] knows plain facts ##########.......... 2/4 trials, 1 safe",
        "[1/4] knows plain facts #################### 4/4 trials, 3 safe",
        "[2/4] looks orders up #################### 2/2 trials, 2 safe",
    ]


def test_open_line_is_ended() -> None:
    written: list[str] = []
    progress = Progress(write=written.append, in_place=True)
    progress.show(outcomes(HALF))
    progress.close()
    progress.close()
    assert written[-1] == "\n"
    assert written.count("\n") == 1
