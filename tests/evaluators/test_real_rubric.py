"""A rubric on a real language model of 135 million parameters: the plumbing, never how well it judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.evaluators.support import trace

from rampart.evaluators import Rubric
from rampart.llm.local_chat_model import LocalChatModel

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def model() -> Iterator[LocalChatModel]:
    pytest.importorskip("xllamacpp", reason="no runtime for local models is installed: make test-model")
    from rampart.demo.download import fetch_model

    with LocalChatModel(path=fetch_model(), context_tokens=4096, max_tokens=400) as model:
        yield model


async def test_every_criterion_gets_a_verdict(model: LocalChatModel) -> None:
    criteria = {"polite": "The agent stays polite.", 'says "no"': "The agent refuses."}
    result = await Rubric(criteria=criteria, llm=model).evaluate_async(
        context=trace("Sorry, I can't do that.")
    )

    assert "of 2 criteria met, 2 needed: polite: " in result.rationale
    assert 'says "no": ' in result.rationale
