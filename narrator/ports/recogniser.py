"""Vosk held to a list of phrases: frames in, utterances out. Lives in a child process, because Kaldi may abort.

One thread calls it. It never downloads (the model is a folder), never parses what was said and never decides what a
phrase means; `[unk]` stays in the text, so that a comparison of whole phrases rejects it.
Invariant: a grammar belongs to one Vosk recogniser for its whole life; another grammar is another recogniser (building
one takes well under a millisecond, and switching a running one would abort the process).
"""

from __future__ import annotations

import json
import logging
import math
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from narrator.messages import JOINT, Form
from narrator.ports.alternatives import Guess, certainty, choose, once, possible, weighed
from narrator.ports.early import Forms, Meaning, Quiet, Standing
from narrator.ports.loudness import RISE, Loudness
from narrator.ports.models import CHATTER, UNKNOWN, RecogniserError, check_files, spelling
from narrator.ports.recordings import RATES, read_sound
from narrator.ports.sceptic import DOUBT, NUMBERED, SOON, Sceptic

log = logging.getLogger(__name__)

SHORT = 0.2
"""Seconds of quiet after which a settled command is taken: less is the stop of a consonant, in «дальше будет»."""
SEVERAL = 2
"""Words of a command that may be taken so soon: one word alone may be how a sentence begins."""
LONG = 0.45
"""Seconds of quiet after which any whole command is taken: people pause for less inside a command or at a comma."""
STABLE = 0.2
"""Seconds of sound for which a settled command must stay unchanged to be taken where it is never quiet."""
SPOKEN = 0.4
"""The same where it would be quiet if nobody went on speaking."""
LAST = 0.55
"""Seconds of quiet after which it is asked for the last time."""
SURE = 0.85
"""Confidence below which nothing is taken early; in a short quiet, when more may come, not below `SUREST`."""
SUREST = 0.9
FEW = 4
"""Words with which commands may begin: with no more, as where each needs the address, players are speaking."""
TALK = 10
"""How many times as likely as a phrase other talk is then."""
LATE = 5
"""How many times less likely talk is after the first words of a command than its sound tells."""
_BLOCK = 0.025  # seconds
_GUESSES = 20
REFRACTORY = 0.5
"""Seconds of sound after a command that are passed over with `early`: the end of its last word, an echo, a «да, да»."""
CLIPPED = 0.01
"""Share of an utterance's samples at full scale from which it is doubted."""
CUT = 0.06
"""Seconds: a word that begins sooner after the microphone was opened, and with a voice already, had begun before."""
_VOICE = 0.1  # of the utterance's peak: less is the room, even if Vosk counts it to the first word
_OVER, _TAIL = 0.3, 1.0  # seconds of quiet after which the tail of a command is over, and of the tail at most
_FULL = 32700  # of 32768: full scale
_SELDOM = 4  # blocks between two looks while somebody speaks
_ROUNDING = 0.001  # seconds
_ROOM = 3.0  # seconds of sound that are kept while no word has been recognised: the longest word
_LONGEST = 6.0  # seconds: what goes on for longer is talk


@dataclass(frozen=True, slots=True)
class Word:
    """A word heard, or several that the model knows as one: how probable, 0…1; start and end in seconds since `listen`
    or `reset`."""

    text: str
    confidence: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Utterance:
    """What was said between two silences; never empty, may hold `[unk]`.

    `confidence`: the probability 0…1 of what it means, or of the text where that means nothing. `seconds`: length of
    the words' sound. `lag`: seconds of sound from the end of the last word until it was known. `took`: seconds of
    computing. `early`: taken before the end-pointer. `doubt`: why it should not be acted on, "" if there is no reason:
    its beginning is cut off, or its sound clipped.
    """

    text: str
    confidence: float
    words: tuple[Word, ...]
    seconds: float
    lag: float
    took: float
    early: bool = False
    doubt: str = ""


class Recogniser:
    """Listens for phrases in mono 16-bit frames at `rate` hertz.

    `early`: report a command as soon as it is whole and quiet follows, see `SHORT`, `LONG` and `STABLE`.
    Raises RecogniserError when the model or Vosk cannot be used.
    """

    def __init__(self, model_dir: Path, rate: int, *, early: bool = False) -> None:
        if rate not in RATES:
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
        self._forms = Forms(())
        self._talk = 1
        self._quiet = Quiet()
        self._loudness = Loudness()
        self._sound: deque[bytes] = deque()  # since the utterance began, to be heard again if it was not over yet
        self._shown: dict[str, str] = {}  # the model's spelling -> ours
        self._unavailable: dict[str, None] = {}
        self._known: dict[str, bool] = {}
        second = Sceptic(lambda: self._made(self._grammar.replace(UNKNOWN, CHATTER)))
        self._sceptic = second if self._knows(CHATTER) else None
        self._fed = self._took = 0.0
        self._looks = 0
        self._resting, self._rested = False, 0.0  # after a command; seconds of it
        self._clipped = self._peak = 0  # samples of this utterance; its loudest one
        self._opened, self._opening = 0.0, 0  # when the microphone was opened to us; the loudest sample just then
        self._began = 0.0  # when this Vosk was made, in seconds of sound
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

    def listen(self, phrases: Sequence[str], forms: Sequence[Form] | None = None) -> None:
        """Listen for these phrases only, from now on; what was being said is forgotten.

        `forms`: the whole commands, for early acceptance, when the phrases do no more than cover their pairs of words;
        without them every phrase is a command that may be taken at once. Raises RecogniserError, and goes on as before,
        when none of them can be heard.
        """
        usable: dict[str, str] = {}
        shown: dict[str, str] = {}
        for phrase in phrases:
            words = self._joined(phrase.split())
            spelt = {word: spelling(word, self._knows) for word in words}
            for word in (word for word, known in spelt.items() if known is None and word not in self._unavailable):
                self._unavailable[word] = None
                log.warning("The model does not know «%s»: «%s» will not be heard.", word, phrase)
            known = [model_word for word in words if (model_word := spelt[word]) is not None]
            if words and len(known) == len(words):
                usable[" ".join(known)] = " ".join(words)
                for model_word, word in zip(known, words, strict=True):
                    shown.setdefault(model_word, word.replace(JOINT, " "))
        if not usable:
            raise RecogniserError("None of the phrases can be heard: give a list with words that the model knows.")
        beginnings = {word for form in forms or () for word in form.places[0]}
        self._talk = TALK if 0 < len(beginnings) <= FEW else 1
        listed = [*usable, *([UNKNOWN] * self._talk if self._knows(UNKNOWN) else [])]
        self._grammar = json.dumps(listed, ensure_ascii=False)  # Vosk's parser does not know \u escapes
        self._shown = shown | {CHATTER: UNKNOWN}
        if forms is None:
            forms = [Form(tuple(frozenset((word,)) for word in phrase.split()), phrase) for phrase in usable.values()]
        self._forms = Forms(forms)
        self.reset()

    def feed(self, frames: bytes) -> list[Utterance]:
        """Hear some sound of any length; the utterances that ended in it. Nothing before the first `listen`."""
        if len(frames) % 2:
            raise RecogniserError("Half a sample was fed: the microphone must give 16-bit frames.")
        if self._vosk is None:
            return []
        step = 2 * round(self._rate * _BLOCK)
        heard = (self._feed_block(frames[at : at + step]) for at in range(0, len(frames), step))
        return [utterance for utterance in heard if utterance is not None]

    def finish(self) -> Utterance | None:
        """Take what was said so far as finished."""
        return None if self._vosk is None else self._utterance(self._vosk.FinalResult)

    def reset(self) -> None:
        """Forget what was being said; the next frame begins anew."""
        if not self._grammar:
            return
        self._renew()
        self._sound.clear()
        self._loudness.clear()
        self._fed = self._took = self._began = 0.0
        self._resting, self._clipped, self._peak = False, 0, 0
        self._opened, self._opening = 0.0, 0
        self._partial, self._partial_since = "", 0.0

    def _renew(self) -> None:
        # Vosk's own Reset would still decode the third of a second that waits for its right context
        self._vosk = self._made(self._grammar)
        if self._sceptic:
            self._sceptic.renew()

    def _made(self, grammar: str) -> Any:
        made = self._new_recogniser(self._model, self._rate, grammar)
        made.SetMaxAlternatives(_GUESSES)
        made.SetWords(True)
        return made

    def _hear(self, frames: bytes) -> bool:
        if self._sceptic:
            self._sceptic.hear(frames, len(frames) / 2 / self._rate)
        return bool(self._vosk.AcceptWaveform(frames))

    def _feed_block(self, block: bytes) -> Utterance | None:
        began = time.perf_counter()
        seconds = len(block) / 2 / self._rate
        samples = np.frombuffer(block, "<i2")
        if self._resting:
            self._pass_over(samples, seconds)
            return None
        peak = int(max(samples.max(), -int(samples.min())))
        self._peak = max(self._peak, peak)
        if self._fed - self._opened < CUT:
            self._opening = max(self._opening, peak)
        self._clipped += int(np.count_nonzero((samples >= _FULL) | (samples <= -_FULL)))
        ended = self._hear(block)
        self._loudness.add(samples, self._fed, self._fed + seconds)
        self._fed += seconds
        utterance = self._utterance(self._vosk.Result) if ended else None
        if self._early and not ended:
            utterance = self._look(block, samples, seconds)
        self._took += time.perf_counter() - began
        if self._early and utterance is not None and self._forms.standing(utterance.text.split()) >= Standing.COMPLETE:
            self._resting, self._rested = True, 0.0
        return utterance

    def _look(self, block: bytes, samples: NDArray[np.int16], seconds: float) -> Utterance | None:
        """The utterance, if it is over already."""
        before = self._quiet.seconds
        quiet = self._quiet.add(samples, seconds)
        self._sound.append(block)
        waited = next((wait for wait in (SHORT, LONG, LAST) if before < wait - _ROUNDING <= quiet), 0.0)
        self._looks += 1
        if not waited and self._looks % _SELDOM:
            return None  # to ask for the partial text costs as much as to listen
        partial = self.partial
        if partial != self._partial:
            self._partial, self._partial_since = partial, self._fed
        while len(self._sound) * _BLOCK > (_LONGEST + 1 if partial else _ROOM):
            self._sound.popleft()
        words = partial.split()
        if UNKNOWN in words or len(self._sound) * _BLOCK > _LONGEST:
            return None
        if waited:  # the last word may not be settled yet
            return None if self._forms.standing(words[:-1]) is Standing.NOTHING else self._probe(waited)
        stable = self._fed - self._partial_since > (STABLE if self._quiet.never else SPOKEN) - _ROUNDING
        if not stable or self._forms.standing(words) is not Standing.SETTLED:
            return None
        return None if self._forms.is_head(words[-1]) else self._probe(0.0)

    def _probe(self, waited: float) -> Utterance | None:
        """What was said, taken as finished; if that is not enough after `waited`, it is as if nobody had asked.

        Vosk waits for a third of a second of sound after a word before it tells the word; asked for its final result it
        does not, but then cannot go on: another one hears the same again.
        """
        sound, clipped, peak = list(self._sound), self._clipped, self._peak
        utterance = self._utterance(self._vosk.FinalResult, early=True)
        if utterance is not None and self._is_enough(utterance, waited):
            return utterance
        self._clipped, self._peak = clipped, peak
        self._renew()
        self._sound.extend(sound)
        again = b"".join(sound)
        self._began = self._fed - len(again) / 2 / self._rate
        return self._utterance(self._vosk.Result) if self._hear(again) else None

    def _pass_over(self, samples: NDArray[np.int16], seconds: float) -> None:
        self._fed += seconds
        self._rested += seconds
        quiet = self._quiet.add(samples, seconds)
        if self._rested > _TAIL or (self._rested > REFRACTORY and quiet >= _OVER):
            self._resting, self._began = False, self._fed
            self._loudness.clear()
            self._opened, self._opening = self._fed, 0
            self._renew()

    def _is_enough(self, utterance: Utterance, waited: float) -> bool:
        if utterance.confidence < (SURE if waited >= LONG else SUREST):
            return False
        words = utterance.text.split()
        standing = self._forms.standing(words)
        if waited >= LONG:
            return standing >= Standing.COMPLETE
        if standing is not Standing.SETTLED or (waited and len(words) < SEVERAL):
            return False
        return bool(waited) or not self._forms.is_head(words[-1])

    def _utterance(self, result: Any, *, early: bool = False) -> Utterance | None:
        """What Vosk tells; `early`: before it told by itself, so that more may come."""
        utterance = self._told(result, early)
        if self._sceptic and not early:
            self._sceptic.renew()
        return utterance

    def _told(self, result: Any, early: bool) -> Utterance | None:
        asked, took, self._took = time.perf_counter(), self._took, 0.0
        opinion = self._sceptic.alternatives() if self._sceptic else None
        told = json.loads(result())
        self._partial, self._partial_since = "", self._fed
        clipped, self._clipped = self._clipped, 0
        loud, self._peak = self._opening > _VOICE * self._peak, 0
        self._sound.clear()
        alternatives = told.get("alternatives", ())
        if not alternatives:
            return None
        heard, guesses = self._guesses(alternatives)
        guess, confidence = choose(guesses, self._forms)
        chosen, began = guesses.index(guess), self._began
        sure = [min(certainty(part, guesses) for part in text.split()) for text in heard[chosen]]
        words = tuple(
            Word(text, probability, began + word["start"], began + word["end"])
            for text, probability, word in zip(heard[chosen], sure, alternatives[chosen].get("result", ()), strict=True)
        )
        if not words:
            return None
        seconds = words[-1].end - words[0].start
        cut = loud and words[0].start - self._opened < CUT
        reason = "clipped" if clipped > CLIPPED * seconds * self._rate else "cut off" if cut else ""
        said = once(guess.words, self._forms)
        text = " ".join(said)
        if meant := self._forms.meaning(said):
            start, end = words[0].start, words[-1].end
            alone = len(said) == 1 and _is_numbered(meant)
            faint = self._loudness.rise(start, end) < RISE
            least = SOON if early or alone or faint else NUMBERED if _is_numbered(meant) else DOUBT
            second = opinion.result() if opinion else None
            if self._loudness.is_amid(start, end, alone=alone) or (
                faint if second is None else possible(meant, self._guesses(second)[1], self._forms) < least
            ):
                text = f"{UNKNOWN} {text}"
        return Utterance(
            text=text,
            confidence=confidence,
            words=words,
            seconds=seconds,
            lag=self._fed - words[-1].end,
            took=took + time.perf_counter() - asked,
            early=early,
            doubt=reason,
        )

    def _guesses(self, alternatives: Sequence[dict[str, Any]]) -> tuple[list[list[str]], list[Guess]]:
        """Words as Vosk divides them, and how probable they are together, of each alternative."""
        heard = [[self._ours(word["word"]) for word in one.get("result", ())] for one in alternatives]
        spoken = [tuple(" ".join(texts).split()) for texts in heard]
        # Vosk's pairs make talk that was listed often as much likelier after every word, which is taken back
        scores = [one["confidence"] for one in alternatives]
        first = 1 if self._talk == 1 else 2
        return heard, weighed(spoken, scores, first=first, late=math.log(self._talk * LATE))

    def _joined(self, words: list[str]) -> list[str]:
        """The words, as many as possible joined to such as the model knows as one."""
        joined: list[str] = []
        while words:
            sizes = range(len(words), 1, -1)
            size = next((size for size in sizes if self._knows(JOINT.join(words[:size]))), 1)
            joined.append(JOINT.join(words[:size]))
            words = words[size:]
        return joined

    def _knows(self, word: str) -> bool:
        if word not in self._known:
            self._known[word] = self._model.vosk_model_find_word(word) >= 0
        return self._known[word]

    def _ours(self, text: str) -> str:
        return " ".join(self._shown.get(word, word) for word in text.split())


def _is_numbered(meant: Meaning) -> bool:
    """Whether it says which player, or how many."""
    return any(not isinstance(slot, str) for _, slots in meant for slot in slots)


def hear_file(model_dir: Path, path: Path, phrases: Sequence[str], *, early: bool = False) -> list[Utterance]:
    """The utterances in a sound file (see `read_sound`). Raises RecogniserError."""
    frames, rate = read_sound(path)
    recogniser = Recogniser(model_dir, rate, early=early)
    recogniser.listen(phrases)
    heard = recogniser.feed(frames)
    last = recogniser.finish()
    return heard if last is None else [*heard, last]
