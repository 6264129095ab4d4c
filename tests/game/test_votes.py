"""What counts and ballots come to, who has won: tables a host can read. Roles: d Don, m mafia, s Sheriff, k Maniac,
c civilian; the living are the first ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrator.game import moves as m
from narrator.game import tally
from narrator.game.events import NobodyOut, VotedOut
from narrator.game.outcome import outcome
from narrator.game.reducer import Played, play
from narrator.game.roles import Host, Role, Team
from narrator.game.rulesets import RULESETS
from narrator.game.state import Ballot, Count, Phase, State, Vote
from narrator.game.tally import TieStep
from tests.table import made, placed

CARDS = {"d": Role.DON, "m": Role.MAFIA, "s": Role.SHERIFF, "k": Role.MANIAC, "c": Role.CIVILIAN}


def alive_with(key: str, cards: str, **more: int) -> State:
    """A state in which exactly these cards are alive."""
    roles = tuple(CARDS[card] for card in cards)
    state = State(RULESETS[key], seats=len(cards), roles=roles, alive=frozenset(range(1, len(cards) + 1)))
    return replace(state, warnings=(0,) * len(cards), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("counts", "lead"),
    [
        ("3:2 7:3 5:4", "5"),
        ("2:4 6:4", "2 6"),
        ("1:3 2:3 3:3", "1 2 3"),
        ("4:0 9:0", "4 9"),
        ("8:1", "8"),
        ("", ""),
    ],
)
def test_the_leaders_keep_the_order_of_the_vote(counts: str, lead: str) -> None:
    given_counts = [Count(int(seat), int(votes)) for seat, votes in (pair.split(":") for pair in counts.split())]
    assert tally.leaders(given_counts) == tuple(int(seat) for seat in lead.split())


@given(st.lists(st.builds(Count, st.integers(1, 15), st.integers(0, 15)), unique_by=lambda count: count.seat))
def test_leaders_are_those_nobody_beats(counts: list[Count]) -> None:
    lead = tally.leaders(counts)
    votes = {count.seat: count.votes for count in counts}
    assert lead == tuple(seat for seat in votes if all(votes[seat] >= other for other in votes.values()))


@pytest.mark.parametrize(
    ("key", "cards", "winner"),
    [
        ("moscow", "dmmccc", None),  # A25
        ("moscow", "dmmcc", "mafia"),  # A26
        ("moscow", "kcccc", None),  # A27
        ("moscow", "cc", "town"),  # A28
        ("moscow", "dmck", None),  # A30
        ("moscow", "k", "maniac"),
        ("moscow", "kc", None),
        ("moscow", "dk", None),
        ("moscow", "d", "mafia"),
        ("moscow", "dm", "mafia"),
        ("moscow", "sc", "town"),
        ("classic", "dmmccs", "mafia"),  # B9
        ("classic", "dmccs", None),
        ("classic", "cccs", "town"),  # B10
        ("classic", "dc", "mafia"),
        ("forum", "dmcc", "mafia"),
        ("forum", "mccs", None),
        ("sport", "dmmccsc", None),
        ("sport", "ms", "mafia"),
    ],
)
def test_who_has_won(key: str, cards: str, winner: str | None) -> None:
    result = outcome(alive_with(key, cards))
    assert (result and result.winner) == winner


def test_nobody_alive_is_a_draw() -> None:
    result = outcome(replace(alive_with("moscow", "dk"), alive=frozenset()))
    assert result is not None and result.winner == "draw"


@pytest.mark.parametrize("key", RULESETS)
def test_misses_and_quiet_nights_decide_only_where_the_rules_say_so(key: str) -> None:
    rules = RULESETS[key]
    for count in range(6):
        missed = outcome(alive_with(key, "dcccc", misses=count))
        assert (missed is not None) == bool(rules.misses_lose and count >= rules.misses_lose)
        assert missed is None or missed.winner == Team.TOWN
        quiet = outcome(alive_with(key, "dcccc", quiet=count))
        assert (quiet is not None) == bool(rules.quiet_nights and count >= rules.quiet_nights)
        assert quiet is None or quiet.winner == "draw"


@pytest.mark.parametrize("key", RULESETS)
def test_without_known_cards_the_box_never_says_who_has_won(key: str) -> None:
    state = alive_with(key, "cc")
    assert outcome(replace(state, roles=())) is None
    assert outcome(replace(state, roles=(None, Role.CIVILIAN))) is None


@pytest.mark.parametrize(
    ("key", "alive", "candidates", "tied", "number", "spoken", "step"),
    [
        ("moscow", 8, "2 6", "2 6", 1, False, TieStep.SPEECHES),  # A2
        ("moscow", 9, "1 4 8", "1 4", 1, False, TieStep.ROUND),  # A3
        ("moscow", 9, "1 2 3", "1 2 3", 1, False, TieStep.ROUND),  # A9
        ("moscow", 8, "1 4", "1 4", 2, True, TieStep.VICTIM),  # A5, A7
        ("classic", 10, "2 9", "2 9", 1, False, TieStep.SPEECHES),  # B12
        ("classic", 10, "2 9", "2 9", 2, True, TieStep.LIFT),
        ("classic", 10, "2 3 9", "2 9", 2, True, TieStep.SPEECHES),
        ("sport", 9, "1 2 3", "1 2 3", 2, True, TieStep.NOBODY),  # three of nine are never lifted
        ("sport", 8, "1 2 3", "1 2 3", 2, True, TieStep.LIFT),
        ("sport", 4, "1 2 3 4", "1 2 3 4", 1, False, TieStep.NOBODY),  # the whole table: night at once
        ("forum", 8, "1 4", "1 4", 1, False, TieStep.SPEECHES),  # C7
        ("forum", 8, "1 4", "1 4", 2, True, TieStep.NOBODY),
    ],
)
def test_what_a_tie_leads_to(
    key: str, alive: int, candidates: str, tied: str, number: int, spoken: bool, step: TieStep
) -> None:
    state = State(RULESETS[key], alive=frozenset(range(1, alive + 1)))
    vote = Vote(tuple(int(s) for s in candidates.split()), number, spoken=spoken)
    assert tally.tie_step(state, vote, tuple(int(s) for s in tied.split())) is step


@pytest.mark.parametrize(
    ("key", "alive", "tied", "votes", "leave"),
    [
        ("classic", 10, (2, 9), 6, True),  # B12
        ("classic", 10, (2, 9), 5, False),
        ("classic", 9, (2, 9), 5, True),
        ("classic", 9, (1, 2, 9), 9, True),
        ("forum", 8, (1, 4), 5, True),  # C7
        ("forum", 8, (1, 4), 4, False),  # C8
        ("forum", 6, (1, 2, 3), 5, False),  # C10: never three
    ],
)
def test_more_than_half_lift_all_the_tied(key: str, alive: int, tied: tuple[int, ...], votes: int, leave: bool) -> None:
    assert tally.lifted(State(RULESETS[key], alive=frozenset(range(1, alive + 1))), tied, votes) is leave


@pytest.mark.parametrize(
    ("day", "alive", "ballots", "out"),
    [
        (1, 10, "9 pass, 1 for 5", ""),  # C1
        (1, 10, "8 pass, 2 for 5", "5"),  # C2
        (2, 8, "7 pass, 1 for 5", "5"),  # C3
        (2, 8, "8 pass", ""),  # C4
        (2, 8, "4 for 1, 4 for 5", "1 5"),
        (2, 8, "1 pass, 3 for 5, 4 for 2", "2"),
        (2, 8, "", ""),
    ],
)
def test_named_votes(day: int, alive: int, ballots: str, out: str) -> None:
    cast: list[Ballot] = []
    for group in filter(None, ballots.split(", ")):
        number, _, name = group.partition(" ")
        candidate = None if name == "pass" else int(name.removeprefix("for "))
        cast += [Ballot(len(cast) + i + 1, candidate) for i in range(int(number))]
    state = State(RULESETS["forum"], day=day, alive=frozenset(range(1, alive + 1)), ballots=tuple(cast))
    assert tally.named_result(state) == tuple(int(seat) for seat in out.split())


@pytest.mark.parametrize("key", [key for key, rules in RULESETS.items() if rules.voting == "hands"])
def test_the_last_candidate_gets_the_hands_that_nobody_raised(key: str) -> None:
    game = placed(RULESETS[key], Phase.VOTE, alive=(1, 4, 5, 6, 7, 8, 9), candidates=(5, 7, 4))
    result = play(made(game, m.CastVotes(1)), m.CastVotes(2), 0.0)
    assert isinstance(result, Played)
    assert VotedOut((4,)) in result.events
    assert result.game.state.last_counts == (Count(5, 1), Count(7, 2), Count(4, 4))


@pytest.mark.parametrize("key", [key for key, rules in RULESETS.items() if rules.voting == "hands"])
def test_hands_are_read_at_three_and_a_lowered_one_does_not_count(key: str) -> None:
    """A14: up for the first, down at «два», up for the second."""
    game = placed(RULESETS[key], Phase.VOTE, Host.FULL, alive=(1, 4, 5, 6, 7), candidates=(5, 7, 4))
    game = made(game, m.RaiseHand(1, True), m.RaiseHand(6, True), m.Ready())
    game = made(game, m.TimeUp(), at=1)  # «два»
    game = made(game, m.RaiseHand(1, False), at=1.5)
    for at in (2, 3):
        game = made(game, m.TimeUp(), at=at)
    game = made(game, m.RaiseHand(6, False), m.RaiseHand(1, True), m.Ready(), at=4)
    for at in (5, 6):
        game = made(game, m.TimeUp(), at=at)
    game = made(game, m.TimeUp(), at=7)
    assert game.state.last_counts == (Count(5, 1), Count(7, 1), Count(4, 3))


@pytest.mark.parametrize("key", [key for key, rules in RULESETS.items() if rules.voting == "hands"])
def test_a_hand_that_was_counted_is_not_counted_again(key: str) -> None:
    game = placed(RULESETS[key], Phase.VOTE, Host.FULL, alive=(1, 4, 5, 6, 7), candidates=(5, 7, 4))
    game = made(game, m.RaiseHand(1, True), m.RaiseHand(6, True), m.RaiseHand(4, True))
    at = 0.0
    for _ in range(2):
        game = made(game, m.Ready(), at=at)
        for _ in range(3):
            at += 1
            game = made(game, m.TimeUp(), at=at)
    assert game.state.last_counts == (Count(5, 3), Count(7, 0), Count(4, 2))


def test_a_told_count_and_hands_never_make_less_than_nothing() -> None:
    game = placed(RULESETS["classic"], Phase.VOTE, alive=(1, 4, 5, 6, 7, 8, 9), candidates=(5, 7, 4))
    game = made(game, m.CastVotes(5), m.RaiseHand(1, True), m.Ready())
    for at in (1, 2, 3):
        game = made(game, m.TimeUp(), at=at)
    counts = game.state.last_counts or (game.state.vote.counts if game.state.vote else ())
    assert all(count.votes >= 0 for count in counts) and sum(count.votes for count in counts) <= 7


def test_the_last_victim_decides_where_the_rules_say_so() -> None:
    game = placed(
        RULESETS["moscow"],
        Phase.VICTIM_VOTE,
        alive=(1, 4, 5, 6, 7, 8),
        died=((9, "mafia"),),
        candidates=(4, 5),
    )
    result = play(game, m.Choose(5), 0.0)
    assert isinstance(result, Played) and VotedOut((5,)) in result.events


def test_with_nobody_dead_last_night_all_stay() -> None:
    game = placed(RULESETS["moscow"], Phase.LOBBY, alive=())
    assert game.state.phase is Phase.LOBBY
    game = placed(RULESETS["moscow"], Phase.VOTE, alive=(1, 4, 5, 6, 7, 8), candidates=(4, 5))
    events: list[object] = []
    for move in (m.CastVotes(3), m.Next(), m.Next(), m.CastVotes(3)):
        result = play(game, move, 0.0)
        assert isinstance(result, Played), result
        game = result.game
        events += result.events
    assert NobodyOut() in events and game.state.phase.is_night
