"""Replies without the thinking aloud before them."""

import pytest

from rampart.text.reasoning import without_reasoning


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param("answer", "answer", id="none"),
        pytest.param("<think>a\nb</think>\n\nanswer", "answer", id="block"),
        pytest.param("[THINK]a[/THINK]answer", "answer", id="brackets"),
        pytest.param("a</think>answer", "answer", id="closing-tag-alone"),
        pytest.param("one <think>a</think>two", "one two", id="in-the-middle"),
        pytest.param("answer <think>a", "answer", id="never-closed"),
        pytest.param("<think>a</reasoning>b</think>answer", "answer", id="another-closing-tag"),
        pytest.param("I <thinker>b</thinker> it", "I <thinker>b</thinker> it", id="other-tags-stay"),
    ],
)
def test_left(text: str, left: str) -> None:
    assert without_reasoning(text) == left
