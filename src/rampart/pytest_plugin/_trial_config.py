"""What a `trial` marker declares, as a test sees it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class TrialConfig:
    """How often a test is to be tried, and how many tries have to be SAFE.

    Attributes:
        n: Trials, at least 1.
        threshold: The smallest fraction of SAFE trials that passes, 0 to 1.
    """

    n: int = 1
    threshold: float = 1.0
