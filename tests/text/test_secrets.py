import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rampart.text import redact, register_secret
from rampart.text.secrets import _isolated_secrets

KEY = "sk-test-AAAA1111"


@pytest.fixture(autouse=True)
def isolated() -> Iterator[None]:
    with _isolated_secrets():
        yield


def test_without_secrets_the_same_object_comes_back() -> None:
    text = f"the key is {KEY}"
    assert redact(text) is text


def test_text_without_a_secret_comes_back_as_the_same_object() -> None:
    register_secret(KEY)
    text = "nothing here, sk-test-AAAA111"
    assert redact(text) is text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param(KEY, "***", id="alone"),
        pytest.param(f"key={KEY}!", "key=***!", id="inside"),
        pytest.param(f"{KEY} and {KEY}", "*** and ***", id="every-time"),
        pytest.param(f"{KEY}{KEY}", "******", id="side-by-side"),
        pytest.param(f"Bearer {KEY}\n", "Bearer ***\n", id="before-a-line-end"),
        pytest.param(KEY.lower(), KEY.lower(), id="another-case-is-another-value"),
    ],
)
def test_s98_a_registered_value_becomes_stars(text: str, shown: str) -> None:
    register_secret(KEY)
    assert redact(text) == shown


def test_the_longer_of_two_nested_secrets_goes_whole() -> None:
    register_secret("password")
    register_secret("password-for-production")
    assert redact("password-for-production, password") == "***, ***"


def test_a_secret_within_a_secret_does_not_end_it() -> None:
    register_secret("<cdefghij>")
    register_secret("ab<cdefghij>kl")
    assert redact("[ab<cdefghij>kl]") == "[***]"


def test_of_overlapping_secrets_no_part_stays() -> None:
    register_secret("abcdefgh1234")
    register_secret("1234ijklmnop")
    assert redact("<abcdefgh1234ijklmnop>") == "<***>"


def test_a_secret_that_overlaps_itself_goes_whole() -> None:
    register_secret("ab.ab.ab.ab")
    assert redact("<ab.ab.ab.ab.ab.ab>") == "<***>"


def test_white_space_around_a_secret_is_not_part_of_it() -> None:
    register_secret(f" {KEY}\n")
    assert redact(f"Authorization: {KEY};") == "Authorization: ***;"


@pytest.mark.parametrize("value", ["", "1234567", "   12345   ", "\n" * 20], ids=ascii)
def test_short_values_are_refused_without_being_told(value: str) -> None:
    with pytest.raises(ValueError, match="8 characters or more") as caught:
        register_secret(value)
    assert value.strip() == "" or value.strip() not in str(caught.value)
    assert redact("1234567 12345") == "1234567 12345"


def test_eight_characters_are_enough() -> None:
    register_secret("12345678")
    assert redact("12345678") == "***"


def test_what_is_no_text_is_refused_without_being_told() -> None:
    with pytest.raises(TypeError, match="must be a str, got bytes") as caught:
        register_secret(b"sk-test-AAAA1111")  # type: ignore[arg-type]  # the refusal is what is tested
    assert "AAAA" not in str(caught.value)


def test_registering_again_changes_nothing() -> None:
    for _ in range(3):
        register_secret(KEY)
    assert redact(KEY) == "***"


def test_threads_lose_no_secret() -> None:
    values = [f"secret-number-{number:04d}" for number in range(400)]

    def register(part: list[str]) -> None:
        for value in part:
            register_secret(value)

    threads = [threading.Thread(target=register, args=(values[start::8],)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert redact(" ".join(values)) == " ".join(["***"] * len(values))


def test_isolation_restores_what_was_registered() -> None:
    register_secret(KEY)
    with _isolated_secrets():
        assert redact(KEY) == KEY
        register_secret("something else")
    assert redact(KEY) == "***"
    assert redact("something else") == "something else"


@settings(deadline=None)
@given(
    st.lists(st.text("ab1", min_size=8, max_size=14), min_size=1, max_size=4),
    st.lists(st.text("ab1", max_size=10), max_size=6),
    st.randoms(use_true_random=False),
)
def test_no_registered_value_survives(secrets: list[str], filling: list[str], random: object) -> None:
    parts = secrets + filling
    random.shuffle(parts)  # type: ignore[attr-defined]  # hypothesis hands out a random.Random
    text = "".join(parts)
    with _isolated_secrets():
        for secret in secrets:
            register_secret(secret)
        redacted = redact(text)
        assert not any(secret in redacted for secret in secrets)
        assert redact(redacted) == redacted
