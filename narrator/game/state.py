"""The state of a game: one immutable value. No behaviour beyond reading it.

Invariant: everything a restart needs is here or in the moves that led here; nothing here is derived twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from narrator.game.moves import Move
from narrator.game.roles import Host, Role, Seat
from narrator.game.rulesets import Ruleset
from narrator.game.timing import Timer


class Phase(StrEnum):
    """Where the game stands. The names are those of the transcripts."""

    LOBBY = "lobby"
    INTRODUCTIONS = "introductions"
    SPEECHES = "speeches"
    NOMINATIONS = "nominations"
    VOTE = "vote"
    TIE_SPEECH = "tie-speech"
    LIFT = "lift"
    VICTIM_VOTE = "victim-vote"
    LAST_WORD = "last-word"
    NIGHT_MEETING = "night-meeting"
    NIGHT_CONFERENCE = "night-conference"
    NIGHT_SHOOTING = "night-shooting"
    NIGHT_DON = "night-don"
    NIGHT_SHERIFF = "night-sheriff"
    NIGHT_MANIAC = "night-maniac"
    BEST_MOVE = "best-move"
    MORNING = "morning"
    GAME_OVER = "game-over"

    @property
    def is_night(self) -> bool:
        """Masks are on: nothing secret may be heard or seen."""
        return self.value.startswith("night-")

    @property
    def has_speaker(self) -> bool:
        """One player after another speaks against the clock."""
        return self in SPEAKING


SPEAKING = frozenset({Phase.INTRODUCTIONS, Phase.SPEECHES, Phase.TIE_SPEECH, Phase.LAST_WORD})


@dataclass(frozen=True, slots=True)
class Nomination:
    """`seat` stands in the vote; `by` named it (None: told by the host)."""

    seat: Seat
    by: Seat | None


@dataclass(frozen=True, slots=True)
class Count:
    """Hands counted for one candidate."""

    seat: Seat
    votes: int


@dataclass(frozen=True, slots=True)
class Ballot:
    """A named vote as it stands: `candidate` None is PASS; `changes` already made today."""

    voter: Seat
    candidate: Seat | None
    changes: int = 0


@dataclass(frozen=True, slots=True)
class Vote:
    """One round of a vote among `candidates` in nomination order.

    `counts` are closed candidates in order; the next one is up. `spoken`: the tied have had their speeches before
    this round. `by_hands`: hands come by seat buttons in this vote.
    """

    candidates: tuple[Seat, ...]
    number: int = 1
    counts: tuple[Count, ...] = ()
    spoken: bool = False
    counted: frozenset[Seat] = frozenset()  # whose hand has been counted for a candidate
    fresh: int = 0  # hands read at «три» for the candidate that is up
    by_hands: bool = False
    word: int = 0  # of «раз, два, три»: how many have been said

    @property
    def up(self) -> Seat | None:
        """The candidate who is being voted on."""
        done = len(self.counts)
        return self.candidates[done] if done < len(self.candidates) else None

    @property
    def told(self) -> int:
        """Votes counted so far."""
        return sum(count.votes for count in self.counts)


@dataclass(frozen=True, slots=True)
class Death:
    """Somebody who died in the night, and by whom ("mafia" or "maniac")."""

    seat: Seat
    by: str


@dataclass(frozen=True, slots=True)
class Check:
    """A private answer: `by` "don" or "sheriff", about `seat`: "yes"/"no", "black"/"red", or a role."""

    by: str
    seat: Seat
    answer: str


@dataclass(frozen=True, slots=True)
class Night:
    """A night under way: its phases in order, where it stands, and what was chosen so far.

    `shot` and `maniac`: a seat, 0 for a miss, None for not told. `told`: seats given for the role that is being met.
    """

    steps: tuple[Phase, ...]
    step: int = -1
    wakers: tuple[str, ...] = ()  # who is still to be met in the acquaintance night; the first is awake
    told: tuple[Seat, ...] = ()
    shot: int | None = None
    maniac: int | None = None
    checks: tuple[Check, ...] = ()
    removed: frozenset[Seat] = frozenset()  # who was sent away during this night
    tries: int = 0  # how often the role that is being met has shown itself wrongly


@dataclass(frozen=True, slots=True)
class Call:
    """Numbers called by the clock, one after another, with no host: who pressed at which.

    The last number is 0, a silent beat, so that an answer to the last seat is seen as long as any other.
    `lamp`: an answer for the one whose eyes are open ("green", "yellow", "red"), lit until `lamp_until` is up.
    """

    numbers: tuple[int, ...]
    place: int = 0
    presses: tuple[tuple[Seat, int], ...] = ()
    lamp: str = ""
    lamp_until: int = 0
    tries: int = 1

    @property
    def number(self) -> int:
        """The number that is up."""
        return self.numbers[self.place]

    def of(self, seat: Seat) -> tuple[int, ...]:
        """The numbers at which `seat` has pressed, in order."""
        return tuple(number for who, number in self.presses if who == seat)


class Ask(StrEnum):
    """What an open question is about."""

    REMOVE = "remove"
    LEAVE = "leave"
    NEW_GAME = "new-game"
    WINNER = "winner"
    WARN = "warn"
    GO_ON = "go-on"


@dataclass(frozen=True, slots=True)
class Question:
    """An open question. `firm`: nothing else goes on until it is answered; a soft one is dropped by any other move."""

    ask: Ask
    seat: Seat = 0
    then: Move | None = None

    @property
    def firm(self) -> bool:
        return self.ask is not Ask.WARN


@dataclass(frozen=True, slots=True)
class BestMove:
    """Three seats named by the first victim, and what they are worth."""

    by: Seat
    seats: tuple[Seat, ...] = ()
    points: float | None = None


class Termination(StrEnum):
    """Why the game ended."""

    NO_BLACK_LEFT = "no-black-left"
    NUMBERS = "numbers"
    MISSES = "misses"
    ALONE = "alone"
    NOBODY_LEFT = "nobody-left"
    QUIET = "quiet"
    TOLD = "told"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Who won ("town", "mafia", "maniac" or "draw") and why."""

    winner: str
    why: Termination


@dataclass(frozen=True, slots=True)
class State:
    """Everything about the game at one moment."""

    rules: Ruleset
    host: Host = Host.FULL
    seats: int = 10
    names: tuple[str, ...] = ()
    roles: tuple[Role | None, ...] = ()
    phase: Phase = Phase.LOBBY
    day: int = 0
    alive: frozenset[Seat] = frozenset()
    warnings: tuple[int, ...] = ()
    # time
    timer: Timer | None = None
    paused: bool = False
    # what is asked and shown
    question: Question | None = None
    entry: int | None = None  # the number that Plus and Minus show
    # the day
    opener: Seat = 0
    queue: tuple[Seat, ...] = ()  # still to speak in this phase
    speaker: Seat | None = None
    words_lead_to: Phase = Phase.SPEECHES  # what comes after last words
    nominations: tuple[Nomination, ...] = ()
    named: frozenset[Seat] = frozenset()  # seats that have nominated in their speech today
    muted: frozenset[Seat] = frozenset()  # who loses the next speech
    hands: frozenset[Seat] = frozenset()
    retract: tuple[Seat, float] | None = None  # no host: who may take his nomination back, until when
    held_since: float | None = None  # no host: since when two seat buttons are down together
    call: Call | None = None  # no host: numbers being called
    vote: Vote | None = None
    ballots: tuple[Ballot, ...] = ()
    last_counts: tuple[Count, ...] = ()  # of the last finished round today
    no_vote: frozenset[int] = frozenset()  # days whose vote a removal has cancelled
    # the night
    night: Night | None = None
    died: tuple[Death, ...] = ()  # last night's dead
    deaths_told: tuple[Seat, ...] | None = None  # light hosting: the list that is being told
    misses: int = 0  # in a row
    shootings: int = 0  # nights in which the mafia could shoot
    quiet: int = 0  # nights in a row after which nobody had left since the last one
    left_since: bool = False  # somebody left the table since the last night
    best_move: BestMove | None = None
    best_move_lost: bool = False
    check: Check | None = None  # the last private answer
    outcome: Outcome | None = None

    @property
    def candidates(self) -> tuple[Seat, ...]:
        """Who stands in the vote, in nomination order; in a second vote only the tied."""
        return self.vote.candidates if self.vote else tuple(n.seat for n in self.nominations)

    @property
    def living(self) -> tuple[Seat, ...]:
        """Seats in play, in order."""
        return tuple(sorted(self.alive))

    def role(self, seat: Seat) -> Role | None:
        """The card of a seat, None if the box does not know it."""
        return self.roles[seat - 1] if self.roles else None

    def holders(self, *roles: Role) -> frozenset[Seat]:
        """Living seats with one of these cards."""
        return frozenset(seat for seat in self.alive if self.role(seat) in roles)

    def name(self, seat: Seat) -> str:
        """The player's name, or an empty string."""
        return self.names[seat - 1] if self.names else ""

    def warned(self, seat: Seat) -> int:
        """Warnings of a seat."""
        return self.warnings[seat - 1]


@dataclass(frozen=True, slots=True)
class Game:
    """A state and the states that undo leads back to, the latest first (a linked list shares its tail)."""

    state: State
    past: Game | None = field(default=None, repr=False)
