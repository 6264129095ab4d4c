"""Players' names: in every case, said beside the number, and called only where nobody else can be meant."""

from __future__ import annotations

import pytest

from narrator.game import events as e
from narrator.game.rulesets import RULESETS
from narrator.game.state import Death, Phase, State
from narrator.speech.director import Director
from narrator.speech.lang import ru_names
from narrator.speech.names import read_names, said_name
from narrator.speech.script import Line
from narrator.speech.stress import Stress

DECLINED = [
    "Анна Анну Анне Анны",
    "Борис Бориса Борису Бориса",
    "Никита Никиту Никите Никиты",
    "Лев Льва Льву Льва",
    "Павел Павла Павлу Павла",
    "Любовь Любовь Любови Любови",
    "Роман Романа Роману Романа",
    "Мария Марию Марии Марии",
    "Саша Сашу Саше Саши",
    "Джо Джо Джо Джо",
    "Рыжий Рыжего Рыжему Рыжего",
    "Рыжая Рыжую Рыжей Рыжей",
    "Док Дока Доку Дока",
    "Алёна Алёну Алёне Алёны",
]


@pytest.mark.parametrize("forms", DECLINED)
def test_a_name_in_its_cases(forms: str) -> None:
    name, *_ = forms.split()
    assert [ru_names.declined(name, case) for case in ru_names.CASES] == forms.split()


def test_names_of_several_words_and_of_capitals() -> None:
    assert ru_names.declined("Кот Матроскин", "whom") == "Кота Матроскина"
    assert ru_names.declined("Анна-Мария", "to_whom") == "Анне-Марии"
    assert ru_names.declined("ГЛЕБ", "whom") == "ГЛЕБА"


def test_what_has_no_russian_sound_is_not_said() -> None:
    assert [said_name("ru", name, {}) for name in ("Jo", "Игрок 5", "П.", "", "Ъ", "!")] == [""] * 6
    assert said_name("ru", "Jo", {"Jo": "Джо"}) == "Джо"
    assert said_name("ru", "Анна Smith", {"Smith": "Сми́т"}) == "Анна Смит"


def test_the_stress_of_a_name_stays_in_every_case() -> None:
    read = Stress("ru", read_names("ru", {"Иванова": "Ивано́ва", "Jo": "Джо"}))
    assert read("Голосуем за номер пять, Иванову.") == "Голосуем за номер пять, Ивано́ву."
    assert read("Замечание номеру пять, Ивановой.") == "Замечание номеру пять, Ивано́вой."
    assert read("Иванов и Jo") == "Иванов и Джо"


def said(event: e.Event, director: Director) -> str:
    """What is said about an event at a table of Anna, somebody, and Boris."""
    state = State(RULESETS["classic"], seats=10, names=("Анна", "", "Борис", *[""] * 7), phase=Phase.SPEECHES, day=1)
    return " ".join(cue.text for cue in director.tell([event], state, 0.0) if isinstance(cue, Line))


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (e.SpeechBegan(Phase.LAST_WORD, 1, 60), "Последнее слово. Номер один, Анна. Одна минута."),
        (e.Nominated(3, None), "Принято. Номер три, Борис."),
        (e.CandidateUp(3, False), "Голосуем за номер три, Бориса."),
        (e.Warned(1, 1, 4, False), "Замечание номеру один, Анне. Всего одно замечание."),
        (e.VotedOut((3,)), "Стол покидает номер три, Борис."),
        (e.VotedOut((1, 3)), "Стол покидают номер один, и номер три."),
        (e.VotedOut((2,)), "Стол покидает номер два."),
        (
            e.DeathsTold((Death(3, "mafia"), Death(1, "maniac"))),
            "Сегодня ночью были убиты номер один, Анна, и номер три, Борис.",
        ),
    ],
)
def test_the_narrator_says_the_name_beside_the_number(event: e.Event, words: str) -> None:
    assert said(event, Director("ru")) == words


def test_names_need_not_be_said() -> None:
    assert said(e.Nominated(3, None), Director("ru", lambda names: ())) == "Принято. Номер три."
