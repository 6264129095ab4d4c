"""Words to phones, by the real espeak-ng."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narrator.compact import BuildError
from narrator.compact.acoustic import Acoustic
from narrator.compact.pronounce import pronounce
from tests.speech_lab import WORDS

PHONES = Acoustic().phones


def said(word: str) -> list[str]:
    return [" ".join(phones) for phones in pronounce([word], PHONES)[word]]


@pytest.mark.parametrize(
    ("word", "phones"),
    [
        ("дон", "d o n"),
        ("пятого", "pʲ a t ʌ v ʌ"),
        ("зелёный", "z i ɭʲ ɵ n y j"),  # the model has one z
        ("щука", "ɕ u k a"),
        ("тщательно", "ɕ a tʲ i ɭ n ʌ"),
        ("почва", "p o tʃʲ v a"),
        ("любовь", "ɭʲ u b o f"),
        ("из-за", "i s z a"),
    ],
)
def test_sounds(word: str, phones: str) -> None:
    assert phones in said(word)


def test_what_espeak_gets_wrong_is_corrected() -> None:
    assert said("сорок") == ["s o r ʌ k"]
    assert said("в") == ["v", "f"]  # not the letter's name


def test_a_final_soft_l_may_be_heard_either_way() -> None:
    assert said("ноль") == ["n o ɭ", "n o ɭʲ"]
    assert said("фол") == ["f o ɭ"]


@pytest.mark.parametrize(
    ("name", "phones"),
    [
        ("анна", "a n a"),
        ("дарья", "d a rʲ j a"),
        ("наталью", "n a t a ɭʲ j u"),
        ("ольге", "o ɭʲ ɡʲ i"),
        ("льва", "ɭʲ v a"),
        ("кирилл", "kʲ i rʲ i ɭ"),
    ],
)
def test_names_may_be_heard_as_people_say_them(name: str, phones: str) -> None:
    assert phones in said(name)


@pytest.mark.parametrize(
    ("word", "phones"),
    [
        ("девять", "dʲ e vʲ i tʲ"),
        ("пятнадцать", "pʲ i t n a ts ʌ tʲ"),
        ("шесть", "ʃ e sʲ tʲ"),
        ("назад", "n ʌ z a t"),
        ("порядку", "p ʌ rʲ a t k u"),
        ("подтверждаю", "p ʌ t vʲ i r ʒ d a j u"),
        ("единица", "i dʲ i nʲ i ts a"),
        ("игре", "y ɡ rʲ e"),  # «кто в игре»
        ("правила", "p r a vʲ i ɭ ʌ"),
        ("ведущий", "vʲ i d u ɕ i"),
        ("форумные", "f o r u m n y j i"),  # espeak-ng stresses the second «у»
    ],
)
def test_words_may_be_heard_as_people_say_them(word: str, phones: str) -> None:
    assert phones in said(word)


def test_a_stressed_a_is_never_short() -> None:
    assert said("пятый") == ["pʲ a t y j", "pʲ a t y"]
    assert said("тишина") == ["tʲ i ʃ y n a"]
    assert said("второй") == ["f t ʌ r o j"]
    assert said("замечание") == ["z ʌ mʲ i tʃʲ a nʲ i j i"]


@pytest.mark.parametrize("word", ["четвёртый", "чёрный", "пятёрка", "ещё"])
def test_e_for_yo_is_pronounced_as_yo(word: str) -> None:
    assert said(word)[0] in said(word.replace("ё", "е"))


def test_many_words_are_pronounced_as_one_by_one() -> None:
    together = pronounce(WORDS, PHONES)
    assert list(together) and set(together) == set(WORDS)
    for word in WORDS[::10]:
        assert together[word] == pronounce([word], PHONES)[word]


@settings(max_examples=40, deadline=None)
@given(st.text("абвгдеёжзийклмнопрстуфхцчшщъыьэюя", min_size=1, max_size=12))
def test_any_letters_give_phones_of_the_model_or_a_clear_error(word: str) -> None:
    try:
        variants = pronounce([word], PHONES)[word]
    except BuildError as error:
        assert f"«{word}»" in str(error)
    else:
        assert variants
        assert all(phones and set(phones) <= set(PHONES) for phones in variants)


@pytest.mark.parametrize("word", ["Bob", "пять5", "5", "Дон", "игрок-", "'; rm", "-v", "а\nб"])
def test_what_is_no_word_is_refused(word: str) -> None:
    with pytest.raises(BuildError, match="small Russian letters"):
        pronounce([word], PHONES)


def test_an_absent_espeak_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert shutil.which("espeak-ng") is None
    with pytest.raises(BuildError, match="apt install espeak-ng"):
        pronounce(["дом"], PHONES)


def test_between_joined_words_there_may_be_a_pause() -> None:
    assert said("номер_пять") == ["n o mʲ i r pʲ a tʲ", "n o mʲ i r PAUSE pʲ a tʲ"]
    assert len(said("игрок_номер_девять")) == 2 * 2 * 2 * 2  # two ways to say «игрок», two «девять», two pauses
