"""The environment that a command-line agent runs in."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rampart.text.secrets import MIN_SECRET_LENGTH, register_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECRET_NAME = re.compile(r"(^|_)(\w*KEY|\w*TOKEN|SECRET|PASSWORD|PASSWD)$", re.IGNORECASE)


def agent_environment(changes: Mapping[str, str | None] | None) -> dict[str, str]:
    """The environment of this process with some changes; what looks like a secret in it is registered as one.

    An agent that fails may print what it was given, which then stands in the error; so values of variables
    such as `OPENAI_API_KEY` or `GITHUB_TOKEN` are shown as `***` from now on.

    Args:
        changes: Variables to set; None as a value removes one.
    """
    environment = dict(os.environ)
    for name, value in (changes or {}).items():
        environment.pop(name, None)
        if value is not None:
            environment[name] = value
    for name, value in environment.items():
        if _SECRET_NAME.search(name) and len(value.strip()) >= MIN_SECRET_LENGTH:
            register_secret(value)
    return environment
