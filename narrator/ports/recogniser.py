"""Vosk held to a list of phrases: frames in, utterances out. Lives in a child process, because Kaldi may abort.

One thread calls it. It never downloads (the model is a folder), never parses what was said and never decides what a
phrase means; `[unk]` stays in the text, so that a comparison of whole phrases rejects it.
Invariant: a grammar belongs to one Vosk recogniser for its whole life; another grammar is another recogniser (building
one takes well under a millisecond, and switching a running one would abort the process).
"""

from __future__ import annotations

import importlib
import itertools
import json
import logging
import time
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from narrator.ports.models import UNKNOWN, RecogniserError, check_files, spelling

log = logging.getLogger(__name__)

STABLE = 0.2
"""Seconds of sound for which a complete phrase must stay unchanged before it is taken early."""
_BLOCK = 0.1  # seconds; Vosk looks for the end of an utterance once a block
_RATES = range(8000, 192_001)


@dataclass(frozen=True, slots=True)
class Word:
    """A word heard: its confidence 0…1, start and end in seconds since `listen` or `reset`."""

    text: str
    confidence: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Utterance:
    """What was said between two silences; never empty, may hold `[unk]`.

    `confidence`: the least of the words'. `seconds`: length of the words' sound. `lag`: seconds of sound from the end
    of the last word until it was known. `took`: seconds of computing. `early`: taken before the end-pointer.
    """

    text: str
    confidence: float
    words: tuple[Word, ...]
    seconds: float
    lag: float
    took: float
    early: bool = False


class Recogniser:
    """Listens for phrases in mono 16-bit frames at `rate` hertz.

    `early`: report a phrase as soon as it is complete, can have no further word and has stayed so for `STABLE` seconds.
    Raises RecogniserError when the model or Vosk cannot be used.
    """

    def __init__(self, model_dir: Path, rate: int, *, early: bool = False) -> None:
        if rate not in _RATES:
            raise RecogniserError(f"Sound at {rate} Hz cannot be recognised: use 16000, 44100 or 48000 Hz.")
        check_files(model_dir)
        try:
            import vosk
        except ImportError:
            raise RecogniserError("vosk is missing: pip install vosk==0.3.45.") from None
        except OSError as error:
            raise RecogniserError(f"vosk cannot be loaded ({error}): apt install libatomic1.") from error
        vosk.SetLogLevel(-1)
        try:
            self._model: Any = vosk.Model(model_path=str(model_dir))
        except Exception as error:  # Vosk raises nothing more precise
            raise RecogniserError(f"Vosk cannot load {model_dir}: fetch or build the model again.") from error
        self._new_recogniser = vosk.KaldiRecognizer
        self._rate, self._early = rate, early
        self._vosk: Any = None
        self._grammar = ""
        self._starts: frozenset[str] = frozenset()
        self._pairs: frozenset[tuple[str, str]] = frozenset()
        self._last: frozenset[str] = frozenset()  # words that end a phrase and never stand inside one
        self._shown: dict[str, str] = {}  # the model's spelling -> ours
        self._unavailable: dict[str, None] = {}
        self._fed = self._took = 0.0
        self._partial, self._partial_since = "", 0.0

    @property
    def grammar(self) -> str:
        """What Vosk was given: a JSON list of phrases; empty before the first `listen`."""
        return self._grammar

    @property
    def unavailable(self) -> tuple[str, ...]:
        """Words met so far that the model does not know; their phrases are not listened for."""
        return tuple(self._unavailable)

    @property
    def partial(self) -> str:
        """The text so far of what is being said; may change until it is an utterance."""
        if self._vosk is None:
            return ""
        return self._ours(json.loads(self._vosk.PartialResult()).get("partial", ""))  # none between utterances

    def listen(self, phrases: Sequence[str]) -> None:
        """Listen for these phrases only, from now on; what was being said is forgotten.

        Raises RecogniserError, and goes on as before, when none of them can be heard.
        """
        usable: dict[str, str] = {}
        shown: dict[str, str] = {}
        for phrase in phrases:
            words = phrase.split()
            spelt = {word: spelling(word, self._knows) for word in words}
            for word in (word for word, known in spelt.items() if known is None and word not in self._unavailable):
                self._unavailable[word] = None
                log.warning("The model does not know «%s»: «%s» will not be heard.", word, phrase)
            known = [model_word for word in words if (model_word := spelt[word]) is not None]
            if words and len(known) == len(words):
                usable[" ".join(known)] = " ".join(words)
                for model_word, word in zip(known, words, strict=True):
                    shown.setdefault(model_word, word)
        if not usable:
            raise RecogniserError("None of the phrases can be heard: give a list with words that the model knows.")
        listed = [*usable, *([UNKNOWN] if self._knows(UNKNOWN) else [])]
        self._grammar = json.dumps(listed, ensure_ascii=False)  # Vosk's parser does not know \u escapes
        self._shown = shown
        self._learn_pairs([self._ours(phrase).split() for phrase in usable])
        self.reset()

    def feed(self, frames: bytes) -> list[Utterance]:
        """Hear some sound of any length; the utterances that ended in it. Nothing before the first `listen`."""
        if len(frames) % 2:
            raise RecogniserError("Half a sample was fed: the microphone must give 16-bit frames.")
        if self._vosk is None:
            return []
        step = 2 * int(self._rate * _BLOCK)
        heard = (self._feed_block(frames[at : at + step]) for at in range(0, len(frames), step))
        return [utterance for utterance in heard if utterance is not None]

    def finish(self) -> Utterance | None:
        """Take what was said so far as finished."""
        return None if self._vosk is None else self._utterance(self._vosk.FinalResult)

    def reset(self) -> None:
        """Forget what was being said; the next frame begins anew."""
        if not self._grammar:
            return
        # Vosk's own Reset would still decode the third of a second that waits for its right context
        self._vosk = self._new_recogniser(self._model, self._rate, self._grammar)
        self._vosk.SetWords(True)
        self._fed = self._took = 0.0
        self._partial, self._partial_since = "", 0.0

    def _feed_block(self, block: bytes) -> Utterance | None:
        began = time.perf_counter()
        ended = self._vosk.AcceptWaveform(block)
        self._fed += len(block) / 2 / self._rate
        complete = not ended and self._early and self._is_complete()
        self._took += time.perf_counter() - began
        if ended:
            return self._utterance(self._vosk.Result)
        return self._utterance(self._vosk.FinalResult, early=True) if complete else None

    def _learn_pairs(self, phrases: list[list[str]]) -> None:
        """What may be taken early. By pairs of words, as Vosk's grammar is: a list need only cover the pairs."""
        vocabulary = {word for phrase in phrases for word in phrase}
        self._starts = frozenset(phrase[0] for phrase in phrases)
        self._pairs = frozenset(pair for phrase in phrases for pair in itertools.pairwise(phrase))
        inside = {first for first, _ in self._pairs}
        inside |= {word for word in vocabulary if any(o != word and o.startswith(word) for o in vocabulary)}
        self._last = frozenset(phrase[-1] for phrase in phrases) - inside

    def _is_complete(self) -> bool:
        partial = self.partial
        if partial != self._partial:
            self._partial, self._partial_since = partial, self._fed
        words = partial.split()
        if not words or words[0] not in self._starts or words[-1] not in self._last:
            return False
        whole = all(pair in self._pairs for pair in itertools.pairwise(words))
        return whole and self._fed - self._partial_since > STABLE - 0.01

    def _utterance(self, result: Any, early: bool = False) -> Utterance | None:
        began = time.perf_counter()
        told = json.loads(result())
        took = self._took + time.perf_counter() - began
        self._took = 0.0
        self._partial, self._partial_since = "", self._fed
        words = tuple(
            Word(self._ours(word["word"]), min(1.0, word["conf"]), word["start"], word["end"])
            for word in told.get("result", ())
        )
        if not words:
            return None
        return Utterance(
            text=" ".join(word.text for word in words),
            confidence=min(word.confidence for word in words),
            words=words,
            seconds=words[-1].end - words[0].start,
            lag=self._fed - words[-1].end,
            took=took,
            early=early,
        )

    def _knows(self, word: str) -> bool:
        return bool(self._model.vosk_model_find_word(word) >= 0)

    def _ours(self, text: str) -> str:
        return " ".join(self._shown.get(word, word) for word in text.split())


def hear_file(model_dir: Path, path: Path, phrases: Sequence[str], *, early: bool = False) -> list[Utterance]:
    """The utterances in a sound file (see `read_sound`). Raises RecogniserError."""
    frames, rate = read_sound(path)
    recogniser = Recogniser(model_dir, rate, early=early)
    recogniser.listen(phrases)
    heard = recogniser.feed(frames)
    last = recogniser.finish()
    return heard if last is None else [*heard, last]


def read_sound(path: Path) -> tuple[bytes, int]:
    """Mono 16-bit frames and their rate in hertz, of a 16-bit WAV file or, where soundfile is installed, FLAC.

    Channels are averaged. Raises RecogniserError for a file that is absent, broken, empty or of another kind.
    """
    try:
        samples, rate = _read_flac(path) if path.suffix.lower() == ".flac" else _read_wav(path)
    except (wave.Error, EOFError) as error:
        raise RecogniserError(f"{path} is no 16-bit WAV file ({error or 'it ends too soon'}): convert it.") from error
    except OSError as error:
        raise RecogniserError(f"{path} cannot be read ({error.strerror}): check the name and the rights.") from error
    if not len(samples):
        raise RecogniserError(f"{path} holds no sound: record it again.")
    if rate not in _RATES:
        raise RecogniserError(f"{path} is at {rate} Hz: convert it to 16000 Hz.")
    return samples.mean(axis=1).round().astype("<i2").tobytes(), rate


def _read_wav(path: Path) -> tuple[Any, int]:
    with wave.open(str(path), "rb") as file:
        if file.getsampwidth() != 2:
            raise wave.Error(f"it has {8 * file.getsampwidth()} bits a sample")
        channels, rate = file.getnchannels(), file.getframerate()
        frames = file.readframes(file.getnframes())
    whole = len(frames) - len(frames) % (2 * channels)  # a file that was cut off may end inside a frame
    return np.frombuffer(frames[:whole], "<i2").reshape(-1, channels), rate


def _read_flac(path: Path) -> tuple[Any, int]:
    try:
        soundfile: Any = importlib.import_module("soundfile")  # not a dependency of the product
    except ImportError:
        raise RecogniserError(f"{path} needs soundfile: pip install soundfile, or convert it to WAV.") from None
    try:
        samples, rate = soundfile.read(str(path), dtype="int16", always_2d=True)
    except soundfile.SoundFileError as error:
        raise RecogniserError(f"{path} is no FLAC file ({error}): convert it to 16-bit WAV.") from error
    return samples, int(rate)
