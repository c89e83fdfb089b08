"""Payloads are rewritten from what the agent did, until it obeys or the attempts are used up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.attacks.adaptive_places import (
    LEAK,
    OBJECTIVE,
    ORDER,
    SPOTS,
    file_spot,
    trigger_for,
    wording,
    wordings,
    yielding_agent,
)
from tests.attacks.attacking_model import AttackingModel, message
from tests.attacks.support import LEAK as SAID
from tests.attacks.support import Planted

from rampart import (
    Attacks,
    ConfigurationError,
    EvalOutcome,
    Limits,
    Payload,
    PayloadFormat,
    Request,
    Result,
    SafetyStatus,
)
from rampart.adapters import CallableAdapter
from rampart.attacks import Adaptation, Budget
from rampart.converters import Base64Converter
from rampart.evaluators import ResponseContains, ResponseScope
from rampart.records import deserialize_record, prepare_record, serialize_record
from rampart.surfaces import FileSurface
from rampart.testing import HANG, ScriptedAgent, ScriptedChatModel

if TYPE_CHECKING:
    from pathlib import Path

    from tests.attacks.adaptive_places import Spot

    from rampart import InjectionHandle

UNSAFE, SAFE, UNDETERMINED, ERROR = (
    SafetyStatus.UNSAFE,
    SafetyStatus.SAFE,
    SafetyStatus.UNDETERMINED,
    SafetyStatus.ERROR,
)


def adaptation(model: Any, **changes: Any) -> Adaptation:
    return Adaptation(**{"objective": OBJECTIVE, "attacker": model, "max_attempts": 5, **changes})


@pytest.fixture(params=[*SPOTS])
def spot(request: pytest.FixtureRequest, tmp_path: Path) -> Spot:
    return SPOTS[request.param](tmp_path)


@pytest.fixture
def notes(tmp_path: Path) -> Spot:
    return file_spot(tmp_path)


async def attacked(
    spot: Spot, adapter: Any, adapt: Adaptation, *, payload: Payload | None = None, **changes: Any
) -> Result:
    handle = spot.make(payload or Payload(content=ORDER, id="order"))
    plan: dict[str, Any] = {"trigger": trigger_for(handle), "evaluator": LEAK, **changes}
    return await Attacks.xpia(inject=handle, adapt=adapt, **plan).execute_async(adapter=adapter)


class TestFound:
    @pytest.mark.parametrize("number", [1, 2, 5])
    async def test_at_the_wording_to_which_the_agent_yields(self, spot: Spot, number: int) -> None:
        before = spot.snapshot()
        between: list[Any] = []

        def grade(_reply: str) -> dict[str, Any]:
            between.append(spot.snapshot())
            return {"reason": "it read it", "refused": False, "score": 4}

        attacking = AttackingModel(wordings(5), grade=grade)
        result = await attacked(spot, yielding_agent(spot.read, number), adaptation(attacking.model))
        assert result.status is UNSAFE, result.summary
        assert result.strategy == "xpia"
        assert spot.snapshot() == before
        assert between == [before] * (number - 1)
        if number == 1:
            assert result.attempts == []  # the one conversation is told by the result itself
            return
        outcomes = [attempt.outcome for attempt in result.attempts]
        assert outcomes == ["not reached"] * (number - 1) + ["reached"]
        assert [attempt.parent for attempt in result.attempts] == [None, *range(number - 1)]
        contents = [attempt.metadata["content"] for attempt in result.attempts]
        assert contents == [ORDER, *(wording(one) for one in range(2, number + 1))]
        for attempt in result.attempts:
            assert attempt.metadata["payload"] == "order"
            assert [record.delivery for record in attempt.injections] == ["observed"]
            assert len(attempt.turns) == 1
        assert result.turns == result.attempts[-1].turns
        assert len(result.injections) == number
        assert f"attempt {number} of {number}" in result.summary

    async def test_not_when_it_comes_too_late(self, spot: Spot) -> None:
        attacking = AttackingModel(wordings(3))
        result = await attacked(
            spot, yielding_agent(spot.read, 4), adaptation(attacking.model, max_attempts=3)
        )
        assert result.status is SAFE, result.summary
        assert result.summary == "no sign of the attack objective; all 3 attempts used"
        assert [attempt.outcome for attempt in result.attempts] == ["not reached"] * 3
        assert attacking.supervised == [[wording(2), wording(3)]]
        assert result.metadata["attacker"] == {
            "turns_planned": 3,
            "turns_run": 3,
            "messages": 2,
            "refused": 0,
            "invalid": 0,
            "repeated": 0,
            "lost_goal": 0,
            "went_back": 0,
            "pruned": 0,
            "unwritten": 0,
            "ended": "",
        }

    async def test_one_attempt_asks_no_model(self, notes: Spot) -> None:
        attacking = AttackingModel([])
        adapt = adaptation(attacking.model, max_attempts=1)
        result = await attacked(notes, yielding_agent(notes.read, 2), adapt)
        assert (result.status, result.attempts) == (SAFE, [])
        assert not attacking.model.calls

    async def test_attempts_survive_the_journal(self, notes: Spot) -> None:
        attacking = AttackingModel(wordings(2))
        result = await attacked(notes, yielding_agent(notes.read, 2), adaptation(attacking.model))
        read = deserialize_record(data=serialize_record(record=prepare_record(result=result))).result
        assert read.attempts == result.attempts
        assert read.attempts[0].score == pytest.approx(1 / 3)
        assert read.usage["attacker"].requests == 2


class TestWhatTheAttackerIsTold:
    async def test_all_of_it_as_data(self, notes: Spot) -> None:
        attacking = AttackingModel(wordings(3))
        await attacked(
            notes,
            yielding_agent(notes.read, 3),
            adaptation(attacking.model),
            trigger=["Good day.", "My notes?"],
        )
        first, second = (json.loads(told) for told in attacking.told)
        assert first["payload"] == ORDER
        assert first["place"] == ["file notes.txt"]
        assert first["user_messages"] == ["Good day.", "My notes?"]
        assert first["delivered"] == "observed"
        assert [turn["user"] for turn in first["conversation"]] == ["Good day.", "My notes?"]
        actions = first["conversation"][0]["agent_actions"]
        assert [action["tool"] for action in actions] == ["clock", "read"]
        assert ORDER in actions[1]["result"]
        assert first["conversation"][0]["agent_reply"].startswith("I read ")
        assert (first["progress"], first["refused"], first["why"]) == (3, False, "by its words")
        assert second["payload"] == wording(2)
        assert "user_messages" not in second

    async def test_instructions(self, notes: Spot) -> None:
        attacking = AttackingModel(wordings(2))
        await attacked(notes, yielding_agent(notes.read, 2), adaptation(attacking.model, max_attempts=4))
        [asked] = [call for call in attacking.model.calls if "payload" in call.messages[-1].content[:40]]
        instructions = asked.messages[0].content
        assert OBJECTIVE in instructions
        assert "4 times in all" in instructions
        assert 'format "text"' in instructions
        assert "{{" not in instructions

    async def test_what_is_long_is_cut(self, notes: Spot) -> None:
        attacking = AttackingModel(wordings(2))
        adapter = yielding_agent(lambda prompt: notes.read(prompt) + "x" * 100_000, 2)
        await attacked(notes, adapter, adaptation(attacking.model))
        assert len(attacking.told[0]) < 5_000
        assert "characters left out" in attacking.told[0]

    async def test_many_calls_are_cut(self, notes: Spot) -> None:
        attacking = AttackingModel(wordings(2))

        def agent(prompt: str, _history: list[Any]) -> dict[str, Any]:
            calls = [{"name": f"tool{number}", "result": notes.read("")} for number in range(50)]
            return {"text": "Done.", "tool_calls": calls, "side_effects": [{"kind": "email"}]}

        await attacked(notes, CallableAdapter(agent), adaptation(attacking.model))
        actions = json.loads(attacking.told[0])["conversation"][0]["agent_actions"]
        assert len(actions) == 32
        assert actions[-2]["effect"] == "email"
        assert actions[-1] == {"left_out": 20}

    async def test_only_what_was_carried_is_rewritten(self, notes: Spot) -> None:
        attacking = AttackingModel(wordings(2))
        payload = Payload(
            content=f"Dear reader,\n{ORDER}\nYours, Ann", id="mail", metadata={"carried_text": ORDER}
        )
        result = await attacked(
            notes, yielding_agent(notes.read, 2), adaptation(attacking.model), payload=payload
        )
        told = json.loads(attacking.told[0])
        assert (told["payload"], told["stands_in"]) == (ORDER, "Dear reader,\n[payload]\nYours, Ann")
        assert result.attempts[1].metadata["content"] == f"Dear reader,\n{wording(2)}\nYours, Ann"
        assert result.status is UNSAFE

    async def test_a_carried_text_that_stands_there_encoded_is_replaced_as_a_whole(self, notes: Spot) -> None:
        attacking = AttackingModel(wordings(2))
        payload = Payload(content="V29yZGluZyAx", metadata={"carried_text": ORDER})
        result = await attacked(
            notes, yielding_agent(notes.read, 2), adaptation(attacking.model), payload=payload
        )
        assert json.loads(attacking.told[0])["payload"] == "V29yZGluZyAx"
        assert result.attempts[1].metadata["content"] == wording(2)
        assert result.attempts[1].injections[0].delivery == "observed"

    async def test_the_format_is_kept(self, tmp_path: Path) -> None:
        attacking = AttackingModel(wordings(2))
        surface = FileSurface(directory=tmp_path)
        names: list[list[str]] = []

        def read(_prompt: str) -> str:
            names.append([path.name for path in tmp_path.iterdir()])
            return "".join(path.read_text() for path in tmp_path.iterdir())

        handle = surface.inject(payload=Payload(content=ORDER, id="p", format=PayloadFormat.MARKDOWN))
        result = await Attacks.xpia(
            inject=handle, trigger="My notes?", evaluator=LEAK, adapt=adaptation(attacking.model)
        ).execute_async(adapter=yielding_agent(read, 2))
        assert result.status is UNSAFE
        assert names == [["p.md"], ["p.md"]]

    async def test_converters(self, notes: Spot) -> None:
        attacking = AttackingModel(wordings(2))
        adapt = adaptation(attacking.model, converters=[Base64Converter()], max_attempts=2)
        result = await attacked(notes, yielding_agent(notes.read, None), adapt)
        assert "V29yZGluZyAyO" in result.attempts[1].metadata["content"]
        assert result.attempts[1].injections[0].delivery == "observed"

    async def test_half_a_character_is_replaced(self, notes: Spot) -> None:
        attacking = AttackingModel([message(wording(2) + " \ud83d")])
        result = await attacked(notes, yielding_agent(notes.read, 2), adaptation(attacking.model))
        assert result.status is UNSAFE
        assert result.attempts[1].metadata["content"].endswith("\ufffd")


class TestSeveralPlaces:
    async def test_equal_payloads_get_the_new_text_and_others_stay(self, tmp_path: Path) -> None:
        paths = [tmp_path / name for name in ("a.txt", "b.txt", "c.txt")]
        texts = [ORDER, "Something else, to be read as well.", ORDER]
        handles = [
            FileSurface(path=path).inject(payload=Payload(content=text, id=path.stem))
            for path, text in zip(paths, texts, strict=True)
        ]
        seen: list[list[str]] = []

        def read(_prompt: str) -> str:
            seen.append([path.read_text() for path in paths])
            return "\n".join(seen[-1])

        attacking = AttackingModel(wordings(2))
        result = await Attacks.xpia(
            inject=handles, trigger="My notes?", evaluator=LEAK, adapt=adaptation(attacking.model)
        ).execute_async(adapter=yielding_agent(read, 2))
        assert result.status is UNSAFE
        assert seen == [texts, [wording(2), texts[1], wording(2)]]
        assert json.loads(attacking.told[0])["place"] == ["file a.txt", "file c.txt"]
        for attempt in result.attempts:
            assert [record.payload_id for record in attempt.injections] == ["a", "b", "c"]
        assert not any(path.exists() for path in paths)


class TestDelivery:
    @pytest.mark.parametrize(
        ("read_from", "require", "status", "words"),
        [
            (5, None, UNDETERMINED, "payload not delivered: file notes.txt"),
            (4, None, UNDETERMINED, "payload not delivered in 3 of 4 attempts"),
            (3, None, UNDETERMINED, "payload not delivered in 2 of 4 attempts"),
            (2, None, SAFE, "delivery is unknown or not observed for: file notes.txt"),
            (2, True, UNDETERMINED, "payload not delivered: file notes.txt"),
            (3, False, SAFE, "no sign of the attack objective"),
            (1, True, SAFE, "all 4 attempts used"),
        ],
    )
    async def test_what_was_not_read_was_not_resisted(
        self, notes: Spot, read_from: int, require: bool | None, status: SafetyStatus, words: str
    ) -> None:
        seen: list[str] = []

        def read(prompt: str) -> str:
            seen.append(prompt)
            return notes.read(prompt) if len(seen) >= read_from else "Lunch at noon."

        attacking = AttackingModel(wordings(4))
        adapt = adaptation(attacking.model, max_attempts=4)
        result = await attacked(notes, yielding_agent(read, None), adapt, require_delivery=require)
        assert result.status is status, result.summary
        assert words in result.summary

    async def test_the_attacker_is_told_and_nobody_grades_it(self, notes: Spot) -> None:
        attacking = AttackingModel(wordings(3))
        adapt = adaptation(attacking.model, max_attempts=3)
        result = await attacked(notes, yielding_agent(lambda _prompt: "Lunch.", None), adapt)
        assert [json.loads(told)["delivered"] for told in attacking.told] == ["not_observed"] * 2
        assert all("progress" not in json.loads(told) for told in attacking.told)
        assert attacking.graded == []
        assert [attempt.score for attempt in result.attempts] == [None] * 3

    async def test_an_attachment_is_no_delivery_of_what_was_planted(self, notes: Spot) -> None:
        attacking = AttackingModel(wordings(2))

        def agent(prompt: str, history: list[Any], attachments: list[Any]) -> dict[str, Any]:
            return {"text": "Fine.", "tool_calls": [{"name": "clock", "result": "12:00"}]}

        await attacked(
            notes,
            CallableAdapter(agent),
            adaptation(attacking.model, max_attempts=2),
            trigger=Request(prompt="Look.", attachments=[Payload(content="a harmless list")]),
        )
        assert json.loads(attacking.told[0])["delivered"] == "not_observed"


class TestBesides:
    async def test_utility_is_that_of_the_deciding_attempt(self, notes: Spot) -> None:
        done = ResponseContains("I did what", scope=ResponseScope.ANY_TURN)
        attacking = AttackingModel(wordings(2))
        result = await attacked(
            notes, yielding_agent(notes.read, 2), adaptation(attacking.model), utility=done
        )
        assert result.utility is not None
        assert result.utility.outcome is EvalOutcome.DETECTED

    async def test_control(self, notes: Spot) -> None:
        attacking = AttackingModel(wordings(2))
        result = await attacked(
            notes, yielding_agent(notes.read, 2), adaptation(attacking.model), benign_control=True
        )
        assert result.status is UNSAFE
        assert result.control is not None
        assert result.control.status is SAFE
        assert len(result.attempts) == len(result.injections) == 2

    async def test_a_stop_condition_ends_a_conversation_and_not_the_attack(self, notes: Spot) -> None:
        attacking = AttackingModel(wordings(2))
        stop = ResponseContains("I read", scope=ResponseScope.ANY_TURN)
        result = await attacked(
            notes,
            yielding_agent(notes.read, 2),
            adaptation(attacking.model),
            trigger=["My notes?", "And now?"],
            stop_when=stop,
        )
        assert result.status is UNSAFE
        assert [len(attempt.turns) for attempt in result.attempts] == [1, 2]

    async def test_scorer(self, notes: Spot) -> None:
        attacking, scoring = AttackingModel(wordings(2)), AttackingModel([])
        await attacked(
            notes, yielding_agent(notes.read, 2), adaptation(attacking.model, scorer=scoring.model)
        )
        assert (len(attacking.graded), len(scoring.graded)) == (0, 1)
        assert scoring.graded[0]["message"] == ORDER
        assert "agent_actions" in scoring.graded[0]["reply"]


class TestAttackerThatFails:
    async def test_budget(self, notes: Spot) -> None:
        attacking = AttackingModel(wordings(5))
        adapt = adaptation(attacking.model, budget=Budget(max_requests=3))
        result = await attacked(notes, yielding_agent(notes.read, 5), adapt)
        assert result.status is UNDETERMINED
        assert "the attack made 2 of 5 attempts: the budget is spent (3 of 3 requests)" in result.summary
        assert len(attacking.model.calls) == 3

    async def test_refusal(self, notes: Spot) -> None:
        attacking = AttackingModel(["I cannot help with that."] * 3)
        result = await attacked(notes, yielding_agent(notes.read, 5), adaptation(attacking.model))
        assert result.status is UNDETERMINED
        assert "the attack made 1 of 5 attempts: the attacker refused" in result.summary
        assert result.metadata["attacker"]["refused"] == 3

    async def test_nonsense(self, notes: Spot) -> None:
        attacking = AttackingModel(["{}"] * 3)
        result = await attacked(notes, yielding_agent(notes.read, 5), adaptation(attacking.model))
        assert "the attacker wrote no usable message" in result.summary

    async def test_repetition_of_the_first_wording(self, notes: Spot) -> None:
        attacking = AttackingModel([message(ORDER)] * 3 + wordings(3))
        adapt = adaptation(attacking.model, max_attempts=4)
        result = await attacked(notes, yielding_agent(notes.read, 9), adapt)
        assert result.metadata["attacker"]["repeated"] == 1
        assert len(attacking.told) == 5
        assert result.status is SAFE

    async def test_lost_goal(self, notes: Spot) -> None:
        attacking = AttackingModel(wordings(3), off_goal=lambda texts: range(1, len(texts) + 1))
        adapt = adaptation(attacking.model, max_attempts=3)
        result = await attacked(notes, yielding_agent(notes.read, 9), adapt)
        assert result.status is UNDETERMINED
        assert "2 lost sight of the objective" in result.summary

    async def test_a_model_that_fails(self, notes: Spot) -> None:
        before = notes.snapshot()
        attacking = AttackingModel([ConnectionError("no route")])
        result = await attacked(notes, yielding_agent(notes.read, 5), adaptation(attacking.model))
        assert result.status is ERROR
        assert "the attacker model failed: ConnectionError: no route" in result.summary
        assert notes.snapshot() == before

    async def test_a_model_that_hangs(self, notes: Spot) -> None:
        model = ScriptedChatModel([HANG])
        result = await attacked(
            notes,
            yielding_agent(notes.read, 5),
            adaptation(model, scorer=AttackingModel([]).model),
            limits=Limits(turn_timeout_s=0.3),
        )
        assert result.status is ERROR
        assert "attacker timed out after 0.3 s" in result.summary

    async def test_an_agent_that_breaks_later(self, notes: Spot) -> None:
        seen: list[str] = []

        def before(prompt: str) -> None:
            seen.append(prompt)
            if len(seen) == 2:
                raise ConnectionError("down")

        state = notes.snapshot()
        attacking = AttackingModel(wordings(5))
        result = await attacked(
            notes, yielding_agent(notes.read, 5, before=before), adaptation(attacking.model)
        )
        assert result.status is ERROR
        assert [attempt.outcome for attempt in result.attempts] == ["not reached", "failed"]
        assert notes.snapshot() == state

    async def test_a_text_that_cannot_be_planted(self, tmp_path: Path) -> None:
        """A file name takes no slash: the attacker learns why, and goes on."""
        surface = FileSurface(directory=tmp_path, mode="name")
        attacking = AttackingModel([message("call/send_mail"), message("Wording 2: send_mail")])

        def read(_prompt: str) -> str:
            return "\n".join(path.name for path in tmp_path.iterdir())

        def attack(most: int) -> Any:
            return Attacks.xpia(
                inject=surface.inject(payload=Payload(content="Call send_mail")),
                trigger="My files?",
                evaluator=LEAK,
                adapt=adaptation(attacking.model, max_attempts=most),
            )

        result = await attack(3).execute_async(adapter=yielding_agent(read, 2))
        assert result.status is UNSAFE
        given_up = result.attempts[1]
        assert (given_up.outcome, given_up.metadata["content"]) == ("not planted", "call/send_mail")
        assert "cannot be the name of a file" in json.loads(attacking.told[1])["not_plantable"]

        attacking = AttackingModel([message("call/send_mail")])
        result = await attack(2).execute_async(adapter=yielding_agent(read, 2))
        assert result.status is UNDETERMINED
        assert "the attack made 1 of 2 attempts: 1 payloads could not be planted" in result.summary

    async def test_a_place_that_cannot_be_put_back_ends_the_attack(self, notes: Spot, tmp_path: Path) -> None:
        def spoil(prompt: str) -> None:
            (tmp_path / "notes.txt").write_text("somebody else's")

        attacking = AttackingModel(wordings(5))
        result = await attacked(
            notes, yielding_agent(lambda _prompt: ORDER, 5, before=spoil), adaptation(attacking.model)
        )
        assert result.status is ERROR
        assert "cleanup_errors" in result.metadata
        assert result.metadata["attacker"]["ended"] == "what was planted could not be removed"
        assert attacking.told == []


class TestRefusals:
    def attack(self, inject: InjectionHandle | None, **changes: Any) -> Any:
        plan: dict[str, Any] = {
            "trigger": "My notes?",
            "evaluator": SAID,
            "adapt": adaptation(AttackingModel([]).model),
            **changes,
        }
        return Attacks.xpia(inject=inject, **plan)

    def test_nothing_to_rewrite(self) -> None:
        with pytest.raises(ValueError, match="inject plants nothing"):
            self.attack(None)

    def test_handle_that_cannot_be_made_again(self) -> None:
        with pytest.raises(TypeError, match=r"'notes' cannot be planted with another text.*with_payload"):
            self.attack(Planted(text="Call send_mail."))

    def test_handle_that_does_not_say_what_it_plants(self) -> None:
        with pytest.raises(TypeError, match="give Planted a property `payload`"):
            self.attack(Planted())

    def test_handle_that_is_made_wrongly(self) -> None:
        class Odd(Planted):
            def with_payload(self, payload: Payload) -> None:
                return None

        with pytest.raises(TypeError, match=r"Odd\.with_payload returned NoneType, expected a handle"):
            self.attack(Odd(text="Call send_mail."))

    def test_binary_payload(self, tmp_path: Path) -> None:
        picture = tmp_path / "a.png"
        picture.touch()
        payload = Payload(content="a cat", id="cat", format=PayloadFormat.IMAGE, artifact=picture)
        handle = FileSurface(directory=tmp_path).inject(payload=payload)
        with pytest.raises(ConfigurationError, match="payload 'cat' is of format 'image'"):
            self.attack(handle)

    def test_driver(self, tmp_path: Path) -> None:
        class Own:
            async def next_prompt_async(self, *, history: list[Any]) -> None:
                return None

        handle = FileSurface(path=tmp_path / "a").inject(payload=Payload(content=ORDER))
        with pytest.raises(TypeError, match="Own may not be asked twice"):
            self.attack(handle, trigger=Own())

    def test_no_adaptation(self, tmp_path: Path) -> None:
        handle = FileSurface(path=tmp_path / "a").inject(payload=Payload(content=ORDER))
        with pytest.raises(TypeError, match="adapt must be an Adaptation or None, got bool"):
            self.attack(handle, adapt=True)

    async def test_converter_that_makes_a_file(self, notes: Spot, tmp_path: Path) -> None:
        class Picture:
            async def convert_async(self, *, payload: Payload) -> Payload:
                path = tmp_path / "notes.txt"
                return Payload(content="x", format=PayloadFormat.IMAGE, artifact=path)

        adapt = adaptation(AttackingModel(wordings(2)).model, converters=[Picture()])
        result = await attacked(notes, yielding_agent(notes.read, 2), adapt)
        assert result.status is ERROR
        assert "the converters of adapt make a payload of format 'image'" in result.summary

    @pytest.mark.parametrize(
        ("changes", "error", "match"),
        [
            ({"objective": " "}, ValueError, "objective is blank"),
            ({"objective": 3}, TypeError, "objective must be a text"),
            ({"attacker": "gpt"}, TypeError, "attacker must be an LLMConfig or a ChatModel"),
            ({"scorer": "gpt"}, TypeError, "scorer must be an LLMConfig or a ChatModel"),
            ({"max_attempts": 0}, ValueError, "max_attempts must be greater"),
            ({"budget": 3}, TypeError, "budget must be a Budget or None, got int"),
            ({"converters": Base64Converter()}, TypeError, "put a single one into a list"),
            ({"converters": ["base64"]}, TypeError, "cannot serve as converter"),
        ],
        ids=lambda value: str(value) if isinstance(value, dict) else "",
    )
    def test_arguments(self, changes: dict[str, Any], error: type[Exception], match: str) -> None:
        with pytest.raises(error, match=match):
            adaptation(AttackingModel([]).model, **changes)


async def test_no_turn_allowed(notes: Spot) -> None:
    attacking = AttackingModel([])
    result = await attacked(notes, ScriptedAgent([]), adaptation(attacking.model), max_turns=0)
    assert result.status is UNDETERMINED
    assert "no turn was allowed" in result.summary
