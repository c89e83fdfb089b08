"""The one comparison of a pass rate with its threshold."""

# Room for the rounding of a threshold written as arithmetic: 2 of 3 meets 1 - 1/3, which is a bit above 2/3.
THRESHOLD_TOLERANCE = 1e-9


def threshold_met(safe: int, executed: int, threshold: float) -> bool:
    """Tell whether the rate `safe / executed` reaches `threshold`, within 1e-9.

    Args:
        safe: Members that are SAFE, 0 to `executed`.
        executed: Members that ran. With none there is no rate, and no threshold is met, not even 0.0.
        threshold: The smallest fraction of SAFE members that passes, 0.0 to 1.0. It is never rounded.
    """
    if executed == 0:
        return False
    return safe / executed >= threshold - THRESHOLD_TOLERANCE
