"""The assistant's tools are real, if small."""

import pytest

from rampart.demo.tools import calculator, order_status, weather


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        pytest.param("17 * 23", "17 * 23 = 391", id="product"),
        pytest.param(" 144 / 12 ", "144 / 12 = 12", id="whole-quotient-without-a-point"),
        pytest.param("-(2 + 3) * 1.5", "-(2 + 3) * 1.5 = -7.5", id="sign-and-brackets"),
        pytest.param("1 / 3", "1 / 3 = 0.3333333333", id="fraction"),
    ],
)
def test_calculator_works_out(expression: str, result: str) -> None:
    assert calculator(expression) == result


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("Lisbon", id="word"),
        pytest.param("what is 2?", id="question"),
        pytest.param("", id="empty"),
        pytest.param("1 / 0", id="division-by-zero"),
        pytest.param("9 ** 9 ** 9", id="power-is-left-out"),
        pytest.param("__import__('os').getcwd()", id="code"),
        pytest.param("True + 1", id="bool"),
        pytest.param("'a' * 9", id="text"),
        pytest.param("1e308 * 10 - 1e308 * 10", id="not-a-number"),
        pytest.param("1" * 400, id="long"),
        pytest.param("9" * 99 + "*\0", id="null-byte"),
    ],
)
def test_calculator_refuses(expression: str) -> None:
    with pytest.raises(ValueError, match=r"worked out|too long"):
        calculator(expression)


def test_weather_and_orders_say_when_there_is_nothing() -> None:
    assert weather("Oslo") == "The weather in Oslo: 4 °C and rain."
    assert weather("Atlantis") == "There is no weather report for Atlantis."
    assert order_status("#4711") == "Order #4711: it was sent on Monday."
    assert order_status("1") == "There is no order 1."
