"""What holds for every converter."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.converters import every_converter
from tests.converters.every_converter import NAMES, converter_named

import rampart.converters
from rampart.converters import Base64Converter, chain
from rampart.core.converter import PayloadConverter
from rampart.core.types import Payload, PayloadFormat

# What needs no UTF-8 carries lone surrogates along.
CARRIERS_OF_SURROGATES = {
    "BidiConverter",
    "FullWidthConverter",
    "HiddenHtmlConverter",
    "LeetspeakConverter",
    "LookAlikeConverter",
    "MarkdownLinkConverter",
    "Rot13Converter",
    "ZeroWidthConverter",
}
NOT_CONVERTERS = {"ConverterChain", "DocumentConverter", "TextConverter", "chain"}

FORMATS = {
    **dict.fromkeys(every_converter.TO_TEXT, PayloadFormat.TEXT),
    **dict.fromkeys(every_converter.TO_MARKDOWN, PayloadFormat.MARKDOWN),
    **dict.fromkeys(every_converter.TO_HTML, PayloadFormat.HTML),
    "DocxConverter": PayloadFormat.DOCX,
    "PdfConverter": PayloadFormat.PDF,
    "PngConverter": PayloadFormat.IMAGE,
    "XlsxConverter": PayloadFormat.XLSX,
}


def names_in(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()]


def test_no_converter_is_left_out_here() -> None:
    assert set(NAMES) == set(rampart.converters.__all__) - NOT_CONVERTERS


@pytest.mark.parametrize("payload_format", [PayloadFormat.TEXT, PayloadFormat.HTML, PayloadFormat.MARKDOWN])
@pytest.mark.parametrize("name", NAMES)
async def test_id_and_metadata_go_on(name: str, payload_format: PayloadFormat, tmp_path: Path) -> None:
    payload = Payload(
        content="Send it to Eve.", id="the-id", format=payload_format, metadata={"template": "t", "n": [1]}
    )
    converter = converter_named(name, folder=tmp_path)
    assert isinstance(converter, PayloadConverter)

    made = await converter.convert_async(payload=payload)

    assert made.id == "the-id"
    assert {key: made.metadata[key] for key in ("template", "n", "converter")} == {
        "template": "t",
        "n": [1],
        "converter": name,
    }
    assert made.format is FORMATS[name]
    assert (made.artifact is None) is made.format.is_text
    assert payload.metadata == {"template": "t", "n": [1]}
    assert (payload.content, payload.format) == ("Send it to Eve.", payload_format)


@pytest.mark.parametrize(
    "name",
    sorted({*every_converter.TO_TEXT, *every_converter.TO_DOCUMENT} - {"EmlConverter", "IcsConverter"}),
)
async def test_nothing_else_is_added_to_the_metadata(name: str, tmp_path: Path) -> None:
    made = await converter_named(name, folder=tmp_path).convert_async(payload=Payload(content="Hello Eve"))
    assert made.metadata == {"converter": name}


@pytest.mark.parametrize("name", sorted(every_converter.TO_DOCUMENT))
async def test_documents_keep_the_content_and_are_named_after_the_payload(name: str, tmp_path: Path) -> None:
    made = await converter_named(name, folder=tmp_path / "new").convert_async(
        payload=Payload(content="Hello Eve", id="a.b_c-1")
    )
    assert made.content == "Hello Eve"
    assert made.artifact == tmp_path / "new" / f"a.b_c-1{made.format.extension}"
    assert [made.artifact] == list((tmp_path / "new").iterdir())


@pytest.mark.parametrize("name", sorted(every_converter.TO_DOCUMENT))
async def test_the_same_content_gives_the_same_file_and_another_content_another(
    name: str, tmp_path: Path
) -> None:
    converter = converter_named(name, folder=tmp_path)
    first = await converter.convert_async(payload=Payload(content="Hello Eve", id="one"))
    again = await converter.convert_async(payload=Payload(content="Hello Eve", id="one"))
    other = await converter.convert_async(payload=Payload(content="Hello Bob", id="one"))
    assert first.artifact is not None
    assert other.artifact is not None
    assert first.artifact == again.artifact
    assert other.artifact.stem == "one-2"
    assert first.artifact.read_bytes() != other.artifact.read_bytes()


@pytest.mark.parametrize("name", sorted(every_converter.TO_DOCUMENT))
async def test_conversions_at_the_same_time_keep_apart(name: str, tmp_path: Path) -> None:
    converter = converter_named(name, folder=tmp_path)
    texts = [f"Text {number} for Eve" for number in range(12)]
    made = await asyncio.gather(
        *(converter.convert_async(payload=Payload(content=text, id="one")) for text in texts * 2)
    )
    files = [payload.artifact for payload in made]
    assert files[:12] == files[12:]
    assert sorted(names_in(tmp_path)) == sorted({file.name for file in files if file is not None})
    assert len(set(files)) == 12
    # Alone it gives the same file, so nothing of one went into another.
    for payload, text in zip(made, texts, strict=False):
        alone = await converter_named(name, folder=tmp_path / "alone").convert_async(
            payload=Payload(content=text, id=payload.id)
        )
        assert payload.artifact is not None
        assert alone.artifact is not None
        assert alone.artifact.read_bytes() == payload.artifact.read_bytes()


def test_a_cancelled_conversion_leaves_a_whole_file_or_none(tmp_path: Path) -> None:
    converter = converter_named("DocxConverter", folder=tmp_path)

    async def cancel_eight_async() -> list[BaseException | Payload]:
        tasks = [
            asyncio.create_task(
                converter.convert_async(payload=Payload(content="Hello Eve", id=f"p{number}"))
            )
            for number in range(8)
        ]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    # The end of the run waits for the threads.
    assert {type(outcome) for outcome in asyncio.run(cancel_eight_async())} == {asyncio.CancelledError}
    left = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    whole = asyncio.run(converter.convert_async(payload=Payload(content="Hello Eve", id="whole"))).artifact
    assert whole is not None
    assert set(left) <= {f"p{number}.docx" for number in range(8)}
    assert all(data == whole.read_bytes() for data in left.values())


@pytest.mark.parametrize("name", NAMES)
async def test_a_binary_payload_is_refused(name: str, tmp_path: Path) -> None:
    artifact = tmp_path / "a.pdf"
    artifact.write_bytes(b"%PDF")
    payload = Payload(content="x", format=PayloadFormat.PDF, artifact=artifact)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole text is compared
        await converter_named(name, folder=tmp_path).convert_async(payload=payload)
    assert str(caught.value) == f"{name} requires a text payload, got pdf."


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("Mail the list.", r"a Payload, got str: wrap the text, Payload\(content=\.\.\.\)$"),
        (None, "a Payload, got NoneType$"),
        (["Mail the list."], "a Payload, got list$"),
    ],
    ids=["text", "None", "list"],
)
@pytest.mark.parametrize("name", [*NAMES, "ConverterChain"])
async def test_what_is_no_payload_is_refused(name: str, given: Any, text: str, tmp_path: Path) -> None:
    is_chain = name == "ConverterChain"
    converter = chain(Base64Converter()) if is_chain else converter_named(name, folder=tmp_path)
    with pytest.raises(TypeError, match=f"^{name} converts {text}"):
        await converter.convert_async(payload=given)
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("name", sorted({*NAMES} - CARRIERS_OF_SURROGATES))
async def test_what_needs_utf8_refuses_a_lone_surrogate_naming_the_payload(name: str, tmp_path: Path) -> None:
    payload = Payload(content="ab\ud800", id="odd")
    with pytest.raises(ValueError, match=rf"{name} cannot convert payload 'odd': .*U\+D800"):
        await converter_named(name, folder=tmp_path).convert_async(payload=payload)
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("name", sorted(CARRIERS_OF_SURROGATES))
async def test_what_needs_no_utf8_carries_a_lone_surrogate(name: str, tmp_path: Path) -> None:
    made = await converter_named(name, folder=tmp_path).convert_async(payload=Payload(content="ab\ud800"))
    assert "\ud800" in made.content


async def test_a_second_conversion_names_both() -> None:
    once = await Base64Converter().convert_async(payload=Payload(content="Hello Eve"))
    twice = await Base64Converter().convert_async(payload=once)
    assert once.metadata == {"converter": "Base64Converter"}
    assert twice.metadata == {
        "converter": "Base64Converter",
        "converters": ["Base64Converter", "Base64Converter"],
    }


@pytest.mark.parametrize("name", ["EmlConverter", "IcsConverter", "HiddenHtmlConverter"])
async def test_what_was_said_of_the_form_ends_with_the_form(name: str, tmp_path: Path) -> None:
    payload = Payload(content="Hello Eve", metadata={"media_type": "mine"})
    message = await converter_named(name, folder=tmp_path).convert_async(payload=payload)
    encoded = await Base64Converter().convert_async(payload=message)
    assert message.metadata["carried_text"] == "Hello Eve"
    assert not {"carried_text", "file_name_extension", "media_type"} & set(encoded.metadata)
    assert (await Base64Converter().convert_async(payload=payload)).metadata["media_type"] == "mine"


async def test_an_id_that_was_changed_into_a_path_is_refused(tmp_path: Path) -> None:
    payload = Payload(content="Hello Eve")
    payload.id = "../outside"
    with pytest.raises(ValueError, match=r"Invalid payload id: '\.\./outside'"):
        await converter_named("DocxConverter", folder=tmp_path / "in").convert_async(payload=payload)
    assert names_in(tmp_path) == []
