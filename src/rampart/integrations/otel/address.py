"""What an agent of a watched session is pointed at."""

from __future__ import annotations

from dataclasses import dataclass

TRACES_PATH = "/v1/traces"


@dataclass(frozen=True, kw_only=True)
class OtelAddress:
    """Where the spans of a session go, and what makes them part of it.

    Attributes:
        endpoint: The base address for OTLP over HTTP, without `/v1/traces`.
        traceparent: The W3C trace context of the turn that is under way; None between turns.
    """

    endpoint: str
    traceparent: str | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Variables for a child process whose SDK sends its spans here, soon after they end."""
        variables = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": self.endpoint,
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{self.endpoint}{TRACES_PATH}",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
            "OTEL_TRACES_EXPORTER": "otlp",
            "OTEL_METRICS_EXPORTER": "none",
            "OTEL_LOGS_EXPORTER": "none",
            "OTEL_TRACES_SAMPLER": "parentbased_always_on",
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }
        if self.traceparent is not None:
            variables["TRACEPARENT"] = self.traceparent
        return variables

    def __str__(self) -> str:
        """The endpoint."""
        return self.endpoint
