"""The same question in other words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class VariantKind(StrEnum):
    """In which way a question was changed."""

    PARAPHRASE = "paraphrase"
    REORDERED = "reordered"
    IRRELEVANT_CONTEXT = "irrelevant_context"
    LANGUAGE = "language"


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One other way to ask a question.

    Attributes:
        prompt: What the agent is asked.
        kind: In which way it differs from the original.
        language: The language it is written in, where that is what differs.
        generated: Whether a language model wrote it.

    Raises:
        TypeError: If a field has the wrong type.
        ValueError: If `prompt` is blank, or `kind` is none of `VariantKind`.
    """

    prompt: str
    kind: VariantKind | str = VariantKind.PARAPHRASE
    language: str | None = None
    generated: bool = False

    def __post_init__(self) -> None:
        """Check the fields."""
        if not isinstance(self.prompt, str):
            msg = f"the prompt of a variant must be a text, got {type(self.prompt).__name__}"
            raise TypeError(msg)
        if not self.prompt.strip():
            msg = "the prompt of a variant is blank; write the question in other words"
            raise ValueError(msg)
        object.__setattr__(self, "kind", checked_kind(self.kind))

    def as_metadata(self) -> dict[str, object]:
        """What an attempt tells of it."""
        facts: dict[str, object] = {"kind": str(self.kind), "prompt": self.prompt}
        if self.language is not None:
            facts["language"] = self.language
        return facts | ({"generated": True} if self.generated else {})

    def named(self) -> str:
        """What it is called in a summary."""
        return str(self.kind) if self.language is None else f"{self.kind} {self.language}"


def checked_kind(kind: object) -> VariantKind:
    """`kind` as one of the kinds there are.

    Raises:
        ValueError: If it is none.
    """
    for one in VariantKind:
        if kind == one:
            return one
    known = ", ".join(repr(str(one)) for one in VariantKind)
    msg = f"{kind!r} is no kind of variant; there are {known}"
    raise ValueError(msg)
