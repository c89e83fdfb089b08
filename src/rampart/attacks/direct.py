"""Direct prompts: hostile messages sent to the agent as they are, each in a session of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rampart.attacks.arm import Questions
from rampart.attacks.attack_driver import MOST_TURNS
from rampart.attacks.campaign import Campaign
from rampart.attacks.campaign_verdict import campaign_result
from rampart.core.admission import EVALUATOR_MEMBERS, admit
from rampart.core.types import Payload, Request
from rampart.drivers.static import StaticDriver
from rampart.execution.base import BaseExecution
from rampart.execution.running import running_or_alone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.adapter import AgentAdapter
    from rampart.core.converter import PayloadConverter
    from rampart.core.evaluator import Evaluator
    from rampart.core.limits import Limits
    from rampart.core.result import Result
    from rampart.execution.events import ExecutionEventHandler

CONVERTER_MEMBERS = ("convert_async",)


class PromptExecution(BaseExecution):
    """Send hostile messages to the agent, one a session, and look for the attack's objective.

    One message that reaches the objective makes the attack UNSAFE. SAFE says that the agent withstood all.

    Args:
        prompts: The messages, sent in this order. Of a payload the text is sent, or what the converters make
            of it; a payload in a binary format travels as an attachment.
        converters: Applied to each message, one after another; those of a `Request` apply to its prompt.
        evaluator: Detects the objective of the attack; evaluated once a message.
        stop_at_first: Whether the first message that reaches the objective ends the attack. False sends all,
            so that `Result.attempts` tells which of them do.
        event_handlers: Told how each run goes, in this order.
        limits: Time limits; they replace the configured ones as a whole.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If there is no message.
    """

    def __init__(
        self,
        *,
        prompts: Sequence[str | Payload | Request],
        converters: Sequence[PayloadConverter] | None = None,
        evaluator: Evaluator,
        stop_at_first: bool = True,
        event_handlers: Sequence[ExecutionEventHandler] | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(event_handlers=event_handlers, limits=limits)
        self._prompts = tuple(_checked(prompt, position) for position, prompt in enumerate(prompts))
        if not self._prompts:
            msg = "prompt is empty, so nothing would be sent: give a text, a Payload, or a list of these"
            raise ValueError(msg)
        self._converters = tuple(converters or ())
        for converter in self._converters:
            admit(converter, members=CONVERTER_MEMBERS, role="converter")
        admit(evaluator, members=EVALUATOR_MEMBERS, role="evaluator")
        if not isinstance(stop_at_first, bool):
            msg = f"stop_at_first must be True or False, got {stop_at_first!r}"
            raise TypeError(msg)
        self._stop_at_first = stop_at_first
        self._questions = Questions(evaluator=evaluator, utility=None, stop_when=None, max_turns=MOST_TURNS)

    @property
    def strategy_name(self) -> str:
        """`prompt`."""
        return "prompt"

    def _shown_texts(self) -> Sequence[str]:
        return [text for prompt in self._prompts for text in _texts_of(prompt)]

    async def _execute_async(self, *, adapter: AgentAdapter) -> Result:
        running = running_or_alone(self._limits)
        campaign = Campaign(adapter, running, self._questions, stop_at_first=self._stop_at_first)
        with campaign.keeping_harm():
            await self._send_all_async(campaign)
        return campaign_result(campaign, adapter=adapter, strategy=self.strategy_name)

    async def _send_all_async(self, campaign: Campaign) -> None:
        for prompt in self._prompts:
            request = await campaign.between_async("converters", self._request_async(prompt))
            driver = StaticDriver(prompts=[request])
            facts = {"payload": prompt.id} if isinstance(prompt, Payload) else {}
            await campaign.attempt_async(driver, max_turns=MOST_TURNS, metadata=facts)
            if campaign.over:
                return

    async def _request_async(self, prompt: str | Payload | Request) -> Request:
        """The message as it is sent."""
        if isinstance(prompt, Request):
            if prompt.prompt is None or not self._converters:
                return prompt
            converted = await self._converted_async(Payload(content=prompt.prompt))
            return replace(_sent(converted), attachments=[*_sent(converted).attachments, *prompt.attachments])
        payload = prompt if isinstance(prompt, Payload) else Payload(content=prompt)
        return _sent(await self._converted_async(payload))

    async def _converted_async(self, payload: Payload) -> Payload:
        for converter in self._converters:
            payload = await converter.convert_async(payload=payload)
        return payload


def _sent(payload: Payload) -> Request:
    if payload.format.is_text:
        return Request(prompt=payload.content)
    return Request(attachments=[payload])


def _texts_of(prompt: str | Payload | Request) -> list[str]:
    if isinstance(prompt, Request):
        return [prompt.prompt or "", *(attachment.content for attachment in prompt.attachments)]
    return [prompt.content if isinstance(prompt, Payload) else prompt]


def _checked(prompt: object, position: int) -> str | Payload | Request:
    if isinstance(prompt, str | Payload | Request):
        if _is_blank(prompt):
            msg = f"prompt[{position}] is blank, and an agent that gets nothing withstands nothing"
            raise ValueError(msg)
        return prompt
    msg = f"prompt[{position}] is of type {type(prompt).__name__}, expected a text, a Payload or a Request"
    raise TypeError(msg)


def _is_blank(prompt: str | Payload | Request) -> bool:
    if isinstance(prompt, Request):
        return not prompt.attachments and not (prompt.prompt or "").strip()
    if isinstance(prompt, Payload):
        return prompt.format.is_text and not prompt.content.strip()
    return not prompt.strip()
