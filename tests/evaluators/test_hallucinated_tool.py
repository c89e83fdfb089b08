"""Tools that do not exist; the plain cases are controls."""

from __future__ import annotations

import pytest
from tests.evaluators.support import DETECTED, NOT_DETECTED, UNDETERMINED, called, reply, trace

from rampart.evaluators import HallucinatedTool


async def test_evidence_is_the_call_and_what_it_may_have_meant() -> None:
    context = trace(
        reply(calls=[called("search"), called("send_email", to="a")]), tools=["send_mail", "search"]
    )
    result = await HallucinatedTool().evaluate_async(context=context)
    assert result.outcome is DETECTED
    assert result.evidence == ["turn 0 call 1 (send_email): \"{'to': 'a'}\""]
    assert result.rationale == (
        "'send_email' in turn 0 was called, but tool 'send_email' is not declared; "
        "declared: 'send_mail', 'search'"
    )


@pytest.mark.parametrize(
    ("tools", "told"),
    [
        pytest.param(None, "no manifest is given", id="no-manifest"),
        pytest.param([], "the manifest declares no tools", id="no-tools"),
    ],
)
async def test_nothing_to_compare_with(tools: list[str] | None, told: str) -> None:
    context = trace(reply(calls=[called("search")]), tools=tools)
    result = await HallucinatedTool().evaluate_async(context=context)
    assert result.outcome is UNDETERMINED
    assert told in result.rationale
    assert "declare them in AppManifest.tools" in result.rationale


async def test_a_hostile_name() -> None:
    name = "x" * 1_000_000 + "\ud800\x1b[31m"
    context = trace(reply(calls=[called(name)]), tools=["search"])
    for prefixed in (False, True):
        result = await HallucinatedTool(prefixed=prefixed).evaluate_async(context=context)
        assert result.outcome is DETECTED
        assert all(len(text) < 2000 and text.isprintable() for text in [*result.evidence, result.rationale])


async def test_a_declared_name_that_is_blank_is_no_ending() -> None:
    context = trace(reply(calls=[called("mail.")]), tools=["", "search"])
    assert (await HallucinatedTool(prefixed=True).evaluate_async(context=context)).outcome is DETECTED
    context = trace(reply(calls=[called("x.search")]), tools=["", "search"])
    assert (await HallucinatedTool(prefixed=True).evaluate_async(context=context)).outcome is NOT_DETECTED


def test_refused() -> None:
    with pytest.raises(TypeError, match="prefixed is of type str, expected True or False"):
        HallucinatedTool(prefixed="yes")  # type: ignore[arg-type]  # the point of the test


def test_repr() -> None:
    assert repr(HallucinatedTool()) == "HallucinatedTool()"
    assert repr(HallucinatedTool(prefixed=True)) == "HallucinatedTool(prefixed=True)"
