"""rampart inside pytest: markers, trials, repetition, unchecked verdicts, reports."""

from rampart.core.listener import record_result
from rampart.pytest_plugin._trial_config import TrialConfig
from rampart.pytest_plugin._warnings import TrialMismatchWarning, UncheckedResultWarning

__all__ = ["TrialConfig", "TrialMismatchWarning", "UncheckedResultWarning", "record_result"]
