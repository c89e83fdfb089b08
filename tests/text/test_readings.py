"""Texts are read through their encodings, with a way back to where each part stood."""

from __future__ import annotations

import base64
import random
import time
import zlib

import pytest

from rampart.text._compatible import compatible, original_span
from rampart.text._radix import RADICES, text_regions
from rampart.text.readings import Readings

SAID = "meet me at the old harbour"


def found(text: str, **options: object) -> tuple[str, str] | None:
    """What in `text` says it, and how."""
    for reading in Readings(text, least=16, **options):  # type: ignore[arg-type]  # options of the tests
        at = reading.text.find(SAID)
        if at >= 0:
            start, end, layers = reading.origin(at, at + len(SAID))
            return text[start:end], layers
    return None


@pytest.mark.parametrize("before", range(9))
@pytest.mark.parametrize("radix", RADICES, ids=lambda radix: f"{radix.name}{'-' if radix.marks else ''}")
def test_every_radix_at_every_beginning(radix: object, before: int) -> None:
    data = SAID.encode()
    forms = {
        "base64": base64.b64encode(data).decode(),
        "base64url": base64.urlsafe_b64encode(data).decode(),
        "hex": data.hex(),
        "base32": base64.b32encode(data).decode(),
        "binary": "".join(f"{byte:08b}" for byte in data),
    }
    name = getattr(radix, "name", "")
    digits = forms[name].rstrip("=")
    shown = found("10010"[:before] + "abcd"[: max(0, before - 5)] + digits)
    assert shown is not None
    assert digits.endswith(shown[0]) or shown[0] in digits
    assert len(shown[0]) >= len(digits) - 1


def test_the_way_back_through_layers() -> None:
    inner = f"<<{SAID}>>".encode().hex()
    outer = base64.b64encode(f"x={inner};".encode()).decode()
    assert found(f"see {outer}.") is not None
    shown, layers = found(f"see {outer}.") or ("", "")
    assert layers == "base64 of hex"
    assert base64.b64decode(outer[4:][: len(shown) // 4 * 4 - 8])
    assert shown in outer


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("caf\u00e9 " * 20_000 + SAID, id="accents"),
        pytest.param("\U0001f600" * 40_000 + SAID.upper(), id="pictures"),
        pytest.param("\u200b" * 70_000 + SAID, id="invisible"),
    ],
)
def test_plain_letters_of_long_texts_lead_back(text: str) -> None:
    made = compatible(text)
    at = made.text.lower().find(SAID)
    start, end = original_span(text, made, at, at + len(SAID))
    assert text[start:end].lower() == SAID


def test_layers_and_turns_can_be_left_out() -> None:
    assert found(SAID[::-1]) is not None
    assert found(SAID[::-1], whole=False) is None
    twice = base64.b64encode(base64.b64encode(SAID.encode())).decode()
    assert found(twice, layers=2) is not None
    assert found(twice, layers=1) is None


def test_regions_of_text() -> None:
    data = (
        bytes([255, 1, 2])
        + b"sixteen letters."
        + bytes([254])
        + "\u00fcber".encode() * 2
        + b"\xff"
        + b"short"
    )
    assert [data[start:end] for start, end in text_regions(data, 16)] == [b"sixteen letters."]
    wide = "".join(chr(ord(one) + 0xFEE0) for one in "abcdefgh").encode()
    assert list(text_regions(b"\xff" + wide + b"\xff", 16)) == [(1, 25)]


def test_noise_gives_next_to_nothing() -> None:
    noise = base64.b64encode(random.Random(1).randbytes(300_000)).decode()
    assert sum(1 for _ in Readings(noise, least=16)) < 100


def test_what_unpacks_to_very_much_is_cut() -> None:
    bomb = base64.b64encode(zlib.compress(b"a" * 100_000_000)).decode()
    began = time.process_time()
    sizes = [len(reading.text) for reading in Readings(bomb, least=16)]
    assert max(sizes) <= 1_000_000
    assert time.process_time() - began < 20


def test_too_many_readings_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = Readings(f"nothing here {SAID}", least=16)
    assert next(reading.layers for reading in readings) == 0
    assert len(list(readings)) > 2
    assert not readings.incomplete
    monkeypatch.setattr("rampart.text.readings._FREE", 0)
    monkeypatch.setattr("rampart.text.readings._PER_CHARACTER", 2)
    assert len(list(readings)) == 2
    assert readings.incomplete
