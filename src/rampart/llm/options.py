"""What the metadata of a configuration says about the calls."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rampart.core.errors import ConfigurationError
from rampart.core.log import log
from rampart.llm.learned import is_news
from rampart.text.oneline import quote
from rampart.text.safe import safe_repr

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rampart.core.llm import LLMConfig

SENT = (
    "frequency_penalty",
    "max_completion_tokens",
    "max_tokens",
    "presence_penalty",
    "seed",
    "temperature",
    "top_p",
)
READ = ("api_version", "timeout_s")
# With the default limit of a turn, 120 s, the error that a silent model causes still names the model.
DEFAULT_TIMEOUT_S = 90.0
_LARGEST = sys.float_info.max  # ints can lie beyond it


@dataclass(frozen=True, kw_only=True)
class CallOptions:
    """How calls are made.

    Attributes:
        sampling: Fields of the request, by their names in the protocol.
        timeout_s: Seconds that the model may take for one answer.
    """

    sampling: Mapping[str, Any]
    timeout_s: float


def call_options(config: LLMConfig) -> CallOptions:
    """Check what is sent along with each call; keys that mean nothing here are named in a log warning.

    Raises:
        ConfigurationError: If a value is no number.
    """
    others = sorted(quote(str(key), limit=60) for key in config.metadata if key not in {*SENT, *READ})
    if others and is_news("options", config.model, *others):
        log.warning(
            "LLMConfig(model=%r): the metadata keys %s are not sent; these are: %s",
            config.model,
            ", ".join(others),
            ", ".join(SENT),
        )
    sampling = {key: _number(config, key) for key in SENT if config.metadata.get(key) is not None}
    timeout_s = DEFAULT_TIMEOUT_S
    if config.metadata.get("timeout_s") is not None:
        timeout_s = _number(config, "timeout_s")
        if timeout_s <= 0:
            msg = f"LLMConfig.metadata['timeout_s'] must be positive, in seconds, got {timeout_s!r}"
            raise ConfigurationError(msg)
    return CallOptions(sampling=sampling, timeout_s=timeout_s)


def _number(config: LLMConfig, key: str) -> int | float:
    value = config.metadata[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST:
        msg = f"LLMConfig.metadata[{key!r}] must be a finite number, got {quote(safe_repr(value), limit=100)}"
        raise ConfigurationError(msg)
    return value
