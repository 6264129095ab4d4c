"""The moscow rulebook read word by word: its vote, its end. Slow, and independent of the product.

«Если кандидатов на выбывание было больше двух, и за двоих из них игроки отдали одинаковое количество голосов, то
проводится еще одно голосование. … Если в голосовании принимали участие два кандидата, и при этом каждый из них получил
равное количество голосов, им предоставляется последнее слово, после которого проводится повторная процедура. В случае,
если игроки … опять не смогли выбрать одного кандидата, к голосованию подключается мирный житель, убитый последним
прошлой ночью.»
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.game.literal import Table, count, most


def vote(table: Table, day: int, named: Sequence[int], victim: int | None) -> set[int]:
    """Who leaves the table in this day's vote, exits included."""
    candidates = list(named)
    gone: set[int] = set()
    if day == 1 or len(candidates) < 2:  # «при наличии как минимум 2х подозреваемых»
        return gone
    second = had_last_word = False
    while True:
        leaver = table.leaver()
        while leaver is not None:  # «один из них может выйти из-за стола … голоса всех уходят за оставшегося»
            gone.add(leaver)
            if leaver in candidates and len(candidates) == 2:
                return gone | set(candidates)
            candidates = [seat for seat in candidates if seat != leaver]
            leaver = table.leaver()
        tied = most(count(table, candidates))
        if len(tied) == 1:
            return gone | set(tied)
        if len(candidates) == 2 and not had_last_word:
            table.speeches(tied)
            had_last_word = True
        elif len(candidates) == 2 or (second and tied == candidates):  # they could not choose again
            return gone if victim is None else gone | {table.victim(victim, tied)}
        else:
            candidates = tied
            second = True


def winner(cards: Sequence[str]) -> str | None:
    """Who has won when these cards are alive.

    «…мирным жителям, если им удается уничтожить всех мафиози и маньяка. Мафия побеждает тогда, когда мирных жителей
    становится меньше, чем мафиози. Маньяк побеждает в случае, если остался в одиночестве.»
    """
    mafia = sum(card in ("mafia", "don") for card in cards)
    peaceful = len(cards) - mafia  # the Maniac shows himself as peaceful and is counted so
    if len(cards) == 0:
        return "draw"
    if mafia == 0 and "maniac" not in cards:
        return "town"
    if list(cards) == ["maniac"]:
        return "maniac"
    return "mafia" if peaceful < mafia else None
