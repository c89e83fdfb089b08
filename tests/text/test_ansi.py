import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.text import strip_ansi
from rampart.text.ansi import strip_sequences

CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

hostile = st.text(
    st.sampled_from("\x1b\x9b\x9d\x90\x98\x9c\x07[]PX^_\\0;3mHJ(B \n\r\t\x0b\x85\u2028aé語"), max_size=40
)


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        pytest.param("plain", "plain", id="plain"),
        pytest.param("a\tb\nc\rd", "a\tb\nc\rd", id="tab-and-line-breaks-stay"),
        pytest.param("naïve 日本 🙂", "naïve 日本 🙂", id="other-scripts-stay"),
        pytest.param("[31m is no sequence", "[31m is no sequence", id="without-esc"),
        pytest.param("\x1b[31mred\x1b[0m", "red", id="csi-colour"),
        pytest.param("\x1b[38;2;1;2;3mx", "x", id="csi-parameters"),
        pytest.param("\x1b[?25lx\x1b[ qy", "xy", id="csi-private-and-intermediate"),
        pytest.param("\x9b31mred", "red", id="csi-8-bit"),
        pytest.param("\x1b[31", "", id="csi-broken-off"),
        pytest.param("\x1b[31é", "é", id="csi-broken-by-text"),
        pytest.param("\x1b]2;title\x07x", "x", id="osc-bel"),
        pytest.param("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link", id="osc-st"),
        pytest.param("\x9d2;title\x9cx", "x", id="osc-8-bit"),
        pytest.param("\x1bP1$r\x1b\\x", "x", id="dcs"),
        pytest.param("\x90q\x9cx", "x", id="dcs-8-bit"),
        pytest.param("\x1bXsos\x1b\\x\x98sos\x9cy", "xy", id="sos"),
        pytest.param("\x1b^pm\x1b\\x\x9epm\x9cy", "xy", id="pm"),
        pytest.param("\x1b_apc\x1b\\x\x9fapc\x9cy", "xy", id="apc"),
        pytest.param("\x1bP a \x07 b\x1b\\x", "x", id="bel-ends-no-dcs"),
        pytest.param("\x1b]2;open\nnext line", "\nnext line", id="open-osc-ends-at-lf"),
        pytest.param("\x1b]2;open\r\nnext", "\r\nnext", id="open-osc-ends-at-cr"),
        pytest.param("\x1bPopen\nnext", "\nnext", id="open-dcs-ends-at-lf"),
        pytest.param("\x1b]2;open\x0bnext", "next", id="open-osc-ends-at-vt"),
        pytest.param("\x1b]2;open\u2028next", "\u2028next", id="open-osc-ends-at-line-separator"),
        pytest.param("\x1b]2;open\x1b[1mshown", "shown", id="open-osc-ends-at-esc"),
        pytest.param("\x1b]2;open\x9b1mshown", "shown", id="open-osc-ends-at-8-bit-sequence"),
        pytest.param("\x1b]2;open to the end", "", id="open-osc-at-the-end"),
        pytest.param("\x1bcx\x1b7y\x1bMz", "xyz", id="two-character-escapes"),
        pytest.param("\x1b(Bx\x1b#8y", "xy", id="escapes-with-intermediates"),
        pytest.param("a\x00b\x07c\x08d\x0be\x0cf\x7fg\x85h", "abcdefgh", id="stray-controls"),
        pytest.param("end\x1b", "end", id="stray-esc"),
        pytest.param("\x1b\x1b[31mx", "x", id="esc-before-a-sequence"),
        pytest.param("\x1b\x1b[31m[32mx", "[32mx", id="what-joins-up-is-no-sequence-any-more"),
        pytest.param("\x1b[3J\x1b]2;hello\x07", "", id="s88-erase-and-title"),
    ],
)
def test_strip_ansi(text: str, stripped: str) -> None:
    assert strip_ansi(text) == stripped


@settings(deadline=None)
@given(hostile | st.text(max_size=40))
def test_s88_nothing_is_left_that_drives_a_terminal(text: str) -> None:
    stripped = strip_ansi(text)
    assert not CONTROLS.search(stripped)
    assert strip_ansi(stripped) == stripped


@settings(deadline=None)
@given(hostile, hostile)
def test_no_sequence_reaches_into_the_next_line(first: str, second: str) -> None:
    assert strip_ansi(f"{first}\n{second}") == f"{strip_ansi(first)}\n{strip_ansi(second)}"


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cc"])))
def test_text_without_controls_is_left_alone(text: str) -> None:
    assert strip_ansi(text) == text


def test_sequences_alone_leave_stray_controls() -> None:
    assert strip_sequences("\x1b[1ma\x07b\x0b\x1b") == "a\x07b\x0b\x1b"


@pytest.mark.parametrize(
    "unit", ["\x1b[", "\x1b]", "\x1b[0", "\x1b ", "\x1bP\x1b", "\x9d", "\x1b[ "], ids=ascii
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    started = time.process_time()
    strip_ansi(unit * 200_000)
    assert time.process_time() - started < 2.0


def test_text_is_positional_only() -> None:
    with pytest.raises(TypeError, match="positional-only"):
        strip_ansi(text="x")  # type: ignore[call-arg]  # the call is what is tested
