"""Who has won, read from a state. Changes nothing.

Checked after each batch of departures (all the night's dead, both of a pair), never between two of one batch.
"""

from __future__ import annotations

from narrator.game.roles import Role, Team
from narrator.game.rulesets import MafiaWins
from narrator.game.state import Outcome, State, Termination


def outcome(state: State) -> Outcome | None:
    """The result if the game is decided, else None. Without known cards the box can never tell.

    Town: nobody black and no Maniac is left (all rulebooks), or the mafia missed too often [C].
    Mafia: more than the others [A] or as many [B, C]; the Maniac counts among the others.
    Maniac: alone alive [A].
    """
    if not state.roles or None in state.roles:
        return None
    black = len(state.holders(Role.MAFIA, Role.DON))
    maniacs = len(state.holders(Role.MANIAC))
    others = len(state.alive) - black
    rules = state.rules
    if not state.alive:
        return Outcome("draw", Termination.NOBODY_LEFT)
    if black == 0 and maniacs == 0:
        return Outcome(Team.TOWN, Termination.NO_BLACK_LEFT)
    if maniacs == len(state.alive) or (rules.maniac_duel and maniacs == 1 and len(state.alive) == 2):
        return Outcome(Team.MANIAC, Termination.ALONE)
    if black and (black > others or (black == others and rules.mafia_wins is MafiaWins.EQUAL)):
        return Outcome(Team.MAFIA, Termination.NUMBERS)
    if rules.misses_lose and state.misses >= rules.misses_lose:
        return Outcome(Team.TOWN, Termination.MISSES)
    if rules.quiet_nights and state.quiet >= rules.quiet_nights:
        return Outcome("draw", Termination.QUIET)
    return None
