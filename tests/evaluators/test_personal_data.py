"""`PersonalData` tells numbers of people from other numbers."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from tests.evaluators.support import DETECTED, NOT_DETECTED, TEXT, UNDETERMINED, called, reply, trace

from rampart.core.errors import ConfigurationError
from rampart.evaluators.personal_data import PersonalData
from rampart.evaluators.personal_finding import PersonalFinding
from rampart.evaluators.presidio_engine import PresidioEngine

if TYPE_CHECKING:
    from collections.abc import Iterator

FOUND = {
    "email": "mail jane.o'neil+x@mail.nordwind.example now",
    "phone": "Call +44 20 7946 0958",
    "iban": "pay to GB82 WEST 1234 5698 7654 32 today",
    "card": "card 4111-1111-1111-1111",
    "de_tax_id": "Steuer-ID 86 095 742 719",
    "fr_nir": "NIR 2 55 08 14 168 025 38",
    "es_dni": "DNI 12345678Z",
    "es_nie": "NIE X1234567L",
    "it_codice_fiscale": "CF RSSMRA85T10A562S",
    "uk_nhs": "NHS number 943 476 5919",
    "us_ssn": "SSN 536-22-1234",
    "br_cpf": "111.444.777-35",
    "nl_bsn": "BSN 111222333",
    "pl_pesel": "PESEL 44051401359",
    "cn_resident_id": "ID 11010519491231002X",
    "ip_address": "from 8.8.4.4",
}


def test_there_is_an_example_of_every_kind() -> None:
    assert tuple(FOUND) == PersonalData.kinds()


@pytest.mark.parametrize("kind", FOUND)
async def test_each_kind(kind: str) -> None:
    answer = await PersonalData(kinds=[kind]).evaluate_async(context=trace(f"Well, {FOUND[kind]}, I think."))
    assert answer.outcome is DETECTED
    assert answer.evidence[0].endswith(f"({kind})")


@pytest.mark.parametrize("kind", sorted(set(FOUND) - {"email", "phone", "ip_address", "us_ssn"}))
async def test_a_changed_digit_is_nobodys(kind: str) -> None:
    text = FOUND[kind]
    evaluator = PersonalData(kinds=[kind])
    places = [at for at, one in enumerate(text) if one.isdigit()]
    alarms = 0
    for at in places:
        changed = text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]
        alarms += (await evaluator.evaluate_async(context=trace(changed))).detected
    assert alarms <= len(places) // 10


async def test_ip_addresses_have_to_be_named() -> None:
    assert (await PersonalData().evaluate_async(context=trace("8.8.4.4"))).outcome is NOT_DETECTED


async def test_weak_numbers_need_a_word_near_or_a_name() -> None:
    evaluator = PersonalData()
    assert (await evaluator.evaluate_async(context=trace("Part 111222333"))).outcome is NOT_DETECTED
    named = reply("", calls=[called("save", customer={"bsn": 111222333})])
    assert (await evaluator.evaluate_async(context=trace(named))).evidence == [
        "turn 0 call 0 (save) arguments.customer.bsn[0:9]: '11*** (9 characters)' (nl_bsn)"
    ]


async def test_what_is_allowed() -> None:
    evaluator = PersonalData(allow=["+1 (415) 555-2671", "@shop.example", "4111111111111111"])
    said = "ann@shop.example, 4111 1111 1111 1111, +1-415-555-2671"
    assert (await evaluator.evaluate_async(context=trace(said))).outcome is NOT_DETECTED
    assert (await evaluator.evaluate_async(context=trace("ann@evil-shop.example"))).detected


async def test_the_value_is_masked() -> None:
    answer = await PersonalData().evaluate_async(context=trace("it is joe.doe@corp.example"))
    assert answer.evidence == ["turn 0 reply[6:26]: 'joe.*** (20 characters)' (email)"]


class Names:
    """An engine that knows one name, and none of what it is asked about in anger."""

    def find(self, text: str, /) -> Iterator[PersonalFinding]:
        if "!" in text:
            raise RuntimeError(text)
        yield from (
            PersonalFinding(kind="person", start=match.start(), end=match.end())
            for match in re.finditer("Ann Miller", text)
        )


async def test_an_engine_finds_more() -> None:
    evaluator = PersonalData(engine=Names())
    assert (await evaluator.evaluate_async(context=trace("It was Ann Miller."))).evidence == [
        "turn 0 reply[7:17]: 'An*** (10 characters)' (person)"
    ]
    assert (await evaluator.evaluate_async(context=trace("It was me."))).outcome is NOT_DETECTED


async def test_an_engine_that_fails_leaves_the_answer_open() -> None:
    evaluator = PersonalData(engine=Names())
    answer = await evaluator.evaluate_async(context=trace("Hello!"))
    assert answer.outcome is UNDETERMINED
    assert "turn 0 reply: the engine raised RuntimeError" in answer.rationale
    assert (await evaluator.evaluate_async(context=trace("joe@corp.example!"))).detected


async def test_presidio_is_asked_in_its_own_words() -> None:
    asked: list[dict[str, Any]] = []

    class Analyzer:
        def analyze(self, **arguments: Any) -> list[SimpleNamespace]:
            asked.append(arguments)
            return [SimpleNamespace(entity_type="PERSON", start=3, end=6, score=0.9)]

    engine = PresidioEngine(analyzer=Analyzer(), entities=["PERSON"], language="en", threshold=0.5)
    answer = await PersonalData(engine=engine).evaluate_async(context=trace("I, Ann, did"))
    assert answer.evidence == ["turn 0 reply[3:6]: '*** (3 characters)' (person)"]
    assert asked == [
        {"text": "I, Ann, did", "entities": ["PERSON"], "language": "en", "score_threshold": 0.5}
    ]


def test_presidio_has_to_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(ConfigurationError, match="pip install presidio-analyzer"):
        PresidioEngine()
    with pytest.raises(ValueError, match="threshold is 2, expected 0 to 1"):
        PresidioEngine(analyzer=object(), threshold=2)


async def test_silence_where_nobody_looks_means_nothing() -> None:
    answer = await PersonalData().evaluate_async(context=trace("Done.", level=TEXT))
    assert answer.outcome is UNDETERMINED


def test_mistakes_are_refused() -> None:
    with pytest.raises(ValueError, match="kinds holds 'name', expected some of email"):
        PersonalData(kinds=["name"])
    with pytest.raises(TypeError, match="allow is 'a@b"):
        PersonalData(allow="a@b.example")
    with pytest.raises(ValueError, match="allow holds '--'"):
        PersonalData(allow=["--"])
    with pytest.raises(TypeError, match="engine is of type object"):
        PersonalData(engine=object())  # type: ignore[arg-type]  # the mistake
