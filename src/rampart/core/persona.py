"""Who a driver or a judge pretends to be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(kw_only=True)
class Persona:
    """A role for a language model.

    Attributes:
        name: What the role is called in reports.
        description: One line about it, for people.
        system_prompt: What the model is told about its role.
    """

    name: str
    description: str = ""
    system_prompt: str = ""
