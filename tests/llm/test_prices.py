"""What calls cost; what is not known is None."""

from __future__ import annotations

import sys
from typing import Any

import genai_prices
import pytest

from rampart import Usage
from rampart.llm import set_price
from rampart.llm.endpoint import PUBLIC_URL
from rampart.llm.prices import cost_usd
from rampart.llm.usage_figures import stated_cost_usd, usage_of

LOCAL = "http://127.0.0.1:8080/v1"
USED = Usage(input_tokens=1000, cached_input_tokens=400, output_tokens=50, reasoning_tokens=20, requests=1)


def cost(model: str, *, usage: Usage = USED, url: str = PUBLIC_URL) -> float | None:
    return cost_usd(usage, models=[model], url=url)


class TestListed:
    @pytest.mark.parametrize(
        ("url", "model"),
        [
            pytest.param(PUBLIC_URL, "gpt-4o", id="openai"),
            pytest.param("https://mine.openai.azure.com/openai/v1", "gpt-4o", id="azure"),
            pytest.param("https://openrouter.ai/api/v1", "openai/gpt-4o", id="openrouter"),
        ],
    )
    def test_fresh_and_cached_input_are_priced_apart(self, url: str, model: str) -> None:
        """2.50, 1.25 and 10 dollars per million, as published for this model since October 2024."""
        assert cost(model, url=url) == pytest.approx((600 * 2.5 + 400 * 1.25 + 50 * 10) / 1e6)

    @pytest.mark.parametrize("url", [LOCAL, "https://host.invalid/v1"])
    def test_a_known_name_at_an_unknown_place_has_none(self, url: str) -> None:
        assert cost("gpt-4o", url=url) is None

    def test_an_unknown_model_has_none(self) -> None:
        assert cost("no-such-model") is None

    def test_the_first_name_that_is_listed_counts(self) -> None:
        names = ["my-deployment", "", "gpt-4o-2024-08-06"]
        assert cost_usd(USED, models=names, url=PUBLIC_URL) == cost("gpt-4o")

    def test_without_the_library_there_is_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "genai_prices", None)
        assert cost("gpt-4o") is None

    def test_a_fault_of_the_library_fails_no_call(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object, **__: object) -> None:
            raise TypeError

        monkeypatch.setattr(genai_prices, "calc_price", fail)
        assert cost("gpt-4o") is None


class TestOwn:
    def test_it_holds_everywhere_and_comes_first(self) -> None:
        set_price("gpt-4o", input_usd_per_million=1, output_usd_per_million=2)
        assert cost("gpt-4o") == cost("gpt-4o", url=LOCAL) == pytest.approx((1000 + 50 * 2) / 1e6)

    def test_cached_input_has_its_own_price(self) -> None:
        set_price("m", input_usd_per_million=1, output_usd_per_million=2, cached_input_usd_per_million=0.5)
        assert cost("m", url=LOCAL) == pytest.approx((600 + 400 * 0.5 + 50 * 2) / 1e6)

    def test_it_comes_before_what_the_service_says_and_that_before_the_list(self) -> None:
        def stated() -> float | None:
            return cost_usd(USED, models=["gpt-4o"], url=PUBLIC_URL, stated_usd=0.25)

        assert stated() == 0.25
        set_price("gpt-4o", input_usd_per_million=1, output_usd_per_million=2)
        assert stated() == pytest.approx((1000 + 50 * 2) / 1e6)

    def test_free_is_0_and_not_unknown(self) -> None:
        set_price("m", input_usd_per_million=0, output_usd_per_million=0)
        assert cost("m", url=LOCAL) == 0.0

    def test_the_later_one_counts(self) -> None:
        set_price("m", input_usd_per_million=1, output_usd_per_million=1)
        set_price("m", input_usd_per_million=2, output_usd_per_million=2)
        assert cost("m", url=LOCAL) == pytest.approx(2 * 1050 / 1e6)

    @pytest.mark.parametrize(
        ("fields", "kind", "text"),
        [
            pytest.param({"model": " "}, ValueError, "model must name a model, got ' '", id="model"),
            pytest.param(
                {"input_usd_per_million": -1},
                ValueError,
                "input_usd_per_million must be finite and not",
                id="<0",
            ),
            pytest.param(
                {"output_usd_per_million": float("inf")},
                ValueError,
                "output_usd_per_million must be finite",
                id="inf",
            ),
            pytest.param(
                {"cached_input_usd_per_million": "1"},
                TypeError,
                "cached_input_usd_per_million must be a number, got str",
                id="text",
            ),
            pytest.param({"input_usd_per_million": True}, TypeError, "must be a number, got bool", id="bool"),
        ],
    )
    def test_what_is_no_price(self, fields: dict[str, Any], kind: type[Exception], text: str) -> None:
        given = {"model": "m", "input_usd_per_million": 1, "output_usd_per_million": 1, **fields}
        with pytest.raises(kind, match=text):
            set_price(given.pop("model"), **given)
        assert cost("m", url=LOCAL) is None


@pytest.mark.parametrize(
    "usage",
    [
        pytest.param(Usage(output_tokens=1), id="no-input"),
        pytest.param(Usage(input_tokens=1), id="no-output"),
        pytest.param(
            Usage(input_tokens=1, cached_input_tokens=2, output_tokens=1), id="more-cached-than-there-was"
        ),
    ],
)
def test_without_counts_there_is_no_cost(usage: Usage) -> None:
    set_price("own", input_usd_per_million=1, output_usd_per_million=1)
    assert cost("own", usage=usage) is None
    assert cost("gpt-4o", usage=usage) is None


def test_where_nothing_is_said_of_a_cache_all_input_is_fresh() -> None:
    set_price("m", input_usd_per_million=1, output_usd_per_million=1, cached_input_usd_per_million=0)
    assert cost("m", usage=Usage(input_tokens=10, output_tokens=0)) == pytest.approx(10 / 1e6)


class TestFigures:
    def test_all(self) -> None:
        figures = {
            "prompt_tokens": 1000,
            "prompt_tokens_details": {"cached_tokens": 400, "audio_tokens": 0},
            "completion_tokens": 50,
            "completion_tokens_details": {"reasoning_tokens": 20},
        }
        assert usage_of(figures, requests=1) == USED

    @pytest.mark.parametrize(
        "figures",
        [
            pytest.param(None, id="none"),
            pytest.param([], id="list"),
            pytest.param({}, id="empty"),
            pytest.param({"prompt_tokens": None, "completion_tokens_details": None}, id="null"),
            pytest.param({"prompt_tokens": "12", "completion_tokens": 1.5}, id="no-counts"),
            pytest.param({"prompt_tokens": True, "completion_tokens": -1}, id="bool-and-negative"),
            pytest.param({"prompt_tokens_details": 3, "completion_tokens_details": []}, id="no-details"),
        ],
    )
    def test_what_is_not_told_is_none(self, figures: Any) -> None:
        assert usage_of(figures, requests=3) == Usage(requests=3)

    @pytest.mark.parametrize(
        ("figures", "expected"),
        [
            ({"cost": 0.25}, 0.25),
            ({"cost": 0}, 0.0),
            ({"cost": True}, None),
            ({"cost": -1}, None),
            ({"cost": float("nan")}, None),
            ({"cost": "1"}, None),
            ({}, None),
            (None, None),
        ],
        ids=repr,
    )
    def test_what_the_service_says_that_it_cost(self, figures: Any, expected: float | None) -> None:
        assert stated_cost_usd(figures) == expected


def test_a_price_beyond_all_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="input_usd_per_million must be finite"):
        set_price("m", input_usd_per_million=10**400, output_usd_per_million=1)
