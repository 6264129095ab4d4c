"""A Vosk model folder for a list of words, and the cache of such folders.

The only module here that knows the layout of a model folder. May be called from any thread or process; of
several that want the same model one builds and the others wait.
Invariant: a folder handed out holds exactly the files that were built; a half-written or damaged one is built anew.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from narrator.compact import BuildError
from narrator.compact.acoustic import Acoustic, load_base
from narrator.compact.graph import CHATTER, UNKNOWN, write_graphs
from narrator.compact.pronounce import DATA, pronounce

_FORMAT = "10"  # raise it when the same words and data would give another model
_MANIFEST = "manifest.json"
# Trailing silence that ends an utterance: after a likely end, an unlikely one, any. Less than half a second cuts
# phrases at the pauses that people make inside them.
_MODEL_CONF = """\
--min-active=200
--max-active=2000
--beam=12.0
--lattice-beam=6.0
--acoustic-scale=1.0
--frame-subsampling-factor=3
--endpoint.silence-phones=1:{pause}
--endpoint.rule2.min-trailing-silence=0.5
--endpoint.rule3.min-trailing-silence=1.0
--endpoint.rule4.min-trailing-silence=1.5
"""


@dataclass(frozen=True, slots=True)
class Built:
    """A finished model: where, for which words, how big (bytes) and how long it took (seconds)."""

    folder: Path
    words: tuple[str, ...]
    size: int
    seconds: float


def build(words: Iterable[str], out: Path) -> Built:
    """Build the model for `words` (words or phrases, small Russian letters) as the folder `out`, replacing it.

    Raises BuildError with what to install or to change; `out` is then as it was.
    """
    began = time.monotonic()
    listed = _listed(words)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as work:
        fresh, old = Path(work) / "model", Path(work) / "old"
        _write(listed, fresh, Path(work))
        size = sum(path.stat().st_size for path in fresh.rglob("*") if path.is_file())
        if out.exists():
            out.rename(old)
        try:
            fresh.rename(out)
        except OSError as error:
            raise BuildError(f"{out} cannot be written ({error.strerror}): check the folder's rights.") from error
    return Built(out, listed, size, time.monotonic() - began)


def cached_model(cache_dir: Path, words: Iterable[str]) -> Path:
    """Folder of the model for `words` in `cache_dir`, built if it is not there whole. Raises BuildError."""
    listed = _listed(words)
    folder = cache_dir / f"compact-{_fingerprint(listed)}"
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with _alone(cache_dir):
            if not _sound(folder):
                build(listed, folder)
    except OSError as error:
        raise BuildError(f"{folder} cannot be written ({error.strerror}): check space and rights.") from error
    return folder


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock `folder` for this thread. The lock goes with the process, so that a kill leaves nothing behind."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _listed(words: Iterable[str]) -> tuple[str, ...]:
    listed = tuple(sorted({word for phrase in words for word in phrase.split()} - {UNKNOWN, CHATTER}))
    if not listed:
        raise BuildError("The model needs at least one word: give the list of the commands' words.")
    return listed


def _write(words: tuple[str, ...], folder: Path, work: Path) -> None:
    base, mfcc = load_base()
    acoustic = Acoustic()
    lexicon = pronounce(words, acoustic.phones)
    for name in ("am", "conf", "graph/phones"):
        (folder / name).mkdir(parents=True)
    (folder / "am" / "final.mdl").write_bytes(acoustic.write(base))
    (folder / "conf" / "mfcc.conf").write_text(mfcc, "ascii")
    (folder / "conf" / "model.conf").write_text(_MODEL_CONF.format(pause=acoustic.phone_ids[-1]), "ascii")
    write_graphs(folder / "graph", work, acoustic, lexicon)
    (folder / "graph" / "disambig_tid.int").write_text(f"{acoustic.transition_count + 1}\n", "ascii")
    kinds = ("begin", "end", "internal", "singleton")
    boundaries = ["1 nonword", "2 singleton", *(f"{i} {kinds[(i - 3) % 4]}" for i in acoustic.phone_ids[2:-1])]
    boundaries.append(f"{acoustic.phone_ids[-1]} internal")
    (folder / "graph" / "phones" / "word_boundary.int").write_text("\n".join(boundaries) + "\n", "ascii")
    said = "".join(f"{word}\t{' '.join(phones)}\n" for word in words for phones in lexicon[word])
    (folder / "lexicon.tsv").write_text(said, "utf-8")
    (folder / _MANIFEST).write_text(json.dumps(_digests(folder), indent=1), "utf-8")


def _fingerprint(words: tuple[str, ...]) -> str:
    digest = hashlib.sha256(f"{_FORMAT}\n{_MODEL_CONF}\n{' '.join(words)}".encode())
    for path in sorted(DATA.iterdir()):
        if path.suffix != ".md":
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != _MANIFEST)
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _sound(folder: Path) -> bool:
    """Whether the folder holds all it was built with, unchanged."""
    try:
        return bool(json.loads((folder / _MANIFEST).read_text("utf-8")) == _digests(folder))
    except (OSError, ValueError):
        return False
