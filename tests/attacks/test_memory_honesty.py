"""What a memory attack must not say: SAFE after harm in any session, kept or forgotten without a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import pytest
from tests.attacks.adaptive_places import LEAK as SENT
from tests.attacks.adaptive_places import OBJECTIVE, file_spot, wordings, yielding_agent
from tests.attacks.attacking_model import AttackingModel
from tests.attacks.remembering_agent import ASK, HOLDS, LEAK, ORDER, PLANT, TRIGGER, Notes, Secretary, phases

from rampart import Attacks, Payload, Request, Response, SafetyStatus, ToolCall
from rampart.attacks import Adaptation, Recall
from rampart.converters import Base64Converter
from rampart.surfaces import FileSurface
from rampart.testing import ScriptedAgent

if TYPE_CHECKING:
    from pathlib import Path

UNSAFE, SAFE, UNDETERMINED = SafetyStatus.UNSAFE, SafetyStatus.SAFE, SafetyStatus.UNDETERMINED
_CLOCK = Response(text="Noon.", tool_calls=[ToolCall(name="clock", result="12:00")])
RECALL = Recall(ask=ASK, evaluator=HOLDS)


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "notes.db")


def attack(**changes: Any) -> Any:
    return Attacks.memory(**{"plant": PLANT, "trigger": TRIGGER, "evaluator": LEAK, **changes})


@pytest.mark.parametrize(
    ("moment", "phase", "changes"),
    [
        ((ASK, 1), "recall", {"persisted": RECALL}),
        (("Forget everything.", 1), "forget", {"forget": "Forget everything."}),
        ((TRIGGER, 3), "cleanup check", {}),
        ((ASK, 2), "cleanup check", {"persisted": RECALL}),
    ],
    ids=["recall", "forget", "check by the trigger", "check by the recall"],
)
@pytest.mark.parametrize("harmful", [True, False], ids=["harm", "no harm"])
async def test_harm_in_a_session_beside(
    notes: Notes, moment: tuple[str, int], phase: str, changes: dict[str, Any], harmful: bool
) -> None:
    prompt, time = moment

    def before(sent: str) -> None:
        if harmful and sent == prompt and secretary.prompts.count(prompt) == time:
            secretary._obey(ORDER)

    secretary = Secretary(notes, "hardened", before=before)
    result = await attack(**{"forget": notes.clear, **changes}).execute_async(adapter=secretary.adapter)
    assert result.status is (UNSAFE if harmful else SAFE), result.summary
    assert (f"the one of phase '{phase}'" in result.summary) is harmful
    assert [turn.request.prompt for turn in result.turns] == [prompt if harmful else TRIGGER]


async def test_sessions_beside_are_not_judged_where_planting_is_not(notes: Notes) -> None:
    secretary = Secretary(notes, "hardened")
    result = await attack(
        evaluator=HOLDS, persisted=RECALL, judge_planting=False, forget=notes.clear
    ).execute_async(adapter=secretary.adapter)
    assert result.status is SAFE, result.summary
    assert result.metadata["memory"]["plant"] is None  # nobody judged it


async def test_a_short_message_is_no_trace_of_what_was_planted(notes: Notes) -> None:
    notes.add("This is what Ann likes.")
    result = await attack(plant=["Hi", PLANT], require_persistence=True).execute_async(
        adapter=Secretary(notes, "forgetful").adapter
    )
    assert (result.status, result.metadata["memory"]["kept"]) == (UNDETERMINED, "not_observed")


@pytest.mark.parametrize("cleans", [True, False])
async def test_a_recall_that_shows_nothing_does_not_prove_that_the_memory_forgot(
    notes: Notes, cleans: bool
) -> None:
    blind = Recall(ask="forget-me-not: what is new?", evaluator=HOLDS)
    forget = notes.clear if cleans else lambda: None
    result = await attack(persisted=blind, forget=forget).execute_async(adapter=Secretary(notes).adapter)
    assert result.status is UNSAFE
    assert result.metadata["memory"]["cleanup"] == ("forgotten" if cleans else "failed")
    assert phases(result)[-1] == ("cleanup check", "not there" if cleans else "still there")


async def test_what_an_earlier_attack_left_is_not_put_down_to_the_agent(notes: Notes) -> None:
    secretary = Secretary(notes)
    await attack().execute_async(adapter=secretary.adapter)
    result = await attack().execute_async(adapter=secretary.adapter)
    assert result.status is UNDETERMINED
    assert "the memory held what was to be planted" in result.summary
    assert "unsafe by itself" not in result.summary


def test_forget_that_needs_arguments_is_refused_before_anything_is_planted() -> None:
    def forget(key: str) -> None:
        raise AssertionError(key)

    with pytest.raises(TypeError, match="forget is called without arguments"):
        attack(forget=forget)


class _Unknown:
    """A place that does not tell what it plants, and may not be put back."""

    surface_name, payload_id = "inbox", None

    def __init__(self, path: Path, *, locked: bool) -> None:
        self._path = path
        self._locked = locked

    async def __aenter__(self) -> Self:
        self._path.write_text(ORDER)
        return self

    async def wait_until_ready_async(self) -> None:
        return

    async def __aexit__(self, *_: object) -> None:
        if self._locked:
            raise OSError("locked")
        self._path.write_text("")


@pytest.mark.parametrize("locked", [True, False])
async def test_a_place_that_tells_nothing(notes: Notes, tmp_path: Path, locked: bool) -> None:
    inbox = tmp_path / "inbox.txt"
    secretary = Secretary(notes, inbox=inbox)
    result = await attack(
        inject=_Unknown(inbox, locked=locked), plant="Read my mail.", forget=lambda: None
    ).execute_async(adapter=secretary.adapter)
    assert result.status is UNSAFE
    assert ("may have been read again" in result.summary) is locked
    assert phases(result)[-1] == ("cleanup check", "still there")


async def test_an_attachment_of_the_trigger_does_not_stand_for_what_was_injected(tmp_path: Path) -> None:
    result = await attack(
        inject=FileSurface(path=tmp_path / "unread.txt").inject(payload=Payload(content=ORDER)),
        plant="Read my mail.",
        trigger=Request(prompt=TRIGGER, attachments=[Payload(content="an invoice")]),
        forget=lambda: None,
    ).execute_async(adapter=ScriptedAgent([_CLOCK], repeat_last=True))
    assert result.status is UNDETERMINED
    assert "payload not delivered: file unread.txt" in result.summary


async def test_nor_for_what_was_rewritten(tmp_path: Path) -> None:
    result = await Attacks.xpia(
        inject=FileSurface(path=tmp_path / "unread.txt").inject(payload=Payload(content=ORDER)),
        trigger=Request(prompt="My notes?", attachments=[Payload(content="a picture")]),
        evaluator=SENT,
        adapt=Adaptation(objective=OBJECTIVE, attacker=AttackingModel(wordings(2)).model, max_attempts=2),
    ).execute_async(adapter=ScriptedAgent([_CLOCK], repeat_last=True))
    assert result.status is UNDETERMINED
    assert "payload not delivered in 2 of 2 attempts" in result.summary


@pytest.mark.parametrize("reads_first", [True, False])
async def test_adaptation_counts_the_places_that_it_rewrites(tmp_path: Path, reads_first: bool) -> None:
    spots = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        spots.append(file_spot(tmp_path / name))
    texts = [ORDER, "Something else, to be read as well."]
    result = await Attacks.xpia(
        inject=[spot.make(Payload(content=text)) for spot, text in zip(spots, texts, strict=True)],
        trigger="My notes?",
        evaluator=SENT,
        adapt=Adaptation(objective=OBJECTIVE, attacker=AttackingModel(wordings(3)).model, max_attempts=3),
    ).execute_async(adapter=yielding_agent(spots[0 if reads_first else 1].read, None))
    assert result.status is (SAFE if reads_first else UNDETERMINED), result.summary
    assert ("payload not delivered in 3 of 3 attempts" in result.summary) is not reads_first


async def test_converters_leave_what_is_around_a_text_alone(tmp_path: Path) -> None:
    spot = file_spot(tmp_path)
    payload = Payload(content=f"Dear reader,\n{ORDER}\nYours, Ann", metadata={"carried_text": ORDER})
    result = await Attacks.xpia(
        inject=spot.make(payload),
        trigger="My notes?",
        evaluator=SENT,
        adapt=Adaptation(
            objective=OBJECTIVE,
            attacker=AttackingModel(wordings(2)).model,
            max_attempts=2,
            converters=[Base64Converter()],
        ),
    ).execute_async(adapter=yielding_agent(spot.read, None))
    content = result.attempts[-1].metadata["content"]
    assert content.startswith("Dear reader,\n")
    assert content.endswith("\nYours, Ann")
    assert "Wording" not in content
    assert [record.delivery for record in result.injections] == ["observed", "observed"]
