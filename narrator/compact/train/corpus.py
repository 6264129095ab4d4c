"""Speech to learn from: two human voices from Debian's packages, and synthetic voices that read commands and words.

Writes one file a source into the work folder and never asks for a source twice. A source that is not installed is
left out and said so. Held-out recordings (`data/held_out.txt`) are never taken.
Invariant: every utterance is mono, 16 kHz, 16 bits, with the phones of every word in the model's own alphabet.
"""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import subprocess
import wave
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from narrator.compact import BuildError
from narrator.compact.pronounce import DATA as PRONUNCIATIONS
from narrator.compact.pronounce import Phones, international, pronounce

RATE = 16000
FESTVOX = Path("/usr/share/festival/voices/russian/msu_ru_nsh_clunits")
ASTERISK = Path("/usr/share/asterisk/sounds/ru_RU_f_IvrvoiceRU")
WORDS = Path("/usr/share/hunspell/ru_RU.dic")
RHVOICE = ("Elena", "Aleksandr", "Aleksandr-hq", "Anna", "Irina")
"""Voices whose licences allow any use of what they say; those that may not be changed or sold are not among them."""
ESPEAK = (
    "f1", "f2", "f3", "m2", "m4", "m5", "m6", "m7", "m8", "Andy", "anika", "Annie", "Mario", "Michael", "adam",
    "antonio", "belinda", "boris", "caleb", "ed", "edward", "marcelo", "max", "paul", "rob", "steph", "travis",
    "victor", "zac", "klatt2", "iven", "john",
)  # fmt: skip
"""Variants of espeak-ng's Russian voice; those that tests/bench/hearing measures with are not among them."""

_DATA = Path(__file__).with_name("data")
_HUMAN_TEXTS = 600  # for each voice of RHVoice
_ROBOT_TEXTS = 70  # for each variant of espeak-ng
_PATIENCE = 20  # seconds for one text; most take a quarter of one
_DICTIONARY = 5000  # words of hunspell-ru that may be read
_VOWELS, _SPOKEN_VOWELS = "аеёиоуыэюя", "ɑaæʌəɐeɛɪiɨyoɔɵuʊ"
_STRESS = "\u0301"  # RHVoice takes it after the vowel
# festvox-ru's alphabet, where it is not plainly one letter for a sound and two for a soft one
_FESTVOX_PHONES = {
    "a": "ʌ", "ay": "ʌ", "aa": "a", "ae": "i", "ee": "e", "i": "i", "ii": "i", "oo": "o", "o": "o", "u": "u",
    "uu": "u", "ur": "u", "uj": "u", "y": "y", "yy": "y", "l": "ɭ", "ll": "ɭʲ", "sh": "ʃ", "zh": "ʒ", "ch": "tʃʲ",
    "c": "ts", "sch": "ɕ", "h": "x", "hh": "x", "g": "ɡ", "gg": "ɡʲ", "zz": "z",
}  # fmt: skip

Sound = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one voice said: `sound` [samples], 16 kHz, and the phones of its words."""

    source: str
    sound: Sound
    words: tuple[Phones, ...]


def save(path: Path, said: Sequence[Utterance]) -> None:
    """Write utterances into one file, whole or not at all."""
    partial = path.with_suffix(".partial.npz")
    np.savez(
        partial,
        sound=np.concatenate([utterance.sound for utterance in said]),
        ends=np.cumsum([len(utterance.sound) for utterance in said]),
        told=json.dumps([[utterance.source, utterance.words] for utterance in said]),
    )
    partial.rename(path)


def load(path: Path) -> list[Utterance]:
    """Read what `save` wrote."""
    with np.load(path) as stored:
        sounds = np.split(stored["sound"], stored["ends"][:-1])
        told = json.loads(str(stored["told"]))
    pairs = zip(told, sounds, strict=True)
    return [Utterance(source, sound, tuple(tuple(word) for word in words)) for (source, words), sound in pairs]


def collect(work: Path, commands: Sequence[str], phones: Sequence[str]) -> Iterator[str]:
    """Have one file of utterances for every source in `work`; tells after each what it is.

    `commands`: phrases that the synthetic voices read besides words and sentences.
    """
    work.mkdir(parents=True, exist_ok=True)
    if not WORDS.exists():
        raise BuildError("The words to read are missing: apt install hunspell-ru.")
    texts: Texts | None = None
    for name in _sources():
        path = work / f"{name}.npz"
        if not path.exists():
            if name == "festvox":
                said = list(_festvox())
            elif name == "asterisk":
                said = list(_asterisk(phones))
            else:
                texts = texts or Texts(commands, phones)
                said = list(_synthetic(name, texts))
            save(path, said)
        said = load(path)
        yield f"{name}: {len(said)} utterances, {sum(len(u.sound) for u in said) / RATE / 60:.0f} minutes"
    for what, there, package in (
        ("festvox-ru", FESTVOX.exists(), "festvox-ru"),
        ("Asterisk's Russian sounds", ASTERISK.exists(), "asterisk-core-sounds-ru-g722"),
        ("RHVoice", shutil.which("RHVoice-test"), "rhvoice rhvoice-russian (Debian's section non-free)"),
        ("espeak-ng", shutil.which("espeak-ng"), "espeak-ng"),
    ):
        if not there:
            yield f"{what} is not installed and was left out: apt install {package}"


def _sources() -> Iterator[str]:
    if FESTVOX.exists():
        yield "festvox"
    if ASTERISK.exists():
        yield "asterisk"
    if shutil.which("RHVoice-test"):
        yield from (f"rhvoice_{voice}" for voice in RHVOICE)
    if shutil.which("espeak-ng"):
        yield from (f"espeak_{variant}" for variant in ESPEAK)


def _festvox() -> Iterator[Utterance]:
    """One man reading 620 sentences, less those held out; the phones are the package's own."""
    held_out = set((_DATA / "held_out.txt").read_text("ascii").split())
    for path in sorted((FESTVOX / "lab").glob("*.lab")):
        if path.stem not in held_out:
            lines = (line.split() for line in path.read_text("ascii").splitlines())
            words = _festvox_words(parts[2] for parts in lines if len(parts) >= 3)
            yield Utterance("festvox", _read((FESTVOX / "wav" / f"{path.stem}.wav").read_bytes()), words)


def _festvox_words(labels: Iterable[str]) -> tuple[Phones, ...]:
    """The package's labels in our alphabet; a "word" is what stands between two pauses."""
    words: list[list[str]] = [[]]
    for label in labels:
        if label == "pau":
            words.append([])
            continue
        before = words[-1][-1] if words[-1] else ""
        after_soft = before.endswith("ʲ") or before in ("j", "ɕ")
        if label == "e":
            phone = "i" if after_soft else "y"
        elif label == "oo" and after_soft and before != "j":
            phone = "ɵ"
        elif label in _FESTVOX_PHONES:
            phone = _FESTVOX_PHONES[label]
        else:
            phone = label[0] + "ʲ" if len(label) == 2 and label[0] == label[1] else label
        words[-1].append(phone)
    return tuple(tuple(word) for word in words if word)


def _asterisk(phones: Sequence[str]) -> Iterator[Utterance]:
    """One woman saying numbers and phrases of a telephone exchange."""
    import av  # G.722 is read by FFmpeg only

    room = np.zeros(RATE // 5, np.int16)
    texts = dict(line.split("\t") for line in (_DATA / "asterisk.tsv").read_text("utf-8").splitlines())
    said = _pronounceable({word for text in texts.values() for word in text.split()}, phones)
    for name, text in texts.items():
        if not all(word in said for word in text.split()):
            continue
        with av.open(str(ASTERISK / f"{name}.g722"), format="g722") as file:
            frames = [frame.to_ndarray().ravel() for frame in file.decode(audio=0)]
        sound = np.concatenate([room, *frames, room]).astype(np.int16)
        yield Utterance("asterisk", sound, tuple(said[word] for word in text.split()))


class Texts:
    """What synthetic voices read: commands, strings of words, parts of sentences; the same for the same seed."""

    def __init__(self, commands: Sequence[str], phones: Sequence[str]) -> None:
        yo = {word.replace("ё", "е"): word for word in (PRONUNCIATIONS / "yo.txt").read_text("utf-8").split()}
        lines = WORDS.read_text("utf-8").splitlines()[1:]
        listed = [word for line in lines if re.fullmatch("[а-яё]{2,11}", word := line.split("/")[0].strip())]
        chosen = random.Random(1).sample(listed, _DICTIONARY)
        parts = _festvox_parts()
        spelt = {word: yo.get(word, word) for text in (*commands, *chosen, *parts) for word in text.split()}
        self._said = _pronounceable(set(spelt.values()), phones)
        self._of_commands = {spelt[word] for text in commands for word in text.split()}
        stressed = sorted(set(self._said) - self._of_commands)  # the voices know how to stress the commands' words
        heard = international(stressed)
        self._stressed = {word: _stressed(word, ipa) for word, ipa in zip(stressed, heard, strict=True)}
        self._commands, self._words, self._parts = (
            [text for text in (tuple(spelt[word] for word in text.split()) for text in texts) if self._can(text)]
            for texts in (commands, chosen, parts)
        )

    def _can(self, words: Sequence[str]) -> bool:
        return all(word in self._said for word in words)

    def some(self, count: int, seed: str) -> Iterator[tuple[str, str, tuple[Phones, ...]]]:
        """`count` times: plain text, text with stress marks, phones of its words."""
        chance = random.Random(seed)
        for _ in range(count):
            kind = chance.random()
            if kind < 0.45:
                words = chance.choice(self._commands)
            elif kind < 0.8:
                words = tuple(chance.choice(self._words)[0] for _ in range(chance.choice([1, 1, 2, 3])))
            else:
                words = chance.choice(self._parts)
            plain, marked = " ".join(words), " ".join(self._stressed.get(word, word) for word in words)
            yield plain, marked, tuple(self._said[word] for word in words)


def _festvox_parts() -> list[str]:
    """Parts of the sentences of festvox-ru, four to eight words long."""
    if not FESTVOX.exists():
        return []
    text = (FESTVOX / "etc" / "txt.done.data").read_text("utf-8").lower().replace("+", "")
    held_out = set((_DATA / "held_out.txt").read_text("ascii").split())
    parts: list[str] = []
    for key, sentence in re.findall(r'\( (ru_\d+) "(.*?)" \)', text):
        words = re.findall("[а-яё]+", sentence)
        if key not in held_out:
            parts += [" ".join(words[at : at + 6]) for at in range(0, len(words) - 3, 6)]
    return parts


def _pronounceable(words: set[str], phones: Sequence[str]) -> dict[str, Phones]:
    """First pronunciation of every word that has one."""
    try:
        return {word: variants[0] for word, variants in pronounce(words, phones).items()}
    except BuildError:
        if len(words) == 1:
            return {}
    ordered = sorted(words)
    halves = ordered[::2], ordered[1::2]
    return {word: said for half in halves for word, said in _pronounceable(set(half), phones).items()}


def _stressed(word: str, ipa: str) -> str:
    """The word with a mark after the vowel that espeak-ng stresses, so that all voices agree with its phones."""
    letters = [at for at, letter in enumerate(word) if letter in _VOWELS]
    before, mark, _ = ipa.partition("ˈ")
    sounds, place = (sum(sound in _SPOKEN_VOWELS for sound in part) for part in (ipa, before))
    if not mark or sounds != len(letters) or len(letters) < 2 or "ё" in word:
        return word
    at = letters[place] + 1
    return word[:at] + _STRESS + word[at:]


def _synthetic(name: str, texts: Texts) -> Iterator[Utterance]:
    program, voice = name.split("_", 1)
    chance, failed = random.Random(name), 0
    count = _HUMAN_TEXTS if program == "rhvoice" else _ROBOT_TEXTS
    for plain, marked, words in texts.some(count, name):
        if program == "rhvoice":
            pitch, rate = chance.choice([75, 85, 95, 100, 110, 125, 140]), chance.choice([80, 95, 105, 120, 140])
            command = ["RHVoice-test", "-p", voice, "-t", str(pitch), "-r", str(rate), "-o", "-"]
            text = marked
        else:
            pitch, rate = chance.choice([25, 35, 45, 55, 65, 80]), chance.choice([115, 135, 150, 165, 185])
            command = ["espeak-ng", "-v", f"ru+{voice}", "-p", str(pitch), "-s", str(rate), "--stdout"]
            text = plain
        try:
            done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            told = f"{_PATIENCE} s were not enough"
        else:
            if not done.returncode and len(done.stdout) > 1000:
                yield Utterance(name, _read(done.stdout), words)
                continue
            told = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
        failed += 1  # RHVoice does not know what to do with some stress marks
        if failed > 10 + count / 20:
            raise BuildError(f"The voice {voice} of {program} made no sound of «{text}» ({told}): run it by hand.")


def _read(data: bytes) -> Sound:
    """Samples of a mono WAV file at 16 kHz; a length of the header that is too great (a pipe's) does no harm."""
    import soxr

    with wave.open(io.BytesIO(data)) as file:
        rate, samples = file.getframerate(), np.frombuffer(file.readframes(len(data)), "<i2")
    resampled: Any = samples if rate == RATE else soxr.resample(samples.astype(np.float32), rate, RATE)
    return np.asarray(np.clip(np.round(resampled), -32768, 32767), np.int16)
