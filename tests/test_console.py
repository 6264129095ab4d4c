"""The console: keys to signals, the box to lines, and no line that stops it."""

from __future__ import annotations

import io
import queue

import pytest

from narrator.messages import (
    Control,
    Held,
    Lamp,
    Pressed,
    Quit,
    Released,
    Scene,
    SeatDown,
    SeatUp,
    Signal,
    Typed,
    Wrote,
)
from narrator.ports.console import HELP, Console


class Terminal:
    """A console whose signals and lines are kept."""

    def __init__(self, keys: str = "") -> None:
        self.signals: queue.SimpleQueue[Signal] = queue.SimpleQueue()
        self.out = io.StringIO()
        self.console = Console(self.signals.put, self.out, io.StringIO(keys))

    def enter(self, line: str) -> list[Signal]:
        """The signals that a line brings."""
        self.console.enter(line)
        found = []
        while not self.signals.empty():
            found.append(self.signals.get())
        return found

    @property
    def lines(self) -> list[str]:
        """Everything printed."""
        return self.out.getvalue().splitlines()


@pytest.mark.parametrize(
    ("line", "signals"),
    [
        ("", [Pressed(Control.NEXT)]),
        ("   \n", [Pressed(Control.NEXT)]),
        ("b", [Pressed(Control.BACK)]),
        ("+", [Pressed(Control.PLUS)]),
        ("-", [Pressed(Control.MINUS)]),
        ("p", [Held(Control.BACK)]),
        ("w", [Held(Control.PLUS)]),
        ("q", [Quit()]),
        ("5", [Typed(5)]),
        (" 12 ", [Typed(12)]),
        ("0", [Typed(0)]),
        ("* 5", [SeatDown(5), SeatUp(5)]),
        ("*  15", [SeatDown(15), SeatUp(15)]),
        ("Голосование", [Wrote("Голосование")]),
        ("ёлка", [Wrote("ёлка")]),
        ("номер 5", [Wrote("номер 5")]),
    ],
)
def test_a_line_means(line: str, signals: list[Signal]) -> None:
    terminal = Terminal()
    assert terminal.enter(line) == signals
    assert terminal.lines == []


@pytest.mark.parametrize(
    "line",
    [
        "x",
        "next",
        "* five",
        "*",
        "* ",
        "5 6",
        "-3",
        "1.5",
        "²",
        "* ³",
        "٣" * 5000,
        "9" * 5000,
        "\x1b[A",
        "🎲",
        "\0",
    ],
)
def test_a_line_that_means_nothing_is_told_and_nothing_more(line: str) -> None:
    terminal = Terminal()
    assert terminal.enter(line) == []
    assert "means nothing here; ? shows the keys." in terminal.out.getvalue()


def test_talk_is_held_and_let_go() -> None:
    terminal = Terminal()
    held = [terminal.enter("t") for _ in range(3)]
    assert held == [[Held(Control.NEXT)], [Released(Control.NEXT)], [Held(Control.NEXT)]]


def test_what_was_typed_and_does_nothing_is_answered_here() -> None:
    terminal = Terminal()
    terminal.enter("раскрываем карты")
    terminal.console.heard("что-то за столом", 0.9, "not-understood")  # heard by the microphone
    terminal.console.heard("раскрываем карты", 1.0, "")
    assert terminal.lines == []
    terminal.enter("раскрываем карты")
    terminal.console.heard("раскрываем карты", 1.0, "night")
    assert len(terminal.lines) == 1
    assert terminal.lines[0].startswith("* «раскрываем карты» is no command of the night")


def test_each_of_several_lines_is_answered_though_all_were_typed_before_the_first_answer() -> None:
    terminal = Terminal()
    for line in ("раскрываем карты", "сдаём карты"):
        terminal.enter(line)
    for line in ("раскрываем карты", "сдаём карты"):
        terminal.console.heard(line, 1.0, "night")
    assert [line.split("»")[0] for line in terminal.lines] == ["* «раскрываем карты", "* «сдаём карты"]


def test_help_names_every_key() -> None:
    terminal = Terminal()
    assert terminal.enter("?") == []
    assert terminal.out.getvalue().rstrip("\n") == HELP
    for key in ("Enter", " b ", "+ -", " p ", " t ", " q ", " ? "):
        assert key in HELP


def test_what_happens_is_printed_once_in_lines() -> None:
    terminal = Terminal()
    console = terminal.console
    console.said("Говорит номер один.")
    console.private("don → 5: yes")
    console.notice("The disk is full.")
    for scene in (
        Scene(),
        Scene(listening=True),
        Scene(Lamp.GREEN),
        Scene(Lamp.GREEN, listening=True),
        Scene(),
    ):
        console.show(scene)
    console.show(Scene(Lamp.RED, blink=True))
    console.device("ears", "There is no microphone.")
    console.device("ears", "")
    assert terminal.lines == [
        "  «Говорит номер один.»",
        "  [moderator only] don → 5: yes",
        "* The disk is full.",
        "  (green lamp)",
        "  (lamps off)",
        "  (red, blinking lamp)",
        "* ears: There is no microphone.",
        "* ears: works.",
    ]


def test_the_keyboards_end_is_a_wish_to_leave() -> None:
    terminal = Terminal("5\nчто-то\n²\nb\n")
    terminal.console.listen()
    found = [terminal.signals.get(timeout=10) for _ in range(4)]
    assert found == [Typed(5), Wrote("что-то"), Pressed(Control.BACK), Quit()]
