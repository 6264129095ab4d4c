"""What happened. The director turns these into words, the protocol writes them down.

Plain values only. An event never says more than the table may know, except `PrivateAnswer`, `CardsKnown` and `Shot`,
which only the moderator's own screen may show (`SECRET`).
"""

from __future__ import annotations

from dataclasses import dataclass

from narrator.game.roles import Seat
from narrator.game.state import Ask, Check, Count, Death, Outcome, Phase


@dataclass(frozen=True, slots=True)
class TableSet:
    """The lobby's table changed: seats, rules, host or names."""

    seats: int
    rules: str


@dataclass(frozen=True, slots=True)
class CardsKnown:
    """The box knows all cards."""


@dataclass(frozen=True, slots=True)
class GameStarted:
    """The game begins."""


@dataclass(frozen=True, slots=True)
class Greeted:
    """The host has the first word: greeting and the rules in three sentences."""


@dataclass(frozen=True, slots=True)
class NightFell:
    """Masks on."""

    number: int


@dataclass(frozen=True, slots=True)
class RoleWoke:
    """A role is called; `meeting`: in the acquaintance night."""

    phase: Phase
    waker: str
    meeting: bool


@dataclass(frozen=True, slots=True)
class RoleSlept:
    """A role's time is over."""

    phase: Phase
    waker: str
    meeting: bool


@dataclass(frozen=True, slots=True)
class RoleAgain:
    """The wrong number of seats has shown itself: the role is asked once more, or (`from_start`) everybody is; nobody
    is named."""

    waker: str
    from_start: bool = False


@dataclass(frozen=True, slots=True)
class MissingVotes:
    """These have not voted and are asked once more."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class NominationTakenBack:
    """The speaker has taken back what he named."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class NumberCalled:
    """A number is called: for a shot, a check, a nomination, a vote."""

    number: int


@dataclass(frozen=True, slots=True)
class MissTold:
    """«Мафия промахнулась», in rulesets that say it at night."""


@dataclass(frozen=True, slots=True)
class PrivateAnswer:
    """For the moderator (or the checker's lamp) alone."""

    check: Check


@dataclass(frozen=True, slots=True)
class Shot:
    """For the moderator alone: what was entered for the shooting (0: a miss)."""

    by: str
    seat: int


@dataclass(frozen=True, slots=True)
class DayBroke:
    """Masks off."""

    number: int


@dataclass(frozen=True, slots=True)
class DeathsTold:
    """Who died in the night, in seat order."""

    deaths: tuple[Death, ...]


@dataclass(frozen=True, slots=True)
class DeathsAsked:
    """Light hosting: who died?"""


@dataclass(frozen=True, slots=True)
class DeathNoted:
    """Light hosting: one more seat of the list."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class SpeechBegan:
    """A player has the word for `seconds` (0: he has lost this speech)."""

    phase: Phase
    seat: Seat
    seconds: float


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """A player has spoken for `used` seconds, `over` of them too many."""

    phase: Phase
    seat: Seat
    used: float
    over: float


@dataclass(frozen=True, slots=True)
class MarkPassed:
    """A speech's mark: `left` seconds left (10, 0, −10, …)."""

    left: float


@dataclass(frozen=True, slots=True)
class TimeChanged:
    """Somebody got more or less time."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Nominated:
    """A valid nomination: «Принято»."""

    seat: Seat
    by: Seat | None


@dataclass(frozen=True, slots=True)
class SpeechesOver:
    """Everybody has spoken; `ask`: the host now asks for names."""

    candidates: tuple[Seat, ...]
    ask: bool


@dataclass(frozen=True, slots=True)
class NoVote:
    """There is no vote today; `cancelled` by a removal, otherwise too few names."""

    candidates: tuple[Seat, ...]
    cancelled: bool


@dataclass(frozen=True, slots=True)
class VoteBegan:
    """A round of voting."""

    candidates: tuple[Seat, ...]
    number: int


@dataclass(frozen=True, slots=True)
class CandidateUp:
    """Who is voted on now. With `last`, nobody is asked: he gets the hands that are left."""

    seat: Seat
    last: bool


@dataclass(frozen=True, slots=True)
class CountWord:
    """«раз», «два» or «три», by the clock."""

    word: int


@dataclass(frozen=True, slots=True)
class VotesCounted:
    """A candidate is closed."""

    count: Count
    rest: bool


@dataclass(frozen=True, slots=True)
class BallotTaken:
    """A named vote was taken down."""

    voter: Seat
    candidate: Seat | None
    final: bool


@dataclass(frozen=True, slots=True)
class Tied:
    """The highest count is shared."""

    seats: tuple[Seat, ...]
    speak: bool  # the tied have the word before the next vote


@dataclass(frozen=True, slots=True)
class LiftAsked:
    """Shall all the tied leave?"""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class LiftDecided:
    """`leave`: all of them go; `votes` were for it (None: told without a count)."""

    seats: tuple[Seat, ...]
    leave: bool
    votes: int | None


@dataclass(frozen=True, slots=True)
class VictimAsked:
    """Last night's victim decides between the tied."""

    victim: Seat
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class NobodyOut:
    """The vote sends nobody away."""


@dataclass(frozen=True, slots=True)
class VotedOut:
    """The vote sends these away."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning, the `count`-th of `limit`."""

    seat: Seat
    count: int
    limit: int
    muted: bool


@dataclass(frozen=True, slots=True)
class Unwarned:
    """A warning was taken back."""

    seat: Seat
    count: int


@dataclass(frozen=True, slots=True)
class LeftTable:
    """These left: removed, of their own will, or by warnings."""

    seats: tuple[Seat, ...]
    how: str  # "removed", "left", "warnings"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to the moderator."""

    ask: Ask
    seat: Seat
    winner: str = ""


@dataclass(frozen=True, slots=True)
class Declined:
    """The open question was answered with no."""

    ask: Ask
    seat: Seat


@dataclass(frozen=True, slots=True)
class Paused:
    """Timers stand."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """Timers run."""


@dataclass(frozen=True, slots=True)
class OrderCalled:
    """The table is called to order."""


@dataclass(frozen=True, slots=True)
class NumberShown:
    """Plus or Minus changed the number that is being entered."""

    number: int


@dataclass(frozen=True, slots=True)
class BestMoveAsked:
    """The first victim may name three seats."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class BestMoveNamed:
    """One more seat of the best move."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class BestMoveTold:
    """The best move is complete."""

    by: Seat
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Undone:
    """The last step was taken back."""


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over."""

    outcome: Outcome


# fmt: off
Event = (
    TableSet | CardsKnown | GameStarted | Greeted | NightFell | RoleWoke | RoleSlept | NumberCalled | RoleAgain |
    MissingVotes | NominationTakenBack | MissTold | PrivateAnswer | Shot | DayBroke | DeathsTold | DeathsAsked |
    DeathNoted | SpeechBegan | SpeechEnded | MarkPassed | TimeChanged | Nominated | SpeechesOver | NoVote |
    VoteBegan | CandidateUp | CountWord | VotesCounted | BallotTaken | Tied | LiftAsked | LiftDecided | VictimAsked
    | NobodyOut | VotedOut | Warned | Unwarned | LeftTable | Asked | Declined | Paused | Resumed | OrderCalled |
    NumberShown | BestMoveAsked | BestMoveNamed | BestMoveTold | Undone | GameEnded
)
# fmt: on

SECRET = (PrivateAnswer, CardsKnown, Shot)
"""Events that may reach nobody but the moderator's own screen."""
