"""The phonemes of the whole script as espeak-ng speaks it, kept in a file so that a change of one word is seen.

Make the file again, and look at the difference: python -m tests.speech.phonemes
"""

from __future__ import annotations

import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from narrator.game.rulesets import RULESETS
from narrator.ports.spelling import for_espeak
from narrator.speech.repertoire import repertoire
from narrator.speech.stress import Stress

FILE = Path(__file__).parents[1] / "data" / "phonemes.tsv"
SEATS = 15


def version() -> str:
    """The version of espeak-ng here, "" if there is none; its rules change from one to the next."""
    if not shutil.which("espeak-ng"):
        return ""
    told = subprocess.run(["espeak-ng", "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"\d+(\.\d+)+", told)[0]  # type: ignore[index]


def script() -> tuple[str, ...]:
    """Every phrase of a table of fifteen, whatever the rules."""
    texts = (text for rules in RULESETS.values() for text in repertoire("ru", rules, SEATS))
    return tuple(dict.fromkeys(texts))


def espeak(text: str, *options: str) -> str:
    """What espeak-ng makes of a text that is given as it gets it from us."""
    command = ["espeak-ng", "-v", "ru", "-q", *options, "--", text]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    return " ".join(done.stdout.split())


def phonemes(texts: tuple[str, ...]) -> dict[str, str]:
    """Text → phonemes in espeak-ng's own letters."""
    read = Stress("ru", {})
    with ThreadPoolExecutor(4) as pool:
        spoken = pool.map(lambda text: espeak(for_espeak(read(text)), "-x"), texts)
        return dict(zip(texts, spoken, strict=True))


def kept() -> tuple[str, dict[str, str]]:
    """The file: the version it was made with, and text → phonemes."""
    first, *lines = FILE.read_text("utf-8").splitlines()
    return first, dict(line.split("\t") for line in lines)


def main() -> None:
    """Write the file."""
    lines = [f"{text}\t{sound}" for text, sound in phonemes(script()).items()]
    FILE.write_text("\n".join([version(), *lines]) + "\n", encoding="utf-8")
    print(f"{FILE}: {len(lines)} phrases, espeak-ng {version()}")


if __name__ == "__main__":
    main()
