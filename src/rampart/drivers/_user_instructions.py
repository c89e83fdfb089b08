"""What the model of a simulated user is told about its part."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from rampart.core.persona import Persona
from rampart.drivers._prompt_files import prompt_text

if TYPE_CHECKING:
    from collections.abc import Sequence


def user_instructions(goal: object, persona: object, facts: object, satisfied_when: object) -> str:
    """The system prompt; for the arguments see `SimulatedUser`.

    Raises:
        TypeError: If an argument has a wrong type.
        ValueError: If `goal` or `satisfied_when` is blank.
    """
    wanted = _filled(goal, "goal", "what the user wants")
    sections = [prompt_text("simulated_user_role", goal=wanted)]
    described = _described(persona)
    if described:
        sections.append(prompt_text("simulated_user_persona", persona=described))
    known = _known(facts)
    if known:
        sections.append(
            prompt_text("simulated_user_facts", facts=json.dumps(known, ensure_ascii=False, indent=1))
        )
    else:
        sections.append(prompt_text("simulated_user_no_facts"))
    if satisfied_when is not None:
        when = _filled(satisfied_when, "satisfied_when", "when the user is satisfied, or None")
        sections.append(prompt_text("simulated_user_satisfied", satisfied_when=when))
    sections.append(prompt_text("simulated_user_replies"))
    return "\n\n".join(sections)


def _described(persona: object) -> str:
    if persona is None:
        return ""
    if not isinstance(persona, Persona):
        msg = f"persona must be a Persona or None, got {type(persona).__name__}"
        raise TypeError(msg)
    return persona.system_prompt.strip() or persona.description.strip()


def _filled(value: object, name: str, meaning: str) -> str:
    if not isinstance(value, str):
        msg = f"{name} must be a str that says {meaning}, got {type(value).__name__}"
        raise TypeError(msg)
    if not value.strip():
        msg = f"{name} is blank; say {meaning}"
        raise ValueError(msg)
    return value.strip()


def _known(facts: object) -> dict[str, str] | list[str]:
    """A copy of the facts; each a str, so that the model is told exactly what the test says."""
    if isinstance(facts, Mapping):
        pairs = cast("Mapping[object, object]", facts)
        return {
            _fact(name, "a name in facts"): _fact(value, f"facts[{name!r}]") for name, value in pairs.items()
        }
    if isinstance(facts, list | tuple):
        items = cast("Sequence[object]", facts)
        return [_fact(item, f"facts[{index}]") for index, item in enumerate(items)]
    msg = f"facts must be a dict or a list of str, got {type(facts).__name__}"
    raise TypeError(msg)


def _fact(value: object, place: str) -> str:
    if not isinstance(value, str):
        msg = f"{place} is of type {type(value).__name__}, expected a str"
        raise TypeError(msg)
    return value
