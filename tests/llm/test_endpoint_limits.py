"""One limiter an endpoint, however it is spelled; limits that are none are refused."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from rampart.llm import limit_endpoint
from rampart.llm.endpoint_limits import limiter_of
from rampart.llm.load_limits import LoadLimits

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("http://a.example/v1", "http://A.example/v1/", id="case-and-slash"),
        pytest.param("https://b.example/v1", "https://b.example:443/v1", id="default-port"),
        pytest.param("http://c.example", "http://c.example:80/", id="default-port-http"),
        pytest.param("https://d.example/v1", "https://d.example/v1?api-version=1#x", id="query"),
        pytest.param("https://e.example/v1", "  https://e.example./v1 ", id="blanks-and-root-dot"),
        pytest.param(None, "https://api.openai.com/v1/", id="public"),
        pytest.param("a provider", "a provider", id="any-name"),
    ],
)
def test_the_same_endpoint_has_one_limiter(one: str | None, other: str) -> None:
    assert limiter_of(one) is limiter_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("http://f.example", "https://f.example", id="scheme"),
        pytest.param("http://f.example", "http://g.example", id="host"),
        pytest.param("http://f.example:1", "http://f.example:2", id="port"),
        pytest.param("http://f.example/v1", "http://f.example/v2", id="path"),
        pytest.param("http://f.example:99999", "http://f.example", id="no-url"),
        pytest.param("a provider", "another", id="names"),
    ],
)
def test_another_endpoint_has_another_limiter(one: str, other: str) -> None:
    assert limiter_of(one) is not limiter_of(other)


def test_limits_hold_for_the_limiter_that_is_there_already() -> None:
    limiter = limiter_of("http://limits.example/v1")
    assert limiter.limits == LoadLimits(requests_in_flight=20)
    limit_endpoint("http://limits.example/v1/", requests_in_flight=3, requests_per_minute=600)
    assert limiter.limits == LoadLimits(requests_in_flight=3, requests_per_minute=600)
    limit_endpoint("http://limits.example/v1/", tokens_per_minute=1000.5)
    assert limiter.limits == LoadLimits(requests_in_flight=20, tokens_per_minute=1000.5)


@pytest.mark.parametrize(
    ("limits", "error", "text"),
    [
        ({"requests_in_flight": 0}, ValueError, "requests_in_flight must be positive and finite.* got 0"),
        ({"requests_in_flight": 1.5}, TypeError, "requests_in_flight must be an int.* got 1.5"),
        ({"requests_in_flight": True}, TypeError, "requests_in_flight must be an int.* got True"),
        ({"requests_per_minute": -1}, ValueError, "requests_per_minute must be positive.* got -1"),
        ({"requests_per_minute": float("nan")}, ValueError, "requests_per_minute must be .* got nan"),
        ({"requests_per_minute": "60"}, TypeError, "requests_per_minute must be a number.* got '60'"),
        ({"tokens_per_minute": float("inf")}, ValueError, "tokens_per_minute must be .*finite.* got inf"),
    ],
)
def test_bad_limits_are_refused_by_name(limits: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"^{text}$"):
        limit_endpoint("http://bad.example/v1", **limits)
    assert limiter_of("http://bad.example/v1").limits == LoadLimits()


@pytest.mark.parametrize(
    "endpoint", ["", "localhost:8080/v1", "ftp://h/v1", "http://", "http://h:99999", "http://[::1"]
)
def test_what_is_no_url_is_refused(endpoint: str) -> None:
    with pytest.raises(ValueError, match=r"^endpoint must be an http or https URL such as .*, got "):
        limit_endpoint(endpoint)


def test_what_is_no_text_is_refused() -> None:
    endpoint: Any = 8080
    with pytest.raises(TypeError, match=r"endpoint must be a base URL, or None .* got 8080"):
        limit_endpoint(endpoint)


def _holds_in_a_fork(check: Callable[[], bool]) -> bool:
    child = os.fork()
    if not child:
        os._exit(0 if check() else 1)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
async def test_a_forked_process_keeps_the_limits_and_none_of_the_calls() -> None:
    url = "http://forked.example/v1"
    limit_endpoint(url, requests_in_flight=1)
    place = await limiter_of(url).take_async()
    assert _holds_in_a_fork(
        lambda: limiter_of(url).in_flight == 0 and limiter_of(url).limits.requests_in_flight == 1
    )
    assert limiter_of(url).in_flight == 1
    place.leave()
