"""Where an agent finds the gateway."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class GatewayAddress:
    """An address of a gateway: the one that everybody shares, or that of one session.

    Attributes:
        root: Scheme, host, port, and the path of the session if it has one.
    """

    root: str

    @property
    def base_url(self) -> str:
        """What clients that speak OpenAI's formats take as `base_url`."""
        return f"{self.root}/v1"

    @property
    def anthropic_base_url(self) -> str:
        """What Anthropic's clients take as `base_url`; they add the version themselves."""
        return self.root

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables by which most agents can be pointed at it."""
        return {
            "OPENAI_BASE_URL": self.base_url,
            "OPENAI_API_BASE": self.base_url,
            "ANTHROPIC_BASE_URL": self.anthropic_base_url,
        }
