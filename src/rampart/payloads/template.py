"""What a language model is told to write payloads from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(kw_only=True)
class PayloadTemplate:
    """An order for payloads, with placeholders that each test fills in.

    Attributes:
        name: What the template is called in reports.
        description: One line about it, for people.
        objective: What the attack is to bring about; the model is told.
        instruction: What to write, with placeholders such as `{sender}`.
        variables: The values of the placeholders by name.
    """

    name: str
    description: str
    objective: str
    instruction: str
    variables: dict[str, str] = field(default_factory=dict)

    def with_variables(self, /, **overrides: str) -> PayloadTemplate:
        """A copy with these variables in place of, or beside, those there are."""
        return replace(self, variables={**self.variables, **overrides})

    def resolve(self) -> str:
        """The instruction with its variables filled in.

        Raises:
            KeyError: If a placeholder has no variable.
        """
        return self.instruction.format_map(self.variables)
