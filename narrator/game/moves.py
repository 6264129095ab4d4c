"""What anybody can ask of the game. A move is asked; whether it happens the reducer says.

Plain values only. `at` does not stand here: it is given to `play` with the move.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from narrator.game.roles import Host, Role, Seat
from narrator.game.rulesets import Ruleset


@dataclass(frozen=True, slots=True)
class SetUp:
    """Lobby: the table that is about to play. Fields that are None stay as they are."""

    seats: int | None = None
    rules: Ruleset | None = None
    host: Host | None = None
    names: dict[int, str] | None = None
    kind: Literal["set-up"] = "set-up"


@dataclass(frozen=True, slots=True)
class Deal:
    """Who has which card, seat 1 first. The chance was taken by whoever made the move."""

    roles: tuple[Role, ...]
    kind: Literal["deal"] = "deal"


@dataclass(frozen=True, slots=True)
class Start:
    """The game begins."""

    kind: Literal["start"] = "start"


@dataclass(frozen=True, slots=True)
class Place:
    """Begin in the middle: a position as a transcript gives it (`start day 3 vote`, …)."""

    phase: str
    day: int
    night: bool
    alive: tuple[Seat, ...]
    died: tuple[tuple[Seat, str], ...] = ()  # last night's dead and by whom, "mafia" or "maniac"
    candidates: tuple[Seat, ...] = ()
    warnings: dict[int, int] = field(default_factory=dict)
    misses: int = 0
    roles: tuple[Role, ...] = ()  # who has which card, seat 1 first, if known
    kind: Literal["place"] = "place"


@dataclass(frozen=True, slots=True)
class Next:
    """«Дальше»: the obvious next thing."""

    kind: Literal["next"] = "next"


@dataclass(frozen=True, slots=True)
class EndSpeech:
    """The speaker himself says that he is done («спасибо»)."""

    kind: Literal["end-speech"] = "end-speech"


@dataclass(frozen=True, slots=True)
class Ready:
    """The narrator has finished speaking: a timer that waited for it starts. Comes from the loop, not from people."""

    kind: Literal["ready"] = "ready"


@dataclass(frozen=True, slots=True)
class TimeUp:
    """The state's deadline has passed. Comes from the loop, not from people."""

    kind: Literal["time-up"] = "time-up"


@dataclass(frozen=True, slots=True)
class Pause:
    """All timers stand."""

    kind: Literal["pause"] = "pause"


@dataclass(frozen=True, slots=True)
class Resume:
    """Timers run again."""

    kind: Literal["resume"] = "resume"


@dataclass(frozen=True, slots=True)
class AddTime:
    """More (or, negative, less) time for whoever speaks, in seconds."""

    seconds: float
    kind: Literal["add-time"] = "add-time"


@dataclass(frozen=True, slots=True)
class Order:
    """«Прошу тишины»: the timer stands until it is quiet."""

    kind: Literal["order"] = "order"


@dataclass(frozen=True, slots=True)
class Adjust:
    """Plus and Minus: the shown number goes up or down."""

    by: int
    kind: Literal["adjust"] = "adjust"


@dataclass(frozen=True, slots=True)
class Nominate:
    """A seat is named for the vote; `by` is who names it (None: whoever speaks, or the host)."""

    seat: Seat
    by: Seat | None = None
    kind: Literal["nominate"] = "nominate"


@dataclass(frozen=True, slots=True)
class OpenVote:
    """«Голосование»: names are closed, the vote begins (or, with too few names, the night comes)."""

    kind: Literal["open-vote"] = "open-vote"


@dataclass(frozen=True, slots=True)
class CastVotes:
    """So many hands for the candidate (or for the lift) that is up."""

    count: int
    kind: Literal["cast-votes"] = "cast-votes"


@dataclass(frozen=True, slots=True)
class RaiseHand:
    """A seat's hand goes up or down (its button)."""

    seat: Seat
    up: bool
    kind: Literal["raise-hand"] = "raise-hand"


@dataclass(frozen=True, slots=True)
class VoteFor:
    """A named vote; `candidate` None is PASS."""

    voter: Seat
    candidate: Seat | None
    kind: Literal["vote-for"] = "vote-for"


@dataclass(frozen=True, slots=True)
class Lift:
    """The table's will on all the tied: all leave, or all stay."""

    leave: bool
    kind: Literal["lift"] = "lift"


@dataclass(frozen=True, slots=True)
class Choose:
    """A seat is the answer to what is asked: the victim's vote, a shot (0: a miss), a check, a best-move name."""

    seat: Seat
    kind: Literal["choose"] = "choose"


@dataclass(frozen=True, slots=True)
class Done:
    """«Готово»: the list that is being told is complete."""

    kind: Literal["done"] = "done"


@dataclass(frozen=True, slots=True)
class TellDeath:
    """Light hosting, in the morning: who died (0: nobody). `more`: the list goes on until «готово»."""

    seat: Seat
    more: bool = False
    kind: Literal["tell-death"] = "tell-death"


@dataclass(frozen=True, slots=True)
class ListDeaths:
    """Light hosting: «убиты», one seat after another follows."""

    kind: Literal["list-deaths"] = "list-deaths"


@dataclass(frozen=True, slots=True)
class TellWinner:
    """Light hosting: the moderator says who has won ("town", "mafia", "maniac", "draw"); asked back."""

    winner: Literal["town", "mafia", "maniac", "draw"]
    kind: Literal["tell-winner"] = "tell-winner"


@dataclass(frozen=True, slots=True)
class Warn:
    """A warning to a seat."""

    seat: Seat
    kind: Literal["warn"] = "warn"


@dataclass(frozen=True, slots=True)
class Unwarn:
    """The last warning of a seat is taken back."""

    seat: Seat
    kind: Literal["unwarn"] = "unwarn"


@dataclass(frozen=True, slots=True)
class Leave:
    """A player leaves the table of his own will (asked back)."""

    seat: Seat
    kind: Literal["leave"] = "leave"


@dataclass(frozen=True, slots=True)
class Remove:
    """The host removes a player (asked back)."""

    seat: Seat
    kind: Literal["remove"] = "remove"


@dataclass(frozen=True, slots=True)
class NewGame:
    """Back to the lobby (asked back while a game runs)."""

    kind: Literal["new-game"] = "new-game"


@dataclass(frozen=True, slots=True)
class Answer:
    """«Да» or «нет» to the open question."""

    yes: bool
    kind: Literal["answer"] = "answer"


class Offer(StrEnum):
    """What the box itself may ask."""

    WARN = "warn"
    GO_ON = "go-on"


@dataclass(frozen=True, slots=True)
class Propose:
    """The box asks the moderator something: a warning for a seat; whether to go on after an interruption."""

    offer: Offer
    seat: Seat = 0
    kind: Literal["propose"] = "propose"


@dataclass(frozen=True, slots=True)
class Undo:
    """The last thing that people did is taken back."""

    kind: Literal["undo"] = "undo"


Move = (
    SetUp
    | Deal
    | Start
    | Place
    | Next
    | EndSpeech
    | Ready
    | TimeUp
    | Pause
    | Resume
    | AddTime
    | Order
    | Adjust
    | Nominate
    | OpenVote
    | CastVotes
    | RaiseHand
    | VoteFor
    | Lift
    | Choose
    | Done
    | TellDeath
    | ListDeaths
    | TellWinner
    | Warn
    | Unwarn
    | Leave
    | Remove
    | NewGame
    | Answer
    | Propose
    | Undo
)

BY_ITSELF = (Ready, TimeUp, Propose)
"""Moves that nobody makes: undo steps over them."""
