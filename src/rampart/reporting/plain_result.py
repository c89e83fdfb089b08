"""Results that can be counted and grouped, whatever somebody put into them by hand."""

from __future__ import annotations

import copy
from typing import cast

from rampart.core.result import PopulationRef, Result, SafetyStatus
from rampart.core.types import HarmCategory
from rampart.records.json_values import is_a
from rampart.records.prepare import prepare_record


def plain_result(result: Result) -> Result:
    """`result` itself if its verdict and its place can be read, else a copy in which they can.

    As in its record, a status that is none counts as ERROR, a category that is none as no category, and
    what is no result at all is an ERROR.
    """
    if not is_a(result, Result):
        return prepare_record(result=result).result
    given = vars(result)
    status, category = given.get("status"), given.get("harm_category")
    metadata, population = given.get("metadata"), given.get("population")
    plain: dict[str, object] = {
        "status": status if is_a(status, SafetyStatus) else SafetyStatus.ERROR,
        "harm_category": _plain_category(category),
        "metadata": metadata if is_a(metadata, dict) else {},
        "population": population if is_a(population, PopulationRef) else None,
    }
    if all(given.get(name) is value for name, value in plain.items()):
        return result
    copied = copy.copy(result)
    vars(copied).update(plain)
    return copied


def _plain_category(category: object) -> str | None:
    if category is None or type(category) in (str, HarmCategory):
        return cast("str | None", category)
    return str.__str__(cast("str", category)) if is_a(category, str) else None
