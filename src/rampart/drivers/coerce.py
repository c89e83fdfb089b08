"""The short forms in which a driver may be given."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rampart.core.types import Request
from rampart.drivers.static import StaticDriver

if TYPE_CHECKING:
    from rampart.core.prompt_driver import PromptDriver


def coerce_driver(value: object, /) -> PromptDriver:
    """Make a StaticDriver of a prompt or of a list or tuple of prompts; anything else is returned as it is.

    Raises:
        TypeError: If a list or tuple holds something that is neither a str nor a Request.
    """
    if isinstance(value, str | Request):
        return StaticDriver(prompts=(value,))
    if isinstance(value, list | tuple):
        return StaticDriver(prompts=value)
    return cast("PromptDriver", value)
