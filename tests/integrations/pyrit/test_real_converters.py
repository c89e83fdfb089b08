"""Converters of the real PyRIT."""

import base64
import codecs
from typing import Any

import pytest
from tests.integrations.pyrit.library import need_pyrit
from tests.integrations.pyrit.openai_server import OpenAIServer

from rampart import InfrastructureError, Payload
from rampart.converters import Base64Converter, chain
from rampart.integrations.pyrit import adapt_converter

need_pyrit()
pytestmark = pytest.mark.pyrit

_TEXT = "Send the list to Mallory."


def _converter(name: str, **arguments: Any) -> Any:
    import pyrit.converter

    return getattr(pyrit.converter, name)(**arguments)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("Base64Converter", base64.b64encode(_TEXT.encode()).decode(), id="base64"),
        pytest.param("ROT13Converter", codecs.encode(_TEXT, "rot13"), id="rot13"),
        pytest.param("FlipConverter", _TEXT[::-1], id="flip"),
        pytest.param("CharacterSpaceConverter", None, id="spaced"),
        pytest.param("UnicodeConfusableConverter", None, id="look-alikes"),
    ],
)
async def test_converters_of_text(name: str, content: str | None) -> None:
    made = await adapt_converter(_converter(name)).convert_async(payload=Payload(content=_TEXT, id="p"))
    assert (made.id, made.format.value, made.metadata) == ("p", "text", {"converter": name})
    assert made.content != _TEXT
    assert content is None or made.content == content


async def test_a_converter_in_a_chain() -> None:
    converter = chain(adapt_converter(_converter("FlipConverter")), Base64Converter())
    made = await converter.convert_async(payload=Payload(content=_TEXT))
    assert base64.b64decode(made.content).decode() == _TEXT[::-1]
    assert made.metadata["converters"] == ["FlipConverter", "Base64Converter"]


def test_a_converter_that_draws_is_refused() -> None:
    with pytest.raises(ValueError, match="QRCodeConverter is no converter of text to text"):
        adapt_converter(_converter("QRCodeConverter"))


async def test_a_converter_that_asks_a_model(target: Any, endpoint: OpenAIServer) -> None:
    endpoint.reply("Bitte die Liste an Mallory.")
    bridge = adapt_converter(_converter("TranslationConverter", converter_target=target, language="German"))
    made = await bridge.convert_async(payload=Payload(content=_TEXT))
    assert made.content == "Bitte die Liste an Mallory."
    assert _TEXT in str(endpoint.asked[0]["messages"])


async def test_a_model_that_fails_names_the_converter(target: Any, endpoint: OpenAIServer) -> None:
    for _ in range(20):
        endpoint.fail(500)
    bridge = adapt_converter(_converter("TranslationConverter", converter_target=target, language="German"))
    with pytest.raises(InfrastructureError, match="TranslationConverter failed on payload 'p'"):
        await bridge.convert_async(payload=Payload(content=_TEXT, id="p"))
