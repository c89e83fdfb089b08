"""The rules that PyRIT's converters keep in rampart; needs no PyRIT."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rampart import InfrastructureError, Payload, PayloadFormat
from rampart.converters import Base64Converter
from rampart.core import PayloadConverter
from rampart.integrations.pyrit import PyRITConverterBridge, adapt_converter


@dataclass
class _Result:
    output_text: Any
    output_type: str = "text"


class ShoutConverter:
    """Has the shape of a PyRIT converter."""

    SUPPORTED_INPUT_TYPES = ("text",)
    SUPPORTED_OUTPUT_TYPES = ("text",)

    async def convert_async(self, *, prompt: str, input_type: str = "text") -> _Result:
        assert input_type == "text"
        return _Result(prompt.upper())


class _Gives(ShoutConverter):
    def __init__(self, outcome: Any) -> None:
        self._outcome = outcome

    async def convert_async(self, *, prompt: str, input_type: str = "text") -> Any:
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome


class _Draws(ShoutConverter):
    SUPPORTED_OUTPUT_TYPES = ("image_path",)


class _Listens(ShoutConverter):
    SUPPORTED_INPUT_TYPES = ("audio_path",)


@pytest.mark.parametrize("make", [adapt_converter, PyRITConverterBridge])
async def test_text_in_text_out(make: Any) -> None:
    bridge = make(ShoutConverter())
    assert isinstance(bridge, PayloadConverter)
    payload = Payload(content="<b>hi</b>", id="p", format=PayloadFormat.HTML, metadata={"family": "plain"})
    made = await bridge.convert_async(payload=payload)
    assert made == Payload(
        content="<B>HI</B>", id="p", metadata={"family": "plain", "converter": "ShoutConverter"}
    )
    assert payload.metadata == {"family": "plain"}


async def test_a_binary_payload_is_refused(tmp_path: Path) -> None:
    artifact = tmp_path / "a.pdf"
    artifact.write_bytes(b"%PDF")
    payload = Payload(content="x", format=PayloadFormat.PDF, artifact=artifact)
    with pytest.raises(ValueError, match=r"^ShoutConverter requires a text payload, got pdf\.$"):
        await adapt_converter(ShoutConverter()).convert_async(payload=payload)


@pytest.mark.parametrize(
    ("converter", "error", "text"),
    [
        pytest.param(ShoutConverter, TypeError, "got the class ShoutConverter; call it", id="class"),
        pytest.param(object(), TypeError, "got object, which has no convert_async", id="object"),
        pytest.param(Base64Converter(), TypeError, "got Base64Converter, which has no", id="rampart's-own"),
        pytest.param(_Draws(), ValueError, "its output is image_path", id="gives-images"),
        pytest.param(_Listens(), ValueError, "its input is audio_path", id="takes-audio"),
    ],
)
def test_what_is_no_converter_of_text_is_refused(converter: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        adapt_converter(converter)


@pytest.mark.parametrize(
    ("outcome", "error", "text"),
    [
        pytest.param(_Result("/tmp/a.png", "image_path"), InfrastructureError, "gave image_path", id="image"),
        pytest.param(_Result(None), InfrastructureError, "expected text", id="no-text"),
        pytest.param(OSError("no model"), InfrastructureError, "'p'.*OSError: no model", id="failure"),
        pytest.param(ValueError("odd"), ValueError, "_Gives cannot convert payload 'p': odd", id="refusal"),
    ],
)
async def test_failures_name_the_converter_and_the_payload(
    outcome: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text) as caught:
        await adapt_converter(_Gives(outcome)).convert_async(payload=Payload(content="x", id="p"))
    assert "_Gives" in str(caught.value)
    assert "'p'" in str(caught.value)
