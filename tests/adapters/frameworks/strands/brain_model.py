"""A model of Strands that does what the brain says."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from strands.models import Model
from strands.types.exceptions import ModelThrottledException
from tests.adapters.frameworks.brain import INPUT_TOKENS, OUTPUT_TOKENS, Ask, Calls, Fail, Hang, next_step


class StatusError(Exception):
    """As a provider's client raises."""

    def __init__(self, status_code: int) -> None:
        super().__init__(f"status {status_code}")
        self.status_code = status_code


class BrainModel(Model):  # type: ignore[misc]  # untyped where development happens
    """Yields the stream events that Strands has in common with Bedrock."""

    counts = True

    def update_config(self, **_: Any) -> None:
        """Nothing to configure."""

    def get_config(self) -> dict[str, Any]:
        """Nothing is configured."""
        return {}

    async def structured_output(self, *_: Any, **__: Any) -> AsyncGenerator[dict[str, Any], None]:
        """Not asked for."""
        raise NotImplementedError
        yield {}

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncGenerator[Any, None]:
        """Say the next step."""
        step = next_step(*_conversation(messages))
        if isinstance(step, Fail):
            raise ModelThrottledException("slow down") if step.status == 429 else StatusError(step.status)
        if isinstance(step, Hang):
            await asyncio.Event().wait()
            return
        yield {"messageStart": {"role": "assistant"}}
        for event in _blocks(step):
            yield event
        yield {"messageStop": {"stopReason": "tool_use" if isinstance(step, Calls) else "end_turn"}}
        if self.counts:
            total = INPUT_TOKENS + OUTPUT_TOKENS
            usage = {"inputTokens": INPUT_TOKENS, "outputTokens": OUTPUT_TOKENS, "totalTokens": total}
            yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}


def _blocks(step: Any) -> list[dict[str, Any]]:
    if not isinstance(step, Calls):
        return [{"contentBlockDelta": {"delta": {"text": step.text}}}, {"contentBlockStop": {}}]
    return [event for ask in step.asked for event in _tool_use(ask)]


def _tool_use(ask: Ask) -> list[dict[str, Any]]:
    text = ask.arguments if isinstance(ask.arguments, str) else json.dumps(ask.arguments)
    return [
        {"contentBlockStart": {"start": {"toolUse": {"name": ask.name, "toolUseId": ask.id}}}},
        {"contentBlockDelta": {"delta": {"toolUse": {"input": text}}}},
        {"contentBlockStop": {}},
    ]


def _conversation(messages: Any) -> tuple[list[str], list[object]]:
    prompts: list[str] = []
    results: list[object] = []
    for message in messages:
        for block in message["content"]:
            if message["role"] == "user" and "text" in block:
                prompts.append(block["text"])
                results = []
            if "toolResult" in block:
                results.append(block["toolResult"]["content"][0].get("text"))
    return prompts, results
