"""Words to phones: the corrections in `data/lexicon.tsv`, and espeak-ng's Russian rules for everything else.

Must not guess: a word without Russian letters or with a sound that the acoustic model lacks is a `BuildError`.
Invariant: every pronunciation returned consists of the given phones only and is not empty.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Iterable
from pathlib import Path

from narrator.compact import BuildError

DATA = Path(__file__).with_name("data")
Phones = tuple[str, ...]

_WORD = re.compile(r"[а-яё]+(-[а-яё]+)*")
_MARKS = str.maketrans("", "", "ˈˌː\"^-'")  # stress, length and espeak-ng's own marks: the model knows none of them
_SOUND = re.compile(r"tʃʲ|dʒʲ|dtsʲ?|tsʲ?|tɕ|.ʲ?")
_SAME = {  # sounds that the acoustic model does not tell apart
    "ʑ": "z", "ɑ": "a", "ɛ": "e", "æ": "a", "ʊ": "u", "ɔ": "o", "ɨ": "y", "ə": "ʌ", "ɐ": "ʌ", "ɪ": "i",
    "dts": "ts", "dtsʲ": "ts", "tsʲ": "ts", "l": "ɭ", "ɫ": "ɭ", "lʲ": "ɭʲ", "tɕ": "ɕ", "dʒʲ": "tʃʲ",
}  # fmt: skip


def pronounce(words: Iterable[str], phones: Collection[str]) -> dict[str, tuple[Phones, ...]]:
    """All pronunciations of every word, in `phones` (which must hold every phone of the lexicon).

    A word written with «е» for «ё» is given the pronunciation with «ё» as well. Raises BuildError.
    """
    lexicon = _lexicon()
    with_yo = {word.replace("ё", "е"): word for word in (DATA / "yo.txt").read_text("utf-8").split()}
    found: dict[str, tuple[Phones, ...]] = {}
    spoken: dict[str, list[str]] = {}  # word -> the spellings that espeak-ng is asked about
    for word in words:
        if not _WORD.fullmatch(word):
            raise BuildError(f"«{word}» cannot be pronounced: write it in small Russian letters, without digits.")
        if word in lexicon:
            found[word] = lexicon[word]
        else:
            spoken[word] = [word, with_yo[word]] if word in with_yo else [word]
    asked = [spelling for spellings in spoken.values() for spelling in spellings]
    heard = dict(zip(asked, international(asked), strict=True)) if asked else {}
    for word, spellings in spoken.items():
        variants = [v for spelling in spellings for v in _variants(spelling, heard[spelling], phones)]
        found[word] = tuple(dict.fromkeys(variants))
    return found


def _lexicon() -> dict[str, tuple[Phones, ...]]:
    found: dict[str, tuple[Phones, ...]] = {}
    for line in (DATA / "lexicon.tsv").read_text("utf-8").splitlines():
        word, phones = line.split("\t")
        found[word] = (*found.get(word, ()), tuple(phones.split()))
    return found


def international(words: list[str]) -> list[str]:
    """International phonetic spelling of every word, with stress, by one run of espeak-ng. Raises BuildError."""
    command = ["espeak-ng", "-v", "ru", "--ipa", "-q"]
    try:
        run = subprocess.run(command, input="\n".join(words) + "\n", capture_output=True, text=True, timeout=120)
    except FileNotFoundError:
        raise BuildError("espeak-ng is missing: apt install espeak-ng.") from None
    except subprocess.TimeoutExpired:
        raise BuildError("espeak-ng does not answer: try `espeak-ng -v ru --ipa -q дом` by hand.") from None
    lines = run.stdout.splitlines()
    if run.returncode != 0 or len(lines) != len(words):
        raise BuildError("espeak-ng has no working Russian voice: apt install --reinstall espeak-ng-data.")
    return lines


def _variants(word: str, ipa: str, phones: Collection[str]) -> list[Phones]:
    sounds = [_phone(word, sound, phones) for sound in _SOUND.findall(ipa.strip().translate(_MARKS))]
    if not sounds:
        raise BuildError(f"«{word}» has no pronunciation in espeak-ng: spell it as it is spoken.")
    return list(dict.fromkeys((tuple(sounds), _softer(word, sounds))))


def _softer(word: str, sounds: list[str]) -> Phones:
    """The sounds as people say them where espeak-ng is pedantic, or hard: «Анна», «Дарья», «Ольга», «ноль»."""
    if word.count("ль") == sounds.count("ɭ"):
        sounds = ["ɭʲ" if sound == "ɭ" else sound for sound in sounds]
    text = re.sub(r"(?<!\S)(\S+) \1(?!\S)", r"\1", " ".join(sounds))
    if re.search("рь[еёиюя]", word):
        text = re.sub(r"(?<!\S)rʲ? i j(?!\S)", "rʲ j", text)
    return tuple(text.split())


def _phone(word: str, sound: str, phones: Collection[str]) -> str:
    sound = _SAME.get(sound, sound)
    for candidate in (sound, sound.removesuffix("ʲ")):
        if candidate in phones:
            return candidate
    raise BuildError(f"«{word}» has the sound [{sound}], which the model does not know: spell the word another way.")
