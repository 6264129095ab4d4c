"""The core against slow, literal readings of the rulebooks: on random tables both send the same people away, ask the
same questions in the same order, and name the same winner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from narrator.game import moves as m
from narrator.game.events import Event, VictimAsked
from narrator.game.guards import Refusal
from narrator.game.lobby import first_state
from narrator.game.moves import Move
from narrator.game.reducer import play
from narrator.game.roles import Host, Role
from narrator.game.rulesets import RULESETS
from narrator.game.state import Game, Phase, State
from tests.game import literal_classic, literal_forum, literal_moscow, literal_sport

MANY = settings(max_examples=150, deadline=None)
FEW = settings(max_examples=40, deadline=None)


class Core:
    """The product's game, played move by move; a refusal where the rulebook has a next step is a failure."""

    def __init__(self, rules: str, seats: int, host: Host, cards: Sequence[Role] = ()) -> None:
        self.game = Game(first_state())
        self.events: tuple[Event, ...] = ()
        self.do(m.SetUp(seats, RULESETS[rules], host))
        if cards:
            self.do(m.Deal(tuple(cards)))

    @property
    def state(self) -> State:
        return self.game.state

    def at(self, phase: Phase) -> bool:
        """Whether the game stands in `phase`."""
        return self.state.phase is phase

    def do(self, *moves: Move) -> None:
        """Play moves that must be accepted."""
        for move in moves:
            result = play(self.game, move, 0.0)
            assert not isinstance(result, Refusal), f"{move} refused: {result}; {self.state.phase}"
            self.game, self.events = result.game, result.events

    def refuses(self, move: Move) -> None:
        """Play a move that must be refused, and change nothing by it."""
        assert isinstance(play(self.game, move, 0.0), Refusal), f"{move} was accepted"


class CoreTable:
    """A table whose people decide at random and do it in the core; where the judge asks, the core must ask too."""

    def __init__(self, core: Core, draw: st.DataObject) -> None:
        self.core, self._draw = core, draw
        self.alive = set(core.state.alive)

    def _number(self, low: int, high: int) -> int:
        return self._draw.draw(st.integers(low, high))

    def leaver(self) -> int | None:
        """Rarely somebody leaves of his own will, asked back."""
        if self._number(0, 9) != 7 or len(self.alive) < 3:
            return None
        seat: int = self._draw.draw(st.sampled_from(sorted(self.alive)), label="leaver")
        self.core.do(m.Leave(seat), m.Answer(True))
        self.alive.discard(seat)
        return seat

    def hands(self, candidates: Sequence[int]) -> list[int]:
        """Counts that like to be equal."""
        raised: list[int] = []
        fair = len(self.alive) // len(candidates)
        for seat in candidates[:-1]:
            state = self.core.state
            assert state.phase is Phase.VOTE and state.vote is not None
            assert list(state.candidates) == list(candidates) and state.vote.up == seat
            left = len(self.alive) - sum(raised)
            wanted = self._draw.draw(st.one_of(st.just(fair), st.just(fair + 1), st.integers(0, left)), label="hands")
            raised.append(min(wanted, left))
            self.core.refuses(m.CastVotes(left + 1))
            self.core.do(m.CastVotes(raised[-1]))
        return raised

    def names(self, among: Sequence[int] | None) -> Mapping[int, int | None]:
        """A word from everybody, some changed once; the second change is refused, so is PASS in a second round."""
        assert self.core.state.phase is Phase.VOTE
        choices = sorted(self.alive) if among is None else sorted(among)
        favourites = self._draw.draw(st.lists(st.sampled_from(choices), min_size=1, max_size=3), label="favourites")
        word = st.sampled_from([*favourites, *([None] * 2 if among is None else [])])
        if among is None and self._number(0, 3) == 0:
            word = st.one_of(st.none(), st.none(), st.none(), st.none(), word)
        split = self._draw.draw(st.booleans(), label="split") and len(set(favourites)) > 1
        camps = [seat for seat in sorted(set(favourites)) for _ in range(len(self.alive) // len(set(favourites)))]
        said: dict[int, int | None] = {}
        for place, voter in enumerate(sorted(self.alive)):
            if among is not None:
                self.core.refuses(m.VoteFor(voter, None))
            if said:
                self.core.refuses(m.OpenVote())
            said[voter] = camps[place] if split and place < len(camps) else self._draw.draw(word, label="word")
            self.core.do(m.VoteFor(voter, said[voter]))
            other = self._draw.draw(word)
            if not split and self._number(0, 4) == 0 and other != said[voter]:
                self.core.do(m.VoteFor(voter, other))
                said[voter] = other
                self.core.refuses(m.VoteFor(voter, next(seat for seat in sorted(self.alive) if seat != other)))
        self.core.do(m.OpenVote())
        return said

    def speeches(self, seats: Sequence[int]) -> None:
        """The core gives them the word in this order."""
        for seat in seats:
            assert (self.core.state.phase, self.core.state.speaker) == (Phase.TIE_SPEECH, seat)
            self.core.do(m.Next())

    def lift(self, seats: Sequence[int]) -> int:
        """Some hands for it."""
        assert self.core.state.phase is Phase.LIFT and list(self.core.state.candidates) == list(seats)
        half = len(self.alive) // 2
        votes: int = self._draw.draw(st.sampled_from([half, half + 1, *range(len(self.alive) + 1)]), label="lift")
        self.core.do(m.CastVotes(votes))
        return votes

    def victim(self, dead: int, seats: Sequence[int]) -> int:
        """The dead man's choice; the right dead man is asked."""
        assert VictimAsked(dead, tuple(seats)) in self.core.events
        assert self.core.state.phase is Phase.VICTIM_VOTE and list(self.core.state.candidates) == list(seats)
        for other in self.alive - set(seats):
            self.core.refuses(m.Choose(other))
        seat: int = self._draw.draw(st.sampled_from(list(seats)), label="victim's choice")
        self.core.do(m.Choose(seat))
        return seat


Judge = Callable[[CoreTable, int, Sequence[int], int | None], set[int]]
VOTES: dict[str, Judge] = {
    "moscow": literal_moscow.vote,
    "classic": literal_classic.vote,
    "sport": literal_sport.vote,
    "forum": literal_forum.vote,
}


@pytest.mark.parametrize("rules", VOTES)
@MANY
@given(data=st.data())
def test_the_vote_sends_away_whom_the_rulebook_sends_away(rules: str, data: st.DataObject) -> None:
    row = RULESETS[rules]
    seats = data.draw(st.integers(row.seats_min, row.seats_max), label="seats")
    day = data.draw(st.integers(2 if rules == "moscow" else 1, 4), label="day")
    alive = data.draw(st.sets(st.integers(1, seats), min_size=3), label="alive")
    if data.draw(st.booleans(), label="nobody out yet"):
        alive = set(range(1, seats + 1))
    named: tuple[int, ...] = ()
    if rules != "forum":
        order = data.draw(st.permutations(sorted(alive)), label="order")
        named = tuple(order[: data.draw(st.sampled_from([0, 1, 2, 2, 2, 3, 3, 4, 5, len(alive)]), label="named")])
    dead = sorted(set(range(1, seats + 1)) - alive)
    killers = data.draw(st.sampled_from([(), ("mafia",), ("maniac",), ("mafia", "maniac")]), label="killers")
    died = tuple(zip(data.draw(st.permutations(dead), label="dead"), killers, strict=False))
    core = Core(rules, seats, Host.LIGHT)  # without cards no victory cuts the vote short
    core.do(m.Place("nominations", day, False, tuple(sorted(alive)), died, named), m.OpenVote())
    table = CoreTable(core, data)
    victim = next((seat for seat, by in died if by == "maniac"), died[0][0] if died else None)
    if not named and rules != "forum":
        gone: set[int] = set()
    else:
        gone = VOTES[rules](table, day, named, victim)
    assert alive - core.state.alive == gone
    assert core.state.phase is (Phase.LAST_WORD if core.state.queue or core.state.speaker else Phase.NIGHT_SHOOTING)


WINNERS: dict[str, Callable[[Sequence[str]], str | None]] = {
    "moscow": literal_moscow.winner,
    "classic": literal_classic.winner,
    "sport": literal_sport.winner,
    "forum": literal_forum.winner,
}


def _cards(data: st.DataObject, rules: str) -> list[Role]:
    row = RULESETS[rules]
    seats = data.draw(st.integers(row.seats_min, row.seats_max), label="seats")
    black = row.mafia or data.draw(st.integers(1, (seats - 1) // 2), label="black")
    maniac = data.draw(st.integers(0, row.maniac), label="maniac")
    cards = [Role.DON, *[Role.MAFIA] * (black - 1), Role.SHERIFF, *[Role.MANIAC] * maniac]
    cards += [Role.CIVILIAN] * (seats - len(cards))
    return data.draw(st.permutations(cards), label="cards")


@pytest.mark.parametrize("rules", WINNERS)
@MANY
@given(data=st.data())
def test_the_winner_is_the_rulebooks(rules: str, data: st.DataObject) -> None:
    cards = _cards(data, rules)
    alive = data.draw(st.sets(st.integers(1, len(cards)), min_size=1), label="alive")
    core = Core(rules, len(cards), Host.FULL, cards)
    core.do(m.Place("nominations", 3, False, tuple(sorted(alive))))
    wanted = WINNERS[rules]([cards[seat - 1].value for seat in sorted(alive)])
    assert (core.state.outcome.winner if core.state.outcome else None) == wanted


@pytest.mark.parametrize("rules", ["classic", "moscow"])
@MANY
@given(data=st.data())
def test_all_deaths_of_a_night_are_one_batch(rules: str, data: st.DataObject) -> None:
    """Mafia and Maniac shoot; the winner is looked for once, when both victims are gone."""
    cards = _cards(data, rules)
    everybody = range(1, len(cards) + 1)
    alive = data.draw(st.sets(st.sampled_from(everybody), min_size=2), label="alive")
    of = {seat: cards[seat - 1] for seat in sorted(alive)}
    judge = WINNERS[rules]
    assume(judge(list(of.values())) is None)
    core = Core(rules, len(cards), Host.FULL, cards)
    core.do(m.Place("night-shooting", 3, True, tuple(of)))
    shot = data.draw(st.sampled_from([0, *of]), label="shot") if {Role.MAFIA, Role.DON} & set(of.values()) else 0
    maniac = data.draw(st.sampled_from([0, *of]), label="maniac's") if Role.MANIAC in of.values() else 0
    while core.state.phase.is_night:
        if core.state.phase is Phase.NIGHT_SHOOTING and shot:
            core.do(m.Choose(shot))
        if core.state.phase is Phase.NIGHT_MANIAC and maniac:
            core.do(m.Choose(maniac))
        core.do(m.Next())
    left = [of[seat].value for seat in of if seat not in (shot, maniac)]
    assert core.state.alive == frozenset(of) - {shot, maniac}
    assert (core.state.outcome.winner if core.state.outcome else None) == judge(left)


@pytest.mark.parametrize("rules", ["sport", "forum"])
@FEW
@given(data=st.data())
def test_whole_games_end_when_the_rulebook_ends_them(rules: str, data: st.DataObject) -> None:
    """Night after night and day after day, with misses and quiet days more frequent than at a real table."""
    cards = _cards(data, rules)
    core = Core(rules, len(cards), Host.FULL, cards)
    core.do(m.Place("night-shooting", 1, True, tuple(range(1, len(cards) + 1))))
    story = ""
    misses = 0
    for _ in range(12):
        shot = data.draw(st.sampled_from([0, 0, *sorted(core.state.alive)]), label="shot")
        core.do(m.Choose(shot), m.Next(), m.Next(), m.Next())
        story += "n" if shot else "N"
        misses = 0 if shot else misses + 1
        if _over(core, rules, cards, story, misses):
            return
        if core.state.phase is Phase.BEST_MOVE:
            core.do(m.Done())
        while core.state.phase in (Phase.LAST_WORD, Phase.SPEECHES):
            core.do(m.Next())
        assert core.at(Phase.NOMINATIONS)
        out = data.draw(st.sampled_from([0, 0, *sorted(core.state.alive)]), label="out")
        if out:
            core.do(m.Leave(out), m.Answer(True))
        story += "d" if out else "D"
        if _over(core, rules, cards, story, misses):
            return
        core.do(m.OpenVote())
        if core.at(Phase.VOTE):
            core.do(*(m.VoteFor(seat, None) for seat in core.state.living), m.OpenVote())
        assert core.at(Phase.NIGHT_SHOOTING)
    raise AssertionError(f"never over: {story}")


def _over(core: Core, rules: str, cards: Sequence[Role], story: str, misses: int) -> bool:
    left = [cards[seat - 1].value for seat in core.state.living]
    wanted = literal_sport.winner(left, story) if rules == "sport" else literal_forum.winner(left, misses)
    assert (core.state.outcome.winner if core.state.outcome else None) == wanted, story
    return wanted is not None
