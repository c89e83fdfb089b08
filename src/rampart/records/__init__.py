"""The record format `rampart.trace.v1`: one result, one line of JSON, in journals and reports alike."""

from rampart.records.codec import deserialize_record, serialize_record
from rampart.records.prepare import prepare_record
from rampart.records.reader import iter_records
from rampart.records.record import Loss, ResultRecord
from rampart.records.wire import TRACE_SCHEMA_VERSION

__all__ = [
    "TRACE_SCHEMA_VERSION",
    "Loss",
    "ResultRecord",
    "deserialize_record",
    "iter_records",
    "prepare_record",
    "serialize_record",
]
