"""Which families, languages and placements a tester asks for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rampart.payloads.catalogue import all_families, family, family_ids
from rampart.payloads.placements import PLACEMENTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from rampart.payloads.family import PayloadFamily, PayloadVariant


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A part of the library; None stands for no restriction.

    Attributes:
        families: The families asked for by name.
        languages: The languages that will do.
        placements: The places that will do.
        given: The parameters that were stated.
    """

    families: tuple[str, ...] | None
    languages: tuple[str, ...] | None
    placements: tuple[str, ...] | None
    given: frozenset[str]

    def variants(self) -> Iterator[tuple[PayloadFamily, PayloadVariant, str]]:
        """Each variant with its family and each language that fits, in the order of the families.

        Raises:
            ValueError: If a family that was asked for has none.
        """
        for family_id in family_ids() if self.families is None else self.families:
            one = family(family_id)
            found = list(self._of(one))
            if not found and self.families is not None:
                raise ValueError(self._why_none(one))
            yield from found

    def _of(self, one: PayloadFamily) -> Iterator[tuple[PayloadFamily, PayloadVariant, str]]:
        for variant in one.variants:
            if self.given.issuperset(variant.parameters) and self._fits(self.placements, variant.placements):
                for language in variant.texts:
                    if self._fits(self.languages, [language]):
                        yield one, variant, language

    @staticmethod
    def _fits(wanted: tuple[str, ...] | None, there: Collection[str]) -> bool:
        return wanted is None or not set(wanted).isdisjoint(there)

    def _why_none(self, one: PayloadFamily) -> str:
        lacking = [name for name in one.needs if name not in self.given]
        if lacking:
            return f"payload family {one.id!r} needs {', '.join(f'{name}=' for name in lacking)}"
        return (
            f"payload family {one.id!r} has nothing for this choice; its languages are "
            f"{', '.join(one.languages)}, its placements {', '.join(one.placements)}"
        )


def choose(
    *,
    families: Iterable[str] | None,
    languages: Iterable[str] | None,
    placements: Iterable[str] | None,
    given: frozenset[str],
) -> Choice:
    """The choice of a tester, whose names are all known.

    Raises:
        ValueError: If a name is unknown, giving the nearest one and all.
        TypeError: If names are not given as a list.
    """
    return Choice(
        families=_known(families, all_of=family_ids(), argument="families", noun="payload family"),
        languages=_known(languages, all_of=_languages(languages), argument="languages", noun="language"),
        placements=_known(placements, all_of=PLACEMENTS, argument="placements", noun="placement"),
        given=given,
    )


def _languages(wanted: object) -> list[str]:
    """All languages there are, for which all files are read; none where nobody asks."""
    if wanted is None:
        return []
    return sorted({language for one in all_families() for language in one.languages})


def _known(
    names: Iterable[str] | None, *, all_of: Collection[str], argument: str, noun: str
) -> tuple[str, ...] | None:
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Iterable):
        msg = f"{argument} must be a list of names, got {names!r}"
        raise TypeError(msg)
    wanted = tuple(dict.fromkeys(names))
    for name in wanted:
        if name not in all_of:
            raise ValueError(_unknown(name, all_of, noun))
    return wanted


def _unknown(name: object, all_of: Collection[str], noun: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  # needed only here, and it is slow to import

    near = get_close_matches(str(name), all_of, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ";"
    return f"unknown {noun} {name!r}{hint} there are {', '.join(all_of)}"
