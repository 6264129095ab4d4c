"""The command line: what to measure, with which models, and where the results go.

    python -m tests.bench.hearing --quick
    python -m tests.bench.hearing --acoustic other.npz,SILENCE_WEIGHT=-1 --rows 'babble|room' --systems ours --talk 0

Rendered sound stays in the folder of --cache, so that a rerun is quick. Nothing is compared by ear.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from tests.bench.hearing.report import lines
from tests.bench.hearing.rows import FULL, QUICK
from tests.bench.hearing.run import SYSTEMS, run


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.hearing")
    parser.add_argument("--quick", action="store_true", help="a tenth of everything, five minutes")
    parser.add_argument("--part", type=float, default=1.0, help="so much of every row and of the talk, 0…1")
    parser.add_argument("--rows", default="", help="only rows whose group or name matches this pattern")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help=f"of {', '.join(SYSTEMS)}")
    parser.add_argument(
        "--acoustic",
        action="append",
        default=[],
        help="also this acoustic.npz, or FILE,CONSTANT=NUMBER",
    )
    parser.add_argument("--talk", type=float, help="hours of talk; 0: none")
    parser.add_argument("--out", type=Path, help="write all results there, as JSON")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "narrator-hearing")
    given = parser.parse_args()
    size = (QUICK if given.quick else FULL).part(given.part)
    if given.talk is not None:
        size = dataclasses.replace(size, hours=given.talk)
    wrong = set(given.systems.split(",")) - set(SYSTEMS)
    if wrong:
        parser.error(f"there is no system {', '.join(sorted(wrong))}: choose of {', '.join(SYSTEMS)}")
    print("\n".join(lines(run(given, size))))


if __name__ == "__main__":
    main()
