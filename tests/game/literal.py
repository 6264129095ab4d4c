"""What a rulebook asks of a table: the questions that a judge reads out and the table answers.

The literal judges (literal_moscow, …) are slow readings of the rulebooks, written from their text alone; they know
nothing of the product. Invariant: a judge learns what the table does only through these questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol


class Table(Protocol):
    """Living people around a table. `alive` shrinks when somebody leaves."""

    alive: set[int]

    def leaver(self) -> int | None:
        """Somebody gets up before hands are counted, or nobody."""

    def hands(self, candidates: Sequence[int]) -> list[int]:
        """Hands raised for each candidate in order, the last one not asked for."""

    def names(self, among: Sequence[int] | None) -> Mapping[int, int | None]:
        """Everybody's last valid word, voter by voter: a seat, or None for PASS; `among`: a second round."""

    def speeches(self, seats: Sequence[int]) -> None:
        """These speak, one after another, before the vote goes on."""

    def lift(self, seats: Sequence[int]) -> int:
        """Hands for all of them leaving together."""

    def victim(self, dead: int, seats: Sequence[int]) -> int:
        """`dead`, who died last night, chooses one of them."""


def count(table: Table, candidates: Sequence[int]) -> dict[int, int]:
    """«Голоса игроков, которые не принимали участия в голосовании, отдаются последнему кандидату.»"""
    raised = table.hands(candidates)
    votes = dict(zip(candidates, raised, strict=False))
    votes[candidates[-1]] = len(table.alive) - sum(raised)
    return votes


def most(votes: Mapping[int, int]) -> list[int]:
    """Everybody who has as many votes as nobody exceeds."""
    return [seat for seat, number in votes.items() if number == max(votes.values())]
