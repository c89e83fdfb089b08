"""A driver whose prompts a language model writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rampart.core.errors import DriverError
from rampart.core.persona import Persona
from rampart.core.prompt_driver import PromptDecision
from rampart.core.types import Payload, Request
from rampart.drivers._model_conversation import ModelConversation
from rampart.drivers._prompt_files import prompt_text
from rampart.drivers._shown_turn import turn_fields
from rampart.text.fold import fold
from rampart.text.json_data import json_data
from rampart.text.refusals import declines_to_write
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.llm import ChatModel, LLMConfig
    from rampart.core.types import Turn

_REFUSED = "the chat model seems to have refused to write this message; it was sent as it is"


class LLMDriver:
    """Lets a language model in a role talk to the agent, turn after turn.

    The model is told its role, what to achieve and what was planted, and asked for the first message. From
    then on it is shown the latest turn as one JSON object, which it is told to take as untrusted data: the
    reply, without its middle if it is longer than 20,000 characters, the names of the tools that were called
    and, where the test has a stop condition, what that found. It is never told the content of what was
    planted. Registered secrets are blanked out.

    Its reply, stripped, is sent as it is, even if it sounds like a refusal to write one, which the turn's
    `driver_reasoning` then says. The driver never ends the conversation: the turn budget or a stop
    condition does. One driver holds one conversation, so make a new one for each trial. What its model
    consumes is counted under the role `driver`.

    Args:
        llm: The model, or the configuration of one, whose client is made when the first prompt is asked for.
        persona: The role; its `system_prompt` opens the instructions.
        objective: What the messages are to achieve.
        injections: What was planted; told are `id`, format and `metadata["description"]` of each.

    Raises:
        TypeError: If an argument has a wrong type.
    """

    def __init__(
        self,
        *,
        llm: LLMConfig | ChatModel,
        persona: Persona,
        objective: str | None = None,
        injections: list[Payload] | None = None,
    ) -> None:
        self._conversation = ModelConversation(
            owner="LLMDriver", llm=llm, instructions=_instructions(persona, objective, injections)
        )

    async def next_prompt_async(self, *, history: list[Turn]) -> PromptDecision:
        """What the model writes next; never None.

        A call that fails leaves the conversation as it was before.

        Raises:
            DriverError: If `history` is not that of this conversation (`state desync`), the model's call
                fails, or it writes nothing (`empty response`).
            ConfigurationError: If there is no client for the configuration.
        """
        with self._conversation.deciding(history):
            shown = json_data(turn_fields(history[-1])) if history else prompt_text("llm_driver_first")
            prompt = (await self._conversation.ask_async(shown)).strip()
            if not fold(prompt).strip():
                msg = (
                    f"LLMDriver: empty response: the chat model wrote no text for prompt {len(history) + 1}; "
                    "check its limit of tokens, and whether it refuses the objective"
                )
                raise DriverError(msg)
            self._conversation.keep(shown=shown, reply=prompt)
            return PromptDecision(
                request=Request(prompt=prompt), reasoning=_REFUSED if declines_to_write(prompt) else ""
            )


def _instructions(persona: object, objective: object, injections: object) -> str:
    if not isinstance(persona, Persona):
        msg = f"persona must be a Persona, got {type(persona).__name__}"
        raise TypeError(msg)
    if objective is not None and not isinstance(objective, str):
        msg = f"objective must be a str or None, got {type(objective).__name__}"
        raise TypeError(msg)
    sections = [persona.system_prompt.strip(), prompt_text("llm_driver_role")]
    if objective is not None and objective.strip():
        sections.append(prompt_text("llm_driver_objective", objective=objective.strip()))
    planted = _payloads(injections)
    if planted:
        entries = "\n".join(map(_entry, planted))
        sections.append(prompt_text("llm_driver_injections", injections=entries))
    sections.append(prompt_text("llm_driver_turns"))
    return "\n\n".join(section for section in sections if section)


def _payloads(injections: object) -> Sequence[Payload]:
    if injections is None:
        return ()
    if not isinstance(injections, list | tuple):
        msg = f"injections must be a list of Payload, got {type(injections).__name__}"
        raise TypeError(msg)
    items = cast("Sequence[object]", injections)
    for index, item in enumerate(items):
        if not isinstance(item, Payload):
            msg = f"injections[{index}] is of type {type(item).__name__}, expected a Payload"
            raise TypeError(msg)
    return cast("Sequence[Payload]", items)


def _entry(payload: Payload) -> str:
    """What the model is told of one planted payload; its content would be an instruction to the model too."""
    return json_data(
        {
            "id": payload.id,
            "format": payload.format.value,
            "description": safe_str(payload.metadata.get("description") or ""),
        }
    )
