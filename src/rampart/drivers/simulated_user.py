"""A driver that plays a user with a goal."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from rampart.core.prompt_driver import PromptDecision
from rampart.core.types import Request
from rampart.drivers._asked_for_json import ask_for_json_async
from rampart.drivers._model_conversation import ModelConversation
from rampart.drivers._prompt_files import prompt_text
from rampart.drivers._shown_turn import reply_fields
from rampart.drivers._user_instructions import user_instructions
from rampart.drivers._user_reply import read_user_reply, user_reply_schema
from rampart.drivers.conversation_end import ConversationEnd
from rampart.text.fold import fold
from rampart.text.json_data import json_data
from rampart.text.oneline import quote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rampart.core.llm import ChatModel, LLMConfig
    from rampart.core.persona import Persona
    from rampart.core.types import Turn
    from rampart.drivers._user_reply import UserReply

_LONGEST_REASON = 500


class SimulatedUser:
    """Plays a user who wants something of the agent, and ends the conversation when it is done or hopeless.

    Its model writes each message, with a status and a reason, as JSON; a reply that is none is asked for
    again, three attempts in all. It is shown what the agent says, as untrusted data and without the middle of
    a reply longer than 20,000 characters, and nothing else: no tools, and nothing that evaluators found.

    When it is satisfied or gives up, the conversation ends at once, without a farewell: a further turn would
    be the last one, by which some evaluators judge. That it is satisfied is what a model thinks, and moves no
    verdict; evaluators alone decide. `ended` tells why it ended, `driver_reasoning` of each turn why it sent
    that message.

    One user holds one conversation, so make a new one for each trial. What its model consumes is counted
    under the role `driver`.

    Args:
        llm: The model, or the configuration of one, whose client is made when the first prompt is asked for.
        goal: What the user wants, told to the model as it is.
        persona: Who the user is; its `system_prompt`, and where that is blank its `description`.
        facts: What the user knows, by name or as sentences. The model is told to give a fact when asked, and
            never to make one up.
        satisfied_when: When the user has what it wants; None leaves that to the goal.
        max_stalled_turns: How many messages in a row may only repeat earlier ones, as folded texts. One more
            is not sent, and the conversation ends as hopeless.

    Raises:
        TypeError: If an argument has a wrong type.
        ValueError: If `goal` or `satisfied_when` is blank, or `max_stalled_turns` negative.
    """

    def __init__(
        self,
        *,
        llm: LLMConfig | ChatModel,
        goal: str,
        persona: Persona | None = None,
        facts: Mapping[str, str] | Sequence[str] = (),
        satisfied_when: str | None = None,
        max_stalled_turns: int = 2,
    ) -> None:
        _check_count(max_stalled_turns)
        self._conversation = ModelConversation(
            owner="SimulatedUser",
            llm=llm,
            instructions=user_instructions(goal, persona, facts, satisfied_when),
        )
        self._max_stalled_turns = max_stalled_turns
        self._stalled_turns = 0
        self._said: set[str] = set()
        self._ended: ConversationEnd | None = None

    @property
    def ended(self) -> ConversationEnd | None:
        """Why it ended the conversation; None as long as it has not."""
        return self._ended

    @property
    def end_reason(self) -> str | None:
        """The same as text, for records."""
        return None if self._ended is None else str(self._ended)

    async def next_prompt_async(self, *, history: list[Turn]) -> PromptDecision | None:
        """What the user says next; None once it is satisfied or has given up.

        A call that fails leaves the conversation as it was before.

        Raises:
            DriverError: If `history` is not that of this conversation (`state desync`), the model's call
                fails, or it gives no valid reply.
            ConfigurationError: If there is no client for the configuration.
        """
        with self._conversation.deciding(history):
            if self._ended is not None:
                return None
            may_end = bool(history)
            if history:
                shown = json_data(reply_fields(history[-1].response))
            else:
                shown = prompt_text("simulated_user_first")
            reply = await ask_for_json_async(
                self._conversation,
                shown,
                owner="SimulatedUser",
                read=partial(read_user_reply, may_end=may_end),
                response_schema=user_reply_schema(may_end=may_end),
            )
            self._ended = self._end_by(reply)
            if self._ended is not None:
                return None
            self._conversation.keep(shown=shown, reply=json.dumps(asdict(reply), ensure_ascii=False))
            return PromptDecision(
                request=Request(prompt=reply.message), reasoning=quote(reply.reason, _LONGEST_REASON)
            )

    def _end_by(self, reply: UserReply) -> ConversationEnd | None:
        """Why the conversation ends with this reply, if it does."""
        if reply.status != "continue":
            return ConversationEnd(status=reply.status, reason=quote(reply.reason, _LONGEST_REASON))
        said = fold(reply.message).strip()
        self._stalled_turns = self._stalled_turns + 1 if said in self._said else 0
        self._said.add(said)
        if self._stalled_turns <= self._max_stalled_turns:
            return None
        times = f"{self._stalled_turns} messages" if self._stalled_turns > 1 else "a message"
        return ConversationEnd(
            status="hopeless",
            reason=f"the user would only repeat itself, for {times} in a row: {quote(reply.message, 200)!r}",
        )


def _check_count(count: object) -> None:
    if isinstance(count, bool) or not isinstance(count, int):
        msg = f"max_stalled_turns must be an int, got {type(count).__name__}"
        raise TypeError(msg)
    if count < 0:
        msg = f"max_stalled_turns must be at least 0, got {count}"
        raise ValueError(msg)
