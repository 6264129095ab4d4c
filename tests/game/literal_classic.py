"""The classic rulebook read word by word: its vote, its end. Slow, and independent of the product.

«По окончанию обсуждения за кандидатуры голосуют. Та кандидатура, которая набрала большинство голосов, выбывает из
игры.» A tie: thirty seconds each, the vote again in the same order; the same tie again: the table may let all go, more
than half of the living needed, otherwise all stay. Somebody who leaves cancels the vote.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.game.literal import Table, count, most


def vote(table: Table, day: int, named: Sequence[int], victim: int | None = None) -> set[int]:
    """Who leaves the table in this day's vote, exits included."""
    candidates = list(named)
    if not candidates or (day == 1 and len(candidates) == 1):
        return set()
    if len(candidates) == 1:
        return set(candidates)
    spoken: list[int] = []
    while True:
        leaver = table.leaver()
        if leaver is not None:
            return {leaver}
        tied = most(count(table, candidates))
        if len(tied) == 1:
            return set(tied)
        if tied == spoken:
            return set(tied) if table.lift(tied) * 2 > len(table.alive) else set()
        table.speeches(tied)
        candidates = spoken = tied


def winner(cards: Sequence[str]) -> str | None:
    """Who has won when these cards are alive: «сравнять количество мирных игроков и мафий за столом»."""
    black = sum(card in ("mafia", "don") for card in cards)
    if not cards:
        return "draw"
    if black == 0:
        return "town"
    return "mafia" if black >= len(cards) - black else None
