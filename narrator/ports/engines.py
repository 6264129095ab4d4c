"""Text to WAV: the engines that can speak, each behind the same three calls.

An engine only writes files; it never plays. Native synthesisers crash and hang, so they run in a child
process which is killed and started again, and a text is tried several times before it is given up. No digit
reaches an engine: numbers are words of our own, in the right case and gender.

Invariant: `render` returns only when a complete, readable WAV with sound in it stands at `path`.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import io
import logging
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from narrator.config import VoiceSettings
from narrator.ports.child import Child, Link
from narrator.ports.spelling import ESPEAK_SPELLING, for_espeak, plain

log = logging.getLogger(__name__)

ESPEAK_VOICE = "ru+klatt"
"""espeak-ng's usual voice: of its variants the one that a recogniser understands best (tests/bench/intelligible)."""
_CALMER = 0.8  # share of the usual rate that it takes to be understood
LIMIT = 300  # characters; espeak-ng through pyttsx3 crashes on very long texts
_FILE_PATIENCE = 2.5  # seconds for the file to be complete after the engine's own wait
_SETTLE = 0.02  # seconds for the synthesiser's thread to leave its last callback; see `serve_pyttsx3`


class EngineError(RuntimeError):
    """A text could not be rendered, though it may work another time."""


class EngineMissing(EngineError):
    """The engine or its voice is not installed; the message says what to install."""


class Engine(Protocol):
    """Turns one phrase into one WAV file."""

    @property
    def key(self) -> str:
        """Engine, its version, voice and rate: whatever changes the sound of a text."""

    def render(self, text: str, path: Path) -> None:
        """Write `text` as mono 16-bit WAV to `path`; blocks.

        Raises ValueError for a text that may not be spoken (see `check_text`), EngineError for all else.
        """

    def close(self) -> None:
        """End the engine's process; the next `render` starts it again."""


def engine_for(settings: VoiceSettings) -> Engine:
    """The engine that the settings name; «auto» is RHVoice where it is installed and has the voice.

    Where the one that is named cannot speak, the log says why, and espeak-ng speaks instead.
    """
    from narrator.ports import piper, rhvoice  # both need what is above

    voice, why = settings.voice, ""
    if settings.engine in ("auto", "rhvoice"):
        why = rhvoice.missing(voice)
        if not why:
            return rhvoice.RHVoiceEngine(voice, settings.rate)
    elif settings.engine == "piper":
        why = piper.missing(voice)
        if not why:
            return piper.PiperEngine(voice, settings.rate)
    if settings.engine not in ("auto", "pyttsx3"):
        log.warning("%s. espeak-ng speaks meanwhile.", why)
        voice = ""
    if voice:
        return Pyttsx3Engine(voice, settings.rate)
    return Pyttsx3Engine(ESPEAK_VOICE, round(_CALMER * settings.rate))


def check_text(text: str) -> None:
    """Raise ValueError unless `text` can be spoken: letters, no digit, at most 300 characters."""
    if any(c.isdigit() for c in text):
        raise ValueError(f"write the numbers of «{text}» in words; the voice would guess their case")
    if not any(c.isalpha() for c in text):
        raise ValueError(f"there is nothing to say in «{text}»")
    if len(text) > LIMIT:
        raise ValueError(f"split «{text[:40]}…»: it has {len(text)} characters and {LIMIT} are allowed")


def wav_complete(path: Path) -> bool:
    """True when `path` is a WAV with sound and every frame its header promises."""
    try:
        with wave.open(str(path), "rb") as file:
            frames = file.getnframes()
            size = frames * file.getsampwidth() * file.getnchannels()
            return frames > 0 and len(file.readframes(frames)) == size
    except (OSError, EOFError, wave.Error):  # not there yet, or half written
        return False


class ChildEngine:
    """An engine whose synthesiser lives in a child process from the first `render` to `close`.

    `worker(link, *args)` is the child's function: it answers («done», ticket, why) to each (ticket, text, path), and
    («missing», None, why) when it can never do so. `patience`: seconds of silence from the child after which it counts
    as hung. `tries`: processes that may die on one text. `spell`: how a text is written for this engine.
    """

    def __init__(
        self,
        key: Callable[[], str],
        worker: Callable[..., None],
        args: tuple[Any, ...],
        *,
        patience: float = 3.0,
        tries: int = 3,
        spell: Callable[[str], str] = plain,
    ) -> None:
        self._key, self._worker, self._args, self._spell = key, worker, args, spell
        self._patience, self._tries = patience, tries
        self._turn = threading.Lock()  # one text at a time
        self._lock = threading.Lock()  # guards what the watching thread shares with us
        self._child: Child | None = None
        self._up = False
        self._request: tuple[int, str, str] | None = None
        self._ticket = 0
        self._answers: queue.SimpleQueue[tuple[str, int | None, str]] = queue.SimpleQueue()

    @property
    def key(self) -> str:
        """See Engine."""
        return self._key()

    @property
    def pid(self) -> int | None:
        """Process id of the child, None when there is none."""
        child = self._child
        return child.pid if child else None

    def render(self, text: str, path: Path) -> None:
        """See Engine. Raises EngineMissing with the line to type when the synthesiser or its voice is absent."""
        check_text(text)
        spelt = self._spell(text)
        with self._turn:
            why = ""
            for _ in range(self._tries):
                word, why = self._ask(spelt, path)
                if word == "done":
                    return
                if word == "missing":
                    self.close()
                    raise EngineMissing(why)
                if word == "closed":
                    break
            raise EngineError(f"the synthesiser could not say «{text}» ({why}); try again or shorten it")

    def close(self) -> None:
        """See Engine."""
        with self._lock:
            child, self._child, self._up, self._request = self._child, None, False, None
        if child:
            child.close()
            self._answers.put(("closed", None, "it was closed"))

    def _ask(self, text: str, path: Path) -> tuple[str, str]:
        while True:  # what an earlier text or an idle death left behind
            try:
                self._answers.get_nowait()
            except queue.Empty:
                break
        with self._lock:
            self._ticket += 1
            self._request = (self._ticket, text, str(path))
            if self._child is None:
                self._child = Child(
                    "synthesiser",
                    self._worker,
                    self._args,
                    on_message=self._answers.put,
                    on_start=self._started,
                    on_death=self._died,
                    patience=self._patience,
                )
            elif self._up:
                self._child.send(self._request)
        until = time.monotonic() + 20.0 + 2 * self._patience  # the child is watched more closely; the last net
        while True:
            try:
                word, ticket, why = self._answers.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                return "died", "no answer"
            if ticket in (None, self._ticket):
                return word, why

    def _started(self) -> None:
        with self._lock:
            self._up = True
            if self._child and self._request:
                self._child.send(self._request)

    def _died(self, why: str) -> None:
        with self._lock:
            self._up, self._request = False, None
        self._answers.put(("died", None, why))


class Pyttsx3Engine(ChildEngine):
    """espeak-ng by way of pyttsx3. `voice`: as espeak-ng names it; `rate`: words a minute."""

    def __init__(
        self,
        voice: str,
        rate: int,
        *,
        patience: float = 3.0,
        tries: int = 3,
        worker: Callable[..., None] | None = None,
    ) -> None:
        def key() -> str:
            versions = f"pyttsx3 {package_version('pyttsx3')}, espeak-ng {_espeak_version()}"
            return f"{versions}, {ESPEAK_SPELLING}, {voice}, {rate}"

        worker = worker or serve_pyttsx3
        super().__init__(key, worker, (voice, rate), patience=patience, tries=tries, spell=for_espeak)


def serve_pyttsx3(link: Link, voice: str, rate: int) -> None:
    """The child: one pyttsx3 engine, one text per run, files only. Any fault ends it and is tried again.

    pyttsx3 2.99 on Linux: the first run returns early, the voice is set only inside a run and a wrong one is English
    without an exception, the file appears some time after the run, several queued texts leave only the last one, and
    after one file every spoken word goes to files. A run that begins while the synthesiser's thread is still in the
    last callback of the run before never ends.
    """
    sys.stdout = io.StringIO()  # it prints a line for every file
    try:
        import pyttsx3
        from pyttsx3.drivers import _espeak

        _espeak.CHARS_UTF8 |= _espeak.PHONEMES  # the only way to tell espeak-ng where a word is stressed: [[m'Af;iju]]
        engine = pyttsx3.init("espeak")
    except (ImportError, RuntimeError, OSError) as error:
        why = f"the synthesiser cannot start ({error}); run: sudo apt install espeak-ng libespeak-ng1"
        link.send(("missing", None, why))
        return
    link.beat()
    faults: list[str] = []
    finished = threading.Event()
    engine.connect("error", lambda name=None, exception=None: faults.append(str(exception)))
    engine.connect("finished-utterance", lambda name=None, completed=None: finished.set())
    engine.setProperty("voice", voice)
    engine.setProperty("rate", rate)
    with tempfile.TemporaryDirectory() as folder:
        _to_file(engine, finished, "раз", Path(folder) / "first.wav")  # thrown away: the first run is not like others
    if faults or not _speaks(engine, voice):
        has = faults[0] if faults else f"it took {engine.getProperty('voice')}"
        why = f"espeak-ng has no voice «{voice}» ({has}); set [voice] voice to one of: espeak-ng --voices"
        link.send(("missing", None, why))
        return
    while not link.closed:
        time.sleep(_SETTLE)
        link.beat()
        request = link.receive(0.25)
        if request is not None:
            ticket, text, path = request
            _to_file(engine, finished, text, Path(path))
            if faults or not _speaks(engine, voice):
                raise RuntimeError(f"espeak-ng lost its voice: {faults}")
            link.send(("done", ticket, ""))


def _to_file(engine: Any, finished: threading.Event, text: str, path: Path) -> None:
    path.unlink(missing_ok=True)
    finished.clear()
    engine.save_to_file(text, str(path))
    engine.runAndWait()
    until = time.monotonic() + _FILE_PATIENCE
    while not (finished.wait(0.005) and wav_complete(path)):
        if time.monotonic() > until:
            raise TimeoutError(f"no complete file for «{text}» after {_FILE_PATIENCE:g} s")


def _speaks(engine: Any, voice: str) -> bool:
    """Whether the voice now is the one asked for, by id («zle/ru»), its last part («ru») or its name."""
    plain, _, variant = voice.lower().partition("+")
    now, _, variant_now = str(engine.getProperty("voice")).partition("+")
    named = {v.name.lower(): v.id for v in engine.getProperty("voices")}
    return variant == variant_now and now in (plain, named.get(plain), f"{now.rpartition('/')[0]}/{plain}")


@functools.cache
def package_version(name: str) -> str:
    """The installed version of a Python package, or "absent"."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):  # absent is a version too
        return importlib.metadata.version(name)
    return "absent"


@functools.cache
def _espeak_version() -> str:
    try:
        told = subprocess.run(["espeak-ng", "--version"], capture_output=True, text=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return "absent"
    found = re.search(r"\d+(\.\d+)+", told.stdout)
    return found[0] if found else "unknown"
