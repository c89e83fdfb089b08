"""Which model the demo's agent runs on: what the environment asks for."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rampart.core.errors import ConfigurationError
from rampart.demo.download import fetch_model
from rampart.demo.endpoint_model import EndpointModel
from rampart.demo.errors import ModelUnavailableError
from rampart.demo.local_model import LocalModel, describe_local, load_runtime
from rampart.demo.model import Model
from rampart.demo.scripted_model import ScriptedModel

ModelKind = Literal["local", "endpoint", "scripted"]
"""`local`: a GGUF file on this machine; `endpoint`: an OpenAI-compatible server; `scripted`: no model."""

_KINDS: dict[str, ModelKind] = {"local": "local", "endpoint": "endpoint", "scripted": "scripted"}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A model that can be opened, in this process or, through its settings, in another.

    Attributes:
        kind: How it is reached.
        description: One line for people.
        known: Whether the demo knows which verdicts to expect of it.
        settings: Environment variables that make `choose_model` choose it again.
    """

    kind: ModelKind
    description: str
    known: bool
    settings: dict[str, str]


SCRIPTED = Choice(
    kind="scripted",
    description=ScriptedModel.description,
    known=True,
    settings={"RAMPART_DEMO_MODEL": "scripted"},
)


def choose_model(
    environ: Mapping[str, str] | None = None,
    *,
    say: Callable[[str], None] = lambda _text: None,
    arrived: Callable[[int], None] = lambda _megabytes: None,
) -> Choice:
    """Find the model that the environment asks for, fetching the demo's own if need be.

    `RAMPART_DEMO_MODEL` names a kind; without it `RAMPART_LLM_ENDPOINT` means `endpoint` and everything
    else means `local`. `RAMPART_LOCAL_MODEL` is the path of a GGUF file to use instead of the demo's own.

    Args:
        environ: The environment; None means that of this process.
        say: Called with one line before a step that takes long.
        arrived: Called every now and then during a download with the megabytes that are there.

    Raises:
        ConfigurationError: If what the environment names cannot be used.
        ModelUnavailableError: If nothing is named and the demo's own model cannot be had here.
    """
    env = os.environ if environ is None else environ
    kind = _kind(env)
    if kind == "scripted":
        return SCRIPTED
    if kind == "endpoint":
        return Choice(
            kind=kind,
            description=EndpointModel.from_environment(env).description,
            known=False,
            settings={"RAMPART_DEMO_MODEL": kind},
        )
    named = env.get("RAMPART_LOCAL_MODEL", "")
    path = _named_file(named) if named else _own_file(say, arrived)
    return Choice(
        kind=kind,
        description=describe_local(path),
        known=not named,
        settings={"RAMPART_DEMO_MODEL": kind, "RAMPART_LOCAL_MODEL": str(path)},
    )


def open_model(environ: Mapping[str, str] | None = None) -> Model:
    """Open the model that the environment asks for; errors as in `choose_model`."""
    env = os.environ if environ is None else environ
    choice = choose_model(env)
    if choice.kind == "scripted":
        return ScriptedModel()
    if choice.kind == "endpoint":
        return EndpointModel.from_environment(env)
    return LocalModel(path=Path(choice.settings["RAMPART_LOCAL_MODEL"]))


def _kind(env: Mapping[str, str]) -> ModelKind:
    named = env.get("RAMPART_DEMO_MODEL", "")
    if not named:
        return "endpoint" if env.get("RAMPART_LLM_ENDPOINT") else "local"
    if named not in _KINDS:
        raise ConfigurationError(
            f"RAMPART_DEMO_MODEL={named!r} is no kind of model; use one of {', '.join(_KINDS)}"
        )
    return _KINDS[named]


def _named_file(named: str) -> Path:
    path = Path(named).expanduser()
    if not path.is_file():
        raise ConfigurationError(
            f"RAMPART_LOCAL_MODEL={named!r}: there is no such file; give the path of a .gguf file, "
            f"or unset it to use the demo's own model"
        )
    try:
        load_runtime()
    except ModelUnavailableError as error:
        # Nothing may stand in unasked for a model that was named.
        raise ConfigurationError(f"RAMPART_LOCAL_MODEL={named!r}: {error}") from error
    return path.resolve()


def _own_file(say: Callable[[str], None], arrived: Callable[[int], None]) -> Path:
    load_runtime()
    return fetch_model(say=say, arrived=arrived)
