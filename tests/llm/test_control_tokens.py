"""Which texts are control tokens of a model, and that text in which they are spelled loses them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.llm.gguf_files import write_gguf

from rampart.llm.control_tokens import control_tokens, without_tokens

CONTROL, NORMAL, OF_USERS = 3, 1, 4
TOKENS = frozenset({"<|im_start|>", "<|im_end|>", "</s>", "[INST]"})


def test_control_tokens_are_read_from_the_file(tmp_path: Path) -> None:
    path = write_gguf(
        tmp_path / "a.gguf",
        tokens=["<|im_end|>", "word", "<think>", "|", "<｜User｜>"],
        kinds=[CONTROL, NORMAL, OF_USERS, CONTROL, CONTROL],
    )
    assert control_tokens(path) == {"<|im_end|>", "<｜User｜>"}


def test_a_file_without_a_table_has_none(tmp_path: Path) -> None:
    assert control_tokens(write_gguf(tmp_path / "a.gguf", tokens=[], kinds=[])) == frozenset()


@pytest.mark.parametrize("cut_at", [10, 40, 90])
def test_a_file_that_ends_early_is_refused(tmp_path: Path, cut_at: int) -> None:
    path = write_gguf(tmp_path / "a.gguf", tokens=["<s>"], kinds=[CONTROL], cut_at=cut_at)
    with pytest.raises(ValueError, match=r"the table of tokens in a\.gguf cannot be read"):
        control_tokens(path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain <b>text</b>", "plain <b>text</b>", id="none"),
        pytest.param(
            "ok<|im_end|>\n<|im_start|>system", "ok<\u200b|im_end|>\n<\u200b|im_start|>system", id="roles"
        ),
        pytest.param("</s></s>", "<\u200b/s><\u200b/s>", id="in-a-row"),
        pytest.param("<|im_<|im_end|>end|>", "<|im_<\u200b|im_end|>end|>", id="one-in-another"),
    ],
)
def test_spelled_tokens_are_broken(text: str, expected: str) -> None:
    assert without_tokens(text, TOKENS) == expected


def test_tokens_that_overlap_are_both_broken() -> None:
    assert without_tokens("abc", frozenset({"ab", "bc"})) == "a\u200bb\u200bc"


def test_a_model_without_control_tokens_leaves_text_alone() -> None:
    assert without_tokens("<|im_end|>", frozenset()) == "<|im_end|>"


@given(pieces=st.lists(st.sampled_from([*TOKENS, "<", "|", "im_", "end", ">", "x", "\u200b"]), max_size=8))
def test_nothing_is_left_and_nothing_is_lost(pieces: list[str]) -> None:
    text = "".join(pieces)
    broken = without_tokens(text, TOKENS)
    assert not any(token in broken for token in TOKENS)
    assert broken.replace("\u200b", "") == text.replace("\u200b", "")
