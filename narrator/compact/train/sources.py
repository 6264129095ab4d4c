"""What was learnt from and under which licences, as a table beside the parameters.

Invariant: a source that was used is in the table; one without a known licence is an error, not a gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from narrator.compact.train.corpus import RATE, Utterance

LICENCES = {
    "festvox": (
        "festvox-ru 0.5, © 2005 Nickolay V. Shmyrev",
        "BSD-like: free for any use, with its notice and its authors' names",
    ),
    "asterisk": (
        "Asterisk core sounds, Russian (ru-*), © 2010 Maxim; provided by Maxim Topal, <http://www.ivrvoice.ru>",
        "CC-BY-3.0, <https://creativecommons.org/licenses/by/3.0/>; training material, no part of this program but for "
        "its texts",
    ),
    **{
        f"rhvoice_{voice}": (
            f"output of RHVoice with the voice {voice}",
            f"program LGPL-2.1 or GPL, voice {licence}; output only",
        )
        for voice, licence in {
            "Elena": "GPL-3",
            "Aleksandr": "unstated",
            "Aleksandr-hq": "CC-BY-SA-4.0",
            "Anna": "LGPL-2.1 or later as RHVoice's data",
            "Irina": "LGPL-2.1 or later as RHVoice's data",
        }.items()
    },
    "espeak": ("output of espeak-ng, variants of its Russian voice", "the program is GPL-3; its output is free"),
}
WORDS = "| texts to read | words of hunspell-ru, Alexander Lebedev | BSD |"


def table(said: Sequence[Utterance]) -> str:
    """The table in Markdown: how much of which speech, and its licence. Raises KeyError for an unknown source."""
    lines = ["| how much | speech | licence |", "|---|---|---|"]
    names = [utterance.source if utterance.source in LICENCES else utterance.source.split("_")[0] for utterance in said]
    for name in dict.fromkeys(names):
        sounds = [len(utterance.sound) for utterance, own in zip(said, names, strict=True) if own == name]
        speech, licence = LICENCES[name]
        lines.append(f"| {len(sounds)} utterances, {sum(sounds) / RATE / 60:.0f} minutes | {speech} | {licence} |")
    return "\n".join([*lines, WORDS]) + "\n"


def tell(said: Sequence[Utterance], parameters: Path) -> Path:
    """Write the table beside the parameters and return where."""
    path = parameters.with_suffix(".licences.md")
    path.write_text(table(said), "utf-8")
    return path
