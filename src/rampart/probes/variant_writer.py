"""Other ways to ask a question, written by a language model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.core.errors import ConfigurationError, DriverError, EmptyCompletionError
from rampart.core.llm import ChatMessage, admit_llm, chat_model_of
from rampart.core.result import check_count
from rampart.core.spending import UsageRole, ask_async
from rampart.probes.prompt_files import prompt_text
from rampart.probes.variant import Variant, VariantKind, checked_kind
from rampart.probes.variant_sieve import VariantSieve
from rampart.text.encodable import encodable
from rampart.text.json_data import json_data
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from rampart.core.llm import ChatModel, LLMConfig

REPLIES = 3
"""How often a model is asked for the variants of one kind before it is given up."""

_LONGEST_REPEATED = 4_000
_SCHEMA = {
    "type": "object",
    "properties": {"variants": {"type": "array", "items": {"type": "string"}}},
    "required": ["variants"],
    "additionalProperties": False,
}


@dataclass(frozen=True, kw_only=True)
class Variants:
    """Has a language model write a question anew.

    What it writes is valid only if it differs from the original and from all other variants after folding
    (case, width, white space, invisible characters), is not blank and not longer than ten times the original
    (2,000 characters are always allowed). Whether the meaning stayed is for `keeps_meaning` to say, or for
    whoever reads the variants in the result. What is missing is asked for again, with three requests in all.

    Attributes:
        llm: The language model; what it consumes counts as `driver`.
        kinds: Which kinds to write.
        count: How many of each kind; of `language` one a language.
        languages: The languages for the kind `language`, by their English names.
        keeps_meaning: Told the original and a variant, sync or async; a variant for which it returns False is
            not used.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If a kind is unknown, a number out of range, or a list empty.
    """

    llm: LLMConfig | ChatModel
    kinds: Sequence[VariantKind | str] = (VariantKind.PARAPHRASE,)
    count: int = 3
    languages: Sequence[str] = ("German", "Spanish", "Japanese")
    keeps_meaning: Callable[[str, Variant], bool | Awaitable[bool]] | None = None

    def __post_init__(self) -> None:
        """Check everything before any model is asked."""
        admit_llm(self.llm)
        kinds = tuple(dict.fromkeys(map(checked_kind, _listed(self.kinds, "kinds"))))
        languages = tuple(dict.fromkeys(_listed(self.languages, "languages")))
        check_count(self.count, name="count")
        for language in languages:
            if not isinstance(language, str) or not language.strip():
                msg = f"languages must be names such as 'German', got {language!r}"
                raise TypeError(msg)
        if self.keeps_meaning is not None and not callable(self.keeps_meaning):
            msg = (
                "keeps_meaning must be a function of the original and a Variant, "
                f"got {type(self.keeps_meaning).__name__}"
            )
            raise TypeError(msg)
        object.__setattr__(self, "kinds", kinds)
        object.__setattr__(self, "languages", languages)

    async def write_async(self, *, prompt: str) -> list[Variant]:
        """Have the variants of a question written, for a look at them, or for tests that repeat exactly.

        Args:
            prompt: The question.

        Raises:
            ValueError: If `prompt` is blank.
            DriverError: If the model fails, or has not written enough valid variants after three requests.
        """
        if not prompt.strip():
            msg = "prompt is blank, so there is nothing to write anew"
            raise ValueError(msg)
        found: list[Variant] = []
        for kind, language, count in self.jobs():
            found += await self.write_one_kind_async(
                prompt, kind=kind, language=language, count=count, others=found
            )
        return found

    def jobs(self) -> list[tuple[VariantKind, str | None, int]]:
        """What is to be written: kind, language and number."""
        found: list[tuple[VariantKind, str | None, int]] = []
        for kind in map(VariantKind, self.kinds):
            if kind is VariantKind.LANGUAGE:
                found += [(kind, language, 1) for language in self.languages]
            else:
                found.append((kind, None, self.count))
        return found

    async def write_one_kind_async(
        self,
        prompt: str,
        *,
        kind: VariantKind,
        language: str | None,
        count: int,
        others: Sequence[Variant] = (),
    ) -> list[Variant]:
        """Have the variants of one kind written; see `write_async`.

        Args:
            prompt: The question.
            kind: The kind.
            language: The language, for the kind `language`.
            count: How many.
            others: Variants there are already.
        """
        sieve = VariantSieve(
            prompt, kind=kind, language=language, others=others, keeps_meaning=self.keeps_meaning
        )
        messages = _messages(prompt, kind, language, count, others)
        reply = ""
        for _ in range(REPLIES):
            reply = await self._reply_async(messages)
            await sieve.take_async(reply, count)
            if len(sieve.found) == count:
                return sieve.found
            missing = count - len(sieve.found)
            again = prompt_text("invalid_variants", problem=sieve.problem, count=str(missing))
            said = encodable(reply.strip()[:_LONGEST_REPEATED]) or "(nothing)"
            messages = [
                *messages[:2],
                ChatMessage(role="assistant", content=said),
                ChatMessage(role="user", content=again),
            ]
        last = f"; the last reply was {quote(reply, 200)!r}" if reply.strip() else ""
        msg = (
            f"Variants: the model wrote {len(sieve.found)} of {count} valid variants of kind {kind} in "
            f"{REPLIES} replies: {sieve.problem}{last}"
        )
        raise DriverError(msg)

    async def _reply_async(self, messages: list[ChatMessage]) -> str:
        try:
            completion = await ask_async(
                chat_model_of(self.llm), role=UsageRole.DRIVER, messages=messages, response_schema=_SCHEMA
            )
        except EmptyCompletionError:
            return ""
        except ConfigurationError:
            raise
        except Exception as error:
            msg = f"Variants: the model failed: {type(error).__name__}: {quote(safe_str(error))}"
            raise DriverError(msg) from error
        text: object = getattr(completion, "text", None)
        return text if isinstance(text, str) else ""


def _messages(
    prompt: str, kind: VariantKind, language: str | None, count: int, others: Sequence[Variant]
) -> list[ChatMessage]:
    told: dict[str, Any] = {"question": prompt, "count": count}
    if language is not None:
        told["language"] = language
    if others:
        told["not_again"] = [one.prompt for one in others if one.kind is kind]
    task = prompt_text(f"kind_{kind}")
    return [
        ChatMessage(role="system", content=prompt_text("write_variants", task=task)),
        ChatMessage(role="user", content=json_data(told)),
    ]


def _listed(given: object, name: str) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        msg = f"{name} must be a list of texts, got {type(given).__name__}"
        raise TypeError(msg)
    items = list(given)
    if not items:
        msg = f"{name} is empty"
        raise ValueError(msg)
    return items
