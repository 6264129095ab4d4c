"""Counts of legal sequences from small positions, like the perft counts of a chess program.

`tests/data/perft.json` holds, for each position, how many different games of DEPTH moves follow it, by first move.
Legal are the moves of people (`legal`) and what the clock does at its next mark; undo is left out. A change of any
rule changes some count: look at the first moves that differ, and if the new numbers are right, write them anew:

    python -m tests.perft --write
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from functools import cache
from pathlib import Path

from narrator.game.reducer import Played, play
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.game.state import Game, Phase, State
from tests.table import placed, tables_moves

FILE = Path(__file__).parent / "data" / "perft.json"
DEPTH = 3
ALIVE = (1, 4, 6, 7)
DIED = ((9, "mafia"),)

Divide = dict[str, int]
"""How many sequences begin with each kind of move."""

POSITIONS: dict[str, tuple[str, Host, Phase, tuple[int, ...]]] = {
    f"{key} {host} {phase}": (key, host, phase, candidates)
    for key in RULESETS
    for host, phase, candidates in (
        (Host.FULL, Phase.SPEECHES, ()),
        (Host.FULL, Phase.VOTE, (4, 6)),
        (Host.FULL, Phase.TIE_SPEECH, (4, 6)),
        (Host.FULL, Phase.NIGHT_SHOOTING, ()),
        (Host.LIGHT, Phase.MORNING, ()),
        (Host.NONE, Phase.NIGHT_SHERIFF, ()),
    )
}


def position(name: str) -> Game:
    """The game at a named position: four are left, the Don among them."""
    key, host, phase, candidates = POSITIONS[name]
    died = () if phase.is_night or phase is Phase.MORNING else DIED
    return placed(RULESETS[key], phase, host, alive=ALIVE, died=died, candidates=candidates)


def divide(name: str) -> Divide:
    """Sequences of DEPTH moves from a position, by kind of the first move."""
    game = position(name)
    found: Counter[str] = Counter()
    for moves in tables_moves(game.state, 0.0).values():
        for move, at in moves:
            result = play(game, move, at)
            assert isinstance(result, Played)
            found[move.kind] += _count(result.game.state, at, DEPTH - 1)
    return dict(sorted(found.items()))


@cache
def _count(state: State, at: float, depth: int) -> int:
    if depth == 0:
        return 1
    moves = [pair for pairs in tables_moves(state, at).values() for pair in pairs]
    if depth == 1:
        return len(moves)
    total = 0
    for move, when in moves:
        result = play(Game(state), move, when)
        assert isinstance(result, Played), f"{move}: {result}"
        total += _count(result.game.state, when, depth - 1)
    return total


def written() -> dict[str, Divide]:
    """The counts on file."""
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def main() -> None:
    """Print the counts, or write them."""
    parser = argparse.ArgumentParser(description="Counts of legal sequences, see tests/perft.py.")
    parser.add_argument("--write", action="store_true", help=f"write {FILE.name} instead of printing")
    counts = {name: divide(name) for name in POSITIONS}
    text = json.dumps(counts, indent=1) + "\n"
    if parser.parse_args().write:
        FILE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
