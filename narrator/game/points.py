"""What a best move is worth. Reads the cards; decides nothing else."""

from __future__ import annotations

from narrator.game.roles import Role, Team
from narrator.game.state import BestMove, State

_WORTH = {3: 0.5, 2: 0.25}


def points(state: State, best: BestMove) -> float | None:
    """A red victim scores 0.5 for three black seats, 0.25 for two [C]; a black victim nothing [R].

    None when the box does not know the cards.
    """
    role = state.role(best.by)
    if role is None:
        return None
    if role.team is not Team.TOWN:
        return 0.0
    black = sum(state.role(seat) in (Role.MAFIA, Role.DON) for seat in best.seats)
    return _WORTH.get(black, 0.0)
