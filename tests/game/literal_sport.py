"""Federation practice read word by word: its vote, its end, its cancelled votes. Slow, and independent of the product.

As the classic rules, but: speeches and votes repeat as long as the number of tied changes; three of nine are never
lifted; a table split among all who sit goes to the night at once; three nights and the two days between them without a
departure are a draw; a removal cancels today's vote, or tomorrow's when nobody is voted on any more today.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.game import literal_classic
from tests.game.literal import Table, count, most


def vote(table: Table, day: int, named: Sequence[int], victim: int | None = None) -> set[int]:
    """Who leaves the table in this day's vote, exits included."""
    candidates = list(named)
    if not candidates or (day == 1 and len(candidates) == 1):
        return set()
    if len(candidates) == 1:
        return set(candidates)
    tied_before = 0
    while True:
        leaver = table.leaver()
        if leaver is not None:
            return {leaver}
        tied = most(count(table, candidates))
        if len(tied) == 1:
            return set(tied)
        if set(tied) == table.alive:
            return set()
        if len(tied) == tied_before:
            if len(tied) == 3 and len(table.alive) == 9:
                return set()
            return set(tied) if table.lift(tied) * 2 > len(table.alive) else set()
        table.speeches(tied)
        candidates, tied_before = tied, len(tied)


def winner(cards: Sequence[str], story: str = "") -> str | None:
    """Who has won. `story`: «N» a night and «D» a day in which nobody left the table, small letters otherwise."""
    decided = literal_classic.winner(cards)
    if decided is not None:
        return decided
    return "draw" if story.endswith("NDNDN") else None
