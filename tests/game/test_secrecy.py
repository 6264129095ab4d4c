"""Two nights that the table cannot tell apart are told, lit and listened to alike, to the half second.

Indistinguishable are two games with the same ruleset, host, seats, living players and number of each card, in which
the same players are dead in the morning (and, where the rulebook tells a miss at night, the same miss), and nobody has
won; whatever else differs: who holds or held which card, dead or alive, who shot, what was checked, when and what the
moderator entered, who pressed which button. Compared are all phrases, buzzes, earcons, lamps, the public screen and
the phrases the microphone listens for, each with its time, from the evening to the end of the next day.

With a moderator the call of a living role ends when he says so; he is taken to wait as long as a dead role's call
lasts. With nobody to host, the lamp in the Don's and the Sheriff's calls is for the one whose eyes are open.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from narrator.game.roles import Role
from narrator.game.rulesets import RULESETS, Voting
from narrator.game.state import Phase
from narrator.speech.lang.ru import cardinal
from narrator.speech.view import public_view
from narrator.transcript import Player, Step, parse
from tests.game.test_literal import WINNERS

Trace = list[tuple[float, str, Any]]
BLACK = {Role.MAFIA, Role.DON}
HALF = 0.5
ROLE_WORDS = ("мафи", "шериф", "комиссар", "маньяк", "дон ", "дона ", "дону ")
OWNERS: dict[Phase, set[Role]] = {
    Phase.NIGHT_SHOOTING: BLACK,
    Phase.NIGHT_DON: {Role.DON},
    Phase.NIGHT_SHERIFF: {Role.SHERIFF},
    Phase.NIGHT_MANIAC: {Role.MANIAC},
}


@dataclass(frozen=True)
class Known:
    """What the table knows or does aloud; the same in both games. Times are seconds from the beginning of a call."""

    rules: str
    host: str
    seats: int
    alive: tuple[int, ...]
    night: int
    dead: frozenset[int]  # in the morning
    missed: bool  # told at night, where that is the rule
    paused: int  # in which call somebody says «пауза», −1 in none
    pause_at: int
    pause_for: int
    repeat_at: int  # when somebody says «повтори» in the first call


@dataclass(frozen=True)
class Secret:
    """What only some know."""

    cards: tuple[Role, ...]
    shot: int
    maniac: int
    checks: tuple[int, int]
    entered_at: tuple[int, ...]  # per call
    slip_at: tuple[int, ...]  # per call: when the moderator enters a dead seat
    idle: tuple[tuple[int, int], ...]  # buttons that mean nothing: a seat presses while a number is up

    def chosen(self, phase: Phase) -> int:
        """The seat chosen in a call."""
        by_don, by_sheriff = self.checks
        return {
            Phase.NIGHT_SHOOTING: self.shot,
            Phase.NIGHT_DON: by_don,
            Phase.NIGHT_SHERIFF: by_sheriff,
            Phase.NIGHT_MANIAC: self.maniac,
        }[phase]

    def holders(self, phase: Phase, alive: Sequence[int]) -> list[int]:
        """Who is awake in a call."""
        return [seat for seat in alive if self.cards[seat - 1] in OWNERS[phase]]


class Witness:
    """Somebody at the table with open ears and a watch, who sees lamps and the public screen."""

    def __init__(self, known: Known, secret: Secret, folder: Path) -> None:
        cards = " ".join(f"{seat}={card}" for seat, card in enumerate(secret.cards, 1))
        alive = " ".join(map(str, known.alive))
        header = f"rules {known.rules}\nhost {known.host}\nseats {known.seats}\nroles {cards}\n"
        script = parse("night", f"{header}start night {known.night} night-shooting\nalive {alive}\n")
        self.player = Player(script, folder)
        self.trace: Trace = []
        self._seen = {"says": 0, "sees": 0, "hears": 0}
        self._last: dict[str, Any] = {}
        self.look()

    @property
    def phase(self) -> Phase:
        return self.player.state.phase

    @property
    def over(self) -> bool:
        return self.phase is Phase.GAME_OVER

    def look(self) -> None:
        """Write down what is new."""
        player, now = self.player, self.player.clock.now()
        checking = player.script.host == "none" and self.phase in (Phase.NIGHT_DON, Phase.NIGHT_SHERIFF)
        for kind, history in (
            ("says", player.voice.said),
            ("sees", player.panel.history),
            ("hears", player.voice.earcons),
        ):
            new = list(history[self._seen[kind] :])
            self._seen[kind] = len(history)
            if kind != "sees" or not checking:
                self.trace += [(now, kind, item) for item in new]
        screen = public_view(player.state, player.app.table.at(), "ru")
        for kind, level in (("listens", player.ears.phrases), ("screen", screen)):
            if level != self._last.get(kind):
                self._last[kind] = level
                self.trace.append((now, kind, level))

    def pass_time(self) -> None:
        """Half a second."""
        self.player.wait(HALF)
        self.look()

    def do(self, mark: str, rest: str) -> None:
        """Something is said, pressed or entered. The end of the game may tell what it likes: it is not written down."""
        if not self.over:
            self.player.step(Step(0, mark, rest))
            if not self.over:
                self.look()


def moderated_night(witness: Witness, known: Known, secret: Secret) -> None:
    """A moderator enters what he sees, or slips; every call lasts as long as a dead role's."""
    pause = RULESETS[known.rules].role_pause
    for call in range(len(secret.entered_at)):
        phase = witness.phase
        living = bool(secret.holders(phase, known.alive))
        for half in range(int(pause / HALF)):
            if half == 2 * secret.entered_at[call]:  # for a dead role this is refused, and silently
                witness.do("@", str(secret.chosen(phase)))
            if half == 2 * secret.slip_at[call]:
                witness.do("@", str(next(n for n in range(1, 17) if n not in known.alive)))
            if call == 0 and half == 2 * known.repeat_at:
                witness.do(">", "повтори")
            if call == known.paused and half == 2 * known.pause_at:
                witness.do("!", "back hold")
                for _ in range(2 * known.pause_for):
                    witness.pass_time()
                witness.do("!", "back hold")
            assert witness.phase is phase
            witness.pass_time()
        if living:
            witness.do("!", "next")


def hostless_night(witness: Witness, known: Known, secret: Secret) -> None:
    """Numbers are called by the clock; seats press while a number is up."""
    done: set[tuple[Phase, int]] = set()
    while witness.phase.is_night:
        phase, call = witness.phase, witness.player.state.call
        number = call.number if call is not None else 0
        if number and (phase, number) not in done:
            done.add((phase, number))
            pressing = secret.holders(phase, known.alive) if number == secret.chosen(phase) else []
            pressing += [seat for seat, up in secret.idle if up == number and seat not in known.alive]
            for seat in pressing:
                witness.do("*", str(seat))
        witness.pass_time()


def the_day_after(witness: Witness) -> None:
    """Two are named, the second is voted out; or all pass; nobody speaks longer than half a second."""
    for _ in range(100):
        state = witness.player.state
        if witness.phase.is_night or witness.over:
            return
        witness.pass_time()
        naming = witness.phase in (Phase.SPEECHES, Phase.NOMINATIONS)
        if naming and len(state.candidates) < 2:
            witness.do("@", str(state.living[len(state.candidates)]))
        if witness.phase is Phase.VOTE and state.rules.voting is Voting.NAMED:
            for seat in state.living:
                witness.do(">", f"номер {cardinal(seat)} пас")
        elif witness.phase is Phase.VOTE:
            witness.do("@", "0")
        if witness.phase is Phase.BEST_MOVE:
            witness.do(">", "готово")
        elif witness.phase is not Phase.NOMINATIONS or len(witness.player.state.candidates) != 1:
            witness.do("!", "next")
    raise AssertionError(f"the day does not end: {witness.phase}")


def same_to_the_table(known: Known, one: Secret, other: Secret) -> None:
    """A witness of either game notices the same, up to the end of the one that ends first, if one ends."""
    (trace, over), (other_trace, other_over) = told(known, one), told(known, other)
    if over or other_over:
        length = min(len(trace), len(other_trace))
        trace, other_trace = trace[:length], other_trace[:length]
    assert trace == other_trace


def told(known: Known, secret: Secret) -> tuple[Trace, bool]:
    """Everything a witness notices in a night and the day after it, and whether the game has ended by then."""
    with tempfile.TemporaryDirectory(prefix="narrator-") as folder:
        witness = Witness(known, secret, Path(folder))
        if known.host == "none":
            hostless_night(witness, known, secret)
        else:
            moderated_night(witness, known, secret)
        assert not witness.phase.is_night
        assert frozenset(known.alive) - witness.player.state.alive == known.dead
        if known.host == "full":
            the_day_after(witness)
        day_names_no_role([item.lower() for _, kind, item in witness.trace if kind == "says"])
        return witness.trace, witness.over


def is_dawn(text: str) -> bool:
    """The words that open the day."""
    return "утро" in text.lower() or "наступил день" in text.lower()


def until_dawn(trace: Trace) -> Trace:
    """The night alone."""
    return trace[: next(place for place, (_, kind, item) in enumerate(trace) if kind == "says" and is_dawn(item))]


def day_names_no_role(spoken: list[str]) -> None:
    """From the words that open the day to those that close it no role is named."""
    for text in spoken[next(place for place, text in enumerate(spoken) if is_dawn(text)) :]:
        if "ночь." in text:
            return
        assert not any(word in f"{text} " for word in ROLE_WORDS), text


def draw_known(data: st.DataObject, rules: str, host: str) -> tuple[Known, list[Role]]:
    """A table at the beginning of a night, and its deck."""
    row = RULESETS[rules]
    seats = data.draw(st.integers(max(row.seats_min, 7), row.seats_max), label="seats")
    black = row.mafia or max(seats // 4, 1)
    maniac = data.draw(st.integers(0, row.maniac), label="maniac") if host == "full" else row.maniac
    deck = [Role.DON, *[Role.MAFIA] * (black - 1), Role.SHERIFF, *[Role.MANIAC] * maniac]
    deck += [Role.CIVILIAN] * (seats - len(deck))
    alive = data.draw(st.sets(st.integers(1, seats), min_size=4), label="alive")
    dead = data.draw(st.sets(st.sampled_from(sorted(alive)), max_size=1 + maniac), label="dead")
    number = st.integers(0, 9)
    known = Known(
        rules,
        host,
        seats,
        tuple(sorted(alive)),
        data.draw(st.integers(2, 4), label="night"),
        frozenset(dead),
        data.draw(st.booleans(), label="missed"),
        data.draw(st.integers(-1, 2), label="paused"),
        data.draw(number),
        data.draw(number),
        data.draw(number),
    )
    return known, deck


def draw_secret(data: st.DataObject, known: Known, deck: list[Role]) -> Secret:
    """One of the nights that end in the same morning."""
    row = RULESETS[known.rules]
    cards = data.draw(st.permutations(deck), label="cards")
    of = {seat: cards[seat - 1] for seat in known.alive}
    judge = WINNERS[known.rules]
    assume(judge(list(of.values())) is None)
    assume(judge([card for seat, card in of.items() if seat not in known.dead]) is None)
    shots = [0, *known.dead] if BLACK & set(of.values()) else [0]
    knives = [0, *known.dead] if Role.MANIAC in of.values() else [0]
    ways = [
        (shot, knife)
        for shot in shots
        for knife in knives
        if {shot, knife} - {0} == known.dead and (not row.miss_at_night or (shot == 0) == known.missed)
    ]
    assume(ways)
    shot, knife = data.draw(st.sampled_from(ways), label="shot, maniac")
    seat = st.sampled_from(known.alive)
    calls = 3 + deck.count(Role.MANIAC)
    return Secret(
        tuple(cards),
        shot,
        knife,
        (data.draw(seat, label="Don's check"), data.draw(seat, label="Sheriff's check")),
        tuple(data.draw(st.integers(0, 9), label="entered at") for _ in range(calls)),
        tuple(data.draw(st.integers(0, 19), label="slip at") for _ in range(calls)),
        tuple(data.draw(st.lists(st.tuples(st.integers(1, known.seats), st.integers(1, known.seats)), max_size=3))),
    )


@pytest.mark.parametrize("rules", RULESETS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_a_moderated_night_gives_nothing_away(rules: str, data: st.DataObject) -> None:
    known, deck = draw_known(data, rules, "full")
    one, other = draw_secret(data, known, deck), draw_secret(data, known, deck)
    same_to_the_table(known, one, other)


@pytest.mark.parametrize("rules", RULESETS)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_a_night_with_no_host_gives_nothing_away(rules: str, data: st.DataObject) -> None:
    known, deck = draw_known(data, rules, "none")
    one, other = draw_secret(data, known, deck), draw_secret(data, known, deck)
    same_to_the_table(known, one, other)


@pytest.mark.parametrize("rules", RULESETS)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_before_dawn_not_even_who_died_shows(rules: str, data: st.DataObject) -> None:
    """The same without the same deaths: hit and miss sound alike until the morning, but for a miss told by rule."""
    known, deck = draw_known(data, rules, "full")
    fate = replace(known, dead=frozenset(data.draw(st.sets(st.sampled_from(known.alive), max_size=1), label="other")))
    one, other = draw_secret(data, known, deck), draw_secret(data, fate, deck)
    assert until_dawn(told(known, one)[0]) == until_dawn(told(fate, other)[0])
