"""The differences between the rulebooks, as rows of data.

Where a difference is not a number it is a named policy: an enum value that a row chooses and that one function
elsewhere reads. No code may ask which ruleset it is. A club overrides any field.
Sources in brackets: A moscow, B classic, C forum, F federation practice; R our ruling where the book is silent.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any


class FirstNight(StrEnum):
    """When the mafia meet."""

    BEFORE_DAY_ONE = "before-day-one"
    AFTER_DAY_ONE = "after-day-one"


class Nominating(StrEnum):
    """How somebody comes to stand in the vote."""

    IN_SPEECH = "in-speech"  # in one's own speech, one seat only [B]
    AFTER_SPEECHES = "after-speeches"  # the host asks for names [A]
    BY_VOTING = "by-voting"  # a named vote names its candidate [C]


class Voting(StrEnum):
    """How votes are given."""

    HANDS = "hands"  # «раз, два, три», a count for each candidate [A, B]
    NAMED = "named"  # voter by voter, or PASS, one change a day [C]


class Ties(StrEnum):
    """What a tie leads to."""

    VICTIM = "victim"  # second vote; two tied speak, vote again, then last night's victim decides [A]
    CASCADE = "cascade"  # tied speak, vote again while the number of tied changes, then lift or spare all [B, F]
    CATASTROPHE = "catastrophe"  # tied speak; even table: hang or pardon all; odd: one among the tied [C]


class LiftLimit(StrEnum):
    """When all the tied may not leave together."""

    NONE = "none"
    FEDERATION = "federation"  # not three of nine; the whole table split among all seated: night at once [F]


class WarningEffect(StrEnum):
    """What the last warning does."""

    OUT = "out"
    PROPOSE = "propose"  # the host is asked [B: "or removes, at his discretion"]


class Removal(StrEnum):
    """What a removal does to the vote."""

    VOTE_STANDS = "vote-stands"
    CANCELS_TODAY = "cancels-today"
    CANCELS_NEXT = "cancels-next"  # today's, or tomorrow's if nobody is voted any more today [F]


class Leaving(StrEnum):
    """What it means to leave the table of one's own will."""

    TAKES_THE_OTHER = "takes-the-other"  # one of exactly two candidates takes the other along [A]
    AS_REMOVAL = "as-removal"


class DonCheck(StrEnum):
    """What the Don learns."""

    IS_SHERIFF = "is-sheriff"
    EXACT_ROLE = "exact-role"


class MafiaWins(StrEnum):
    """When the mafia have won."""

    MORE = "more"  # the others strictly fewer [A]
    EQUAL = "equal"  # as many as the others, or more [B, C, F]


class Opener(StrEnum):
    """Who speaks first."""

    FIRST_SEAT = "first-seat"
    ROTATES = "rotates"


class Shooting(StrEnum):
    """How the mafia shoot; the host tells the box what he saw."""

    BLIND = "blind"  # all point without taking the masks off [A]
    CALLED = "called"  # numbers are called in order [B]
    SILENT = "silent"  # each names a victim silently [C]


class Waker(StrEnum):
    """Who is called in the first night."""

    MAFIA = "mafia"
    DON = "don"
    SHERIFF = "sheriff"
    MANIAC = "maniac"


@dataclass(frozen=True, slots=True)
class Ruleset:
    """One rulebook. Durations are seconds; 0 means "there is none"."""

    key: str
    script: str  # which set of wordings the narrator uses
    seats: int  # suggested table
    seats_min: int
    seats_max: int
    mafia: int  # black cards, the Don among them; 0: seats // 4 … seats // 3, the host confirms
    maniac: int  # how many Maniacs may be dealt
    # the day
    introduction: float
    speech: float
    short_speech: float
    tie_speech: float
    last_word_voted: float
    last_word_killed: float
    warn_at: float  # seconds left at the yellow lamp and the short buzz
    overtime_warning: float  # seconds over time until a warning is proposed
    overtime_limit: float  # with no host: seconds over time until the warning is given
    opener: Opener
    thanks_ends_speech: bool
    nominating: Nominating
    one_nomination: bool  # a speaker names one seat only
    # the vote
    voting: Voting
    candidates_day_one: int  # fewer than this on day 1: no vote
    candidates_later: int
    changes: int  # changes of a named vote in a day
    pardon_day_one: int  # day 1: so many PASS and one name are a PASS [C: nine] (0: never)
    ties: Ties
    lift_limit: LiftLimit
    count_step: float  # seconds for each word of «раз, два, три»
    # order
    warning_limit: int
    warning_effect: WarningEffect
    mute_at: int  # this warning costs the next speech (0: never)
    removal: Removal
    leaving: Leaving
    # the night
    first_night: FirstNight
    meeting: tuple[Waker, ...]
    meeting_time: float
    look_time: float  # a single role's first waking
    conference: float  # the mafia's conference; 0: they meet by being called
    shooting: Shooting
    self_shots: bool  # the mafia may kill their own
    miss_at_night: bool
    don_check: DonCheck
    call_step: float  # seconds for each called number
    everybody_presses: bool  # with no host: all press once in each call, so that a click tells nothing
    shooting_time: float
    role_pause: float  # how long a dead role is called for
    # the end
    mafia_wins: MafiaWins
    misses_lose: int  # misses in a row that lose the game for the mafia (0: never)
    maniac_duel: bool  # the Maniac wins one against one
    quiet_nights: int  # nights in a row with nobody gone that make a draw (0: never)
    best_move: bool


_CLASSIC = Ruleset(
    key="classic",
    script="classic",
    seats=10,
    seats_min=10,
    seats_max=10,
    mafia=3,
    maniac=0,
    introduction=0,
    speech=60,
    short_speech=60,
    tie_speech=30,
    last_word_voted=60,
    last_word_killed=0,
    warn_at=10,
    overtime_warning=5,
    overtime_limit=10,
    opener=Opener.FIRST_SEAT,
    thanks_ends_speech=False,
    nominating=Nominating.IN_SPEECH,
    one_nomination=True,
    voting=Voting.HANDS,
    candidates_day_one=2,
    candidates_later=1,
    changes=0,
    pardon_day_one=0,
    ties=Ties.CASCADE,
    lift_limit=LiftLimit.NONE,
    count_step=1,
    warning_limit=4,
    warning_effect=WarningEffect.PROPOSE,
    mute_at=0,
    removal=Removal.CANCELS_TODAY,
    leaving=Leaving.AS_REMOVAL,
    first_night=FirstNight.BEFORE_DAY_ONE,
    meeting=(Waker.MAFIA, Waker.DON, Waker.SHERIFF),
    meeting_time=60,
    look_time=20,
    conference=0,
    shooting=Shooting.CALLED,
    self_shots=True,
    miss_at_night=False,
    don_check=DonCheck.IS_SHERIFF,
    call_step=1,
    everybody_presses=False,
    shooting_time=10,
    role_pause=10,
    mafia_wins=MafiaWins.EQUAL,
    misses_lose=0,
    maniac_duel=False,
    quiet_nights=0,
    best_move=False,
)

_MOSCOW = replace(
    _CLASSIC,
    key="moscow",
    script="moscow",
    seats=11,
    seats_min=7,
    seats_max=15,
    mafia=0,
    maniac=1,
    introduction=15,
    last_word_voted=0,
    nominating=Nominating.AFTER_SPEECHES,
    one_nomination=False,
    candidates_day_one=2,
    candidates_later=2,
    ties=Ties.VICTIM,
    warning_limit=3,
    warning_effect=WarningEffect.OUT,
    removal=Removal.VOTE_STANDS,
    leaving=Leaving.TAKES_THE_OTHER,
    first_night=FirstNight.AFTER_DAY_ONE,
    meeting=(Waker.MAFIA, Waker.SHERIFF, Waker.MANIAC),
    shooting=Shooting.BLIND,
    miss_at_night=True,
    mafia_wins=MafiaWins.MORE,
)

_FORUM = replace(
    _CLASSIC,
    key="forum",
    script="forum",
    last_word_killed=60,
    nominating=Nominating.BY_VOTING,
    voting=Voting.NAMED,
    changes=1,
    pardon_day_one=9,
    ties=Ties.CATASTROPHE,
    meeting=(),
    conference=60,
    shooting=Shooting.SILENT,
    don_check=DonCheck.EXACT_ROLE,
    misses_lose=3,
    best_move=True,
)

_SPORT = replace(
    _CLASSIC,
    key="sport",
    script="sport",
    short_speech=30,
    last_word_killed=60,
    opener=Opener.ROTATES,
    thanks_ends_speech=True,
    lift_limit=LiftLimit.FEDERATION,
    warning_effect=WarningEffect.OUT,
    mute_at=3,
    removal=Removal.CANCELS_NEXT,
    quiet_nights=3,
    best_move=True,
)

RULESETS: dict[str, Ruleset] = {row.key: row for row in (_MOSCOW, _CLASSIC, _FORUM, _SPORT)}

EXTENDED: dict[str, float] = {
    "speech": 90,
    "tie_speech": 60,
    "last_word_voted": 90,
    "last_word_killed": 90,
    "role_pause": 30,
    "look_time": 30,
    "meeting_time": 120,
    "conference": 120,
    "introduction": 30,
}
"""The slower set of times for newcomers; it stretches only what a ruleset has (a time of 0 stays 0)."""

FIELDS = tuple(field.name for field in fields(Ruleset))


def extended(rules: Ruleset) -> Ruleset:
    """`rules` with the newcomers' times."""
    return replace(rules, **_times(rules, EXTENDED))


def _times(rules: Ruleset, times: dict[str, Any]) -> dict[str, Any]:
    return {name: seconds for name, seconds in times.items() if getattr(rules, name)}
