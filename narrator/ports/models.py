"""Which Vosk model to use, and whether a folder is one that can be used. Loads no native code.

A model must have its graph in two parts (Gr.fst and HCLr.fst): only then can the recogniser be held to a list of
phrases. The vocabulary is read straight from Gr.fst, so that a wrong model is told before a child process dies of it.
Invariant: a folder that `find_model` returns has passed `check_model`.
"""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from narrator.compact import BuildError
from narrator.compact.build import cached_model
from narrator.compact.graph import CHATTER as CHATTER
from narrator.compact.graph import UNKNOWN as UNKNOWN
from narrator.config import EarsSettings
from narrator.messages import JOINT

log = logging.getLogger(__name__)

BIG = "vosk-model-small-ru-0.22"
"""Folder name of the model that `scripts/fetch-model` puts into the cache folder."""
LARGEST = 150_000_000
"""Bytes. Above it a model is no "small" one: it would not load, or load for minutes, on a Raspberry Pi."""

_FILES = ("am/final.mdl", "conf/mfcc.conf", "conf/model.conf", "graph/HCLr.fst", "graph/Gr.fst")
_FST, _SYMBOLS, _HAS_SYMBOLS = 2125659606, 2125658996, 1  # OpenFst's magic numbers and header flag


class RecogniserError(RuntimeError):
    """Speech cannot be recognised; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class ModelReport:
    """A usable model: where, how big (bytes), and the words it can hear."""

    folder: Path
    size: int
    words: frozenset[str] = field(repr=False)

    @property
    def unknown(self) -> bool:
        """Whether it has `[unk]`, so that other talk need not be taken for a command."""
        return UNKNOWN in self.words

    def missing_words(self, words: Iterable[str]) -> tuple[str, ...]:
        """Those of `words`, or of the words of phrases, that this model can never hear, sorted."""
        asked = {word for phrase in words for joined in phrase.split() for word in joined.split(JOINT)}
        return tuple(sorted(word for word in asked if spelling(word, self.words.__contains__) is None))


def spelling(word: str, known: Callable[[str], bool]) -> str | None:
    """`word` as the model spells it («е» and «ё» are the same letter to people), or None."""
    variants = [word, word.replace("ё", "е")]
    variants += [word[:i] + "ё" + word[i + 1 :] for i, letter in enumerate(word) if letter == "е"]
    return next(filter(known, variants), None)


def check_files(folder: Path) -> int:
    """Size in bytes of the model in `folder`. Raises RecogniserError when it cannot be used."""
    if not folder.is_dir():
        raise RecogniserError(f"There is no model folder {folder}: run scripts/fetch-model or correct [ears] model.")
    missing = [name for name in _FILES if not (folder / name).is_file()]
    if any(name.endswith("r.fst") for name in missing):
        raise RecogniserError(
            f"The model {folder} has no {' and no '.join(missing)}, so it cannot be held to commands: use {BIG}."
        )
    if missing:
        raise RecogniserError(f"The model {folder} lacks {', '.join(missing)}: fetch it again.")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > LARGEST:
        raise RecogniserError(
            f"The model {folder} is too big for this box ({size / 1e6:.0f} MB, at most {LARGEST / 1e6:.0f}): use {BIG}."
        )
    return size


def check_model(folder: Path) -> ModelReport:
    """Look a model over without loading it. Raises RecogniserError with what is wrong."""
    size = check_files(folder)
    try:
        with (folder / "graph" / "Gr.fst").open("rb") as file:
            return ModelReport(folder, size, _vocabulary(file))
    except (OSError, ValueError, struct.error) as error:
        raise RecogniserError(f"The model {folder} is damaged (Gr.fst: {error}): fetch it again.") from error


def find_model(settings: EarsSettings, cache_dir: Path, words: Iterable[str]) -> Path:
    """The model folder to use: the configured one, else the big one in `cache_dir`, else the compact one.

    `words` (or phrases) is all that will ever be listened for; the compact model is built for them when needed,
    which takes about a second. Raises RecogniserError.
    """
    if settings.model:
        return check_model(Path(settings.model).expanduser()).folder
    if (cache_dir / BIG).exists():
        try:
            return check_model(cache_dir / BIG).folder
        except RecogniserError as error:
            log.warning("%s Until then the compact model is used.", error)
    try:
        return cached_model(cache_dir, words)
    except BuildError as error:
        raise RecogniserError(str(error)) from error


def _vocabulary(file: BinaryIO) -> frozenset[str]:
    """Input symbols of an OpenFst file."""

    def read(layout: str) -> int:
        (value,) = struct.unpack(layout, file.read(struct.calcsize(layout)))
        return int(value)

    def text() -> str:
        length = read("<i")
        if not 0 <= length < 4096:
            raise ValueError("nonsense in the symbol table")
        return file.read(length).decode("utf-8")

    if read("<i") != _FST:
        raise ValueError("not an OpenFst file")
    text(), text(), read("<i")  # kind of graph, kind of arc, version
    flags = read("<i")
    file.read(8 * 4)  # properties, start, numbers of states and arcs
    if not flags & _HAS_SYMBOLS or read("<i") != _SYMBOLS:
        raise ValueError("no symbol table")
    text()
    file.read(8)
    words = set()
    for _ in range(read("<q")):
        words.add(text())
        file.read(8)
    if not words:
        raise ValueError("an empty symbol table")
    return frozenset(words)
