"""The families of the library, each read from its file when it is first asked for."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from rampart.payloads.family_file import read_family

if TYPE_CHECKING:
    from rampart.payloads.family import PayloadFamily

_ENDING = ".toml"


@cache
def family_ids() -> tuple[str, ...]:
    """The ids of all families, sorted."""
    names = (entry.name for entry in files("rampart.payloads").joinpath("library").iterdir())
    return tuple(sorted(name.removesuffix(_ENDING) for name in names if name.endswith(_ENDING)))


@cache
def family(family_id: str) -> PayloadFamily:
    """One family.

    Args:
        family_id: One of `family_ids()`.
    """
    file = files("rampart.payloads").joinpath(f"library/{family_id}{_ENDING}")
    return read_family(file.read_text(encoding="utf-8"), family_id=family_id)


def all_families() -> list[PayloadFamily]:
    """All families, by id."""
    return [family(family_id) for family_id in family_ids()]
