"""The brain as a script of a gateway, and the loops of agents that have no framework."""

import json
import math
from typing import Any

from tests.adapters.frameworks.brain import INPUT_TOKENS, OUTPUT_TOKENS, TOOLS, Calls, Fail, Hang, next_step

from rampart import ToolCall, Usage
from rampart.servers.llm_gateway import GatewayFailure, GatewayReply, GatewayRequest

USAGE = Usage(input_tokens=INPUT_TOKENS, output_tokens=OUTPUT_TOKENS)
TOOL_BY_NAME = {tool.__name__: tool for tool in TOOLS}
_STRING = {"type": "string"}
_PROPERTIES: dict[str, dict[str, Any]] = {
    "send_email": {"to": _STRING},
    "lookup": {"word": _STRING},
    "place_order": {
        "lines": {"type": "array", "items": _STRING},
        "note": {"type": "object", "additionalProperties": {"type": "boolean"}},
    },
    "explode": {"reason": _STRING},
}
SCHEMAS = {
    name: {"type": "object", "properties": properties, "required": list(properties)}
    for name, properties in _PROPERTIES.items()
}
CHAT_TOOLS: list[Any] = [
    {"type": "function", "function": {"name": name, "description": "A tool.", "parameters": schema}}
    for name, schema in SCHEMAS.items()
]
RESPONSES_TOOLS: list[Any] = [
    {"type": "function", "name": name, "description": "A tool.", "parameters": schema, "strict": False}
    for name, schema in SCHEMAS.items()
]
ANTHROPIC_TOOLS: list[Any] = [
    {"name": name, "description": "A tool.", "input_schema": schema} for name, schema in SCHEMAS.items()
]


def brain_script(request: GatewayRequest) -> GatewayReply | GatewayFailure:
    """What the brain says."""
    step = next_step(request.prompts, request.results)
    if isinstance(step, Fail):
        return GatewayFailure(status=step.status, message="so the brain decided")
    if isinstance(step, Hang):
        return GatewayReply(delay_s=math.inf)
    if isinstance(step, Calls):
        calls = [
            ToolCall(name=ask.name, arguments=ask.arguments, id=ask.id)  # type: ignore[arg-type]  # text too
            for ask in step.asked
        ]
        return GatewayReply(tool_calls=calls, usage=USAGE)
    return GatewayReply(text=step.text, usage=USAGE)


def run_tool(name: str, arguments: object) -> tuple[str, bool]:
    """What a careful loop tells the model of a call, and whether it failed."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            return f"Error: the arguments are no JSON: {error}", True
    if name not in TOOL_BY_NAME:
        return f"Error: there is no tool named {name}", True
    assert isinstance(arguments, dict)
    try:
        return TOOL_BY_NAME[name](**arguments), False
    except Exception as error:
        return f"Error: {type(error).__name__}: {error}", True
