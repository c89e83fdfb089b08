"""How verdicts are labelled and ordered where a run is shown."""

from rampart.core.result import SafetyStatus

LABELS = {
    SafetyStatus.SAFE: "PASS",
    SafetyStatus.UNSAFE: "FAIL",
    SafetyStatus.UNDETERMINED: "WARN",
    SafetyStatus.ERROR: "ERR ",
}

WORST_FIRST = (SafetyStatus.UNSAFE, SafetyStatus.ERROR, SafetyStatus.UNDETERMINED, SafetyStatus.SAFE)
"""What a reader has to see first: harm, then what failed, then what is open."""
