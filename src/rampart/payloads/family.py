"""A technique of the library, and its variants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.core.types import PayloadFormat

PARAMETERS = ("goal", "tool", "address")
"""What a tester can state, in the order of the signature."""


@dataclass(frozen=True, kw_only=True)
class PayloadVariant:
    """One wording of a technique.

    Attributes:
        id: Its name within the family.
        texts: For each language its parts, with placeholders; most have one part.
        parameters: What it needs to be told, in the order of `PARAMETERS`.
        placements: Where it makes sense.
        format: The format of its payloads.
        encodings: The encodings in it, by name.
    """

    id: str
    texts: Mapping[str, tuple[str, ...]]
    parameters: tuple[str, ...]
    placements: tuple[str, ...]
    format: PayloadFormat
    encodings: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PayloadFamily:
    """One technique of injecting instructions.

    Attributes:
        id: Its name in code, such as `authority_note`.
        name: Its name for people.
        description: What it does, in a sentence or two.
        owasp_llm: Risks of the OWASP Top 10 for LLM Applications 2025.
        owasp_agentic: Risks of the OWASP Top 10 for Agentic Applications 2026.
        atlas: Techniques of MITRE ATLAS.
        variants: Its wordings.
        phrases: Pieces of text by name and language that its variants share.
    """

    id: str
    name: str
    description: str
    owasp_llm: tuple[str, ...]
    owasp_agentic: tuple[str, ...]
    atlas: tuple[str, ...]
    variants: tuple[PayloadVariant, ...]
    phrases: Mapping[str, Mapping[str, str]] = field(repr=False)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages in which there is a variant."""
        return tuple(dict.fromkeys(language for one in self.variants for language in one.texts))

    @property
    def placements(self) -> tuple[str, ...]:
        """The places in which a variant makes sense."""
        return tuple(dict.fromkeys(place for one in self.variants for place in one.placements))

    @property
    def formats(self) -> tuple[PayloadFormat, ...]:
        """The formats of its payloads."""
        return tuple(dict.fromkeys(one.format for one in self.variants))

    @property
    def encodings(self) -> tuple[str, ...]:
        """The encodings that variants apply."""
        return tuple(dict.fromkeys(name for one in self.variants for name in one.encodings))

    @property
    def parameters(self) -> tuple[str, ...]:
        """What some variant has to be told."""
        return tuple(name for name in PARAMETERS if any(name in one.parameters for one in self.variants))

    @property
    def needs(self) -> tuple[str, ...]:
        """What every variant has to be told, so that without it the family has no payload."""
        return tuple(name for name in PARAMETERS if all(name in one.parameters for one in self.variants))
