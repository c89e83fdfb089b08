"""Roles for language models."""

from tests.core.support import REQUIRED, field_table

from rampart.core.persona import Persona


def test_fields() -> None:
    assert field_table(Persona) == {"name": REQUIRED, "description": "", "system_prompt": ""}
