"""The forum rulebook read word by word: its vote, its end. Slow, and independent of the product.

«При единодушном голосовании в ПАС … никто не умирает. … если в первый день на голосовании 9 пасов и 1 голос в игрока -
игрок объявляется помилованным. В другие дни одного голоса достаточно. … В случае равенства голосов у лидеров
голосования происходит "катастрофа". … "Помиловать всех" / "повесить всех" при четном количестве игроков. Если и тут
вдруг получается равенство, то играет вариант "помиловать всех". При нечетном - … обычное голосование. При любом
количестве игроков нельзя вывести из игры больше двух человек.»
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.game import literal_classic
from tests.game.literal import Table, most


def vote(table: Table, day: int, named: Sequence[int] = (), victim: int | None = None) -> set[int]:
    """Who leaves the table in this day's vote, exits included."""
    leaver = table.leaver()
    if leaver is not None:
        return {leaver}
    words = table.names(None)
    for_somebody = Counter(seat for seat in words.values() if seat is not None)
    passes = len(words) - for_somebody.total()
    if not for_somebody or (day == 1 and passes == 9 and for_somebody.total() == 1):
        return set()
    leaders = sorted(most(for_somebody))
    if len(leaders) == 1:
        return set(leaders)
    table.speeches(leaders)
    leaver = table.leaver()
    if leaver is not None:
        return {leaver}
    if len(table.alive) % 2 == 0:
        hang = table.lift(leaders)
        pardon = len(table.alive) - hang
        return set(leaders) if hang > pardon and len(leaders) <= 2 else set()
    chosen = most(Counter(table.names(leaders).values()))  # type: ignore[arg-type]  # nobody may pass here
    return set(chosen) if len(chosen) == 1 else set()


def winner(cards: Sequence[str], misses_in_a_row: int = 0) -> str | None:
    """Who has won; «если мафия в течение 3-х ночей подряд несостреливается, то объявляется победа города»."""
    decided = literal_classic.winner(cards)
    if decided is not None:
        return decided
    return "town" if misses_in_a_row >= 3 else None
