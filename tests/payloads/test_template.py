"""Orders for payloads, and their placeholders."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.support import REQUIRED, field_table

from rampart.payloads import PayloadTemplate

TEMPLATE = PayloadTemplate(
    name="mail",
    description="A mail with an order in it.",
    objective="The agent sends a file.",
    instruction="Write a mail from {sender} about {topic}.",
    variables={"sender": "Ann"},
)


def test_fields() -> None:
    assert field_table(PayloadTemplate) == {
        "name": REQUIRED,
        "description": REQUIRED,
        "objective": REQUIRED,
        "instruction": REQUIRED,
        "variables": {},
    }


def test_fields_have_names() -> None:
    with pytest.raises(TypeError, match="positional"):
        PayloadTemplate("mail", "d", "o", "i")  # type: ignore[call-arg]  # what a user may try


def test_variables_are_added_and_replaced_in_a_copy() -> None:
    changed = TEMPLATE.with_variables(sender="Bob", topic="rent", self="x")
    assert changed.variables == {"sender": "Bob", "topic": "rent", "self": "x"}
    assert (changed.name, changed.instruction) == (TEMPLATE.name, TEMPLATE.instruction)
    assert TEMPLATE.variables == {"sender": "Ann"}
    changed.variables["sender"] = "Cid"
    assert TEMPLATE.variables == {"sender": "Ann"}


def test_the_instruction_is_filled_in() -> None:
    assert TEMPLATE.with_variables(topic="{sender}").resolve() == "Write a mail from Ann about {sender}."


def test_a_placeholder_without_a_variable_is_an_error() -> None:
    with pytest.raises(KeyError, match="topic"):
        TEMPLATE.resolve()


@pytest.mark.parametrize("unused", [{}, {"nobody": "asks"}], ids=["none", "unused"])
def test_variables_nobody_asks_for_do_no_harm(unused: dict[str, Any]) -> None:
    assert TEMPLATE.with_variables(topic="rent", **unused).resolve() == "Write a mail from Ann about rent."
