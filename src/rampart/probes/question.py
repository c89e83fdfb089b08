"""A question and the ways to ask it that need no language model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rampart.probes.variant import Variant, VariantKind

PLACE_OF_FACTS = "{facts}"


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question as it is asked first, and the variants that are known beforehand.

    Attributes:
        prompt: The question, its facts filled in.
        variants: Other ways to ask it, all different.
    """

    prompt: str
    variants: tuple[Variant, ...]


def question_of(
    prompt: object, *, variants: object = None, facts: object = None, irrelevant: object = None
) -> Question:
    """Put a question together.

    Args:
        prompt: The question; with facts it holds `{facts}` where they go, one a line.
        variants: Other ways to ask it, written by the user; `{facts}` is filled in them too.
        facts: What the question rests on, in an order that must not matter: it is asked with the facts from
            the last to the first, and with the second half first.
        irrelevant: Sentences without any bearing on the answer: each is put before and behind the question.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument is blank, a variant is the original or given twice, or facts and their
            place do not go together.
    """
    if not isinstance(prompt, str):
        msg = f"prompt must be a text, got {type(prompt).__name__}"
        raise TypeError(msg)
    if not prompt.strip():
        msg = "prompt is blank, so nothing would be asked"
        raise ValueError(msg)
    known = _texts(facts, "facts")
    _check_facts(prompt, known, given=facts is not None)
    original = _filled(prompt, known)
    found = [
        *_given(variants, known),
        *_reordered(prompt, known),
        *_with_irrelevant(original, _texts(irrelevant, "irrelevant")),
    ]
    _check_different(original, found)
    return Question(prompt=original, variants=tuple(found))


def _check_facts(prompt: str, facts: list[str], *, given: bool) -> None:
    if given and PLACE_OF_FACTS not in prompt:
        msg = f"facts are given, and prompt has no {PLACE_OF_FACTS} to say where they go"
        raise ValueError(msg)
    if not given and PLACE_OF_FACTS in prompt:
        msg = f"prompt holds {PLACE_OF_FACTS}, and no facts are given: pass facts=[...]"
        raise ValueError(msg)
    if given and len(set(facts)) < 2:
        msg = f"facts must hold at least two different ones, so that their order can change, got {facts!r}"
        raise ValueError(msg)


def _filled(prompt: str, facts: list[str]) -> str:
    return prompt.replace(PLACE_OF_FACTS, "\n".join(facts)) if facts else prompt


def _given(variants: object, facts: list[str]) -> list[Variant]:
    found = []
    for position, one in enumerate(_items(variants, "variants", "of texts or Variants")):
        if isinstance(one, Variant):
            found.append(one)
        elif isinstance(one, str):
            if not one.strip():
                msg = f"variants[{position}] is blank; write the question in other words"
                raise ValueError(msg)
            found.append(Variant(prompt=_filled(one, facts)))
        else:
            msg = f"variants[{position}] must be a text or a Variant, got {type(one).__name__}"
            raise TypeError(msg)
    return found


def _reordered(prompt: str, facts: list[str]) -> list[Variant]:
    half = len(facts) // 2
    orders = {
        tuple(order): None
        for order in (facts[::-1], [*facts[half:], *facts[:half]])
        if order != facts  # such as facts that read the same backwards
    }
    return [
        Variant(prompt=_filled(prompt, list(order)), kind=VariantKind.REORDERED) for order in orders if order
    ]


def _with_irrelevant(original: str, sentences: list[str]) -> list[Variant]:
    return [
        Variant(prompt=text, kind=VariantKind.IRRELEVANT_CONTEXT)
        for sentence in sentences
        for text in (f"{sentence}\n\n{original}", f"{original}\n\n{sentence}")
    ]


def _check_different(original: str, variants: list[Variant]) -> None:
    seen = {original}
    for variant in variants:
        if variant.prompt == original:
            msg = f"a variant of kind {variant.kind} is the original prompt itself: {original[:80]!r}"
            raise ValueError(msg)
        if variant.prompt in seen:
            msg = f"a variant of kind {variant.kind} is there twice: {variant.prompt[:80]!r}"
            raise ValueError(msg)
        seen.add(variant.prompt)


def _texts(given: object, name: str) -> list[str]:
    texts = []
    for position, text in enumerate(_items(given, name, "of texts")):
        if not isinstance(text, str):
            msg = f"{name}[{position}] must be a text, got {type(text).__name__}"
            raise TypeError(msg)
        if not text.strip():
            msg = f"{name}[{position}] is blank"
            raise ValueError(msg)
        texts.append(text)
    return texts


def _items(given: object, name: str, of_what: str) -> list[object]:
    if given is None:
        return []
    if isinstance(given, str) or not isinstance(given, Iterable):
        msg = f"{name} must be a list {of_what}, got {type(given).__name__}"
        raise TypeError(msg)
    return list(given)
