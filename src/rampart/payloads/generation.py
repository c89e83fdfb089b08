"""Payloads written by a language model."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from rampart.core.admission import admit
from rampart.core.errors import EmptyCompletionError
from rampart.core.llm import ChatMessage, ChatModel, LLMConfig, chat_model_of
from rampart.core.spending import UsageRole, ask_async
from rampart.core.types import Payload
from rampart.text.prompt_file import prompt_text

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Sequence

    from rampart.core.converter import PayloadConverter
    from rampart.core.manifest import AppManifest
    from rampart.core.persona import Persona
    from rampart.payloads.template import PayloadTemplate

T = TypeVar("T")


async def generate_async(
    *,
    template: PayloadTemplate,
    llm: LLMConfig | ChatModel,
    persona: Persona,
    manifest: AppManifest | None,
    converters: Iterable[PayloadConverter] | None,
    count: int,
) -> list[Payload]:
    """See `Payloads.generate_async`."""
    if count < 1:
        msg = f"count must be >= 1, got {count}"
        raise ValueError(msg)
    chain = list(converters or ())
    for converter in chain:
        admit(converter, members=("convert_async",), role="converter")
    messages = _messages(template, persona, manifest)
    model = chat_model_of(llm)
    base = await _all_async(
        [_written_async(model, messages, template, persona, index) for index in range(count)]
    )
    if not chain:
        return base
    return base + [await _converted_async(payload, chain) for payload in base]


def _messages(template: PayloadTemplate, persona: Persona, manifest: AppManifest | None) -> list[ChatMessage]:
    sections = [f"OBJECTIVE: {template.objective}", f"INSTRUCTION:\n{template.resolve()}"]
    if manifest is not None:
        sections.append(str(manifest))
    sections.append(prompt_text("rampart.payloads", "content_only"))
    return [
        ChatMessage(role="system", content=persona.system_prompt),
        ChatMessage(role="user", content="\n\n".join(sections)),
    ]


async def _written_async(
    model: ChatModel, messages: list[ChatMessage], template: PayloadTemplate, persona: Persona, index: int
) -> Payload:
    completion = await ask_async(model, role=UsageRole.ATTACKER, messages=list(messages))
    content = completion.text.strip()
    if not content:
        # Planted, it would prove nothing, and every agent would pass.
        msg = f"the model wrote nothing for variant {index} of template {template.name!r}; ask it again"
        raise EmptyCompletionError(msg)
    return Payload(
        content=content,
        metadata={
            "template": template.name,
            "persona": persona.name,
            "objective": template.objective,
            "variant_index": index,
        },
    )


async def _converted_async(payload: Payload, chain: Sequence[PayloadConverter]) -> Payload:
    converted = replace(payload, metadata=deepcopy(payload.metadata))
    for converter in chain:
        converted = await converter.convert_async(payload=converted)
    return converted


async def _all_async(calls: Sequence[Coroutine[object, object, T]]) -> list[T]:
    """Run all calls at once; the first failure ends the others and is raised as it is, in no group."""
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        failed = next((task for task in tasks if task in done and _failure(task) is not None), None)
        if failed is not None:
            await failed
        return [task.result() for task in tasks]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _failure(task: asyncio.Future[T]) -> BaseException | None:
    return asyncio.CancelledError() if task.cancelled() else task.exception()
