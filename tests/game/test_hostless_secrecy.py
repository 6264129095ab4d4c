"""Whole games with no host in pairs that the table cannot tell apart: what it notices is the same to the instant.

Two games are played in step through the whole box. Alike are the ruleset, the number of seats, everything that is done
by day, and what the table learns at night: who is dead in the morning (with two dead, whom the Maniac killed), a miss
where the rulebook tells it, how often a role was asked again in the first night. Everything else differs by chance:
cards, who pressed when and at which number, checks, how a miss came about, idle fingers of the living and the dead.
Compared after every quarter of a second: phrases, lamps, buzzer, earcons, what the microphone listens for, the table's
screen, the moderator's page, the console, log records. The lamp in the Don's and the Sheriff's calls is left out; for
it alone there is a test of its own. A pair ends when one of its games is over, which everybody may know.
"""

from __future__ import annotations

import logging
import os
import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from narrator.game.guards import HOLD
from narrator.game.night import last_victim, waker
from narrator.game.roles import Role, Seat
from narrator.game.rulesets import RULESETS, Voting, Waker
from narrator.game.state import SPEAKING, Phase, State
from narrator.messages import Lamp
from narrator.speech.lang.ru import cardinal
from narrator.speech.view import host_view
from narrator.transcript import Player, parse
from tests.game.test_secrecy import Trace, Witness
from tests.hostless import BLACK, OWNERS
from tests.table import cards

TICK = 0.25
DAYS = 3
PAIRS = 2
CHECKS = (Phase.NIGHT_DON, Phase.NIGHT_SHERIFF)
Press = tuple[Phase, int, int, Seat]
"""In this call, at this number, so many ticks after it was called, this seat."""


@dataclass(frozen=True)
class Fate:
    """What the table learns of a night: whom the mafia and the Maniac killed (0: nobody); `missed`: told at night."""

    dead: Seat
    by_maniac: Seat  # the second of two dead
    missed: bool


class Table(Witness):
    """One of two games: what its witness notices, and what only its players know."""

    def __init__(self, key: str, deal: tuple[Role, ...], chance: random.Random, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.player = Player(parse("game", f"rules {key}\nhost none\nseats {len(deal)}\n"), folder)
        self.trace: Trace = []
        self._seen = {"says": 0, "sees": 0, "hears": 0, "console": 0}
        self._last = {}
        self._looked: tuple[object, ...] = (None,)
        self.deal, self.chance = deal, chance
        self.plan: list[Press] = []
        self.lit: list[Answer] = []
        self.do(">", "начинаем игру")

    @property
    def state(self) -> State:
        return self.player.state

    @property
    def now(self) -> float:
        return self.player.clock.now()

    def holders(self, *roles: Role) -> list[Seat]:
        """Living seats with these cards, as dealt; before the box knows them, too."""
        return [seat for seat in self.state.living if self.deal[seat - 1] in roles]

    def look(self) -> None:
        """Write down what is new; nothing is, as long as the state is the same and nothing was said."""
        player = self.player
        lengths = [len(heard) for heard in (player.voice.said, player.panel.history, player.voice.earcons)]
        looked = (self.state, *lengths, len(player.screen.lines))
        if looked[0] is self._looked[0] and looked[1:] == self._looked[1:]:
            return
        self._looked = looked
        super().look()
        page = host_view(self.state, self.player.app.table.at(), "ru", can_undo=False)
        if page != self._last.get("page"):
            self._last["page"] = page
            self.trace.append((self.now, "page", page))
        lines = [line for line in self.player.screen.lines if not line.startswith("lamp ")]
        self.trace += [(self.now, "console", line) for line in lines[self._seen["console"] :]]
        self._seen["console"] = len(lines)

    def press(self, seat: Seat, *, down: bool = True, up: bool = True) -> None:
        """A finger on the button of `seat`."""
        checks = self.state.night.checks if self.state.night is not None else ()
        self.do("*", f"{seat} down" if down and not up else f"{seat} up" if up and not down else str(seat))
        if self.state.night is not None and self.state.night.checks != checks:
            self.lit.append(Answer(self.now, self.state.call.place if self.state.call else 0))
            assert self.player.panel.scene.lamp is not Lamp.OFF, "the answer is there with the press"

    def wait(self) -> None:
        """A quarter of a second."""
        self.player.wait(TICK)
        if not self.over:
            self.look()
        if self.lit and not self.lit[-1].out and (self.player.panel.scene.lamp is Lamp.OFF or not self.checking):
            self.lit[-1].out = self.now
        place = self.state.call.place if self.state.call is not None and self.checking else 0
        if self.lit and not self.lit[-1].next and place > self.lit[-1].place:
            self.lit[-1].next = self.now

    @property
    def checking(self) -> bool:
        return self.phase in CHECKS


@dataclass
class Answer:
    """A lamp's answer: when and in which place of the call it came, when the next number came, when it went out."""

    at: float
    place: int
    next: float = 0.0
    out: float = 0.0


@dataclass
class Pair:
    """Two tables and the chance that both share: what is done in public."""

    tables: tuple[Table, Table]
    public: random.Random
    asked: list[tuple[str, float]] = field(default_factory=list)  # roles of the first night, and when
    beat: tuple[object, ...] = ()
    ticks: int = 0  # since the beat began

    @property
    def state(self) -> State:
        """Of the first table; what is public in it is so in the other."""
        return self.tables[0].state

    @property
    def over(self) -> bool:
        return any(table.over for table in self.tables)

    def same(self) -> None:
        """What both witnesses have noticed so far is the same."""
        one, other = (table.trace for table in self.tables)
        if one != other:
            only = [[item for item in a if item not in b] for a, b in ((one, other), (other, one))]
            raise AssertionError(f"in {self.state.phase} one notices {only[0]},\nthe other {only[1]}")
        for table in self.tables:
            table.trace.clear()

    def play(self) -> None:
        """Until one game is over, or for some days."""
        while not self.over and self.state.day <= DAYS:
            if self._beat() != self.beat:
                self.beat, self.ticks = self._beat(), 0
            if self.state.phase.is_night or self.state.phase in SPEAKING:
                for seat in self.state.hands:
                    self.push(seat, down=False)  # a vote is over; two hands that stay up would pause a speech
            self._act()
            if self._beat() == self.beat:
                self._wait()
                self.ticks += 1

    def _beat(self) -> tuple[object, ...]:
        """What is going on, as everybody knows it."""
        state = self.state
        call, vote = state.call, state.vote
        return (
            *(state.phase, state.day, state.night and state.night.step, call and (call.place, call.tries)),
            *(state.speaker, vote and (vote.up, vote.number, vote.word)),
        )

    def _wait(self, ticks: int = 1) -> None:
        for _ in range(ticks):
            for table in self.tables:
                if not self.over:
                    table.wait()
            if not self.over:
                self.same()

    def both(self, mark: str, rest: str) -> None:
        """Something that everybody sees."""
        for table in self.tables:
            table.do(mark, rest)

    def push(self, seat: Seat, *, down: bool = True, up: bool = True) -> None:
        """Somebody presses at both tables."""
        for table in self.tables:
            if not table.over:
                table.press(seat, down=down, up=up)

    def _act(self) -> None:
        phase = self.state.phase
        if phase is Phase.NIGHT_MEETING:
            self._meet()
        elif phase.is_night:
            self._night()
        elif phase in SPEAKING:
            self._speak()
        elif phase in (Phase.VOTE, Phase.LIFT) and (phase is Phase.LIFT or self.state.rules.voting is Voting.HANDS):
            self._hands()
        elif self.state.call is not None and self.ticks == 1:
            self._called()

    # --- by night ------------------------------------------------------------------------------------------------

    def _meet(self) -> None:
        """Each called role shows itself; wrongly first, if so at both tables. Nobody knows when the finger moves."""
        now, timer = waker(self.state), self.state.timer
        if timer is None or timer.since is None or (now, timer.since) in self.asked:
            return
        wrong = now not in dict(self.asked) and self.public.random() < 0.4
        self.asked.append((now, timer.since))
        for table in self.tables:
            right = table.holders(*BLACK) if now == Waker.MAFIA else table.holders(Role(now))
            if wrong:
                count = table.chance.choice([n for n in range(6) if n != len(right)])
                right = table.chance.sample(range(1, len(table.deal) + 1), count)
            table.chance.shuffle(right)
            for seat in right:
                table.press(seat)

    def _night(self) -> None:
        call = self.state.call
        if self.state.phase is Phase.NIGHT_SHOOTING and call is not None and call.place == 0 and self.ticks == 0:
            fate = self._fate()
            for table in self.tables:
                table.plan = plan(table, fate)
        number = call.number if call is not None else 0
        for table in self.tables:
            for phase, at, tick, seat in table.plan:
                if (phase, at, tick) == (table.phase, number, self.ticks):
                    table.press(seat)

    def _fate(self) -> Fate:
        """Something that can come about at both tables."""

        def both_have(*roles: Role) -> bool:
            return all(table.holders(*roles) for table in self.tables)

        mafia, maniac = both_have(*BLACK), both_have(Role.MANIAC)
        living = self.state.living
        dead = self.public.choice(living) if (mafia or maniac) and self.public.random() < 0.8 else 0
        missed = not mafia or not dead or (maniac and self.public.random() < 0.4)
        second = self.public.choice(living) if maniac and dead and not missed and self.public.random() < 0.4 else 0
        return Fate(dead, second if second != dead else 0, missed)

    # --- by day --------------------------------------------------------------------------------------------------

    def _speak(self) -> None:
        state, public = self.state, self.public
        speaker = state.speaker
        if speaker is None or state.timer is None or self.ticks not in (2, 6, 9):
            return
        others = [seat for seat in state.living if seat != speaker]
        if self.ticks == 2 and state.phase is Phase.SPEECHES and public.random() < 0.4 and state.living:
            self.both(">", f"я выставляю на голосование игрока номер {cardinal(public.choice(state.living))}")
        elif self.ticks == 2 and public.random() < 0.1 and len(others) > 1:
            self._pause(public.sample(others, 2))
        elif self.ticks == 6 and public.random() < 0.2:
            self.push(public.randint(1, state.seats))
        elif self.ticks == 9 and public.random() < 0.97:
            self.push(speaker)

    def _pause(self, two: list[Seat]) -> None:
        """They hold their buttons until the time stands, and again until it goes on."""
        for paused in (True, False):
            for seat in two:
                self.push(seat, up=False)
            self._wait(int(HOLD / TICK) + 1)
            assert self.state.paused is paused
            for seat in two:
                self.push(seat, down=False)

    def _hands(self) -> None:
        if self.ticks != 1:
            return
        for seat in range(1, self.state.seats + 1):
            if self.public.random() < 0.25:
                self.push(seat, down=seat not in self.state.hands, up=seat in self.state.hands)

    def _called(self) -> None:
        victim = last_victim(self.state) if self.state.phase is Phase.VICTIM_VOTE else None
        best = self.state.best_move.by if self.state.phase is Phase.BEST_MOVE and self.state.best_move else None
        for seat in range(1, self.state.seats + 1):
            if self.public.random() < (0.4 if seat in (victim, best) else 0.15):
                self.push(seat)


def plan(table: Table, fate: Fate) -> list[Press]:
    """One of the ways in which a night comes to its fate, with as many idle fingers as you like."""
    chance, seats = table.chance, len(table.deal)
    numbers = range(1, seats + 1)
    calls = [Phase.NIGHT_SHOOTING, *CHECKS, *([Phase.NIGHT_MANIAC] if Role.MANIAC in table.deal else [])]
    presses: list[Press] = []

    def press(phase: Phase, number: int, who: Seat) -> None:
        presses.append((phase, number, chance.randint(0, 3), who))

    mafia, maniacs = table.holders(*BLACK), table.holders(Role.MANIAC)
    shot = 0 if fate.missed else fate.dead
    knife = fate.by_maniac or (fate.dead if fate.missed else 0)
    if maniacs and not fate.by_maniac and not fate.missed and fate.dead and chance.random() < 0.5:
        knife = fate.dead  # both at one seat: one death
    if shot:
        for seat in mafia:
            press(Phase.NIGHT_SHOOTING, shot, seat)
    elif mafia:
        hits = {seat: chance.choice(numbers) for seat in mafia}
        for seat in mafia[1:]:
            if chance.random() < 0.7:
                press(Phase.NIGHT_SHOOTING, hits[seat], seat)
        if len(mafia) > 1 and chance.random() < 0.5:  # the first at two numbers; otherwise he does not shoot at all
            for number in chance.sample(numbers, 2):
                press(Phase.NIGHT_SHOOTING, number, mafia[0])
    for seat in maniacs:
        for number in [knife] if knife else chance.sample(numbers, chance.choice((0, 2))):
            press(Phase.NIGHT_MANIAC, number, seat)
    for phase in CHECKS:
        for seat in table.holders(*OWNERS[phase]):
            if chance.random() < 0.85:
                press(phase, chance.choice(numbers), seat)
    for _ in range(chance.randint(0, 25)):
        phase, seat = chance.choice(calls), chance.choice(numbers)
        own = mafia if phase is Phase.NIGHT_SHOOTING else maniacs if phase is Phase.NIGHT_MANIAC else []
        if seat not in own:
            press(phase, chance.choice(numbers), seat)
    return presses


def pair(key: str, seed: int, folder: Path) -> Pair:
    """Two games with other cards."""
    public = random.Random(f"{key} {seed}")
    rules = RULESETS[key]
    seats = public.randint(rules.seats_min, rules.seats_max)
    one, other = (
        Table(key, cards(rules, seats, chance), chance, folder / name)
        for name in ("one", "other")
        for chance in (random.Random(f"{key} {seed} {name}"),)
    )
    return Pair((one, other), public)


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written matters elsewhere, not how soon."""
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: None)


@pytest.mark.parametrize("key", RULESETS)
@pytest.mark.parametrize("seed", range(PAIRS))
def test_what_the_table_cannot_know_it_cannot_notice(
    key: str, seed: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    game = pair(key, seed, tmp_path)
    game.play()
    assert not caplog.records
    assert any(table.deal != game.tables[0].deal for table in game.tables)
    assert not any("(moderator" in line for table in game.tables for line in table.player.screen.lines)


@pytest.mark.parametrize("key", RULESETS)
def test_the_lamp_answers_at_once_and_always_as_long(key: str, tmp_path: Path) -> None:
    """From the press to the end of the next number: however early or late in the number the press came."""
    answers: list[Answer] = []
    for seed in range(100, 101):
        game = pair(key, seed, tmp_path / str(seed))
        game.play()
        answers += [answer for table in game.tables for answer in table.lit]
    whole = [answer for answer in answers if answer.next and answer.out]
    assert len(whole) > 1
    assert {answer.out - answer.next for answer in whole} == {RULESETS[key].call_step}
