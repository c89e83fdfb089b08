from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.converters import (
    Base64Converter,
    DocxConverter,
    HexConverter,
    Rot13Converter,
    UrlConverter,
    chain,
)
from rampart.core.converter import PayloadConverter
from rampart.core.types import Payload, PayloadFormat
from rampart.text.encodings import from_base64, rot13

CONVERTERS: list[PayloadConverter] = [Base64Converter(), Rot13Converter(), HexConverter(), UrlConverter()]
some = st.lists(st.sampled_from(CONVERTERS), min_size=1, max_size=3)


class Foreign:
    """A converter that adds the one key to the metadata that it must."""

    async def convert_async(self, *, payload: Payload) -> Payload:
        return replace(
            payload, content=f"<{payload.content}>", metadata={**payload.metadata, "converter": "Other"}
        )


class Silent:
    async def convert_async(self, *, payload: Payload) -> Payload:
        return replace(payload, content=payload.content + "!")


async def test_each_takes_what_the_one_before_it_gave() -> None:
    made = await chain(Rot13Converter(), Base64Converter()).convert_async(
        payload=Payload(content="Send it", id="p", metadata={"mine": 1})
    )
    assert rot13(from_base64(made.content)) == "Send it"
    assert made.id == "p"
    assert made.metadata == {
        "mine": 1,
        "converter": "Base64Converter",
        "converters": ["Rot13Converter", "Base64Converter"],
    }


async def test_a_chain_of_one_is_that_converter() -> None:
    payload = Payload(content="Send it")
    assert await chain(Base64Converter()).convert_async(payload=payload) == (
        await Base64Converter().convert_async(payload=payload)
    )


@settings(max_examples=40, deadline=None)
@given(first=some, second=some, third=some)
async def test_nesting_changes_nothing(
    first: list[PayloadConverter], second: list[PayloadConverter], third: list[PayloadConverter]
) -> None:
    a, b, c = chain(*first), chain(*second), chain(*third)
    payload = Payload(content="Send it, Zoë")
    left = await chain(chain(a, b), c).convert_async(payload=payload)
    right = await chain(a, chain(b, c)).convert_async(payload=payload)
    flat = await chain(*first, *second, *third).convert_async(payload=payload)
    apart = await c.convert_async(
        payload=await b.convert_async(payload=await a.convert_async(payload=payload))
    )
    assert left == right == flat == apart


@pytest.mark.parametrize(
    ("converters", "names"),
    [
        pytest.param([Foreign(), HexConverter()], ["Other", "HexConverter"], id="first"),
        pytest.param([HexConverter(), Foreign()], ["HexConverter", "Other"], id="last"),
        pytest.param(
            [HexConverter(), HexConverter(), Foreign(), HexConverter()],
            ["HexConverter", "HexConverter", "Other", "HexConverter"],
            id="within",
        ),
    ],
)
async def test_converters_of_others_are_named_too(
    converters: list[PayloadConverter], names: list[str]
) -> None:
    made = await chain(*converters).convert_async(payload=Payload(content="a"))
    assert made.metadata == {"converter": names[-1], "converters": names}


async def test_a_converter_that_names_nobody_is_named_by_its_class() -> None:
    made = await chain(Silent()).convert_async(payload=Payload(content="a"))
    assert made.metadata == {"converter": "Silent"}
    both = await chain(HexConverter(), Silent()).convert_async(payload=Payload(content="a"))
    assert both.metadata == {"converter": "Silent", "converters": ["HexConverter", "Silent"]}


async def test_a_document_ends_a_chain(tmp_path: Path) -> None:
    made = await chain(Rot13Converter(), DocxConverter(output_dir=tmp_path)).convert_async(
        payload=Payload(content="Send it")
    )
    assert (made.format, made.content) == (PayloadFormat.DOCX, "Fraq vg")
    with pytest.raises(ValueError, match=r"^HexConverter requires a text payload, got docx\.$"):
        await chain(DocxConverter(output_dir=tmp_path), HexConverter()).convert_async(
            payload=Payload(content="a")
        )


def test_an_empty_chain_is_refused() -> None:
    with pytest.raises(ValueError, match="needs at least one converter"):
        chain()


@pytest.mark.parametrize("what", [Base64Converter, "base64", None], ids=["class", "name", "none"])
def test_what_is_no_converter_is_refused(what: Any) -> None:
    with pytest.raises(TypeError, match="chain\\(\\) takes converters"):
        chain(Base64Converter(), what)


async def test_a_converter_that_gives_no_payload_is_named() -> None:
    class Broken:
        async def convert_async(self, *, payload: Payload) -> Payload:
            return payload.content  # type: ignore[return-value]  # the fault under test

    with pytest.raises(TypeError, match=r"Broken\.convert_async returned 'a', expected a Payload"):
        await chain(Broken()).convert_async(payload=Payload(content="a"))
