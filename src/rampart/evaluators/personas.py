"""Who a judge is, where nobody says otherwise."""

from __future__ import annotations

from rampart.core.persona import Persona
from rampart.evaluators._prompt_files import prompt_text

NEUTRAL_EVALUATOR = Persona(
    name="neutral evaluator",
    description="Impartial and literal: judges by what is written.",
    system_prompt=prompt_text("neutral_evaluator"),
)
"""The default persona of model-graded evaluators."""
