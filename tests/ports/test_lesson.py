"""Names are learnt while the box listens: nothing that is said meanwhile is lost, nothing is heard twice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from narrator.config import load
from narrator.messages import Heard
from narrator.ports.child import Link
from narrator.ports.hearing import Hearing, Learn, Learnt, Listen, Orders
from narrator.ports.lesson import Lesson, Teach
from narrator.ports.models import RecogniserError, find_model
from narrator.ports.recogniser import Recogniser
from tests.ports.test_hearing import RATE, Block, Script, Tape, seconds, spoken

__all__ = ["spoken"]

NEXT, NAMED = "дальше", "выставляю анну"
NAMES = ("выставляю", "анну")
LISTEN = Listen(3, (NEXT, NAMED))


class Taught(Script):
    """A script that holds its breath before block `at` until the lesson is over: the thread is no matter of luck."""

    over: Callable[[], None]
    until = 10**9

    def read(self, timeout: float) -> Block | None:
        if self.next == self.until:
            self.over()
        return super().read(timeout)


def join_lessons() -> None:
    """Wait until no lesson is under way."""
    for thread in threading.enumerate():
        if thread.name == "lesson":
            thread.join(60)


def hear(script: Script, recogniser: Any, teach: Teach, orders: Orders, known: tuple[str, ...] = (NEXT,)) -> Hearing:
    hearing = Hearing(cast(Link, script), orders, cast(Recogniser, recogniser), script.open, teach, known)
    hearing.run()
    return hearing


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def test_what_is_said_during_a_lesson_is_heard_and_names_after_it(folder: Path, spoken: Callable[[str], Block]) -> None:
    settings = load(Path("/dev/null")).ears
    begun, done = threading.Event(), threading.Event()

    def teach(words: tuple[str, ...]) -> tuple[Recogniser | None, str]:
        begun.set()
        taught = Recogniser(find_model(settings, folder, words), RATE)
        assert done.wait(60)
        return taught, ""

    def over() -> None:
        assert begun.is_set()
        done.set()
        join_lessons()

    pause = seconds(1.5)
    parts = [pause, spoken(NAMED), pause, spoken(NEXT), pause, spoken(NAMED), pause]
    script = Taught(np.concatenate(parts), {2: [Learn((NEXT, *NAMES))]})
    script.over, script.until = over, round(sum(map(len, parts[:5])) / RATE / 0.025) - 5
    hear(script, Recogniser(find_model(settings, folder, (NEXT,)), RATE), teach, Orders(LISTEN))
    heard = [said for said in script.of(Heard) if "[unk]" not in said.text]
    assert [(said.text, said.epoch) for said in heard] == [(NEXT, 3), (NAMED, 3)]
    assert script.of(Learnt) == [Learnt("")]
    assert script.when(Heard)[0] < script.when(Learnt)[0]


def test_the_change_waits_until_nobody_speaks() -> None:
    old, new = Tape(), Tape()
    script = Taught(seconds(1.0), {1: [Learn(("анну",))]})
    old.partial = "выставляю"

    def over() -> None:
        assert not script.of(Learnt) and not new.fed
        old.partial = ""

    script.over, script.until = over, 30
    orders = Orders(LISTEN)
    hear(script, old, lambda words: (cast(Recogniser, new), ""), orders)
    assert script.when(Learnt) == [31]
    assert new.fed == len(script.blocks) - 31 and old.fed == 31


def test_only_what_is_new_is_learnt_and_only_the_last_of_it() -> None:
    asked: list[tuple[str, ...]] = []
    free = threading.Event()

    def teach(words: tuple[str, ...]) -> tuple[Recogniser | None, str]:
        asked.append(words)
        assert free.wait(30)
        return None, ""

    script = Taught(
        seconds(2.0),
        {
            1: [Learn((NEXT,))],
            2: [Learn(("анну",))],
            4: [Learn(("веру",))],
            6: [Learn(("глеба",))],
            50: [Learn(("глеба",))],
        },
    )

    def over() -> None:
        free.set()
        join_lessons()

    script.over, script.until = over, 20
    hear(script, Tape(), teach, Orders(LISTEN))
    assert asked == [("анну",), ("глеба",)]


def test_a_process_that_is_born_again_learns_at_once() -> None:
    asked: list[tuple[str, ...]] = []

    def teach(words: tuple[str, ...]) -> tuple[Recogniser | None, str]:
        asked.append(words)
        return None, "The model small cannot hear анну: call by number."

    script = Script(seconds(0.5))
    hear(script, Tape(), teach, Orders(LISTEN, words=("анну",)))
    assert asked == [("анну",)]


def test_a_lesson_that_fails_is_told() -> None:
    def teach(words: tuple[str, ...]) -> tuple[Recogniser | None, str]:
        raise RecogniserError("«щъ» cannot be pronounced: spell it as it is spoken.")

    lesson = Lesson(teach, ("щъ",))
    join_lessons()
    assert lesson.result() == (
        None,
        "Names are not heard, call by number: «щъ» cannot be pronounced: spell it as it is spoken.",
    )
