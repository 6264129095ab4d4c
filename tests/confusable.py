"""The commands that are known to sound alike, so that a new such pair is noticed: `data/confusable.tsv`.

    python -m tests.confusable --write

writes the list anew; its difference is for a person to judge.
"""

from __future__ import annotations

import sys
from pathlib import Path

from narrator.confusable import close_pairs
from narrator.speech.grammar import Grammar

LIST = Path(__file__).with_name("data") / "confusable.tsv"
_HEAD = """\
# Commands of one moment that sound alike and mean different things: the words in which they differ, and how far they
# are apart in phones (see narrator/confusable.py). Made by: python -m tests.confusable --write
"""


def found(grammar: Grammar) -> list[str]:
    """Lines of the list as the grammar gives them."""
    return [f"{pair.one}\t{pair.other}\t{pair.distance:g}" for pair in close_pairs(grammar)]


def known() -> list[str]:
    """Lines of the list as it is."""
    return [line for line in LIST.read_text("utf-8").splitlines() if not line.startswith("#")]


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    LIST.write_text(_HEAD + "".join(f"{line}\n" for line in found(Grammar("ru"))), "utf-8")
