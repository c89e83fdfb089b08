"""What a local chat model refuses before a model is loaded."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.llm.gguf_files import write_gguf

from rampart.core.errors import ConfigurationError
from rampart.core.llm import ChatMessage, ChatModel
from rampart.llm.local_chat_model import LocalChatModel

QUESTION = [ChatMessage(role="user", content="What is the capital of France?")]


@pytest.fixture
def no_model(tmp_path: Path) -> Path:
    """A file that begins as a model does, and holds none."""
    return write_gguf(tmp_path / "Empty-Model.gguf", tokens=[], kinds=[])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"max_tokens": 0}, ValueError, "max_tokens must be at least 1, got 0"),
        ({"max_tokens": True}, TypeError, "max_tokens must be an int, got bool"),
        ({"context_tokens": 255}, ValueError, "context_tokens must be at least 256, got 255"),
        ({"context_tokens": 4096.0}, TypeError, "context_tokens must be an int, got float"),
        ({"temperature": -0.1}, ValueError, "temperature must be from 0 to 2, got -0.1"),
        ({"temperature": float("nan")}, ValueError, "temperature must be from 0 to 2, got nan"),
        ({"temperature": "hot"}, TypeError, "temperature must be a number, got str"),
        ({"seed": -1}, ValueError, "seed must be at least 0, got -1"),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, dict) else None,
)
def test_arguments_out_of_range_are_refused(
    no_model: Path, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^{message}$"):
        LocalChatModel(path=no_model, **arguments)


def test_a_path_without_a_model_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no file"):
        LocalChatModel(path=tmp_path / "none.gguf")


async def test_missing_runtime_says_how_to_install_it(
    no_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with LocalChatModel(path=no_model) as model:
        assert isinstance(model, ChatModel)
        assert model.model_name == "Empty-Model"
        with pytest.raises(ConfigurationError, match=r'pip install "rampart\[local\]"'):
            await model.complete_async(messages=QUESTION)


async def test_a_file_without_a_model_in_it_is_refused(
    no_model: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("xllamacpp", reason="no runtime for local models is installed: make test-model")
    with (
        LocalChatModel(path=no_model) as model,
        pytest.raises(ConfigurationError, match=r"Empty-Model\.gguf could not be loaded .* a GGUF file"),
    ):
        await model.complete_async(messages=QUESTION)
    capfd.readouterr()  # the runtime's own words


async def test_a_closed_model_answers_nothing(no_model: Path) -> None:
    model = LocalChatModel(path=no_model)
    model.close()
    model.close()
    with pytest.raises(ConfigurationError, match="the local model Empty-Model is closed; make a new"):
        await model.complete_async(messages=QUESTION)


@pytest.mark.parametrize(
    ("schema", "error", "message"),
    [
        (True, TypeError, "response_schema must be a dict, a JSON Schema, got bool"),
        ({"enum": {1}}, ValueError, "what cannot be written as JSON: Object of type set"),
        ({"const": "\ud800"}, ValueError, "what cannot be written as JSON: .*surrogates"),
        ({"minimum": float("nan")}, ValueError, "what cannot be written as JSON: Out of range"),
        ({"type": "array", "minItems": "z"}, ValueError, "limits that are no numbers"),
        ({"type": "number", "minimum": "z"}, ValueError, "limits that are no numbers"),
    ],
    ids=["bool", "set", "half-a-character", "nan", "min-items", "minimum"],
)
async def test_a_schema_that_is_none_is_refused_before_a_model_is_loaded(
    no_model: Path, schema: Any, error: type[Exception], message: str
) -> None:
    with LocalChatModel(path=no_model) as model, pytest.raises(error, match=message):
        await model.complete_async(messages=QUESTION, response_schema=schema)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_process_that_was_forked_off_is_told_to_make_its_own(no_model: Path) -> None:
    script = f"""
import asyncio, os
from rampart.core.llm import ChatMessage
from rampart.llm import LocalChatModel

model = LocalChatModel(path={str(no_model)!r})
child = os.fork()
if child == 0:
    try:
        asyncio.run(model.complete_async(messages=[ChatMessage(role="user", content="Hi")]))
    except Exception as error:
        print(type(error).__name__, error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert told.stdout == (
        "ConfigurationError the local model Empty-Model belongs to the process that forked this one; "
        "make a new LocalChatModel here\n"
    )
