"""What is shown of an exception group."""

import pytest

from rampart.text.leaves import leaf_lines, leaves

ONE = ValueError("bad")
OTHER = OSError("gone")


@pytest.mark.parametrize(
    ("error", "found", "line"),
    [
        (ONE, [ONE], "ValueError: bad"),
        (KeyError(), None, "KeyError: (no message)"),
        (ExceptionGroup("unhandled errors in a TaskGroup", [ONE]), [ONE], "ValueError: bad"),
        (
            ExceptionGroup("a", [ExceptionGroup("b", [OTHER]), ONE]),
            [OTHER, ONE],
            "OSError: gone; ValueError: bad",
        ),
        (ExceptionGroup("a", [ONE, ValueError("bad")]), None, "ValueError: bad"),
        (
            BaseExceptionGroup("a", [KeyboardInterrupt(), ONE]),
            None,
            "KeyboardInterrupt: (no message); ValueError: bad",
        ),
        (
            ExceptionGroup("a", [ValueError(number) for number in range(5)]),
            None,
            "ValueError: 0; ValueError: 1; ValueError: 2; and 2 more",
        ),
        (ExceptionGroup("a", [ValueError("two\nlines")]), None, r"ValueError: two\nlines"),
    ],
    ids=["plain", "silent", "group of one", "nested", "twice the same", "base", "many", "line break"],
)
def test_a_group_is_what_it_holds(error: BaseException, found: list[BaseException] | None, line: str) -> None:
    assert found is None or leaves(error) == found
    assert leaf_lines(error) == line
