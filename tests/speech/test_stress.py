"""Every word of the script is stressed where a Russian stresses it: in our marks, and as espeak-ng says them."""

from __future__ import annotations

import re

import pytest

from narrator.ports import spelling
from narrator.ports.spelling import STRESS, for_espeak, plain
from narrator.speech.lang import ru
from narrator.speech.stress import Stress
from tests.speech import phonemes

READ = Stress("ru", {})
VOWELS = "аеёиоуыэюя"
needs_espeak = pytest.mark.skipif(not phonemes.version(), reason="no espeak-ng; apt install espeak-ng")

WRONG_BY_ITSELF = {
    "Время пошло.": "пошло́",
    "Добро пожаловать в наш город.": "добро́",
    "Победили жители города.": "го́рода",
    "Осталось: сорок одна секунда.": "со́рок",
    "Шериф ищет мафию.": "ма́фию",
    "Номер два уже выставлен.": "уже́",
    "Номер пять удалён из игры.": "игры́",
    "Два голоса.": "го́лоса",
    "Остальные голоса получает номер три.": "голоса́",
    "Голоса разделились.": "голоса́",
    "Форумные правила.": "фо́румные",
    "Переголосование.": "переголосова́ние",
    "Несострел.": "несостре́л",
    "У вас минута на договорку.": "догово́рку",
    "Все помилованы.": "поми́лованы",
    "Вас веду я.": "веду́",
}
"""Phrases with a word that espeak-ng stresses wrongly when it is left alone, and how the word is stressed."""


def stressed_vowel(ipa: str) -> int:
    """Which vowel of a word is stressed, from 0."""
    before, mark, _ = ipa.partition("ˈ")
    assert mark, f"no stress in [{ipa}]"
    return len(re.findall(r"[aeiouyɑɐæɛəɨɪɔʉʊʌɵ]", before))


@needs_espeak
@pytest.mark.parametrize(("phrase", "word"), WRONG_BY_ITSELF.items())
def test_words_known_to_go_wrong_go_right(phrase: str, word: str) -> None:
    marked = READ(phrase)
    assert word in marked.lower()
    vowels = [place for place, letter in enumerate(word.replace(STRESS, "")) if letter in VOWELS]
    wanted = vowels.index(word.index(STRESS) - 1)
    assert stressed_vowel(phonemes.espeak(for_espeak(word), "--ipa")) == wanted
    assert stressed_vowel(phonemes.espeak(plain(word), "--ipa")) != wanted, "the mark is no longer needed"


@needs_espeak
def test_the_whole_script_sounds_as_it_was_checked() -> None:
    made_with, wanted = phonemes.kept()
    texts = phonemes.script()
    assert sorted(texts) == sorted(wanted), "the script changed; run: python -m tests.speech.phonemes"
    if phonemes.version() != made_with:
        pytest.skip(f"espeak-ng is {phonemes.version()} and the file was made with {made_with}: rules differ")
    now = phonemes.phonemes(texts)
    assert {text: now[text] for text in texts if now[text] != wanted[text]} == {}


def test_marks_change_nothing_but_the_stress() -> None:
    for text in phonemes.script():
        assert plain(READ(text)) == text
        assert ru.normal(READ(text)) == ru.normal(text)


def test_every_line_of_the_table_marks_one_vowel_and_is_used() -> None:
    script = " ".join(phonemes.script())
    marked = READ(script).lower()
    for line in ru.STRESS:
        (place,) = [at for at, letter in enumerate(line) if letter == STRESS]
        assert line[place - 1] in VOWELS
        assert line in marked, f"«{line}» is in no phrase"


def test_every_word_with_phonemes_is_a_word_of_the_table() -> None:
    words = {word for line in ru.STRESS for word in line.split() if STRESS in word}
    assert spelling._known().keys() <= words


def test_the_longest_line_counts_and_capitals_stay() -> None:
    assert READ("Голоса разделились. Три голоса.") == "Голоса́ разделились. Три го́лоса."
    assert READ("Уже УЖЕ нуже уженье") == "Уже́ УЖЕ́ нуже уженье"


def test_names_are_read_as_their_owners_say_them() -> None:
    read = Stress("ru", {"Стёпа": "Стёпа", "Jo": "Джо", "Иванова": "Ивано́ва"})
    assert read("Сегодня ночью был убит номер два, Jo.") == "Сегодня ночью был убит номер два, Джо."
    assert read("Иванова, уже") == "Ивано́ва, уже́"
    assert read("Иванов") == "Иванов"


def test_engines_that_cannot_use_a_mark_do_not_get_it() -> None:
    assert for_espeak("Время пошло́, Ивано́в.") == "Время [[pVSl'o]], Иванов."
    assert for_espeak("Добро́!") == "[[dVb@-r'o]]!"
    assert plain("го́рода") == "города"
