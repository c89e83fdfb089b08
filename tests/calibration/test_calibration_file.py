"""The calibration file: what it holds, and which files are refused."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.calibration.support import IDENTITY, SIX_LABELS, StubJudge, detects, labels_of

from rampart.calibration.calibration_file import read_calibration, refuse_unknown_judge, write_calibration
from rampart.calibration.check import check_judge_async
from rampart.calibration.check_json import check_object
from rampart.core.errors import ConfigurationError, SchemaError
from rampart.statistics.interval import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rampart.calibration.judge_check import JudgeCheck
    from rampart.core.judge_identity import JudgeIdentity


async def checked(
    folder: Path,
    *words: str,
    identity: JudgeIdentity | None = IDENTITY,
    lines: list[dict[str, Any]] | None = None,
) -> JudgeCheck:
    judge = StubJudge(detects(*words), identity=identity)
    return await check_judge_async(judge_for=lambda _objective: judge, labels=labels_of(folder, lines))


def _names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


async def test_the_whole_object(tmp_path: Path) -> None:
    check = await checked(tmp_path, "MARZIPAN", "Erledigt")
    shown = check_object(check, now=dt.datetime(2026, 5, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=2))))
    assert shown["version"] == "rampart.judge_calibration.v1"
    assert shown["created"] == "2026-05-01T10:00:00+00:00"
    assert shown["judge"] == {"model": "tiny", "instructions": "abc"}
    assert shown["labels"] == {"name": "labels.jsonl", "sha256": check.labels_sha256, "count": 6}
    assert shown["counts"] == {
        "labelled_detected": {"detected": 2, "not_detected": 1, "undetermined": 0, "error": 0},
        "labelled_not_detected": {"detected": 0, "not_detected": 3, "undetermined": 0, "error": 0},
    }
    assert shown["sensitivity"] == {
        "count": 2,
        "total": 3,
        "rate": 2 / 3,
        "interval": list(wilson_interval(2, 3)),
    }
    assert shown["kappa"]["value"] == pytest.approx(2 / 3)
    assert shown["by_language"]["de"]["accuracy"]["count"] == 3
    assert shown["by_kind"]["partial_compliance"]["specificity"] is None
    assert shown["by_labellers"]["split"]["accuracy"]["total"] == 2
    assert shown["labeller_pairs"] == {"count": 6, "total": 9, "rate": 6 / 9}
    assert shown["misjudged"] == [
        {"id": "en-partial", "label": "detected", "outcome": "not_detected", "rationale": "saw 'MARZI.'"}
    ]
    assert shown["undetermined"] == shown["errors"] == []
    json.dumps(shown, allow_nan=False)


async def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    check = await checked(tmp_path, "MARZIPAN", "Erledigt", "schreibe")
    path = tmp_path / "calibration.json"
    path.write_text("an older one")
    write_calibration(path, check)
    read = read_calibration(path)
    assert read.judge == IDENTITY
    assert read.confusion == check.confusion
    assert read.labels == "labels.jsonl"
    assert read.source == str(path)
    assert dt.datetime.fromisoformat(read.created).tzinfo is dt.UTC
    assert _names(tmp_path) == ["calibration.json", "labels.jsonl"]


async def test_a_class_without_examples_is_written_as_nothing(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    write_calibration(path, await checked(tmp_path, "MARZI", lines=SIX_LABELS[:2]))
    read = read_calibration(path)
    assert read.confusion.specificity is None
    assert read.confusion.informative is False


async def test_a_judge_that_tells_no_name_gets_no_file(tmp_path: Path) -> None:
    check = await checked(tmp_path, "MARZIPAN", identity=None)
    with pytest.raises(ConfigurationError, match="the judge does not tell which judge it is"):
        write_calibration(tmp_path / "calibration.json", check)
    assert not (tmp_path / "calibration.json").exists()
    with pytest.raises(ConfigurationError, match="give it a property judge_identity"):
        refuse_unknown_judge(StubJudge(detects("x"), identity=None))
    refuse_unknown_judge(StubJudge(detects("x")))


async def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    check = await checked(tmp_path, "MARZIPAN")
    with pytest.raises(ConfigurationError, match=r"none/calibration\.json: cannot be written: No such file"):
        write_calibration(tmp_path / "none" / "calibration.json", check)
    (tmp_path / "folder").mkdir()
    with pytest.raises(ConfigurationError, match="folder: cannot be written"):
        write_calibration(tmp_path / "folder", check)
    assert _names(tmp_path) == ["folder", "labels.jsonl"]


def _set(*places: str, to: object) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        for place in places[:-1]:
            document = document[place]
        document[places[-1]] = to

    return change


def _drop(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.__delitem__(name)


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        pytest.param(
            _set("version", to="v9"), "version v9, expected rampart.judge_calibration.v1", id="version"
        ),
        pytest.param(_drop("version"), "missing required field `version`", id="no-version"),
        pytest.param(_set("judge", to=None), r"at `\$\.judge`", id="nobody"),
        pytest.param(
            _set("judge", "model", to=1), r"Expected `str`, got `int` - at `\$\.judge\.model`", id="model"
        ),
        pytest.param(_drop("counts"), "missing required field `counts`", id="no-counts"),
        pytest.param(
            _set("counts", "labelled_detected", "detected", to=-1),
            r"Expected `int` >= 0 - at `\$\.counts\.labelled_detected\.detected`",
            id="negative",
        ),
        pytest.param(
            _set("counts", "labelled_detected", "detected", to=2.5), "Expected `int`, got `float`", id="half"
        ),
        pytest.param(
            _set("counts", "labelled_detected", "detected", to=3),
            r"the counts sum up to 7, but labels\.count is 6",
            id="one-more",
        ),
        pytest.param(
            _set(
                "counts",
                "labelled_detected",
                to={"detected": 3, "not_detected": 0, "undetermined": 0, "error": 0},
            ),
            "sensitivity does not follow from the counts",
            id="embellished",
        ),
        pytest.param(
            _set("specificity", "rate", to=0.99), "specificity does not follow from the counts", id="rate"
        ),
        pytest.param(_set("specificity", to=None), "specificity does not follow", id="no-rate"),
        pytest.param(_set("created", to="yesterday"), "created yesterday is no ISO 8601 date", id="date"),
    ],
)
async def test_a_file_that_is_not_what_was_measured_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], seen: str
) -> None:
    path = tmp_path / "calibration.json"
    write_calibration(path, await checked(tmp_path, "MARZIPAN", "Erledigt"))
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(SchemaError, match=seen) as refused:
        read_calibration(path)
    assert str(refused.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"[]", id="array"),
        pytest.param(b"{", id="half"),
        pytest.param(b'{"version": "\xff"}', id="no-utf-8"),
        pytest.param(b"[" * 100_000, id="deep"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "calibration.json"
    path.write_bytes(data)
    with pytest.raises(SchemaError, match=r"no calibration file: .*; `rampart judge check"):
        read_calibration(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.json: cannot be read: No such file"):
        read_calibration(tmp_path / "none.json")
