"""What crosses the line between the game thread and the devices.

Signals go in (one inbox, one order), cues go out once (edges), a scene goes out as often as one likes (levels).
Plain frozen values only: nothing here may touch a device, a clock or the game.
Times are seconds; seats are 1…15.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

# --- in: signals -------------------------------------------------------------------------------------------------


class Control(StrEnum):
    """The four buttons of the box, and the menu, which is Plus and Minus together or a key of its own."""

    NEXT = "next"
    BACK = "back"
    PLUS = "plus"
    MINUS = "minus"
    MENU = "menu"


JOINT = "_"
"""Between words that a model knows as one: «номер_пять»."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The recogniser's final text for one utterance.

    `confidence` is the probability 0…1 of what it means; `epoch` says which grammar was loaded while it was spoken.
    """

    text: str
    confidence: float
    epoch: int


@dataclass(frozen=True, slots=True)
class Wrote:
    """A line that the moderator typed: certain, and addressed to the box."""

    text: str


@dataclass(frozen=True, slots=True)
class Pressed:
    """A short press of a control, reported when the button comes up before the hold time."""

    control: Control


@dataclass(frozen=True, slots=True)
class Held:
    """A control has been down for the hold time; `Released` follows when it comes up."""

    control: Control


@dataclass(frozen=True, slots=True)
class Released:
    """A control that was `Held` has come up."""

    control: Control


@dataclass(frozen=True, slots=True)
class SeatDown:
    """A seat button went down (a hand goes up)."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatUp:
    """A seat button came up."""

    seat: int


@dataclass(frozen=True, slots=True)
class Typed:
    """A number entered silently on the number pad: a seat or a count, whatever is asked."""

    number: int


@dataclass(frozen=True, slots=True)
class Asked:
    """Something that a moderator's page offered was chosen: a `Choice.id`.

    `moment` is that of the view that offered it; what was offered in another moment is not done, so that two
    moderators who do the same at once do it once.
    """

    action: str
    moment: str


@dataclass(frozen=True, slots=True)
class Named:
    """The moderator has written down who sits where: names, seat 1 first, "" for none."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageOpened:
    """Somebody has opened the moderator's page with the right PIN."""


@dataclass(frozen=True, slots=True)
class SpeechDone:
    """The sound of an utterance has truly ended (or was hushed, or could not be played)."""

    utterance: int


@dataclass(frozen=True, slots=True)
class PortFailed:
    """A device is gone. `why` is one sentence that says what to do, in English, for console and log."""

    port: str
    why: str


@dataclass(frozen=True, slots=True)
class PortBack:
    """A device works (again)."""

    port: str


@dataclass(frozen=True, slots=True)
class Quit:
    """Close everything in order and leave."""


Signal = (
    Heard
    | Wrote
    | Pressed
    | Held
    | Released
    | SeatDown
    | SeatUp
    | Typed
    | Asked
    | Named
    | PageOpened
    | SpeechDone
    | PortFailed
    | PortBack
    | Quit
)

# --- out: cues (edges, once) -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Say:
    """One phrase to speak. `pause` is silence after it, in seconds (not part of the sound's end)."""

    utterance: int
    text: str
    pause: float = 0.0


class Buzz(StrEnum):
    """Buzzer patterns: one short at ten seconds, one long at zero, a short one every ten seconds of overtime."""

    SHORT = "short"
    LONG = "long"
    OVERTIME = "overtime"


class Earcon(StrEnum):
    """Short sounds: a command was heard; please say it again; a debater's bell, struck once or twice; the buzzer's
    patterns where there is no buzzer."""

    HEARD = "heard"
    AGAIN = "again"
    BELL = "bell"
    BELLS = "bells"
    BEEP = "beep"
    LONG_BEEP = "long-beep"


# --- out: what the ears listen for --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a command that may be said now: at each place one of several words.

    `at_once`: a wrong hearing of it costs nothing that cannot be taken back, so it need not wait whether more is said.
    Two forms of the same `intent` whose `slots` (places of the words that tell them apart) are the same mean the same
    when these words are the same, or stand for the same `numbers`. `prompt`: it may be acted on before it is certain
    that the speaker has finished.
    """

    places: tuple[frozenset[str], ...]
    intent: str
    slots: tuple[int, ...] = ()
    at_once: bool = True
    numbers: Mapping[str, tuple[int, ...]] = field(default_factory=dict, compare=False)
    prompt: bool = True


# --- out: scene (levels, a function of the state) ----------------------------------------------------------------


class Lamp(StrEnum):
    """The lamp that is lit: time runs, ten seconds left, time over; or none."""

    OFF = "off"
    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"


@dataclass(frozen=True, slots=True)
class Scene:
    """What lamps show now. Safe to send again after a crash.

    `blink`: the lamp blinks (overtime). `standing`: its time has been stopped, and it says so, slowly, over whatever
    else it would do. `listening`: the microphone is open (a dim pulse when no lamp is lit).
    """

    lamp: Lamp = Lamp.OFF
    blink: bool = False
    standing: bool = False
    listening: bool = False


# --- out: views (levels, for screens that show more than lamps) ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Countdown:
    """A speech's time. Running: `left` seconds are left at game time `at`; standing: `at` is None.

    `warn` seconds before its end the lamp turns yellow; below zero it is overtime.
    """

    total: float
    left: float
    warn: float
    at: float | None = None


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat as the table sees it. `place`: its place among the candidates, from 1 (0: none); `votes` it has in
    this round (None: not counted yet); `up`: it is voted on now; `role`: civilian, sheriff, mafia, don or maniac, only
    after the end, if known."""

    seat: int
    name: str
    alive: bool
    warnings: int
    speaking: bool = False
    place: int = 0
    votes: int | None = None
    up: bool = False
    hand: bool = False
    role: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """What everybody may see, and nothing else: at night no more than that it is night.

    `phase`: the transcripts' names, "night" for all of the night; `title` and `note` are for people, in their language.
    `winner`: "", "town", "mafia", "maniac" or "draw".
    """

    phase: str
    title: str
    day: int
    seats: tuple[SeatView, ...]
    limit: int  # warnings until a player is out
    note: str = ""
    lamp: Lamp = Lamp.OFF
    time: Countdown | None = None
    paused: bool = False
    winner: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something the moderator may do now: `id` comes back as `Asked`. `text` is for people.

    `group` says what kind it is: "answer", "main", "number", "time", "seat", "pair", "setup" or "more". `seat`: whom it
    is about (0 none); `by`: who would do it (0 nobody said).
    """

    id: str
    text: str
    group: str
    seat: int = 0
    by: int = 0


@dataclass(frozen=True, slots=True)
class HostView:
    """What only the moderator may see.

    `caption`: what the numbers among `choices` stand for; `cards`: role keys, seat 1 first, "" unknown, empty when
    nobody hosts;
    `private`: what was entered and answered this night, and the last answer.
    """

    moment: str
    title: str
    now: str
    question: str
    caption: str
    choices: tuple[Choice, ...]
    cards: tuple[str, ...] = ()
    private: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Story:
    """A finished game as written down: the protocol as JSON, as text and as a table (CSV)."""

    json: str
    text: str
    csv: str
