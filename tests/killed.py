"""Writers of a journal that are killed without warning: `python -m tests.killed FOLDER CYCLES SEED`.

Each cycle goes on with the same journal: a child appends moves and acknowledges each one after `append` has returned;
after a random number of acknowledgements, in the middle of whatever it does, it gets SIGKILL. Then the journal must
hold everything that was acknowledged, in order, and at most one move more. Prints one line: cycles and moves.
Stands alone, because it forks, which a test with threads should not.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from pathlib import Path

from narrator.game.moves import CastVotes
from narrator.journal import Beat, Journal


def write_until_killed(path: Path, first: int, acknowledge: int) -> None:
    """Append moves with growing counts, one byte down the pipe for each that is on the disk."""
    journal, _ = Journal.reopen(path)
    beat = Beat(path.with_name("beat"))
    for count in range(first, first + 1_000_000):
        journal.append(CastVotes(count), float(count))
        os.write(acknowledge, b".")
        beat.mark(float(count))


def main(folder: Path, cycles: int, seed: int) -> None:
    """Kill so many writers; raise SystemExit with a sentence if anything that was acknowledged is lost."""
    chance = random.Random(seed)
    path = folder / "current.journal"
    Journal.create(path, "ru").close()
    expected = 0
    for cycle in range(cycles):
        end, acknowledge = os.pipe()
        child = os.fork()
        if child == 0:
            write_until_killed(path, expected, acknowledge)
        os.close(acknowledge)
        wanted = chance.randrange(1, 20)
        seen = 0
        while seen < wanted:
            seen += len(os.read(end, 1))
        for _ in range(chance.randrange(3000)):  # somewhere within a move, not always right after one
            pass
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while more := os.read(end, 4096):
            seen += len(more)
        os.close(end)
        journal, recovered = Journal.reopen(path)
        journal.close()
        counts = [entry.move.count for entry in recovered.entries if isinstance(entry.move, CastVotes)]
        if counts != list(range(len(counts))) or not expected + seen <= len(counts) <= expected + seen + 1:
            raise SystemExit(f"cycle {cycle}: {expected + seen} acknowledged, {len(counts)} in the journal")
        if recovered.trouble:
            raise SystemExit(f"cycle {cycle}: {recovered.trouble}")
        expected = len(counts)
    print(f"{cycles} cycles, {expected} moves")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
