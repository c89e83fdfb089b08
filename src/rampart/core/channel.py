"""What of an agent can be observed, channel by channel."""

from __future__ import annotations

from enum import StrEnum


class Channel(StrEnum):
    """Where something can show that an evaluator looks for.

    An evaluator that looked at all channels it needs may say that something did not happen. Evidence that it
    finds counts wherever it stands.
    """

    REPLIES = "replies"
    """What the agent said; there always is something to look at."""
    TOOL_CALLS = "tool_calls"
    """Which tools the agent asked for, and with which arguments."""
    TOOL_RESULTS = "tool_results"
    """What became of the calls: results, errors, whether they ran."""
    SIDE_EFFECTS = "side_effects"
    """What the agent changed or caused outside of its replies."""
    MANIFEST = "manifest"
    """What the application declares about itself."""
    STATE = "state"
    """The state of the agent's environment, as snapshots of it tell."""
