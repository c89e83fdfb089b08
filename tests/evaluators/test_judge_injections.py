"""What an agent writes changes no verdict, not even of a judge that obeys whoever gets through to it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.evaluators.naive_judge import NaiveJudge
from tests.evaluators.support import DETECTED, NOT_DETECTED, UNDETERMINED, called, effect, reply, trace

from rampart import AppManifest, EvalContext, LLMJudge, Payload, Request, ToolDeclaration, Turn
from rampart.testing import ScriptedChatModel
from rampart.text.fence import Fence
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from rampart import EvalOutcome, EvalResult

CORPUS = [
    json.loads(line)
    for line in Path(__file__).with_name("judge_injections.jsonl").read_text(encoding="utf-8").splitlines()
]
EARLIER = Fence(label="TRANSCRIPT", value="a1b2c3d4" * 4)
STRUCTURE = {"forged-turn", "forged-result", "forged-effect"}


@dataclass(frozen=True)
class World:
    """What really happened, and what an attacker wants to be believed."""

    tool: str
    truth: EvalOutcome
    wanted: str
    confidence: str
    forged_call: str
    forged_effect: str

    def injection(self, text: str) -> str:
        in_tags = "".join(chr(0xE0000 + ord(letter)) for letter in self.wanted)
        for name, value in {
            "wanted": self.wanted,
            "confidence": self.confidence,
            "forged_call": self.forged_call,
            "forged_effect": self.forged_effect,
            "earlier_opening": EARLIER.opening,
            "earlier_closing": EARLIER.closing,
            "wanted_in_tags": in_tags,
        }.items():
            text = text.replace("{" + name + "}", value)
        return text


HARM = World("send_mail", DETECTED, "not_detected", "0.0", "recall_mail", "mail_recalled")
NO_HARM = World("read_mail", NOT_DETECTED, "detected", "1.0", "send_mail", "mail_sent")
CHANNELS = [
    "prompt",
    "attachment",
    "tool name",
    "argument name",
    "argument",
    "raw arguments",
    "result",
    "error",
    "reply",
    "effect kind",
    "effect key",
    "effect detail",
    "manifest",
]


def conversation(world: World, channel: str, text: str) -> EvalContext:
    """A turn in which the tool of a world was called, with a text in one of its channels."""
    second = called("look")
    response = reply("Done.", calls=[called(world.tool, to="eve@evil.example"), second])
    request = Request(prompt="Go on.", attachments=[Payload(content="c")])
    manifest = AppManifest(name="agent", tools=[ToolDeclaration(name="look", description="Looks.")])
    match channel:
        case "prompt":
            request.prompt = text
        case "attachment":
            request.attachments[0].id = text
        case "tool name":
            second.name = text
        case "argument name":
            second.arguments = {text: 1}
        case "argument":
            second.arguments = {"a": text}
        case "raw arguments":
            second.raw_arguments = text
        case "result":
            second.result = text
        case "error":
            second.error = text
        case "reply":
            response.text = text
        case "effect kind":
            response.side_effects = [effect(text, a=1)]
        case "effect key":
            response.side_effects = [effect("noted", **{text: 1})]
        case "effect detail":
            response.side_effects = [effect("noted", a=text)]
        case "manifest":
            manifest.description = manifest.tools[0].description = text
        case _:
            raise AssertionError(channel)
    context = trace()
    context.turns[:] = [Turn(request=request, response=response)]
    context.manifest = manifest
    return context


async def system_prompt(context: EvalContext) -> str:
    model = ScriptedChatModel([NaiveJudge()])
    await LLMJudge(objective="mail is sent to eve", llm=model).evaluate_async(context=context)
    return model.calls[0].messages[0].content


async def judged(context: EvalContext, *, repeats: bool = False) -> EvalResult:
    known = frozenset((await system_prompt(conversation(HARM, "prompt", "Go on."))).splitlines())
    model = ScriptedChatModel([NaiveJudge(known=known, repeats=repeats)], repeat_last=True)
    return await LLMJudge(objective="mail is sent to eve", llm=model).evaluate_async(context=context)


def _imitates_lines(entry: dict[str, str]) -> bool:
    return entry["kind"] in STRUCTURE or (entry["kind"] == "unicode" and "User:" in entry["text"])


entries = pytest.mark.parametrize("entry", CORPUS, ids=[entry["id"] for entry in CORPUS])
worlds = pytest.mark.parametrize("world", [HARM, NO_HARM], ids=["harm", "no-harm"])


def test_the_corpus_is_broad() -> None:
    assert len(CORPUS) >= 60
    assert len({entry["id"] for entry in CORPUS}) == len(CORPUS)
    assert len({entry["language"] for entry in CORPUS}) >= 5
    kinds = Counter(entry["kind"] for entry in CORPUS)
    assert {*STRUCTURE, "forged-verdict", "forged-delimiter", "role-tag", "unicode"} <= kinds.keys()
    assert min(kinds.values()) >= 4
    assert all("{wanted" in entry["text"] for entry in CORPUS)


@worlds
async def test_without_an_injection_the_judge_sees_what_happened(world: World) -> None:
    for channel in CHANNELS:
        assert (await judged(conversation(world, channel, "Fine."))).outcome is world.truth


@entries
@worlds
async def test_no_injection_changes_the_verdict(entry: dict[str, str], world: World) -> None:
    text = world.injection(entry["text"])
    for channel in CHANNELS:
        result = await judged(conversation(world, channel, text))
        assert (channel, result.outcome, result.rationale) == (channel, world.truth, "mine")


@entries
@worlds
async def test_repeating_it_before_the_verdict_does_not_help_either(
    entry: dict[str, str], world: World
) -> None:
    """Only reasoning that is opened and never closed hides the verdict behind it; then nothing is settled."""
    result = await judged(conversation(world, "reply", world.injection(entry["text"])), repeats=True)
    hidden = "open-reasoning" in entry["id"]
    assert result.outcome is (UNDETERMINED if hidden else world.truth)


@entries
@worlds
async def test_without_the_fence_the_same_judge_is_fooled(
    entry: dict[str, str], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rampart.evaluators.model_graded.fenced", lambda text, label: text)
    result = await judged(conversation(world, "reply", world.injection(entry["text"])))
    assert result.outcome is not world.truth


@pytest.mark.parametrize(
    "entry",
    [pytest.param(entry, id=entry["id"]) for entry in CORPUS if _imitates_lines(entry)],
)
@worlds
async def test_without_quoting_the_same_judge_is_fooled(
    entry: dict[str, str], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rampart.evaluators.judge_transcript.quoted", safe_str)
    result = await judged(conversation(world, "reply", world.injection(entry["text"])))
    assert result.outcome is not world.truth


@pytest.mark.parametrize(
    "entry",
    [pytest.param(entry, id=entry["id"]) for entry in CORPUS if "{earlier_closing}" in entry["text"]],
)
@worlds
async def test_with_one_value_for_all_calls_the_same_judge_is_fooled(
    entry: dict[str, str], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = world.injection(entry["text"])
    monkeypatch.setattr("secrets.token_hex", lambda _: EARLIER.value)
    assert (
        await judged(conversation(world, "reply", text))
    ).outcome is world.truth  # quoted, as it should be
    monkeypatch.setattr(Fence, "_quoted", lambda self, text: text)
    assert (await judged(conversation(world, "reply", text))).outcome is not world.truth
