"""When a server wants to be asked again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from rampart.llm.retry_after import retry_after_s

DATE = "Wed, 21 Oct 2026 07:28:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        pytest.param({}, None, id="nothing"),
        pytest.param({"retry-after": "3"}, 3.0, id="seconds"),
        pytest.param({"retry-after": " 0 "}, 0.0, id="at-once"),
        pytest.param({"retry-after": "1.5"}, 1.5, id="fraction"),
        pytest.param({"retry-after-ms": "250", "retry-after": "1"}, 0.25, id="milliseconds-are-finer"),
        pytest.param({"retry-after-ms": "soon", "retry-after": "1"}, 1.0, id="milliseconds-that-are-none"),
        pytest.param({"retry-after": DATE, "date": "Wed, 21 Oct 2026 07:27:30 GMT"}, 30.0, id="date"),
        pytest.param({"retry-after": DATE, "date": "Wed, 21 Oct 2026 07:28:30 GMT"}, 0.0, id="past-date"),
        pytest.param({"retry-after": DATE, "date": "Wed, 21 Oct 2026 09:27:30 +0200"}, 30.0, id="zone"),
        pytest.param({"retry-after": "later"}, None, id="words"),
        pytest.param({"retry-after": "-1"}, None, id="negative"),
        pytest.param({"retry-after": "nan"}, None, id="nan"),
        pytest.param({"retry-after": "inf"}, None, id="infinity"),
        pytest.param({"retry-after": "1 Jan 2020 00:00:00 -99999999999999999"}, None, id="no-such-zone"),
    ],
)
def test_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


def test_a_date_without_that_of_the_server() -> None:
    until = datetime.now(UTC) + timedelta(seconds=40)
    assert retry_after_s({"retry-after": format_datetime(until, usegmt=True)}) == pytest.approx(40, abs=2)
