import asyncio
import enum
import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import pytest

from rampart.text import safe_float, safe_str, safe_str_list
from rampart.text.safe import safe_repr

NOT_FOR_THE_TEST: list[type[BaseException]] = [
    SystemExit,
    GeneratorExit,
    asyncio.CancelledError,
    pytest.skip.Exception,
    pytest.exit.Exception,
]


class Raises:
    def __str__(self) -> str:
        raise RuntimeError("no")


class Recurses:
    def __str__(self) -> str:
        return str(self)


class ReturnsBytes:
    __str__ = bytes  # type: ignore[assignment]  # what foreign code does


class Loud(str):
    __slots__ = ()

    def __str__(self) -> str:
        return self

    def strip(self, chars: str | None = None, /) -> str:
        raise RuntimeError("no")


class LiesAboutItsClass:
    @property  # type: ignore[misc]  # what foreign code does
    def __class__(self) -> type:
        raise RuntimeError("no")

    def __str__(self) -> str:
        return "still a text"


class Colour(enum.StrEnum):
    RED = "red"


class TestSafeStr:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            pytest.param("plain", "plain", id="str"),
            pytest.param("", "", id="empty"),
            pytest.param(None, "None", id="none"),
            pytest.param(12, "12", id="int"),
            pytest.param(b"ab", "b'ab'", id="bytes"),
            pytest.param(Colour.RED, "red", id="str-enum"),
            pytest.param(Loud("abc"), "abc", id="str-subclass"),
            pytest.param("\ud800", "\ud800", id="surrogate-stays"),
            pytest.param(Raises(), "<unprintable value>", id="raises"),
            pytest.param(Recurses(), "<unprintable value>", id="recurses"),
            pytest.param(ReturnsBytes(), "<unprintable value>", id="returns-no-str"),
            pytest.param(LiesAboutItsClass(), "still a text", id="raising-class"),
        ],
    )
    def test_value(self, value: object, text: str) -> None:
        rendered = safe_str(value)
        assert rendered == text
        assert type(rendered) is str

    def test_ctrl_c_while_rendering_is_not_swallowed(self) -> None:
        class Interrupted:
            def __str__(self) -> str:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            safe_str(Interrupted())

    @pytest.mark.parametrize("error", NOT_FOR_THE_TEST, ids=lambda error: error.__name__)
    def test_nothing_else_that_rendering_raises_goes_through(self, error: type[BaseException]) -> None:
        class Raises(float):
            def __str__(self) -> str:
                raise error

            __repr__ = __str__
            __float__ = __str__  # type: ignore[assignment]  # what foreign code does

            def __iter__(self) -> Iterator[str]:
                raise error

        assert safe_str(Raises()) == "<unprintable value>"
        assert safe_repr(Raises()) == "<unprintable value>"
        assert safe_str_list(Raises()) == []
        assert safe_str_list([Raises()]) == ["<unprintable value>"]
        assert safe_float(Raises()) is None

    def test_a_repr_is_an_exact_str(self) -> None:
        class Shown:
            def __repr__(self) -> str:
                return Loud("shown")

        assert type(safe_repr(Shown())) is str
        assert safe_repr("a") == "'a'"

    @pytest.mark.parametrize("function", [safe_str, safe_str_list, safe_float])
    def test_value_is_positional_only(self, function: object) -> None:
        with pytest.raises(TypeError, match="positional-only"):
            function(value="x")  # type: ignore[operator]  # the call is what is tested


class TestSafeStrList:
    @pytest.mark.parametrize(
        ("value", "texts"),
        [
            pytest.param("abc", ["abc"], id="str-is-one-item"),
            pytest.param("", [""], id="empty-str-is-one-item"),
            pytest.param(Loud("abc"), ["abc"], id="str-subclass-is-one-item"),
            pytest.param(["a", 1, None], ["a", "1", "None"], id="list"),
            pytest.param(("a",), ["a"], id="tuple"),
            pytest.param(iter(["a", "b"]), ["a", "b"], id="iterator"),
            pytest.param({"a": 1}, ["a"], id="keys-of-a-dict"),
            pytest.param(["a", Raises()], ["a", "<unprintable value>"], id="bad-item-costs-only-itself"),
            pytest.param([], [], id="empty"),
            pytest.param(None, [], id="none"),
            pytest.param(7, [], id="int"),
            pytest.param(object(), [], id="object"),
            pytest.param(LiesAboutItsClass(), [], id="raising-class"),
        ],
    )
    def test_value(self, value: object, texts: list[str]) -> None:
        rendered = safe_str_list(value)
        assert rendered == texts
        assert type(rendered) is list
        assert all(type(item) is str for item in rendered)

    def test_raising_midway_gives_nothing(self) -> None:
        def broken() -> Iterator[str]:
            yield "a"
            raise RuntimeError("no")

        assert safe_str_list(broken()) == []

    def test_result_is_a_new_list(self) -> None:
        given = ["a"]
        assert safe_str_list(given) is not given


class TestSafeFloat:
    @pytest.mark.parametrize(
        ("value", "number"),
        [(0, 0.0), (-3, -3.0), (2.5, 2.5), (10**300, 1e300), (type("F", (float,), {})(1.5), 1.5)],
        ids=["zero", "int", "float", "large-int", "float-subclass"],
    )
    def test_finite_number(self, value: object, number: float) -> None:
        converted = safe_float(value)
        assert converted == number
        assert type(converted) is float

    @pytest.mark.parametrize(
        "value",
        [
            True,
            False,
            None,
            "1.0",
            b"1",
            Decimal(1),
            Fraction(1, 2),
            1j,
            math.nan,
            math.inf,
            -math.inf,
            10**400,
        ],
        ids=repr,
    )
    def test_anything_else_is_none(self, value: object) -> None:
        assert safe_float(value) is None

    def test_raising_number_is_none(self) -> None:
        class Broken(float):
            def __float__(self) -> float:
                raise RuntimeError("no")

        assert safe_float(Broken(1.0)) is None
        assert safe_float(LiesAboutItsClass()) is None
