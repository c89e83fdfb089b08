"""The runtime for local models: what is refused without it, and the real one with a real model."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rampart.core.errors import ChatModelError, ConfigurationError
from rampart.core.llm import ChatMessage
from rampart.demo.errors import ModelUnavailableError
from rampart.demo.local_model import LocalModel, describe_local, load_runtime

QUESTION = [ChatMessage(role="user", content="What is the capital of France?")]


def test_missing_runtime_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ModelUnavailableError, match=r'pip install "rampart\[local\]"'):
        load_runtime()


def test_description_names_the_file() -> None:
    assert describe_local(Path("/models/Some-Model.Q4.gguf")).startswith("Some-Model.Q4, on this machine (")


def test_file_that_is_no_model_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("xllamacpp", reason="no runtime for local models is installed: make test-model")
    (tmp_path / "bad.gguf").write_bytes(b"hello")
    with pytest.raises(ConfigurationError, match=r"bad\.gguf could not be loaded .* must be a GGUF file"):
        LocalModel(path=tmp_path / "bad.gguf")
    assert "invalid magic" in capfd.readouterr().err  # the runtime's own words are not hidden


@pytest.fixture(scope="module")
def model() -> LocalModel:
    pytest.importorskip("xllamacpp", reason="no runtime for local models is installed: make test-model")
    from rampart.demo.download import fetch_model

    return LocalModel(path=fetch_model())


@pytest.mark.model
def test_schema_is_followed_and_length_is_kept(model: LocalModel, capfd: pytest.CaptureFixture[str]) -> None:
    schema = {
        "type": "object",
        "properties": {"word": {"enum": ["stone", "paper"]}},
        "required": ["word"],
        "additionalProperties": False,
    }
    reply = model.complete(QUESTION, max_tokens=30, temperature=1.0, seed=1, schema=schema)
    assert "".join(reply.split()) in {'{"word":"stone"}', '{"word":"paper"}'}
    assert len(model.complete(QUESTION, max_tokens=3, temperature=1.0, seed=1).split()) <= 3
    assert capfd.readouterr() == ("", "")


@pytest.mark.model
def test_seeds_give_different_replies_and_threads_may_ask_at_once(model: LocalModel) -> None:
    def ask(seed: int) -> str:
        return model.complete(QUESTION, max_tokens=12, temperature=1.2, seed=seed)

    with ThreadPoolExecutor(4) as threads:
        replies = list(threads.map(ask, range(100, 800, 100)))
    assert all(replies)
    assert len(set(replies)) > 1


@pytest.mark.model
def test_refusals_of_the_runtime_are_errors(model: LocalModel) -> None:
    with pytest.raises(ChatModelError, match="exceeds the available context size"):
        model.complete(
            [ChatMessage(role="user", content="word " * 9000)], max_tokens=3, temperature=0.0, seed=1
        )
    with pytest.raises(ChatModelError, match="refused the call"):
        model.complete(QUESTION, max_tokens=3, temperature=0.0, seed=1, schema={"type": "nonsense"})
