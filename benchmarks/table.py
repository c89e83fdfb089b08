"""Rows of figures and how they are printed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Row:
    """One figure: what, how much, and what it is held against."""

    what: str
    value: float
    unit: str
    floor: float | None = None
    goal: float | None = None
    note: str = ""

    def line(self) -> str:
        """The figure as one line of the table."""
        floor = "" if self.floor is None else f"{self.floor:10.3g}"
        goal = "" if self.goal is None else f"<= {self.goal:g}"
        verdict = "" if self.goal is None else ("met" if self.value <= self.goal else "MISSED")
        return (
            f"  {self.what:58}{self.value:10.3g} {self.unit:7}{floor:>10}  {goal:>9} {verdict:7}{self.note}"
        )


def print_rows(title: str, rows: list[Row]) -> None:
    print(f"{title}\n  {'':58}{'measured':>10} {'':7}{'floor':>10}  {'goal':>9}")
    for row in rows:
        print(row.line())
    print(flush=True)
