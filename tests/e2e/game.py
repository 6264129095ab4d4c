"""One classic game of ten, told as what the moderator waits for and what he then does, by voice or by hand.

Black: 3 (Don), 5, 8; the Sheriff is 4. On day 1 the table splits five to five over 2 and 9, twice, and lifts both;
at night 4 dies; on day 2 the moderator removes 6, and three black sit with three red: the mafia wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from narrator.game import moves as m
from narrator.game.guards import Refusal
from narrator.game.lobby import first_state
from narrator.game.moves import Move
from narrator.game.reducer import play
from narrator.game.state import Game, State
from narrator.journal import read

RULES = {"speech": 15, "tie_speech": 12, "last_word_voted": 12, "call_step": 0.1, "overtime_warning": 9}
"""Shorter times than at a table; the warning lamp still comes ten seconds before the end."""
BLACK, SHERIFF = (3, 5, 8), 4
WINNER = "Победила мафия"


@dataclass(frozen=True, slots=True)
class Step:
    """After the narrator has said `after`, the moderator says `said` or enters `typed`: that is `move`.

    `hand`: the same by buttons («plus plus next») or number pad («5»); `by_hand`: the moves it makes there.
    """

    after: str
    move: Move
    said: str = ""
    typed: int | None = None
    hand: str = ""
    by_hand: tuple[Move, ...] = ()

    @property
    def made_by_hand(self) -> tuple[Move, ...]:
        """A move for each touch of `hand`."""
        return self.by_hand or (self.move,)


def _next(after: str, said: str = "дальше") -> Step:
    return Step(after, m.Next(), said, hand="next")


def _enter(after: str, seat: int) -> Step:
    return Step(after, m.Choose(seat), typed=seat, hand=str(seat))


def _speech(seat: str) -> Step:
    return _next(f"Говорит номер {seat}.", "ведущий, дальше")


def _nominate(speaker: str, words: str, move: m.Nominate, seat: int) -> Step:
    return Step(f"Говорит номер {speaker}.", move, words, hand=str(seat), by_hand=(m.Nominate(seat),))


def _count(words: str, count: int, hand: str, by_hand: tuple[Move, ...] = ()) -> Step:
    return Step("Три!", m.CastVotes(count), words, hand=hand, by_hand=by_hand)


FIRST_NIGHT = (
    Step("начинаем игру", m.Start(), "начинаем игру", hand="next", by_hand=(m.Next(),)),
    *(_enter("Просыпается мафия", seat) for seat in BLACK),
    _next("Просыпается мафия"),
    _enter("Просыпается Дон", 3),
    _next("Просыпается Дон"),
    _enter("Просыпается Шериф", SHERIFF),
    _next("Просыпается Шериф"),
)
DAY_ONE = (
    _speech("один"),
    _speech("два"),
    _nominate("три", "ведущий, выставляю номер два", m.Nominate(2), 2),
    _next("Принято. Номер два", "ведущий, следующий"),
    _speech("четыре"),
    _speech("пять"),
    _nominate("шесть", "ведущий, номер шесть выставляет номер девять", m.Nominate(9, 6), 9),
    _next("Принято. Номер девять", "ведущий, дальше"),
    Step("Говорит номер семь.", m.Warn(7), "ведущий, замечание номер семь", hand="plus-held"),
    Step("Замечание номеру семь", m.Undo(), "ведущий, отмена", hand="back"),
    _next("Шаг отменён", "ведущий, дальше"),
    _speech("восемь"),
    _speech("девять"),
    _speech("десять"),
)
DAY_ONE_VOTE = (
    Step("Речи закончены", m.OpenVote(), "голосование", hand="next", by_hand=(m.Next(),)),
    _count("пять", 5, "5"),
    _next("Слово в защиту. Номер два", "ведущий, дальше"),
    _next("Слово в защиту. Номер девять", "ведущий, дальше"),
    _count("пять голосов", 5, "plus " * 5 + "next", (m.Adjust(1),) * 5 + (m.Next(),)),
    Step("Кто за то", m.CastVotes(6), "шесть", hand="6"),
    _next("Последнее слово. Номер два", "ведущий, дальше"),
    _next("Последнее слово. Номер девять", "ведущий, дальше"),
)
NIGHT = (
    _enter("Мафия выходит на охоту", 4),
    _next("Номер десять."),
    _enter("Дон ищет Шерифа", 4),
    _next("Дон ищет Шерифа"),
    _enter("Шериф ищет мафию", 5),
    _next("Шериф ищет мафию"),
)
DAY_TWO = (
    _nominate("один", "ведущий, на голосование номер восемь", m.Nominate(8), 8),
    _next("Принято. Номер восемь", "ведущий, дальше"),
    _speech("три"),
    _speech("пять"),
    Step(
        "Говорит номер шесть.",
        m.Remove(6),
        "ведущий, удалить номер шесть",
        hand="plus-held " * 4,  # the fourth warning brings the same question
        by_hand=(m.Warn(6),) * 4,
    ),
    Step("Удалить игрока номер шесть", m.Answer(True), "да", hand="next"),
)
GAME = (*FIRST_NIGHT, *DAY_ONE, *DAY_ONE_VOTE, *NIGHT, *DAY_TWO)
MOVES = tuple(step.move for step in GAME)
BY_HAND = tuple(move for step in GAME for move in step.made_by_hand)


def last_state(journal: Path) -> State:
    """The state that a journal leads to."""
    game = Game(first_state())
    for entry in read(journal).entries:
        result = play(game, entry.move, entry.at)
        assert not isinstance(result, Refusal), f"{entry.move}: {result.reason}"
        game = result.game
    return game.state


def check_end(state: State) -> None:
    """The game came to its known end."""
    assert state.outcome is not None and state.outcome.winner == "mafia"
    assert state.living == (1, 3, 5, 7, 8, 10)
    assert not any(state.warned(seat) for seat in state.living)
