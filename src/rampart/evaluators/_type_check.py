"""Checking a JSON document by a Python type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from rampart.evaluators._schema_check import Violation, rendered_path
from rampart.evaluators._shown import shown_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.evaluators._schema_check import Check


def type_check(given: Any, /) -> Check:
    """A check by what a type takes: a model of pydantic by its own rules, all else by those of msgspec.

    Raises:
        TypeError: If no JSON can be read as the type.
    """
    validate = getattr(given, "model_validate_json", None)
    if isinstance(given, type) and callable(validate):
        return _model_check(validate)
    try:
        decoder = msgspec.json.Decoder(given)
    except (TypeError, NameError, AttributeError) as error:
        msg = (
            "schema must be a JSON Schema as a dict, a model of pydantic, or a type that JSON can be read as "
            f"(a dataclass, a TypedDict, list[int] ...), got {shown_value(given)}: {error}"
        )
        raise TypeError(msg) from None

    def check(text: str, value: Any) -> Violation | None:
        del value
        try:
            decoder.decode(text)
        except msgspec.ValidationError as error:
            message, _, path = str(error).partition(" - at `")
            return Violation(path=path.rstrip("`") or "$", message=message)
        return None

    return check


def _model_check(validate: Callable[[str], object]) -> Check:
    def check(text: str, value: Any) -> Violation | None:
        del value
        try:
            validate(text)
        except ValueError as error:
            errors = getattr(error, "errors", None)
            if not callable(errors):  # not pydantic's, so nobody knows what it says about the text
                raise
            first = errors(include_url=False, include_context=False, include_input=False)[0]
            return Violation(path=rendered_path(first["loc"]), message=first["msg"])
        return None

    return check
