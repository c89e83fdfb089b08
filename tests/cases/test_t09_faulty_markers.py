"""Cases about markers that cannot be meant: they end the collection and no agent is asked."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from tests.cases.child import Child, Run


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A marker that is refused.

    Attributes:
        case: The case that it is from.
        marks: The decorators, one a line.
        said: What the error says.
        unittest: Whether it decorates a method of a `unittest.TestCase`.
    """

    case: int
    marks: str
    said: str
    unittest: bool = False


N = "trial n must be a positive integer, got "
NUMBER = "trial threshold must be a number, got "
RANGE = "trial threshold must be between 0.0 and 1.0, got "

FAULTS = {
    "threshold_80": Fault(case=56, marks="trial(n=2, threshold=80)", said=RANGE + "80"),
    "threshold_above": Fault(case=56, marks="trial(n=2, threshold=1.01)", said=RANGE + "1.01"),
    "threshold_below": Fault(case=56, marks="trial(n=2, threshold=-0.1)", said=RANGE + "-0.1"),
    "threshold_nan": Fault(case=56, marks="trial(n=2, threshold=float('nan'))", said=RANGE + "nan"),
    "threshold_inf": Fault(case=56, marks="trial(n=2, threshold=float('inf'))", said=RANGE + "inf"),
    "threshold_text": Fault(case=56, marks="trial(n=2, threshold='0.8')", said=NUMBER + "'0.8'"),
    "threshold_true": Fault(case=56, marks="trial(n=2, threshold=True)", said=NUMBER + "True"),
    "threshold_none": Fault(case=56, marks="trial(n=2, threshold=None)", said=NUMBER + "None"),
    "n_zero": Fault(case=57, marks="trial(n=0)", said=N + "0"),
    "n_negative": Fault(case=57, marks="trial(n=-1)", said=N + "-1"),
    "n_float": Fault(case=57, marks="trial(n=2.0)", said=N + "2.0"),
    "n_true": Fault(case=57, marks="trial(n=True)", said=N + "True"),
    "n_text": Fault(case=57, marks="trial(n='3')", said=N + "'3'"),
    "unittest_method": Fault(
        case=65,
        marks="trial(n=5)",
        said="trial is not supported on unittest.TestCase methods: ",
        unittest=True,
    ),
    "misspelt": Fault(
        case=74, marks="trial(n=5, treshold=0.8)", said="trial marker has unsupported argument(s): treshold"
    ),
    "three_positionals": Fault(
        case=74, marks="trial(5, 0.8, 1)", said="trial marker accepts at most two positional arguments"
    ),
    "n_zero_again": Fault(case=74, marks="trial(n=0)", said=N + "0"),
    "n_true_again": Fault(case=74, marks="trial(n=True)", said=N + "True"),
    "two_marks": Fault(case=74, marks="trial(n=5)\ntrial(n=3)", said="trial is given twice on "),
    "harm_nothing": Fault(case=74, marks="harm()", said="harm"),
    "harm_blank": Fault(case=74, marks="harm(' ')", said="harm"),
    "harm_number": Fault(case=74, marks="harm(3)", said="harm"),
}


def _source(name: str, fault: Fault) -> str:
    marks = [f"@pytest.mark.{mark}" for mark in fault.marks.splitlines()]
    called = f"Path('called').write_text({name!r})"
    if fault.unittest:
        lines = ["class Test(unittest.TestCase):"]
        lines += [f"    {line}" for line in (*marks, f"def test_{name}(self):", f"    {called}")]
    else:
        lines = [*marks, f"def test_{name}():", f"    {called}"]
    return "\n".join(["import unittest", "from pathlib import Path", "import pytest", *lines])


@pytest.fixture(scope="module")
def refused(make_child: Callable[..., Child]) -> tuple[Child, Run]:
    """A run of one good test beside many files with a faulty marker each."""
    child = make_child()
    child.write("test_good.py", "from pathlib import Path\n\ndef test_good():\n    Path('called').touch()\n")
    for name, fault in FAULTS.items():
        child.write(f"test_{name}.py", _source(name, fault))
    return child, child.run()


def faults_of(case: int) -> pytest.MarkDecorator:
    """The faults that a case is about."""
    names = [name for name, fault in FAULTS.items() if fault.case == case]
    return pytest.mark.parametrize("name", names)


def _is_refused(refused: tuple[Child, Run], name: str) -> None:
    """Check that a fault is an error of its file that names test and fault, and that nothing ran."""
    child, run = refused
    assert run.status == 2, run.output
    assert not (child.folder / "called").exists()
    begin = run.output.index(f"ERROR collecting test_{name}.py")
    end = re.compile(r"^(_+ ERROR collecting|=+ )", re.MULTILINE).search(run.output, begin)
    shown = " ".join(run.output[begin : end.start() if end else None].split())
    assert FAULTS[name].said in shown
    assert re.search(rf"test_{name}\.py::(Test::)?test_{name}\b", shown)


@pytest.mark.case(56)
@faults_of(56)
def test_s56_threshold_of_a_marker(refused: tuple[Child, Run], name: str) -> None:
    _is_refused(refused, name)


@pytest.mark.case(57)
@faults_of(57)
def test_s57_count_of_a_marker(refused: tuple[Child, Run], name: str) -> None:
    _is_refused(refused, name)


@pytest.mark.case(65)
@faults_of(65)
def test_s65_unittest_methods_do_not_silently_run_once(refused: tuple[Child, Run], name: str) -> None:
    _is_refused(refused, name)


@pytest.mark.case(74)
@faults_of(74)
def test_s74_misspelt_arguments(refused: tuple[Child, Run], name: str) -> None:
    _is_refused(refused, name)


@pytest.mark.case(74)
@pytest.mark.parametrize(
    ("name", "seen"), [("harm_nothing", "at least one"), ("harm_blank", "' '"), ("harm_number", "3")]
)
def test_s74_harm_says_what_was_seen(refused: tuple[Child, Run], name: str, seen: str) -> None:
    _, run = refused
    begin = run.output.index(f"ERROR collecting test_{name}.py")
    shown = run.output[begin : begin + 400]
    assert seen in shown
