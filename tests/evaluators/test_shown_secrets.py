"""What evaluators show of values holds no part of a secret, and nothing that a value raises."""

from collections.abc import Iterator

import pytest
from tests.evaluators.support import called, evaluate, reply

from rampart.core.types import ToolCall
from rampart.evaluators import ToolCalled
from rampart.evaluators._shown import shown_value, shown_values
from rampart.text import register_secret
from rampart.text.secrets import _isolated_secrets

KEY = "sk-live-0123456789abcdefXYZ"
PEM = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nshort\n-----END KEY-----"


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    with _isolated_secrets():
        register_secret(KEY)
        register_secret(PEM)
        yield


class Shown:
    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


@pytest.mark.parametrize("before", range(170, 204, 3))
@pytest.mark.parametrize(
    "of",
    [str, lambda text: text.encode(), Shown, lambda text: [text], lambda text: f"{text}{'x' * 1000}"],
    ids=["str", "bytes", "object", "list", "long-str"],
)
def test_a_cut_leaves_no_half_of_a_secret(of: type, before: int) -> None:
    shown = shown_value(of("x" * before + KEY))
    assert "sk-" not in shown
    assert len(shown) <= 203


@pytest.mark.parametrize("before", range(960, 1004, 3))
def test_a_cut_of_many_values_leaves_no_half_of_a_secret(before: int) -> None:
    values = {"to": "x" * before + KEY}
    assert "sk-" not in shown_values(values)
    assert "sk-" not in shown_values(list(values.values()))
    assert "sk-" not in shown_values({"a": "x" * (before // 2), "x" * (before // 2) + KEY: 1})


def test_what_is_no_secret_is_cut_as_ever() -> None:
    assert shown_value("x" * 300) == "'" + "x" * 199 + "..."
    assert shown_values({"a": "x" * 3000}) == "{'a': '" + "x" * 993 + "..."


async def test_evidence_and_rationale_hold_no_escaped_secret() -> None:
    found = await evaluate(ToolCalled("upload"), reply(calls=[called("upload", body=PEM)]))
    assert found.evidence == ["upload({'body': '***'})"]
    raw = ToolCall(name="upload", raw_arguments=f"[{PEM!r}]")
    assert (await evaluate(ToolCalled("upload"), reply(calls=[raw]))).evidence == ["upload(\"['***']\")"]
    missed = await evaluate(ToolCalled("upload", body=1), reply(calls=[called("upload", body=f"k {PEM}")]))
    assert missed.rationale == (
        "'upload' was not called with such arguments: body is 'k ***' (str), expected 1 (int)"
    )


def test_a_repr_that_skips_the_test_is_no_answer() -> None:
    class Skips:
        def __repr__(self) -> str:
            pytest.skip("not here")

    assert shown_value(Skips()) == "<unprintable value>"
    assert shown_values({"a": Skips(), "b": 1}) == "{'a': <unprintable value>, 'b': 1}"
