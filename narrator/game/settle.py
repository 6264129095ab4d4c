"""Consequences to a fixed point, in this one place: victory, the next speaker or candidate, the box as its own host.

Handlers of moves only do what was asked. Invariant: after `settle` the state waits for somebody or for the clock.
"""

from __future__ import annotations

from collections.abc import Callable

from narrator.game import flow, hostless
from narrator.game.outcome import outcome
from narrator.game.roles import Host
from narrator.game.state import Phase
from narrator.game.turn import Turn

_MOST = 200  # consequences of one move; the longest real chain is under 40

_CONSEQUENCES: dict[Phase, Callable[[Turn], bool]] = {
    Phase.INTRODUCTIONS: flow.speak,
    Phase.SPEECHES: flow.speak,
    Phase.TIE_SPEECH: flow.speak,
    Phase.LAST_WORD: flow.speak,
    Phase.VOTE: flow.count,
    Phase.VICTIM_VOTE: flow.decide,
}


def settle(turn: Turn) -> None:
    """Run consequences until none is left. Raises RuntimeError if they never end (a fault of ours)."""
    for _ in range(_MOST):
        state = turn.state
        if state.phase in (Phase.LOBBY, Phase.GAME_OVER):
            return
        result = outcome(state)
        if result is not None:
            flow.end_game(turn, result)
            return
        step = _CONSEQUENCES.get(state.phase)
        followed = step is not None and step(turn)
        if not followed and state.host is Host.NONE:
            followed = hostless.carry_on(turn)
        if not followed:
            return
    raise RuntimeError(f"consequences of {turn.state.phase} never end")
