"""Checking a JSON value by a JSON Schema, in bounded time whatever the value is."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from rampart.core.errors import ConfigurationError, EvaluatorError
from rampart.evaluators._pattern_cost import is_cheap
from rampart.evaluators._pattern_pool import pattern_pool
from rampart.evaluators._pattern_process import PatternGaveUpError
from rampart.evaluators._shown import shown_value

INSTALL = 'ResponseMatchesSchema needs jsonschema for a JSON Schema: pip install "rampart[schema]"'
SECONDS = 10.0
"""What checking one reply may take."""
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_ERRORS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One way in which a value is not as a schema wants it.

    Attributes:
        path: Where, such as `$.items[0].price`.
        message: What is wrong.
    """

    path: str
    message: str


class UndecidedError(Exception):
    """Nobody can say whether the value is as wanted; the text says why."""


Check = Callable[[str, Any], Violation | None]
"""Looks at a JSON document, as text and as value."""


def json_schema_check(schema: Mapping[str, Any], /) -> Check:
    """A check by a JSON Schema of draft 2020-12. References to other documents are not fetched.

    Raises:
        ConfigurationError: If jsonschema is not installed.
        ValueError: If the schema is of another draft, or malformed.
    """
    try:
        import jsonschema  # noqa: PLC0415 - an optional library is imported where it is used
        from referencing import Registry  # noqa: PLC0415 - likewise
        from referencing.exceptions import Unresolvable  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise ConfigurationError(INSTALL) from error
    draft = schema.get("$schema", _DRAFT)
    if not isinstance(draft, str) or draft.rstrip("#") != _DRAFT:
        msg = f"the schema is of the draft {shown_value(draft)}; only {_DRAFT} is understood"
        raise ValueError(msg)
    base = jsonschema.Draft202012Validator
    try:
        base.check_schema(schema)
    except jsonschema.SchemaError as error:
        path = rendered_path(error.absolute_path)
        msg = f"the schema is malformed at {path}: {shown_value(error.message)}"
        raise ValueError(msg) from None
    keywords = {**base.VALIDATORS, "pattern": _pattern, "uniqueItems": _unique_items}
    validator = jsonschema.validators.extend(base, {k: _timed(f) for k, f in keywords.items()})
    # A registry of our own: the default one fetches what a reference names.
    checker = validator(schema, registry=Registry())
    names = [re.compile(name) for name in _property_patterns(schema)]

    def check(text: str, value: Any) -> Violation | None:
        del text
        _refuse_costly_names(names, value)
        _running.deadline = time.monotonic() + SECONDS
        try:
            error = jsonschema.exceptions.best_match(islice(checker.iter_errors(value), _ERRORS))
        except RecursionError:
            msg = "the JSON is nested too deeply to be checked"
            raise UndecidedError(msg) from None
        except Unresolvable as missing:
            msg = f"ResponseMatchesSchema: the schema refers to what it does not hold: {missing}"
            raise EvaluatorError(msg) from missing
        if error is None:
            return None
        return Violation(path=rendered_path(error.absolute_path), message=error.message)

    return check


def rendered_path(path: Any) -> str:
    """A path of keys and indices as `$.a[0]['odd key']`."""
    text = "$"
    for step in path:
        plain = isinstance(step, str) and step.isidentifier()
        text += f".{step}" if plain else f"[{step!r}]"
    return text


_running = threading.local()


def _timed(keyword: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    """A keyword that is not applied once the time is up."""

    def apply(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if time.monotonic() > _running.deadline:
            msg = f"checking it by the schema takes more than {SECONDS:g} s"
            raise UndecidedError(msg)
        yield from keyword(validator, value, instance, schema) or ()

    return apply


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    """The keyword `pattern`, in bounded time."""
    del schema
    if validator.is_type(instance, "string") and not _found(re.compile(pattern), instance):
        from jsonschema import ValidationError  # noqa: PLC0415 - an optional library

        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _found(pattern: re.Pattern[str], text: str) -> bool:
    if is_cheap(pattern, text):
        return pattern.search(text) is not None
    try:
        return pattern_pool().match(pattern, text, whole=False)
    except PatternGaveUpError as error:
        msg = f"matching the schema's pattern {pattern.pattern!r} {error}"
        raise UndecidedError(msg) from None


def _unique_items(validator: Any, unique: object, instance: Any, schema: Any) -> Iterator[Any]:
    """The keyword `uniqueItems`; jsonschema compares each item with each."""
    del schema
    if unique is not True or not validator.is_type(instance, "array"):
        return
    seen: set[str] = set()
    for item in instance:
        key = json.dumps(_comparable(item), sort_keys=True)
        if key in seen:
            from jsonschema import ValidationError  # noqa: PLC0415 - an optional library

            yield ValidationError(f"{item!r} occurs more than once")
            return
        seen.add(key)


def _comparable(value: Any) -> Any:
    """The value with equal numbers made the same: JSON Schema takes 1 and 1.0 for one."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_comparable(item) for item in value]
    if isinstance(value, dict):
        return {key: _comparable(item) for key, item in value.items()}
    return value


def _property_patterns(schema: object) -> set[str]:
    """Every pattern for names of properties, wherever in the schema it may stand."""
    patterns: set[str] = set()
    pending = [schema]
    while pending:
        one = pending.pop()
        if isinstance(one, Mapping):
            named = one.get("patternProperties")
            patterns.update(named if isinstance(named, Mapping) else ())
            pending.extend(one.values())
        elif isinstance(one, list):
            pending.extend(one)
    return patterns


def _refuse_costly_names(patterns: list[re.Pattern[str]], value: object) -> None:
    """Names of properties are matched by jsonschema itself, on which no limit can be put.

    Raises:
        UndecidedError: If one of them may take long.
    """
    if not patterns:
        return
    longest: str = max(_names(value), key=len, default="")
    for pattern in patterns:
        if not is_cheap(pattern, longest):
            msg = (
                f"the value has a property whose name has {len(longest)} characters, and matching it with "
                f"the schema's pattern {pattern.pattern!r} may take long"
            )
            raise UndecidedError(msg)


def _names(value: object) -> Iterator[str]:
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            yield from one
            pending.extend(one.values())
        elif isinstance(one, list):
            pending.extend(one)
