"""What ends an attack early."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.admission import EVALUATOR_MEMBERS, admit

if TYPE_CHECKING:
    from rampart.core.evaluator import Evaluator


def stop_condition(given: object, *, auto: Evaluator | None) -> Evaluator | None:
    """The evaluator that ends an attack when it is detected.

    Args:
        given: What the user gave: an evaluator, `"auto"` or None.
        auto: What `"auto"` stands for.

    Raises:
        ValueError: If another text was given.
        TypeError: If what was given is no evaluator.
    """
    if isinstance(given, str):
        if given != "auto":
            msg = f"stop_when must be 'auto', None or an evaluator, got {given!r}"
            raise ValueError(msg)
        return auto
    if given is None:
        return None
    admit(given, members=EVALUATOR_MEMBERS, role="stop_when")
    return given  # type: ignore[return-value]  # it has what an evaluator has
