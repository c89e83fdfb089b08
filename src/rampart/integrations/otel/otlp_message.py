"""Reads the traces in a request of OTLP over HTTP.

Format: the OTLP specification, version 1: protobuf, or JSON with hexadecimal ids and lowerCamelCase keys.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from rampart.adapters.framework_library import library
from rampart.integrations.otel.collected_span import CollectedSpan, short_name

if TYPE_CHECKING:
    from collections.abc import Iterator

_ERROR = 2
_HAS_IS_REMOTE, _IS_REMOTE = 0x100, 0x200
_TRACE_ID, _SPAN_ID = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{16}")
_DEEPEST = 32


class MalformedTracesError(ValueError):
    """A request is not what OTLP sends."""


def spans_in(body: bytes, *, as_json: bool) -> list[CollectedSpan]:
    """The spans of a request.

    Raises:
        MalformedTracesError: If it cannot be read.
    """
    try:
        return list(_of_json(json.loads(body)) if as_json else _of_protobuf(body))
    except MalformedTracesError:
        raise
    except Exception as error:  # parsers raise whatever they like at hostile input
        msg = f"not an OTLP request for traces: {type(error).__name__}: {error}"
        raise MalformedTracesError(msg[:300]) from error


def _of_protobuf(body: bytes) -> Iterator[CollectedSpan]:
    module = library(
        "opentelemetry.proto.collector.trace.v1.trace_service_pb2", needed_by="OtelCollector", extra="otel"
    )
    request = module.ExportTraceServiceRequest.FromString(body)
    for resource in request.resource_spans:
        shared = [(one.key, _value(one.value, 0)) for one in resource.resource.attributes]
        for scope in resource.scope_spans:
            for span in scope.spans:
                kept = _span(
                    trace_id=span.trace_id.hex(),
                    span_id=span.span_id.hex(),
                    parent_id=span.parent_span_id.hex(),
                    flags=int(getattr(span, "flags", 0)),
                    name=span.name,
                    scope=scope.scope.name,
                    start=span.start_time_unix_nano,
                    status=(int(span.status.code), span.status.message),
                )
                kept.add_attributes([*shared, *((one.key, _value(one.value, 0)) for one in span.attributes)])
                for event in span.events:
                    kept.add_event(event.name, [(one.key, _value(one.value, 0)) for one in event.attributes])
                yield kept


def _value(value: Any, depth: int) -> Any:
    kind = value.WhichOneof("value")
    if kind is None or depth > _DEEPEST:
        return None
    inner = getattr(value, kind)
    if kind == "array_value":
        return [_value(one, depth + 1) for one in inner.values]
    if kind == "kvlist_value":
        return {one.key: _value(one.value, depth + 1) for one in inner.values}
    return inner


def _of_json(document: Any) -> Iterator[CollectedSpan]:
    if not isinstance(document, dict):
        msg = "not an OTLP request for traces: the JSON is no object"
        raise MalformedTracesError(msg)
    for resource in _list(document, "resourceSpans"):
        shared = _pairs(resource.get("resource") or {})
        for scope in _list(resource, "scopeSpans"):
            for span in _list(scope, "spans"):
                status = span.get("status") or {}
                kept = _span(
                    trace_id=str(span.get("traceId", "")).lower(),
                    span_id=str(span.get("spanId", "")).lower(),
                    parent_id=str(span.get("parentSpanId") or "").lower(),
                    flags=int(span.get("flags", 0)),
                    name=span.get("name", ""),
                    scope=(scope.get("scope") or {}).get("name", ""),
                    start=int(span.get("startTimeUnixNano", 0)),
                    status=(_status(status.get("code", 0)), status.get("message", "")),
                )
                kept.add_attributes([*shared, *_pairs(span)])
                for event in _list(span, "events"):
                    kept.add_event(event.get("name", ""), _pairs(event))
                yield kept


def _span(
    *,
    trace_id: str,
    span_id: str,
    parent_id: str,
    flags: int,
    name: object,
    scope: object,
    start: int,
    status: tuple[int, object],
) -> CollectedSpan:
    if _TRACE_ID.fullmatch(trace_id) is None or _SPAN_ID.fullmatch(span_id) is None:
        msg = "a span has no valid trace and span id"
        raise MalformedTracesError(msg)
    return CollectedSpan(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=parent_id if parent_id.strip("0") else "",
        remote_parent=bool(flags & _HAS_IS_REMOTE and flags & _IS_REMOTE),
        name=short_name(name),
        scope=short_name(scope),
        start_ns=start,
        failed=status[0] == _ERROR,
        status_text=short_name(status[1] or ""),
    )


def _status(code: object) -> int:
    return _ERROR if code in {_ERROR, "STATUS_CODE_ERROR"} else 0


def _list(holder: Any, key: str) -> list[Any]:
    value = holder.get(key) or []
    if not isinstance(value, list):
        msg = f"{key} is no list"
        raise MalformedTracesError(msg)
    return value


def _pairs(holder: Any) -> list[tuple[object, object]]:
    return [(one["key"], _json_value(one.get("value") or {}, 0)) for one in _list(holder, "attributes")]


def _json_value(value: Any, depth: int) -> Any:
    if depth > _DEEPEST or not isinstance(value, dict):
        return None
    if "intValue" in value:
        return int(value["intValue"])
    if "arrayValue" in value:
        return [_json_value(one, depth + 1) for one in _list(value["arrayValue"], "values")]
    if "kvlistValue" in value:
        pairs = _list(value["kvlistValue"], "values")
        return {str(one["key"]): _json_value(one.get("value") or {}, depth + 1) for one in pairs}
    return next(
        (value[k] for k in ("stringValue", "boolValue", "doubleValue", "bytesValue") if k in value), None
    )
