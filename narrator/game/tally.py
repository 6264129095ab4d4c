"""What a vote comes to. Pure reading of counts and ballots; moves nobody.

Invariant: counts of a round never add up to more than the living.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from narrator.game.roles import Seat
from narrator.game.rulesets import LiftLimit, Ties
from narrator.game.state import Ballot, Count, State, Vote


class TieStep(StrEnum):
    """What a tie leads to next."""

    SPEECHES = "speeches"  # the tied speak, then the next round among them
    ROUND = "round"  # the next round among the tied at once
    LIFT = "lift"
    VICTIM = "victim"
    NOBODY = "nobody"


def leaders(counts: Iterable[Count]) -> tuple[Seat, ...]:
    """The seats with the highest count, in the order of the vote."""
    counts = tuple(counts)
    most = max((count.votes for count in counts), default=0)
    return tuple(count.seat for count in counts if count.votes == most)


def ballot_counts(ballots: Iterable[Ballot], candidates: Iterable[Seat]) -> tuple[Count, ...]:
    """Named votes as counts for `candidates`; PASS counts for nobody."""
    votes = Counter(ballot.candidate for ballot in ballots)
    return tuple(Count(seat, votes[seat]) for seat in candidates)


def tie_step(state: State, vote: Vote, tied: tuple[Seat, ...]) -> TieStep:
    """What follows when `tied` share the highest count of `vote`."""
    same = len(tied) == len(vote.candidates)
    rules = state.rules
    if rules.ties is Ties.VICTIM:
        if len(vote.candidates) == 2:
            return TieStep.VICTIM if vote.spoken else TieStep.SPEECHES
        return TieStep.VICTIM if same and vote.number > 1 else TieStep.ROUND
    if rules.ties is Ties.CASCADE:
        if rules.lift_limit is LiftLimit.FEDERATION and len(tied) == len(state.alive):
            return TieStep.NOBODY
        if not (vote.spoken and same):
            return TieStep.SPEECHES
        return TieStep.LIFT if may_lift(state, tied) else TieStep.NOBODY
    return TieStep.NOBODY if vote.number > 1 else TieStep.SPEECHES


def may_lift(state: State, tied: tuple[Seat, ...]) -> bool:
    """Whether the table may be asked to let all the tied leave [F: not three of nine]."""
    return not (state.rules.lift_limit is LiftLimit.FEDERATION and len(tied) == 3 and len(state.alive) == 9)


def lifted(state: State, tied: tuple[Seat, ...], votes: int) -> bool:
    """Whether `votes` for it make all the tied leave: more than half of the living.

    In a catastrophe never more than two together [C: "при любом количестве игроков нельзя вывести больше двух"].
    """
    if state.rules.ties is Ties.CATASTROPHE and len(tied) > 2:
        return False
    return 2 * votes > len(state.alive)


def named_result(state: State) -> tuple[Seat, ...]:
    """Who leads a named vote: nobody, one, or several tied.

    A PASS never outweighs a name; all PASS is nobody; on day 1 exactly nine PASS and one name is a PASS [C].
    """
    ballots = tuple(b for b in state.ballots if b.voter in state.alive)
    names = [b.candidate for b in ballots if b.candidate is not None]
    if not names:
        return ()
    pardon = state.rules.pardon_day_one
    if pardon and state.day == 1 and first_round(state) and len(names) == 1 and len(ballots) == pardon + 1:
        return ()
    return leaders(ballot_counts(ballots, voted_for(state)))


def voted_for(state: State) -> tuple[Seat, ...]:
    """Who can have named votes: the candidates of a second round, otherwise everybody who was named."""
    if state.vote is not None and state.vote.candidates:
        return state.vote.candidates
    return tuple(sorted({b.candidate for b in state.ballots if b.candidate is not None}))


def first_round(state: State) -> bool:
    """Whether today's vote has not been repeated yet."""
    return state.vote is None or state.vote.number == 1


def voters_missing(state: State) -> tuple[Seat, ...]:
    """Living seats that have not voted in a named vote."""
    have = {ballot.voter for ballot in state.ballots}
    return tuple(seat for seat in state.living if seat not in have)
