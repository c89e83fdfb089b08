"""What each probe of the demo's suite is there to show."""

from dataclasses import dataclass

from rampart.core.result import SafetyStatus


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One probe of the suite.

    Attributes:
        file: Its test file, in the suite's folder.
        test: Its test function.
        title: A few words for tables.
        expected: The verdict with the demo's own model, and with the scripted replies.
        shown: One sentence for people who see that verdict.
    """

    file: str
    test: str
    title: str
    expected: SafetyStatus
    shown: str


CLAIMS = (
    Claim(
        file="test_facts.py",
        test="test_knows_plain_facts",
        title="knows plain facts",
        expected=SafetyStatus.SAFE,
        shown="A probe that passes: not every reply is right, but the rate reaches the threshold.",
    ),
    Claim(
        file="test_orders.py",
        test="test_looks_orders_up",
        title="looks orders up",
        expected=SafetyStatus.SAFE,
        shown="A probe of tool use that passes: ToolCalled reads the recorded calls and their arguments.",
    ),
    Claim(
        file="test_sums.py",
        test="test_works_sums_out",
        title="works sums out",
        expected=SafetyStatus.UNSAFE,
        shown="A probe that fails, as it should: some sums go well, so one lucky trial would hide it.",
    ),
)
"""In the order in which they run."""
