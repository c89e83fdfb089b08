"""Warnings about tests whose verdicts may not mean what their author thinks."""


class TrialMismatchWarning(UserWarning):
    """A test ran a population whose size or threshold is not the one that its `trial` marker declares."""


class UncheckedResultWarning(UserWarning):
    """A test passed without having looked at what it recorded (`rampart_unchecked = warn`)."""
