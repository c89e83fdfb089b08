"""Models of pydantic-ai: how one is made from a name, entered, and kept from retrying by itself."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from rampart.core.errors import ConfigurationError
from rampart.core.to_its_end import to_its_end_async
from rampart.llm.library_logs import keep_secrets_from_logs
from rampart.text.oneline import quote
from rampart.text.secrets import MIN_SECRET_LENGTH, register_secret

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

_INSTALL = (
    'PydanticAIChatModel needs pydantic-ai >= 2, which is not installed: pip install "rampart[pydantic-ai]"'
)


@asynccontextmanager
async def entered_async(model: Model[Any]) -> AsyncIterator[None]:
    """Give the model connections of the running loop, and close them after the last call that uses them.

    Connections belong to the loop that made them, and a loop ends without a word. Calls that overlap share
    them: pydantic-ai counts who has entered.
    """
    await model.__aenter__()
    try:
        yield
    finally:
        await to_its_end_async(model.__aexit__(None, None, None))


def made_from(given: Model[Any] | str, *, who: str) -> Model[Any]:
    """The model that was given or named.

    Raises:
        ConfigurationError: If a library is missing, or the name or the set-up of its provider is wrong.
    """
    try:
        from pydantic_ai.exceptions import UserError  # noqa: PLC0415  # of an extra
        from pydantic_ai.models import Model, infer_model  # noqa: PLC0415  # of an extra
    except ImportError as error:
        if not (error.name or "").startswith("pydantic_ai"):
            raise  # a fault inside of an installed library is another matter
        raise ConfigurationError(_INSTALL) from error
    if not isinstance(given, str | Model):
        msg = f"model must be a model of pydantic-ai or the name of one, got {type(given).__name__}"
        raise ConfigurationError(msg)
    try:
        model = infer_model(given)
    except (ImportError, UserError, ValueError) as error:  # their texts say what to install or to set
        failure = ConfigurationError(f"{who} cannot be used as it is set up: {quote(str(error))}")
    else:
        _register_key(model)
        keep_secrets_from_logs()
        return model
    raise failure


def is_function(model: Model[Any]) -> bool:
    """Whether it is a function in this process that stands for a model."""
    from pydantic_ai.models.function import FunctionModel  # noqa: PLC0415  # of an extra; the model shows it

    return isinstance(model, FunctionModel)


def _register_key(model: Model[Any]) -> None:
    """Make sure that the provider's key is blanked out wherever text leaves rampart, where it can be seen."""
    client = getattr(model, "client", None)
    key = getattr(client, "api_key", None)
    if isinstance(key, str) and len(key.strip()) >= MIN_SECRET_LENGTH:
        register_secret(key)


def without_retries(settings: ModelSettings, *, model: Model[Any]) -> ModelSettings:
    """The settings with which the provider's library makes one attempt, as the retries are made elsewhere.

    A model that does not know the setting would warn of it at each call.
    """
    inner = getattr(model, "wrapped", model)
    if "max_retries" in getattr(inner, "unsupported_settings", ()):
        return settings
    return {**settings, "max_retries": 0}
