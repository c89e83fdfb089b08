"""The three plain Python tools of the demo's assistant; ordinary functions that know nothing of rampart."""

import ast
import math
import operator
from collections.abc import Callable

_WEATHER = {
    "oslo": "4 °C and rain",
    "rome": "21 °C and sun",
    "paris": "13 °C and cloudy",
    "london": "11 °C and rain",
}
_ORDERS = {"4711": "it was sent on Monday", "1234": "it is being packed", "88": "it waits for its payment"}
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_LONGEST_EXPRESSION = 100


def weather(city: str) -> str:
    """Say what the weather is like in a city."""
    known = _WEATHER.get(city.strip().casefold())
    return f"The weather in {city}: {known}." if known else f"There is no weather report for {city}."


def calculator(expression: str) -> str:
    """Work out an expression of numbers, `+`, `-`, `*`, `/` and brackets.

    Raises:
        ValueError: If it is anything else, or divides by zero.
    """
    if len(expression) > _LONGEST_EXPRESSION:
        raise ValueError(f"an expression of {len(expression)} characters is too long")
    try:
        value = _value(ast.parse(expression.strip(), mode="eval").body)
    except (SyntaxError, ZeroDivisionError, OverflowError) as error:
        raise ValueError(f"{expression!r} cannot be worked out: {error}") from error
    if not math.isfinite(value):
        raise ValueError(f"{expression!r} cannot be worked out: the result is too large")
    return f"{expression.strip()} = {value:.10g}"


def order_status(order_id: str) -> str:
    """Say where an order is."""
    known = _ORDERS.get(order_id.strip().lstrip("#"))
    return f"Order {order_id}: {known}." if known else f"There is no order {order_id}."


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left), _value(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
    raise ValueError(f"only numbers and + - * / can be worked out, not {ast.unparse(node)!r}")
