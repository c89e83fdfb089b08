"""What pydantic-ai is sent: a conversation, and how the reply is to look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from rampart.text.encodable import encodable

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart
    from pydantic_ai.models import Model, ModelRequestParameters

    from rampart.core.llm import ChatMessage

SchemaUse = Literal["native", "prompted"]
"""`native`: the service holds the model to the schema; `prompted`: the schema is written into the prompt."""


def history_of(messages: list[ChatMessage]) -> list[ModelMessage]:
    """The conversation in pydantic-ai's form, in which all that stands between two replies is one request."""
    from pydantic_ai.messages import (  # noqa: PLC0415  # of an extra
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        UserPromptPart,
    )

    history: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    for message in messages:
        text = encodable(message.content)
        if message.role == "assistant":
            if parts:
                history.append(ModelRequest(parts=parts))
                parts = []
            history.append(ModelResponse(parts=[TextPart(content=text)]))
        elif message.role == "system":
            parts.append(SystemPromptPart(content=text))
        else:
            parts.append(UserPromptPart(content=text))
    if parts:
        history.append(ModelRequest(parts=parts))
    return history


def schema_use_of(model: Model[Any]) -> SchemaUse:
    """How a model is best held to a schema; one that only chooses among others does not tell."""
    try:
        is_native = model.profile.get("supports_json_schema_output", False)
    except NotImplementedError:
        is_native = False
    return "native" if is_native else "prompted"


def parameters_of(schema: dict[str, Any] | None, *, use: SchemaUse) -> ModelRequestParameters:
    """What is said about the reply."""
    from pydantic_ai.models import ModelRequestParameters  # noqa: PLC0415  # of an extra
    from pydantic_ai.output import OutputObjectDefinition  # noqa: PLC0415  # of an extra

    if schema is None:
        return ModelRequestParameters()
    wanted = OutputObjectDefinition(json_schema=schema, name="reply")
    return ModelRequestParameters(output_mode=use, output_object=wanted)
