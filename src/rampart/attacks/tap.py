"""TAP: a tree of prompts that grows where replies come nearer to the objective and is pruned elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from rampart.attacks.attack_driver import MOST_TURNS, OneMessage
from rampart.attacks.attack_end import AttackEnd
from rampart.attacks.attacker import shown_reply
from rampart.attacks.objective_attack import ObjectiveAttack
from rampart.core.result import check_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.attacks.attacker import Attacker, AttackMessage
    from rampart.attacks.campaign import Campaign
    from rampart.attacks.crew import Crew
    from rampart.attacks.grader import Grader
    from rampart.core.budget import Budget
    from rampart.core.evaluator import Evaluator
    from rampart.core.limits import Limits
    from rampart.core.llm import ChatModel, LLMConfig
    from rampart.execution.events import ExecutionEventHandler

PRUNED = "pruned"


class TapExecution(ObjectiveAttack):
    """Grow a tree of prompts, each sent to a fresh session of the agent.

    On each level every leaf gets `branching` children. Prompts that do not serve the objective are pruned
    before they are sent. Of those that were sent, the `width` with the best scores grow on. What was pruned
    is kept among the attempts with its reason.

    Source: A. Mehrotra, M. Zampetakis, P. Kassianik, B. Nelson, H. Anderson, Y. Singer, A. Karbasi, "Tree of
    Attacks: Jailbreaking Black-Box LLMs Automatically", NeurIPS 2024 (arXiv:2312.02119). The paper's tree has
    depth 10, width 10 and branching 4.

    Args:
        objective: What the attacker is to get out of the agent.
        attacker: The model that writes the prompts.
        evaluator: Detects that the objective was reached; DETECTED is UNSAFE.
        scorer: The model that prunes and scores; None takes the attacker.
        depth: Levels of the tree; a turn of this attack is a level.
        width: Leaves that grow on.
        branching: Prompts that each of them gets.
        stop_when: Ends the attack when it is detected; `"auto"` takes the evaluator, None nothing.
        budget: What the models may consume together; None sets no limit.
        event_handlers: Told how each run goes, in this order.
        limits: Time limits; they replace the configured ones as a whole.

    Raises:
        ValueError: If the objective is blank, or a number is out of range.
        TypeError: If an argument has the wrong type.
    """

    def __init__(
        self,
        *,
        objective: str,
        attacker: LLMConfig | ChatModel,
        evaluator: Evaluator,
        scorer: LLMConfig | ChatModel | None = None,
        depth: int = 5,
        width: int = 3,
        branching: int = 2,
        stop_when: Evaluator | Literal["auto"] | None = "auto",
        budget: Budget | None = None,
        event_handlers: Sequence[ExecutionEventHandler] | None = None,
        limits: Limits | None = None,
    ) -> None:
        for name, value in (("depth", depth), ("width", width), ("branching", branching)):
            check_count(value, name=name)
        super().__init__(
            objective=objective,
            attacker=attacker,
            evaluator=evaluator,
            scorer=scorer,
            turns_planned=depth,
            stop_when=stop_when,
            budget=budget,
            event_handlers=event_handlers,
            limits=limits,
        )
        self._depth = depth
        self._width = width
        self._branching = branching

    @property
    def strategy_name(self) -> str:
        """`tap`."""
        return "tap"

    async def _attack_async(self, campaign: Campaign, crew: Crew) -> None:
        leaves = [_Leaf(attacker=crew.attacker("tap", depth=str(self._depth)))]
        grader = crew.grader()
        for level in range(1, self._depth + 1):
            prompts = await self._branch_async(leaves, level, campaign, crew)
            prompts = await self._prune_async(prompts, grader, campaign, crew)
            leaves = []
            for number, (leaf, message) in enumerate(prompts, start=1):
                leaves.append(await self._send_async(leaf, message, campaign))
                if campaign.over:
                    _note_unsent(prompts[number:], crew)
                    crew.health.turns_run = level
                    return
            crew.health.turns_run = level
            if level < self._depth:
                leaves = await self._best_async(leaves, grader, campaign)

    async def _branch_async(
        self, leaves: Sequence[_Leaf], level: int, campaign: Campaign, crew: Crew
    ) -> list[tuple[_Leaf, AttackMessage]]:
        """What each leaf's attacker writes when it is asked several times."""
        prompts = []
        stopped: AttackEnd | None = None
        for leaf in leaves:
            for _ in range(self._branching):
                attacker = leaf.attacker.branch()
                told = {"level": level, "agent_reply": None} | leaf.told
                try:
                    message = await campaign.between_async("attacker", attacker.write_async(told))
                except AttackEnd as end:
                    stopped = end
                    crew.health.unwritten += 1
                    continue
                prompts.append((_Leaf(attacker=attacker, position=leaf.position), message))
        if not prompts and stopped is not None:
            raise stopped
        return prompts

    async def _prune_async(
        self,
        prompts: list[tuple[_Leaf, AttackMessage]],
        grader: Grader,
        campaign: Campaign,
        crew: Crew,
    ) -> list[tuple[_Leaf, AttackMessage]]:
        """Without the prompts that do not serve the objective."""
        texts = [message.text for _, message in prompts]
        try:
            lost = await campaign.between_async("grader", grader.off_goal_async(texts))
        except AttackEnd:
            _note_unsent(prompts, crew)
            raise
        for position in sorted(lost or ()):
            leaf, message = prompts[position]
            campaign.give_up(
                PRUNED, parent=leaf.position, prompt=message.text, reason="it does not serve the objective"
            )
            crew.health.pruned += 1
            crew.health.note_unsent(message.text)
        kept = [prompt for position, prompt in enumerate(prompts) if position not in (lost or ())]
        if not kept:
            raise AttackEnd("no prompt of this level served the objective, so all branches were pruned")
        return kept

    async def _send_async(self, leaf: _Leaf, message: AttackMessage, campaign: Campaign) -> _Leaf:
        position = await campaign.attempt_async(
            OneMessage(message), max_turns=MOST_TURNS, parent=leaf.position
        )
        return _Leaf(attacker=leaf.attacker, position=position, message=message)

    async def _best_async(self, leaves: list[_Leaf], grader: Grader, campaign: Campaign) -> list[_Leaf]:
        """The leaves with the best scores, told what they got."""
        for leaf in leaves:
            assert leaf.message is not None
            assert leaf.position is not None
            attempt = campaign.attempts[leaf.position]
            reply = attempt.turns[-1].response.text
            grade = await campaign.between_async(
                "grader", grader.grade_async(message=leaf.message.text, reply=reply)
            )
            attempt.score = grade.score
            leaf.score = -1.0 if grade.score is None else grade.score
            leaf.told = {
                "agent_reply": shown_reply(reply),
                "refused": grade.refused,
                "progress": None if grade.score is None else round(10 * grade.score),
                "why": grade.reason,
            }
        ranked = sorted(leaves, key=lambda leaf: -leaf.score)
        for leaf in ranked[self._width :]:
            assert leaf.position is not None
            campaign.attempts[leaf.position].metadata["reason"] = "others scored better"
        return ranked[: self._width]


def _note_unsent(prompts: Sequence[tuple[_Leaf, AttackMessage]], crew: Crew) -> None:
    for _, message in prompts:
        crew.health.note_unsent(message.text)


@dataclass(kw_only=True)
class _Leaf:
    """A node of the tree from which something may grow."""

    attacker: Attacker
    position: int | None = None
    message: AttackMessage | None = None
    score: float = 0.0
    told: dict[str, Any] = field(default_factory=dict)
