"""Many pairs of games with no host that the table cannot tell apart: python -m tests.bench.hostless_pairs 100

Stops at the first pair in which somebody could notice something. See tests/game/test_hostless_secrecy.py for what is
alike in a pair and what is compared.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from narrator.game.rulesets import RULESETS
from tests.game.test_hostless_secrecy import pair


def main(pairs: int = 100) -> None:
    """Play."""
    os.fdatasync = lambda fd: None  # what is written matters elsewhere, not how soon
    for key in RULESETS:
        began, moments = time.process_time(), 0.0
        for seed in range(pairs):
            with tempfile.TemporaryDirectory(prefix="narrator-") as folder:
                game = pair(key, seed, Path(folder))
                try:
                    game.play()
                except AssertionError as error:
                    raise AssertionError(f"{key}, pair {seed}: {error}") from error
                moments += game.tables[0].now
        hours, seconds = moments / 3600, time.process_time() - began
        print(f"{key:8} {pairs} pairs, {hours:.1f} hours at the table, {seconds:.0f} s of CPU time", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
