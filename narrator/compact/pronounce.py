"""Words to phones: the corrections in `data/lexicon.tsv`, and espeak-ng's Russian rules for everything else.

Must not guess: a word without Russian letters or with a sound that the acoustic model lacks is a `BuildError`.
Invariant: every pronunciation returned consists of the given phones only and is not empty.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from narrator.compact import BuildError
from narrator.compact.acoustic import PAUSE

DATA = Path(__file__).with_name("data")
Phones = tuple[str, ...]

JOINT = "_"  # between words that are one to the model, the same as in narrator.messages
_WORD = re.compile(r"[а-яё]+(-[а-яё]+)*")
_MARKS = str.maketrans("", "", "ˈˌː\"^-'")  # stress, length and espeak-ng's own marks: the model knows none of them
_STRESS = "ˈ"
_SOUND = re.compile(r"tʃʲ|dʒʲ|dtsʲ?|tsʲ?|tɕ|.ʲ?")
_SAME = {  # sounds that the acoustic model does not tell apart
    "ʑ": "z", "ɑ": "a", "ɛ": "e", "æ": "a", "ʊ": "u", "ɔ": "o", "ɨ": "y", "ə": "ʌ", "ɐ": "ʌ", "ɪ": "i",
    "dts": "ts", "dtsʲ": "ts", "tsʲ": "ts", "l": "ɭ", "ɫ": "ɭ", "lʲ": "ɭʲ", "tɕ": "ɕ", "dʒʲ": "tʃʲ",
}  # fmt: skip
_VOICELESS_OF = {"b": "p", "bʲ": "pʲ", "v": "f", "vʲ": "fʲ", "ɡ": "k", "d": "t", "dʲ": "tʲ", "z": "s", "ʒ": "ʃ"}
_VOWELS = frozenset("aeiouyʌɵ")
_SOFTENING = frozenset({"tʲ", "dʲ", "nʲ", "sʲ"})
_VOICELESS = frozenset({"p", "pʲ", "f", "fʲ", "k", "kʲ", "t", "tʲ", "s", "sʲ", "ʃ", "ɕ", "x", "ts", "tʃʲ"})


def pronounce(words: Iterable[str], phones: Collection[str]) -> dict[str, tuple[Phones, ...]]:
    """All pronunciations of every word, in `phones` (which must hold every phone of the lexicon).

    Words that are joined to one may have a pause between them. A word written with «е» for «ё» is given the
    pronunciation with «ё» as well. Raises BuildError.
    """
    words = tuple(words)
    single = _of_single({part for word in words for part in word.split(JOINT)}, phones)
    return {word: _joined([single[part] for part in word.split(JOINT)]) for word in words}


def _joined(parts: Sequence[tuple[Phones, ...]]) -> tuple[Phones, ...]:
    ways = parts[0]
    for part in parts[1:]:
        ways = tuple((*way, *gap, *more) for way in ways for gap in ((), (PAUSE,)) for more in part)
    return ways


def _of_single(words: Collection[str], phones: Collection[str]) -> dict[str, tuple[Phones, ...]]:
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
    spelt = _SOUND.findall(ipa.strip().translate(_MARKS))
    if not spelt:
        raise BuildError(f"«{word}» has no pronunciation in espeak-ng: spell it as it is spoken.")
    pedantic = tuple(_phone(word, sound, phones) for sound in spelt)
    before = _SOUND.findall(ipa.strip().partition(_STRESS)[0].translate(_MARKS)) if _STRESS in ipa else []
    softer = _softer(word, pedantic)
    spoken = _spoken(softer, len(before))
    ways = [pedantic, softer, spoken, _trailing(spoken, len(before))]
    # «кто в игре» is «кто выгре»: so is every «и» after a hard consonant
    ways += [("y", *way[1:]) for way in ways if word.startswith("и") and way[0] == "i"]
    return [way for way in dict.fromkeys(ways) if all(phone in phones for phone in way)]


def _softer(word: str, sounds: Sequence[str]) -> Phones:
    """The sounds as people say them where espeak-ng is pedantic, or hard: «Анна», «Дарья», «Ольга», «ноль»."""
    if word.count("ль") == sounds.count("ɭ"):
        sounds = ["ɭʲ" if sound == "ɭ" else sound for sound in sounds]
    text = re.sub(r"(?<!\S)(\S+) \1(?!\S)", r"\1", " ".join(sounds))
    if re.search("рь[еёиюя]", word):
        text = re.sub(r"(?<!\S)rʲ? i j(?!\S)", "rʲ j", text)
    return tuple(text.split())


def _spoken(sounds: Phones, before: int) -> Phones:
    """As it is said without care, by Russian phonetics: an unstressed «а» is short, after a soft consonant it is «и»
    («девять»); consonants are voiceless or soft with the next one («шесть»); «единица» loses its first sound.

    `before`: how many sounds stand before the stressed vowel, about.
    """
    said = list(sounds)
    for place, phone in enumerate(said[:before]):
        if phone == "a" and place:
            said[place] = "i" if said[place - 1][-1] in "ʲɕj" else "ʌ"
    for place in range(len(said) - 2, -1, -1):
        after = said[place + 1]
        if after in _VOICELESS:
            said[place] = _VOICELESS_OF.get(said[place], said[place])
        if after in _SOFTENING and said[place] in "sn":
            said[place] += "ʲ"
        if place and said[place] == "ʌ" and said[place - 1][-1] == "ʲ" and after not in "ʌj":
            said[place] = "i"
    text = " ".join(said)
    text = re.sub(r"^j i(?= )", "i", text)
    text = re.sub(r"(?<!\S)(\S+) \1(?!\S)", r"\1", text)
    text = re.sub(r"(?<!\S)t (?=ts|tʃʲ)", "", text)
    return tuple(text.split())


def _trailing(sounds: Phones, before: int) -> Phones:
    """With a weak end, if that is not stressed: «правила» ends short, «ведущий» and «первый» lose their last sound."""
    stressed = next((place for place, phone in enumerate(sounds) if place >= before and phone in _VOWELS), len(sounds))
    if len(sounds) > stressed + 2:
        if sounds[-1] == "a":
            return (*sounds[:-1], "ʌ")
        if sounds[-2:] in (("i", "j"), ("y", "j")):
            return sounds[:-1]
    return sounds


def _phone(word: str, sound: str, phones: Collection[str]) -> str:
    sound = _SAME.get(sound, sound)
    for candidate in (sound, sound.removesuffix("ʲ")):
        if candidate in phones:
            return candidate
    raise BuildError(f"«{word}» has the sound [{sound}], which the model does not know: spell the word another way.")
