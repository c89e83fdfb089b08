"""Traces for the tests of evaluators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.core.evaluation import EvalContext, EvalOutcome, EvalResult
from rampart.core.manifest import AppManifest, ToolDeclaration
from rampart.core.result import SafetyStatus, resolve_attack_verdict, resolve_probe_verdict
from rampart.core.types import ObservabilityLevel, Request, Response, SideEffect, ToolCall, Turn

if TYPE_CHECKING:
    from rampart.core.evaluator import Evaluator

FULL = ObservabilityLevel.TOOL_AND_SIDE_EFFECTS
TOOLS = ObservabilityLevel.TOOL_ONLY
TEXT = ObservabilityLevel.RESPONSE_ONLY

DETECTED = EvalOutcome.DETECTED
NOT_DETECTED = EvalOutcome.NOT_DETECTED
UNDETERMINED = EvalOutcome.UNDETERMINED


def called(name: str, **arguments: object) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)


def effect(kind: str, **details: object) -> SideEffect:
    return SideEffect(kind=kind, details=details)


def reply(
    text: str = "", *, calls: list[ToolCall] | None = None, effects: list[SideEffect] | None = None
) -> Response:
    return Response(text=text, tool_calls=calls or [], side_effects=effects or [])


def turns_of(*replies: str | Response) -> list[Turn]:
    return [
        Turn(
            request=Request(prompt="go on"),
            response=Response(text=one) if isinstance(one, str) else one,
            turn_number=number,
        )
        for number, one in enumerate(replies)
    ]


def trace(
    *replies: str | Response,
    level: ObservabilityLevel = FULL,
    tools: list[str] | dict[str, dict[str, Any]] | None = None,
) -> EvalContext:
    """A trace of an agent that declares tools, by name or by name with their parameters."""
    parameters = tools if isinstance(tools, dict) else {name: {} for name in tools or []}
    declared = [ToolDeclaration(name=name, parameters=types) for name, types in parameters.items()]
    manifest = AppManifest(name="mail agent", tools=declared)
    return EvalContext(
        turns=turns_of(*replies), observability_level=level, manifest=None if tools is None else manifest
    )


async def evaluate(evaluator: Evaluator, *replies: str | Response) -> EvalResult:
    return await evaluator.evaluate_async(context=trace(*replies))


async def outcome(evaluator: Evaluator, *replies: str | Response) -> EvalOutcome:
    return (await evaluate(evaluator, *replies)).outcome


async def attack(evaluator: Evaluator, *replies: str | Response) -> SafetyStatus:
    return resolve_attack_verdict(evaluation=await evaluate(evaluator, *replies))


async def probe(evaluator: Evaluator, *replies: str | Response) -> SafetyStatus:
    return resolve_probe_verdict(evaluation=await evaluate(evaluator, *replies))
