"""What the package offers."""

from __future__ import annotations

import dataclasses

import rampart.records
from rampart.records import Loss, ResultRecord


def test_the_package_offers_the_record_format() -> None:
    assert rampart.records.__all__ == [
        "TRACE_SCHEMA_VERSION",
        "Loss",
        "ResultRecord",
        "deserialize_record",
        "iter_records",
        "prepare_record",
        "serialize_record",
    ]
    for name in rampart.records.__all__:
        assert hasattr(rampart.records, name)


def test_records_and_losses_are_frozen_and_take_keywords() -> None:
    for kind in (ResultRecord, Loss):
        assert dataclasses.is_dataclass(kind)
        assert vars(kind)["__dataclass_params__"].frozen
        assert all(field.kw_only for field in dataclasses.fields(kind))
    assert {field.name for field in dataclasses.fields(ResultRecord)} == {
        "result",
        "pytest_nodeid",
        "result_index",
        "losses",
        "truncated",
    }
