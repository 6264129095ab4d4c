"""What a protocol says: plain frozen values, in the order in which things happened. Decides nothing.

`no` is the place among all events of the game; `at` and lengths are seconds of the game's own time, `at` from the
start; seats are 1…15. The names of fields are the keys of the JSON form and stay as they are. Invariant: what only the
moderator may know stands only in fields that are empty while the game goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from narrator.game.roles import Host, Role, Seat
from narrator.game.rulesets import Ruleset


class ProtocolError(ValueError):
    """There is no protocol to be had; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Speech:
    """`seat` had `given` seconds and used `used` (None: speaks now), `over` of them too many. given 0: lost."""

    no: int
    at: float
    kind: str  # introductions, speeches, tie-speech, last-word
    seat: Seat
    given: float
    used: float | None = None
    over: float = 0.0


@dataclass(frozen=True, slots=True)
class Nomination:
    """`by` named `seat` (None: the host took it down)."""

    no: int
    at: float
    seat: Seat
    by: Seat | None


@dataclass(frozen=True, slots=True)
class Votes:
    """Votes of one candidate; `rest`: he got the hands that were left."""

    no: int
    at: float
    seat: Seat
    votes: int
    rest: bool = False


@dataclass(frozen=True, slots=True)
class Ballot:
    """A named vote as it was told; `candidate` None is PASS; `change`: it replaced an earlier one."""

    no: int
    at: float
    voter: Seat
    candidate: Seat | None
    change: bool


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a vote; `tied` shared the highest count."""

    no: int
    at: float
    number: int
    candidates: tuple[Seat, ...]
    votes: tuple[Votes, ...] = ()
    ballots: tuple[Ballot, ...] = ()
    tied: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class NoVote:
    """There was no vote: `cancelled` by a removal, otherwise too few candidates."""

    no: int
    at: float
    candidates: tuple[Seat, ...]
    cancelled: bool


@dataclass(frozen=True, slots=True)
class Lift:
    """Whether all of `seats` leave; `votes` for it (None: told without a count)."""

    no: int
    at: float
    seats: tuple[Seat, ...]
    leave: bool
    votes: int | None


@dataclass(frozen=True, slots=True)
class VictimVote:
    """Last night's victim decided between `seats`."""

    no: int
    at: float
    victim: Seat
    seats: tuple[Seat, ...]
    chosen: Seat | None = None


@dataclass(frozen=True, slots=True)
class NobodyOut:
    """The vote sent nobody away."""

    no: int
    at: float


@dataclass(frozen=True, slots=True)
class Departure:
    """`seat` left. `by`: who killed, once the game is over and if the box knows."""

    no: int
    at: float
    seat: Seat
    how: Literal["voted", "with-other", "killed", "removed", "left", "warnings"]
    by: str = ""


@dataclass(frozen=True, slots=True)
class Warned:
    """The `count`-th warning of `limit`; with `taken_back`, `count` are left."""

    no: int
    at: float
    seat: Seat
    count: int
    limit: int
    taken_back: bool = False


@dataclass(frozen=True, slots=True)
class Shot:
    """What "mafia" or "maniac" chose; seat 0 is a miss."""

    no: int
    at: float
    by: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class Check:
    """What "don" or "sheriff" learnt about `seat`: yes, no, black, red or a role."""

    no: int
    at: float
    by: str
    seat: Seat
    answer: str


@dataclass(frozen=True, slots=True)
class BestMove:
    """Seats named by the first victim; `points` once the game is over and if the box knows the cards."""

    no: int
    at: float
    by: Seat
    seats: tuple[Seat, ...]
    points: float | None


Item = (
    Speech
    | Nomination
    | Round
    | NoVote
    | Lift
    | VictimVote
    | NobodyOut
    | Departure
    | Warned
    | Shot
    | Check
    | BestMove
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Day:
    """One day; last words of the night's dead stand in the day that follows."""

    number: int
    at: float
    seconds: float
    speeches: tuple[Speech, ...]
    nominations: tuple[Nomination, ...]
    no_vote: tuple[NoVote, ...]
    rounds: tuple[Round, ...]
    lifts: tuple[Lift, ...]
    victim_votes: tuple[VictimVote, ...]
    nobody_out: tuple[NobodyOut, ...]
    departures: tuple[Departure, ...]
    warnings: tuple[Warned, ...]


@dataclass(frozen=True, slots=True)
class Night:
    """The night after day `number`. `seconds`, shots and checks are told once the game is over.

    `told`: the morning has told who died.
    """

    number: int
    at: float
    seconds: float | None
    meeting: bool
    shots: tuple[Shot, ...]
    checks: tuple[Check, ...]
    told: bool
    departures: tuple[Departure, ...]
    warnings: tuple[Warned, ...]
    best_moves: tuple[BestMove, ...]


@dataclass(frozen=True, slots=True)
class Player:
    """Who sat at `seat`. `out`: how he left ("" in play, "earlier": before the protocol begins), in which part."""

    seat: Seat
    name: str
    role: Role | None
    out: str
    number: int
    night: bool
    warnings: int


@dataclass(frozen=True, slots=True)
class Protocol:
    """One game. `changed` are the fields in which the club's rules differ from the book."""

    state: Literal["running", "over", "abandoned"]
    started: datetime | None
    ended: datetime | None
    seconds: float
    rules: Ruleset
    changed: tuple[str, ...]
    host: Host
    players: tuple[Player, ...]
    days: tuple[Day, ...]
    nights: tuple[Night, ...]
    winner: str
    why: str
