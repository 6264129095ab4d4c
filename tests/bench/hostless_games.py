"""A thousand games with no host for every ruleset, each looked at step by step: python -m tests.bench.hostless_games

Prints for each ruleset how many games and moves were played and how long it took; stops at the first that hangs, is not
sane or tells something. `python -m tests.bench.hostless_games 200 moscow` plays fewer games of one ruleset.
"""

from __future__ import annotations

import sys
import time

from narrator.game.rulesets import RULESETS
from tests.game.test_hostless import check_game


def main(games: int = 1000, *keys: str) -> None:
    """Play."""
    for key in keys or RULESETS:
        began, moves = time.process_time(), 0
        for seed in range(games):
            try:
                moves += check_game(RULESETS[key], seed)
            except AssertionError as error:
                raise AssertionError(f"{key}, game {seed}: {error}") from error
        print(f"{key:8} {games} games, {moves} moves, {time.process_time() - began:.0f} s of CPU time", flush=True)


if __name__ == "__main__":
    main(*(int(word) if word.isdigit() else word for word in sys.argv[1:]))  # type: ignore[arg-type]
