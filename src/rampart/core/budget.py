"""How much an execution may consume."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from rampart.core.errors import ConfigurationError
from rampart.core.spending import UsageRole

if TYPE_CHECKING:
    from rampart.core.spending import Spending


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Limits for what the language models behind one execution consume together; None sets none.

    Judges and attackers count, and so does the agent as far as its adapter reports `Response.usage`.
    An attack looks at its budget before each message. What was begun is finished and judged, so the budget
    may be exceeded by what one turn takes.

    Attributes:
        max_requests: Requests to language models.
        max_tokens: Input and output tokens.
        max_cost_usd: US dollars.

    Raises:
        TypeError: If a limit is no number.
        ValueError: If a limit is not finite or not above 0.
    """

    max_requests: int | None = None
    max_tokens: int | None = None
    max_cost_usd: float | None = None

    def __post_init__(self) -> None:
        """Refuse limits that limit nothing or everything."""
        for field in fields(self):
            value: object = getattr(self, field.name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float):
                msg = f"{field.name} must be a number or None, got {value!r}"
                raise TypeError(msg)
            if not (math.isfinite(value) and value > 0):
                msg = f"{field.name} must be finite and above 0, got {value!r}; None sets no limit"
                raise ValueError(msg)

    def spent(self, spending: Spending, /) -> str | None:
        """Which limit has been reached, in words; None while there is something left.

        Raises:
            ConfigurationError: If a model does not tell what a limit is about, so that it cannot be kept.
        """
        requests = tokens = cost = 0.0
        for role, account in spending.accounts().items():
            usage = account.usage  # of an agent that tells only of some turns, what it told
            requests += usage.requests or 0
            tokens += self._told(usage.input_tokens, role, "max_tokens") or 0
            tokens += self._told(usage.output_tokens, role, "max_tokens") or 0
            cost += self._told(usage.cost_usd, role, "max_cost_usd") or 0
        if self.max_requests is not None and requests >= self.max_requests:
            return f"{requests:,.0f} of {self.max_requests:,} requests"
        if self.max_tokens is not None and tokens >= self.max_tokens:
            return f"{tokens:,.0f} of {self.max_tokens:,} tokens"
        if self.max_cost_usd is not None and cost >= self.max_cost_usd:
            return f"${cost:,.4f} of ${self.max_cost_usd:,.4f}"
        return None

    def _told(self, figure: float | None, role: str, limit: str) -> float | None:
        if figure is None and getattr(self, limit) is not None:
            what = "cost" if limit == "max_cost_usd" else "token counts"
            msg = (
                f"the budget sets {limit}, and a model with the role {role!r} does not tell its {what}, so "
                f"nobody knows what is left: {_remedy(role, limit)}, or set max_requests"
            )
            raise ConfigurationError(msg)
        return figure


def _remedy(role: str, limit: str) -> str:
    """How to have the missing figure told."""
    if (
        role == UsageRole.TARGET.value
    ):  # what it uses is told by its adapter; prices of models do not reach it
        field = "cost_usd" if limit == "max_cost_usd" else "input_tokens and output_tokens"
        return f"have the agent's adapter report {field} in Response.usage"
    if limit == "max_cost_usd":
        return "give its price with rampart.llm.set_price"
    return "use a model that does"
