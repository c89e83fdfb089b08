"""The environment says which model; what is named and cannot be used is never replaced by another."""

import sys
from pathlib import Path

import pytest

from rampart.core.errors import ConfigurationError
from rampart.demo import choice as choice_module
from rampart.demo.choice import SCRIPTED, choose_model, open_model
from rampart.demo.endpoint_model import EndpointModel
from rampart.demo.errors import ModelUnavailableError
from rampart.demo.scripted_model import ScriptedModel

ENDPOINT = {"RAMPART_LLM_ENDPOINT": "http://127.0.0.1:9/v1", "RAMPART_LLM_MODEL": "small"}


@pytest.fixture
def no_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    # None in sys.modules is Python's own way of making an import fail.
    monkeypatch.setitem(sys.modules, "xllamacpp", None)


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice_module, "load_runtime", lambda: None)


def test_scripted_is_chosen_by_name_alone() -> None:
    assert choose_model({"RAMPART_DEMO_MODEL": "scripted", **ENDPOINT}) is SCRIPTED
    assert isinstance(open_model({"RAMPART_DEMO_MODEL": "scripted"}), ScriptedModel)
    assert "SCRIPTED" in SCRIPTED.description


def test_endpoint_is_chosen_by_its_address() -> None:
    chosen = choose_model(ENDPOINT)
    assert (chosen.kind, chosen.known, chosen.description) == ("endpoint", False, "small, on 127.0.0.1")
    assert isinstance(open_model(ENDPOINT), EndpointModel)


def test_endpoint_without_model_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="RAMPART_LLM_MODEL is not set"):
        choose_model({"RAMPART_LLM_ENDPOINT": "http://127.0.0.1:9/v1"})


def test_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        ConfigurationError, match="'gpt' is no kind of model; use one of local, endpoint, scripted"
    ):
        choose_model({"RAMPART_DEMO_MODEL": "gpt"})


@pytest.mark.usefixtures("runtime")
def test_named_file_is_chosen_and_its_verdicts_are_not_announced(tmp_path: Path) -> None:
    (tmp_path / "mine.gguf").write_bytes(b"GGUF")
    chosen = choose_model({"RAMPART_LOCAL_MODEL": str(tmp_path / "mine.gguf")})
    assert chosen.settings["RAMPART_LOCAL_MODEL"] == str((tmp_path / "mine.gguf").resolve())
    assert (chosen.kind, chosen.known) == ("local", False)
    assert chosen.description.startswith("mine, on this machine")


@pytest.mark.usefixtures("runtime")
def test_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigurationError, match=r"RAMPART_LOCAL_MODEL='.*none\.gguf': there is no such file"
    ) as caught:
        choose_model({"RAMPART_LOCAL_MODEL": str(tmp_path / "none.gguf")})
    assert not isinstance(caught.value, ModelUnavailableError)


@pytest.mark.usefixtures("no_runtime")
def test_named_file_without_a_runtime_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine.gguf").write_bytes(b"GGUF")
    with pytest.raises(
        ConfigurationError, match=r"mine\.gguf': the runtime .* cannot be used here"
    ) as caught:
        choose_model({"RAMPART_LOCAL_MODEL": str(tmp_path / "mine.gguf")})
    assert not isinstance(caught.value, ModelUnavailableError)


@pytest.mark.usefixtures("no_runtime")
def test_own_model_without_a_runtime_says_how_to_install_it() -> None:
    with pytest.raises(ModelUnavailableError, match=r'cannot be used here .*pip install "rampart\[local\]"'):
        choose_model({})


@pytest.mark.usefixtures("runtime")
def test_own_model_is_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(choice_module, "fetch_model", lambda **_options: tmp_path / "own.gguf")
    chosen = choose_model({})
    assert (chosen.kind, chosen.known) == ("local", True)
    assert chosen.settings == {
        "RAMPART_DEMO_MODEL": "local",
        "RAMPART_LOCAL_MODEL": str(tmp_path / "own.gguf"),
    }
