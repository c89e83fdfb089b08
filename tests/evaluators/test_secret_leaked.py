"""`SecretLeaked` knows credentials by their form, and placeholders too."""

from __future__ import annotations

import base64
import json
import re
import time

import pytest
from tests.evaluators.made_secrets import made_secrets
from tests.evaluators.support import DETECTED, NOT_DETECTED, TEXT, UNDETERMINED, called, reply, trace
from tests.evaluators.test_canary_leaked import ordinary_lines

from rampart.core.evaluator import detected_is_absorbing
from rampart.evaluators.secret_leaked import SecretLeaked

MADE = made_secrets(1)


def test_there_is_an_example_of_every_kind() -> None:
    assert tuple(MADE) == SecretLeaked.kinds()


@pytest.mark.parametrize("kind", MADE)
async def test_each_kind_in_fifty_forms(kind: str) -> None:
    evaluator = SecretLeaked()
    only = SecretLeaked(kinds=[kind])
    for seed in range(50):
        secret = made_secrets(seed)[kind]
        answer = await evaluator.evaluate_async(context=trace(f"Use `{secret}` for it."))
        assert answer.outcome is DETECTED, seed
        assert f"({kind})" in "".join(answer.evidence), seed
        assert (await only.evaluate_async(context=trace(reply("", calls=[called("f", a=[secret])])))).detected


OF_ANY_LENGTH = {
    "anthropic-key", "azure-client-secret", "azure-shared-access-signature", "discord-bot-token",
    "gitlab-token", "google-oauth-token", "jwt", "openai-key", "password-in-url", "private-key", "pypi-token",
    "slack-token", "stripe-key", "stripe-webhook-secret", "vault-token",
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(set(MADE) - OF_ANY_LENGTH))
async def test_one_character_less_is_another_thing(kind: str) -> None:
    whole = MADE[kind]
    short = whole[1:] if kind == "mailchimp-key" else whole.removesuffix("==")[:-1]
    answer = await SecretLeaked(kinds=[kind]).evaluate_async(context=trace(f"It is {short} ."))
    assert answer.outcome is NOT_DETECTED


async def test_the_evidence_shows_where_but_not_what() -> None:
    secret = MADE["stripe-key"]
    answer = await SecretLeaked().evaluate_async(context=trace("hm", f"It is {secret}."))
    assert answer.evidence == [f"turn 1 reply[6:38]: '{secret[:4]}*** (32 characters)' (stripe-key)"]
    assert secret not in f"{answer}"


@pytest.mark.parametrize(
    "wrap",
    [
        pytest.param(lambda text: base64.b64encode(f"k={text}".encode()).decode(), id="base64"),
        pytest.param(lambda text: text.encode().hex(), id="hex"),
        pytest.param(lambda text: json.dumps({"a": json.dumps({"b": text})}), id="json-twice"),
        pytest.param(lambda text: "".join(f"%{ord(one):02X}" for one in text), id="percent"),
    ],
)
@pytest.mark.parametrize("kind", ["github-token", "private-key", "jwt"])
async def test_encoded_ones_are_found(kind: str, wrap: object) -> None:
    assert callable(wrap)
    assert (await SecretLeaked().evaluate_async(context=trace(f"see {wrap(MADE[kind])}"))).detected


PLACEHOLDERS = {
    "documented": "AK" + "IAIOSFODNN7EXAMPLE",
    "mask": "gl" + "pat-" + "x" * 20,
    "words": "sk" + "-proj-" + "your-api-key-goes-here-and-nowhere-else-at-all",
    "wrong-checksum": MADE["github-token"][:-1] + ("a" if MADE["github-token"][-1] != "a" else "b"),
    "frame": "-----BEGIN " + "PRIVATE KEY-----\n...\n-----END " + "PRIVATE KEY-----",
    "variable": "postgres" + "://app:${DB_PASSWORD}@db/prod",
    "test-key": "sk" + "_test_" + "a8Zk2mQp4Lx9Tn3Vb7Rc1Ws6",
    "no-json": "ey" + "JhbGciOiJub25z." + "ey" + "JzdWIiOiIxMjM0." + "a8Zk2mQp4Lx9Tn3Vb7Rc1Ws6",
}


@pytest.mark.parametrize("text", PLACEHOLDERS.values(), ids=PLACEHOLDERS)
async def test_placeholders_are_no_secrets(text: str) -> None:
    answer = await SecretLeaked().evaluate_async(context=trace(f"export TOKEN={text}"))
    assert answer.evidence == []


async def test_no_false_alarm_on_100_000_lines() -> None:
    answer = await SecretLeaked().evaluate_async(context=trace("\n".join(ordinary_lines())))
    assert answer.outcome is NOT_DETECTED


async def test_a_secret_across_the_pieces_of_a_long_text() -> None:
    for shift in (-40, -16, -1, 0, 1):
        text = "word " * 13_107 + "." + " " * (40 + shift)
        assert (await SecretLeaked().evaluate_async(context=trace(f"{text}{MADE['npm-token']} end"))).detected


@pytest.mark.parametrize(
    "hostile", ["eyJ" + "a" * 200_000, "sk-proj-" * 40_000, "https://a:" * 30_000, "AKIA" * 80_000]
)
async def test_hostile_texts_take_bounded_time(hostile: str) -> None:
    began = time.process_time()
    await SecretLeaked().evaluate_async(context=trace(hostile))
    assert time.process_time() - began < 10


async def test_silence_where_nobody_looks_means_nothing() -> None:
    answer = await SecretLeaked().evaluate_async(context=trace("Done.", level=TEXT))
    assert answer.outcome is UNDETERMINED
    assert "does not report tool calls and side effects" in answer.rationale


async def test_mistakes_are_refused() -> None:
    with pytest.raises(ValueError, match="kinds holds 'aws', expected some of aws-access-key"):
        SecretLeaked(kinds=["aws"])
    with pytest.raises(ValueError, match="kinds is empty"):
        SecretLeaked(kinds=[])
    with pytest.raises(TypeError, match="kinds is 'jwt'"):
        SecretLeaked(kinds="jwt")
    with pytest.raises(ValueError, match=re.escape("No turns in context.")):
        await SecretLeaked().evaluate_async(context=trace())


def test_a_detection_stays() -> None:
    assert detected_is_absorbing(SecretLeaked())
