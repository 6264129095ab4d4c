"""Voice packs: a folder of recordings by a person, one WAV for each phrase, and `phrases.tsv` that says which is which.

A line of `phrases.tsv` is a number, a tab and the words to read; the recording is `NUMBER.wav`. A pack may be partial:
what is not recorded, an engine speaks. Knows files, not what the phrases are for.
Invariant: the numbers of a pack never change, so a recording that was made stays with its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from narrator.ports.wav import Samples, read_wav

LIST = "phrases.tsv"
_QUIET, _LOUD = -38.0, -8.0  # dB of full scale, of the sounding parts
_EDGE = 0.4  # seconds of silence before or after the words
_LEAST_RATE = 16000
_PACE = (0.03, 0.25)  # seconds a letter may take; outside of it something else was read


class PackError(RuntimeError):
    """A folder that is no voice pack; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded phrase. `key` changes when the file does."""

    path: Path

    @property
    def key(self) -> str:
        """Which recording this is."""
        about = self.path.stat()
        return f"recorded {self.path.resolve()} {about.st_size} {about.st_mtime_ns}"


class VoicePack:
    """The recordings in `folder`. Raises PackError when there is no list of phrases in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts = _read(folder / LIST)
        self._numbers = {text: number for number, text in self.texts.items()}

    def find(self, text: str) -> Recording | None:
        """The recording of a phrase, if somebody has made it."""
        number = self._numbers.get(text)
        path = None if number is None else self.path(number)
        return Recording(path) if path and path.is_file() else None

    def path(self, number: int) -> Path:
        """Where the recording of a phrase is, or will be."""
        return self.folder / f"{number:04d}.wav"

    def check(self) -> Iterator[str]:
        """One sentence for everything that is missing or should be recorded again."""
        missing = [number for number in self.texts if not self.path(number).is_file()]
        for number, text in self.texts.items():
            if number not in missing:
                yield from (f"{number:04d} «{text}»: {fault}." for fault in _faults(self.path(number), text))
        for stray in sorted(path.name for path in self.folder.glob("*.wav")):
            if not stray[:-4].isdecimal() or int(stray[:-4]) not in self.texts:
                yield f"{stray}: no line of {LIST} has this number; rename or remove it."
        for number in missing:
            yield f"{number:04d} «{self.texts[number]}»: not recorded; the engine speaks it."


def new_pack(folder: Path, texts: Iterable[str]) -> tuple[int, int]:
    """Make a pack's list, or add what is new to an old one; returns (phrases in the list, added now).

    Raises PackError when the folder cannot be written.
    """
    path = folder / LIST
    try:
        folder.mkdir(parents=True, exist_ok=True)
        known = _read(path) if path.exists() else {}
        fresh = [text for text in dict.fromkeys(texts) if text not in set(known.values())]
        first = max(known, default=0) + 1
        known.update(enumerate(fresh, first))
        path.write_text("".join(f"{number:04d}\t{text}\n" for number, text in known.items()), encoding="utf-8")
    except OSError as error:
        raise PackError(f"{path}: cannot be written ({error.strerror}); choose another folder.") from error
    return len(known), len(fresh)


def _read(path: Path) -> dict[int, str]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = f"{path}: cannot be read; a voice pack has this list. Make it: narrator voicepack new {path.parent}"
        raise PackError(why) from error
    texts: dict[int, str] = {}
    for place, line in enumerate(lines, 1):
        number, tab, text = line.partition("\t")
        if not line.strip():
            continue
        if not tab or not number.isdecimal() or not text.strip() or int(number) in texts:
            raise PackError(f"{path}:{place}: write a number of its own, a tab and the words, not «{line}».")
        texts[int(number)] = text.strip()
    return texts


def _faults(path: Path, text: str) -> Iterator[str]:
    try:
        samples, rate = read_wav(path)
    except ValueError as error:
        yield str(error)
        return
    if rate < _LEAST_RATE:
        yield f"recorded at {rate} Hz; take {_LEAST_RATE} or more"
    sound = np.abs(samples.astype(np.float64)) / 32768
    block = max(1, rate // 100)
    levels = np.sqrt(np.mean((sound[: len(sound) // block * block] ** 2).reshape(-1, block), axis=1))
    if not len(levels) or levels.max() < 1e-3:
        yield "silent"
        return
    if _clipped(samples):
        yield "clipped; record it again, farther from the microphone or with less gain"
        return
    active = levels > 0.1 * levels.max()
    loudness = 20 * np.log10(np.sqrt(np.mean(levels[active] ** 2)))
    if not _QUIET <= loudness <= _LOUD:
        yield f"too {'quiet' if loudness < _QUIET else 'loud'} ({loudness:.0f} dB); take {_QUIET:.0f} to {_LOUD:.0f}"
    where = np.flatnonzero(active) / 100
    before, after = where[0], len(levels) / 100 - where[-1]
    if max(before, after) > _EDGE:
        yield f"{max(before, after):.1f} s of silence {'before' if before > after else 'after'} the words; cut it"
    pace = (where[-1] - where[0] + 0.01) / sum(letter.isalpha() for letter in text)
    if not _PACE[0] <= pace <= _PACE[1]:
        yield f"{where[-1] - where[0]:.1f} s long, which does not fit these words; listen to it"


def _clipped(samples: Samples) -> bool:
    """Whether three samples in a row stand at the end of the scale."""
    full = np.abs(samples.astype(np.int32)) >= 32700
    return bool(np.any(full[2:] & full[1:-1] & full[:-2]))
