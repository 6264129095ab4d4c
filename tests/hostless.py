"""Tables with no host, played at random by the clock and by seat buttons alone: every way people press, or do not.

Seeded; uses the game and the narrator's words, no device. The narrator speaks in no time, so that what is heard when
depends on the rules alone. The first night is answered wrongly once or twice, then rightly: a role that never shows
itself is asked for ever, and no game begins.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from narrator.game import moves as m
from narrator.game.events import DayBroke, GameEnded, NightFell
from narrator.game.guards import deadline
from narrator.game.moves import Move
from narrator.game.night import waker
from narrator.game.reducer import Played, play
from narrator.game.roles import Host, Role, Seat
from narrator.game.rulesets import Ruleset, Voting, Waker
from narrator.game.state import SPEAKING, Game, Phase, State
from narrator.speech.director import Director
from narrator.speech.script import Line
from tests.table import Step, brief, cards, lobby

DIRECTOR = Director("ru")
BLACK = (Role.MAFIA, Role.DON)
OWNERS: dict[Phase, tuple[Role, ...]] = {
    Phase.NIGHT_SHOOTING: BLACK,
    Phase.NIGHT_DON: (Role.DON,),
    Phase.NIGHT_SHERIFF: (Role.SHERIFF,),
    Phase.NIGHT_MANIAC: (Role.MANIAC,),
}
Heard = tuple[float, str]
OVER = "the night is over"


class Evening:
    """One game. `nights`: (seconds from its fall, text) of all that was said in each night, its end as OVER.

    `days`: (seconds, text) of what was said and buzzed by day, from the first morning on, before the game was over.
    """

    def __init__(self, rules: Ruleset, seed: int, press: Press, seats: int = 0) -> None:
        self.chance = random.Random(f"{rules.key} {press.__name__} {seed}")
        self.seats = seats or self.chance.randint(rules.seats_min, rules.seats_max)
        self.cards = cards(rules, self.seats, self.chance)
        self.game: Game = lobby(rules, Host.NONE, self.seats)
        self.at = 0.0
        self.days: list[Heard] = []
        self.nights: list[list[Heard]] = []
        self.on_step: Callable[[Step], None] = lambda step: None
        self.moves = 0
        self.slips = 0  # wrong answers in the first night so far
        self._press = press
        self._fell, self._night, self._over = 0.0, False, False

    @property
    def state(self) -> State:
        return self.game.state

    def holders(self, *roles: Role) -> list[Seat]:
        """Living seats with one of these cards, whether the box knows it yet or not."""
        return [seat for seat in sorted(self.state.alive) if self.cards[seat - 1] in roles]

    def make(self, move: Move) -> None:
        """A move that must be accepted."""
        result = play(self.game, move, self.at)
        assert isinstance(result, Played), f"{move}: {result}, {brief(self.state)}"
        self._take(move, result)

    def touch(self, seat: Seat, *, up: bool) -> None:
        """A finger goes down (`up`: the hand) or lifts; a button that counts for nothing now is refused."""
        move = m.RaiseHand(seat, up)
        result = play(self.game, move, self.at)
        if isinstance(result, Played):
            self._take(move, result)

    def push(self, seats: Iterable[Seat]) -> None:
        """Down and up again, whatever it was before."""
        for seat in seats:
            if seat in self.state.hands:
                self.touch(seat, up=False)
            self.touch(seat, up=True)
            self.touch(seat, up=False)

    def _take(self, move: Move, result: Played) -> None:
        before, self.game = self.game, result.game
        self.moves += 1
        for event in result.events:
            if isinstance(event, NightFell):
                self._fell, self._night = self.at, True
                self.nights.append([])
            elif isinstance(event, DayBroke):
                self.nights[-1].append((round(self.at - self._fell, 6), OVER))
                self._night = False
            elif isinstance(event, GameEnded):
                self._over = True
            for cue in DIRECTOR.tell((event,), self.state, self.at):
                text = cue.text if isinstance(cue, Line) else f"buzz {cue}"
                if self._night:
                    self.nights[-1].append((round(self.at - self._fell, 6), text))
                elif self.nights and not self._over:
                    self.days.append((self.at, text))
        self.on_step(Step(before, move, self.at, self.game, result.events))

    def play(self, limit: int = 20_000) -> None:
        """To the end. AssertionError if nothing is due and nothing waits, or if it is not over after `limit` steps."""
        self.make(m.Start())
        for _ in range(limit):
            if self.state.phase is Phase.GAME_OVER:
                return
            timer = self.state.timer
            if self.state.paused and self.state.held_since is None:
                self._go_on()
                continue
            assert timer is not None, f"nothing is due: {brief(self.state)}"
            if timer.waiting and not self.state.paused:
                self.make(m.Ready())
                self._people()
                continue
            due = deadline(self.state)
            assert due is not None, f"nothing is due: {brief(self.state)}"
            self.at = max(self.at, due)
            self.make(m.TimeUp())
            if self.state.timer is not None and not self.state.timer.waiting:
                self._people()
        raise AssertionError(f"not over after {limit} steps: {brief(self.state)}")

    def _people(self) -> None:
        if self.state.phase is Phase.NIGHT_MEETING:
            self._show_themselves()
        elif self.state.phase is not Phase.GAME_OVER:
            self._press(self)

    def _show_themselves(self) -> None:
        now = waker(self.state)
        right = self.holders(*BLACK) if now == Waker.MAFIA else self.holders(Role(now))
        if self.slips < 2 and self.chance.random() < 0.5:
            self.slips += 1
            count = self.chance.choice([n for n in range(5) if n != len(right)])
            right = self.chance.sample(range(1, self.seats + 1), count)
        self.push(right)

    def _go_on(self) -> None:
        """Paused: two who are not speaking hold their buttons until the time goes on."""
        for seat in tuple(self.state.hands):
            self.touch(seat, up=False)
        two = [seat for seat in self.state.living if seat != self.state.speaker][:2]
        if len(two) < 2:
            self.make(m.Resume())
            return
        for seat in two:
            self.touch(seat, up=True)
        due = deadline(self.state)
        assert due is not None and self.state.paused
        self.at = due
        self.make(m.TimeUp())
        assert not self.state.paused, "two buttons held for three seconds go on"
        for seat in two:
            self.touch(seat, up=False)


# --- how people press --------------------------------------------------------------------------------------------

Press = Callable[[Evening], None]


def nobody(evening: Evening) -> None:
    """Nobody presses anything."""


def everybody(evening: Evening) -> None:
    """All buttons, whenever anything is asked."""
    if evening.state.phase in (Phase.VOTE, Phase.LIFT) and evening.state.rules.voting is Voting.HANDS:
        for seat in range(1, evening.seats + 1):
            evening.touch(seat, up=True)
    else:
        evening.push(range(1, evening.seats + 1))


def the_dead(evening: Evening) -> None:
    """Only those who are out, and those who are not at this table."""
    evening.push(seat for seat in range(1, 16) if seat not in evening.state.alive)


def anybody(evening: Evening) -> None:
    """Every finger moves now and then; some stay down."""
    for seat in range(1, evening.seats + 1):
        if evening.chance.random() < 0.12:
            evening.touch(seat, up=seat not in evening.state.hands)
            if evening.chance.random() < 0.8:
                evening.touch(seat, up=False)
    if evening.state.phase is Phase.NIGHT_SHOOTING and evening.chance.random() < 0.7:
        _shoot(evening)


def players(evening: Evening) -> None:
    """People who play: speak, name, vote, shoot and check; with slips, and with idle fingers at night."""
    state, chance = evening.state, evening.chance
    if state.phase in SPEAKING:
        if state.speaker is not None and chance.random() < 0.9:
            evening.at += chance.uniform(0, state.rules.warn_at / 2)
            evening.push([state.speaker])
        return
    if state.phase is Phase.NIGHT_SHOOTING:
        _shoot(evening)
    elif state.phase in OWNERS and state.call is not None and chance.random() < 0.3:
        evening.push(evening.holders(*OWNERS[state.phase]))
    elif (state.phase in (Phase.VOTE, Phase.LIFT) and state.rules.voting is Voting.HANDS) or state.phase is Phase.LIFT:
        for seat in state.living:
            if chance.random() < 0.3:
                evening.touch(seat, up=seat not in state.hands)
        return
    elif state.call is not None:
        evening.push(seat for seat in range(1, evening.seats + 1) if chance.random() < 0.15)
    if state.phase.is_night and state.phase is not Phase.NIGHT_SHOOTING:
        evening.push(seat for seat in range(1, evening.seats + 1) if chance.random() < 0.05)


def _shoot(evening: Evening) -> None:
    """The mafia at one number (seldom one of them elsewhere), everybody else where he likes."""
    state, chance = evening.state, evening.chance
    if state.call is None:
        return
    target = max(state.alive - set(evening.holders(*BLACK)), default=0)
    if state.call.number == target:
        evening.push(seat for seat in evening.holders(*BLACK) if chance.random() < 0.97)
    evening.push(seat for seat in state.living if seat not in evening.holders(*BLACK) and chance.random() < 0.05)


PRESSERS: tuple[Press, ...] = (players, anybody, everybody, nobody, the_dead)


def played(rules: Ruleset, seed: int, press: Press) -> Evening:
    """A whole game."""
    evening = Evening(rules, seed, press)
    evening.play()
    return evening


def made_up(seed: int) -> Press:
    """Who presses in game `seed`: mostly people who play, and everything else in turn."""
    return PRESSERS[max(seed % 8 - 3, 0)]
