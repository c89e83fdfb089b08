"""The labelled set that comes with rampart: its form, its balance, and that it names nobody real."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter, defaultdict
from importlib import resources
from typing import Any

import pytest

FILE = resources.files("rampart.calibration").joinpath("labels", "rampart-judge-v1.jsonl")
LABELS = {"detected", "not_detected"}
LEAST_SHARES = {"en": 0.3, "de": 0.12, "es": 0.12, "fr": 0.12, "zh": 0.12}
KINDS = {
    "partial_compliance",
    "quoted_attack",
    "refusal_then_compliance",
    "compliance_then_retraction",
    "forged_verdict",
    "tool_vs_talk",
    "hypothetical_or_fiction",
    "polite_caveat",
    "ambiguity_resolved_late",
    "side_effect_only",
    "language_switch",
    "encoded_answer",
    "negation",
    "benign_look_alike",
    "wrong_target",
    "plain",
}
_RESERVED = re.compile(r"(?:[\w-]+\.)*example(?:\.(?:com|net|org))?")
_HOSTS = re.compile(
    r"@([\w.-]+\w)|//([\w.-]+\w)|\b((?:[\w-]+\.)+(?:com|org|net|io|ai|app|dev|info|eu|uk|us|de|es|fr|cn))\b",
    re.ASCII | re.IGNORECASE,
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")

Row = dict[str, Any]


def foreign_hosts(text: str) -> set[str]:
    """The hosts in a text that are not reserved for examples."""
    found = {next(filter(None, match.groups())) for match in _HOSTS.finditer(text)}
    return {host for host in found if not _RESERVED.fullmatch(host.lower())}


def words_of(row: Row) -> str:
    """A transcript without case, punctuation and spaces: what makes it more than a copy of another."""
    text = json.dumps([row["objective"], row["turns"]], ensure_ascii=False)
    return "".join(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum())


def refuse_twice(pairs: list[tuple[str, Any]]) -> Row:
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key is given twice: {keys}"
    return dict(pairs)


def check_call(call: Row) -> None:
    assert {"name", "arguments"} <= call.keys() <= {"name", "arguments", "result", "error"}
    assert isinstance(call["name"], str)
    assert call["name"].strip()
    assert isinstance(call["arguments"], dict)
    assert isinstance(call.get("error", ""), str)


def check_turn(turn: Row) -> None:
    assert {"prompt", "response"} <= turn.keys() <= {"prompt", "response", "tool_calls", "side_effects"}
    assert turn["prompt"].strip()
    assert turn["response"].strip()
    assert turn.get("tool_calls", ["some"]), "left out where there is none"
    assert turn.get("side_effects", ["some"]), "left out where there is none"
    for call in turn.get("tool_calls", []):
        check_call(call)
    for effect in turn.get("side_effects", []):
        assert effect.keys() == {"kind", "details"}
        assert isinstance(effect["kind"], str)
        assert effect["kind"].strip()
        assert isinstance(effect["details"], dict)


@pytest.fixture(scope="module")
def text() -> str:
    return FILE.read_bytes().decode("utf-8")


@pytest.fixture(scope="module")
def rows(text: str) -> list[Row]:
    return [json.loads(line, object_pairs_hook=refuse_twice) for line in text.splitlines()]


@pytest.fixture(scope="module")
def pairs(rows: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["id"].removesuffix("-a").removesuffix("-b")].append(row)
    return dict(found)


class TestForm:
    def test_the_file_is_small_text_of_one_object_a_line(self, text: str) -> None:
        assert len(text.encode()) < 400_000
        assert text.endswith("}\n")
        assert "\r" not in text
        assert "\n\n" not in text
        assert "\ufeff" not in text
        assert unicodedata.is_normalized("NFC", text)

    def test_strings_behind_escapes_are_nfc_without_hidden_characters(self, rows: list[Row]) -> None:
        for row in rows:
            plain = json.dumps(row, ensure_ascii=False)
            assert unicodedata.is_normalized("NFC", plain), row["id"]
            assert not [char for char in plain if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co"}], (
                row["id"]
            )

    def test_each_line_has_the_fields_and_no_others(self, rows: list[Row]) -> None:
        needed = {"id", "language", "kind", "objective", "label", "turns", "note"}
        for row in rows:
            assert needed <= row.keys() <= needed | {"labels"}, row["id"]
            assert row["label"] in LABELS, row["id"]
            assert set(row.get("labels", [])) <= LABELS, row["id"]
            assert row["kind"] in KINDS, row["id"]
            assert row["language"] in LEAST_SHARES, row["id"]
            assert all(row[name].strip() for name in ("objective", "note")), row["id"]
            assert row["turns"], row["id"]
            for turn in row["turns"]:
                check_turn(turn)

    def test_ids_are_unique_words_with_hyphens(self, rows: list[Row]) -> None:
        ids = [row["id"] for row in rows]
        assert len(set(ids)) == len(ids)
        assert [name for name in ids if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*-[ab]", name)] == []


class TestBalance:
    def test_there_are_enough(self, rows: list[Row]) -> None:
        assert len(rows) >= 120
        assert sum(len(row["turns"]) >= 3 for row in rows) >= 20
        assert sum(max(len(turn["response"]) for turn in row["turns"]) >= 1500 for row in rows) >= 10

    def test_languages_have_their_shares(self, rows: list[Row]) -> None:
        counts = Counter(row["language"] for row in rows)
        assert {name for name, least in LEAST_SHARES.items() if counts[name] < least * len(rows)} == set()

    def test_kinds_have_at_least_six_each(self, rows: list[Row]) -> None:
        counts = Counter(row["kind"] for row in rows)
        assert {kind: counts[kind] for kind in KINDS if counts[kind] < 6} == {}

    @pytest.mark.parametrize("by", ["language", "kind"])
    def test_both_labels_are_as_frequent(self, rows: list[Row], by: str) -> None:
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for row in rows:
            counts[row[by]][row["label"]] += 1
            counts["all"][row["label"]] += 1
        shares = {name: count["detected"] / count.total() for name, count in counts.items()}
        assert {name: share for name, share in shares.items() if not 0.45 <= share <= 0.55} == {}

    def test_the_place_in_its_pair_does_not_give_a_label_away(self, rows: list[Row]) -> None:
        first = [row["label"] == "detected" for row in rows if row["id"].endswith("-a")]
        assert 0.4 <= sum(first) / len(first) <= 0.6

    def test_the_first_forty_are_a_fair_sample(self, rows: list[Row]) -> None:
        sample = rows[:40]
        assert {row["kind"] for row in sample} == KINDS
        assert {row["language"] for row in sample} == LEAST_SHARES.keys()
        assert sum(row["label"] == "detected" for row in sample) == 20


class TestPairs:
    def test_two_of_a_stem_differ_in_label_and_turns_only(self, pairs: dict[str, list[Row]]) -> None:
        for stem, both in pairs.items():
            assert [row["id"] for row in both] == [f"{stem}-a", f"{stem}-b"]
            assert {row["label"] for row in both} == LABELS, stem
            for same in ("objective", "language", "kind"):
                assert len({row[same] for row in both}) == 1, stem

    def test_objectives_belong_to_one_pair(self, pairs: dict[str, list[Row]]) -> None:
        counts = Counter(both[0]["objective"] for both in pairs.values())
        assert [objective for objective, count in counts.items() if count > 1] == []

    def test_no_transcript_stands_twice(self, rows: list[Row]) -> None:
        seen: dict[str, str] = {}
        for row in rows:
            first = seen.setdefault(words_of(row), row["id"])
            assert first == row["id"], f"{row['id']} is {first} again"

    def test_a_copy_in_other_dashes_and_case_is_seen(self) -> None:
        def row(response: str) -> Row:
            return {"objective": "o", "turns": [{"prompt": "p", "response": response}]}

        assert words_of(row("No \u2014 never.")) == words_of(row("no - NEVER!"))
        assert words_of(row("No - never.")) != words_of(row("No - ever."))


class TestNobodyReal:
    def test_hosts_and_addresses_are_reserved_ones(self, rows: list[Row]) -> None:
        found = {row["id"]: foreign_hosts(json.dumps(row, ensure_ascii=False)) for row in rows}
        assert {name: hosts for name, hosts in found.items() if hosts} == {}

    @pytest.mark.parametrize(
        ("given", "hosts"),
        [
            pytest.param("ask eve@mail.example.org or https://a.example.com/x", set(), id="reserved"),
            pytest.param("see https://sink.example/c", set(), id="reserved-top-level"),
            pytest.param("write to a@shop.test", {"shop.test"}, id="address"),
            pytest.param("https://fake-example.com/x", {"fake-example.com"}, id="url-that-looks-reserved"),
            pytest.param("on www.shop.de, or so", {"www.shop.de"}, id="bare-host"),
            pytest.param("a@example.com.evil.test", {"example.com.evil.test"}, id="reserved-as-a-prefix"),
        ],
    )
    def test_what_counts_as_foreign(self, given: str, hosts: set[str]) -> None:
        assert foreign_hosts(given) == hosts


def test_chinese_is_written_where_it_is_said_to_be(rows: list[Row]) -> None:
    for row in rows:
        prompts = " ".join(turn["prompt"] for turn in row["turns"])
        assert bool(_CHINESE.search(prompts)) == (row["language"] == "zh"), row["id"]
