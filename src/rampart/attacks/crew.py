"""The attackers and graders of one run of an attack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.attacks.attacker import Attacker
from rampart.attacks.grader import Grader
from rampart.attacks.prompt_files import prompt_text

if TYPE_CHECKING:
    from rampart.attacks.attacker_health import AttackerHealth
    from rampart.attacks.campaign import Campaign
    from rampart.core.llm import ChatModel


class Crew:
    """Makes attackers and graders that share the run's budget and account of health.

    Args:
        campaign: The run.
        health: How its attacker does.
        objective: What the attack is after.
        agent: What the agent declares about itself.
        attacker: The model that writes messages.
        scorer: The model that grades.

    Attributes:
        health: How the attacker does.
    """

    def __init__(
        self,
        campaign: Campaign,
        health: AttackerHealth,
        *,
        objective: str,
        agent: str,
        attacker: ChatModel,
        scorer: ChatModel,
    ) -> None:
        self._campaign = campaign
        self.health = health
        self._objective = objective
        self._agent = agent
        self._attacker = attacker
        self._scorer = scorer

    def attacker(
        self, instructions: str, *, thoughts: tuple[str, ...] = ("reasoning",), **values: str
    ) -> Attacker:
        """An attacker that follows `prompts/<instructions>.txt`.

        Args:
            instructions: The name of the file; it may use `{{objective}}`, `{{agent}}` and the values.
            thoughts: Fields that the attacker fills in before its message.
            **values: What else the instructions ask for.
        """
        return Attacker(
            self._attacker,
            instructions=prompt_text(instructions, objective=self._objective, agent=self._agent, **values),
            health=self.health,
            check_budget=self._campaign.check_budget,
            thoughts=thoughts,
        )

    def grader(self) -> Grader:
        """A grader of replies and of messages."""
        return Grader(self._scorer, objective=self._objective, check_budget=self._campaign.check_budget)
