"""Transcripts: games as text that a host can read, played through the whole box with twins and a hand-moved clock.

Format: see the README. Reads files, plays them in a private folder; touches no device. Invariant: a line that is not
understood is an error with its number, never skipped.
"""

from __future__ import annotations

import queue
import re
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from narrator.app import App
from narrator.checks import check
from narrator.clock import ManualClock
from narrator.config import did_you_mean
from narrator.game import moves as m
from narrator.game.moves import Move
from narrator.game.roles import Host, Role
from narrator.game.rulesets import FIELDS, RULESETS
from narrator.game.state import Phase, State
from narrator.journal import Beat, Entry, Journal
from narrator.messages import (
    Control,
    Held,
    HostView,
    Pressed,
    Released,
    Scene,
    SeatDown,
    SeatUp,
    Signal,
    Story,
    Typed,
    View,
)
from narrator.ports.ears import TypedEars
from narrator.ports.panel import RecordingPanel
from narrator.ports.voice import SilentVoice
from narrator.rules import RulesError, ruleset
from narrator.speech.director import Director
from narrator.speech.grammar import grammar
from narrator.stage import Ports
from narrator.table import Table


class TranscriptError(ValueError):
    """A transcript that cannot be read: file, line and what to write instead."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line after the header: its number, its mark (> ! * @ + ~ < <! =) and the rest."""

    line: int
    mark: str
    rest: str


@dataclass(slots=True)
class Transcript:
    """A read transcript: the table, an optional position, and the steps."""

    name: str
    rules: str = "classic"
    overrides: dict[str, object] = field(default_factory=dict)
    host: Host = Host.FULL
    seats: int = 0
    roles: dict[int, Role] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    start: tuple[str, int, Phase] | None = None
    alive: tuple[int, ...] = ()
    died: tuple[tuple[int, str], ...] = ()
    candidates: tuple[int, ...] = ()
    warnings: dict[int, int] = field(default_factory=dict)
    misses: int = 0
    steps: list[Step] = field(default_factory=list)


_MARKS = ("<!", ">", "!", "*", "@", "+", "~", "<", "=")
_HEADERS = (
    "rules", "set", "host", "seats", "roles", "names", "start", "alive", "died", "candidates", "warnings", "misses"
)  # fmt: skip


def parse(name: str, text: str) -> Transcript:
    """A transcript from its text. Raises TranscriptError naming the line."""
    script = Transcript(name)
    for number, raw in enumerate(text.splitlines(), 1):
        line = _without_comment(raw)
        if not line:
            continue
        mark = next((mark for mark in _MARKS if line.startswith(mark)), None)
        if mark is not None:
            script.steps.append(Step(number, mark, line[len(mark) :].strip()))
            continue
        if script.steps:
            raise TranscriptError(f"{name}:{number}: «{line}» is not a step; steps begin with {' '.join(_MARKS)}.")
        _header(script, number, line)
    return script


def _without_comment(raw: str) -> str:
    return re.sub(r"(^|\s)#.*$", "", raw).strip()


def _header(script: Transcript, number: int, line: str) -> None:
    word, *rest = line.split()
    if word not in _HEADERS:
        raise TranscriptError(f"{script.name}:{number}: unknown line «{word} …»{did_you_mean(word, _HEADERS)}.")
    try:
        match word:
            case "rules":
                script.rules = rest[0]
                if rest[0] not in RULESETS:
                    raise ValueError(f"no ruleset {rest[0]}{did_you_mean(rest[0], RULESETS)}")
            case "set":
                known = (*FIELDS, "times")
                if rest[0] not in known:
                    raise ValueError(f"no rule {rest[0]}{did_you_mean(rest[0], known)}")
                script.overrides[rest[0]] = _value(" ".join(rest[1:]))
            case "host":
                script.host = Host(rest[0])
            case "seats":
                script.seats = int(rest[0])
            case "roles":
                script.roles |= {int(seat): Role(role) for seat, role in _pairs(rest)}
            case "names":
                script.names |= {int(seat): who for seat, who in _pairs(rest)}
            case "start":
                script.start = (rest[0], int(rest[1]), Phase(rest[2]))
                if rest[0] not in ("day", "night"):
                    raise ValueError("say start day N PHASE or start night N PHASE")
            case "alive":
                script.alive = _numbers(rest)
            case "died":
                script.died += ((int(rest[0]), rest[2] if len(rest) > 2 else "mafia"),)
            case "candidates":
                script.candidates = _numbers(rest)
            case "warnings":
                script.warnings |= {int(seat): int(count) for seat, count in _pairs(rest)}
            case "misses":
                script.misses = int(rest[0])
    except (ValueError, IndexError) as error:
        raise TranscriptError(f"{script.name}:{number}: «{line}»: {error}.") from error


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    pairs = [tuple(word.split("=", 1)) for word in words]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError("write SEAT=VALUE")
    return [(pair[0], pair[1]) for pair in pairs]


def _numbers(words: list[str]) -> tuple[int, ...]:
    return tuple(int(word) for word in " ".join(words).replace(",", " ").split())


def _value(text: str) -> object:
    if text in ("true", "yes", "on"):
        return True
    if text in ("false", "no", "off"):
        return False
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


# --- playing -----------------------------------------------------------------------------------------------------


class ShownScreen:
    """Keeps, in order, everything said, lit and confided, for `--show`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._lamp = "lamp off"

    def said(self, text: str) -> None:
        """See Screen."""
        self.lines.append(f"«{text}»")

    def private(self, text: str) -> None:
        """See Screen."""
        self.lines.append(f"(moderator: {text})")

    def notice(self, text: str) -> None:
        """See Screen."""
        self.lines.append(f"[{text}]")

    def show(self, scene: Scene) -> None:
        """See Screen."""
        lamp = f"lamp {scene.lamp}{' standing' if scene.standing else ' blinking' if scene.blink else ''}"
        if lamp != self._lamp:
            self._lamp = lamp
            self.lines.append(lamp)

    def heard(self, text: str, confidence: float, trouble: str) -> None:
        """See Screen; the transcript itself says what was said to the box."""

    def device(self, port: str, why: str) -> None:
        """See Screen."""
        self.lines.append(f"[{port}: {why or 'works.'}]")

    def look(self, view: View, host: HostView, cards: tuple[str, ...], at: float) -> None:
        """See Screen; a transcript asks the state itself."""

    def story(self, story: Story | None) -> None:
        """See Screen; a transcript tells its own."""


class Player:
    """One transcript being played: the whole box, twins for devices."""

    def __init__(self, script: Transcript, folder: Path, language: str = "ru") -> None:
        self.script = script
        self.clock = ManualClock()
        self.inbox: queue.SimpleQueue[Signal] = queue.SimpleQueue()
        self.panel: RecordingPanel = RecordingPanel()
        self.voice = SilentVoice(self._put)
        self.ears = TypedEars(self._put)
        self.screen = ShownScreen()
        self.grammar = grammar(language)
        self.director = Director(language)
        self.folder = folder
        self.said_before = 0  # characters of what was said that «<» lines have used up
        self.buzzes: int = 0
        self._language = language
        self._boot(new=True)
        for move in self._table():
            self._make(move)

    def _boot(self, *, new: bool) -> None:
        path = self.folder / "current.journal"
        if new:
            journal = Journal.create(path, self._language)
            entries: tuple[Entry, ...] = ()
        else:
            journal, recovered = Journal.reopen(path)
            entries = recovered.entries
        self.inbox = queue.SimpleQueue()
        self.panel = RecordingPanel()
        self.voice = SilentVoice(self._put)
        self.ears = TypedEars(self._put)
        ports = Ports(self.voice, self.ears, self.panel, self.screen)
        table = Table(self.clock, journal, Beat(self.folder / "beat"), on_trouble=self.screen.notice)
        self.app = App(ports, table, self.grammar, self.director, self.inbox)
        self.app.start(entries)
        self.settle()

    def _put(self, signal: Signal) -> None:
        self.inbox.put(signal)

    def _table(self) -> list[Move]:
        script = self.script
        rules = ruleset(script.rules, script.overrides)
        seats = script.seats or rules.seats
        roles: tuple[Role, ...] = ()
        if script.roles and script.host is not Host.LIGHT:
            roles = tuple(script.roles.get(seat, Role.CIVILIAN) for seat in range(1, seats + 1))
        if not script.start:
            deal = [m.Deal(roles)] if roles else []
            return [m.SetUp(seats, rules, script.host, script.names or None), *deal]
        # a position may have any table and any cards: it is the middle of a game
        rules = replace(rules, seats_min=min(rules.seats_min, seats), seats_max=max(rules.seats_max, seats))
        time, day, phase = script.start
        night = time == "night"
        given = (script.alive, script.died, script.candidates, script.warnings, script.misses, roles)
        return [m.SetUp(seats, rules, script.host, script.names or None), m.Place(phase, day, night, *given)]

    def _make(self, move: Move) -> None:
        self.app.play(move)
        if self.app.refused:
            raise TranscriptError(f"{self.script.name}: the table cannot be set: {self.app.refused}.")
        self.settle()

    def settle(self) -> None:
        """Let the box do everything that takes no time."""
        while not self.inbox.empty():
            self.app.step(self.inbox.get())
        self.app.step(None)
        while not self.inbox.empty():
            self.app.step(self.inbox.get())

    def step(self, step: Step) -> str:
        """Play one step. Returns what is wrong, or an empty string."""
        rest = step.rest
        match step.mark:
            case ">":
                self._input(lambda: self.ears.type(rest))
            case "!":
                self._input(lambda: self._put(_button(rest)))
            case "*":
                self._seat(rest)
            case "@":
                self._input(lambda: self._put(Typed(int(rest))))
            case "+":
                self.wait(float(rest))
            case "~" if rest == "crash":
                self.crash()
            case "~":
                raise ValueError(f"nothing is known of {rest}; write ~ crash")
            case "<":
                return self._heard(rest)
            case "<!":
                return self._not_heard(rest)
            case _:
                return self.check(rest)
        return ""

    def _input(self, act: object) -> None:
        self.app.refused = ""
        assert callable(act)
        act()
        self.settle()

    def _seat(self, rest: str) -> None:
        seat, *how = rest.split()
        signals: list[Signal] = [SeatDown(int(seat)), SeatUp(int(seat))]
        if how:
            signals = {"down": signals[:1], "up": signals[1:]}[how[0]]
        refused = ""
        for signal in signals:
            self.app.refused = ""
            self._put(signal)
            self.settle()
            refused = refused or self.app.refused
        self.app.refused = refused

    def wait(self, seconds: float) -> None:
        """Time passes, deadline by deadline."""
        end = self.clock.now() + seconds
        while True:
            deadline = self.app.table.deadline()
            now = self.clock.now()
            ahead = end - now if deadline is None else min(end - now, deadline - self.app.table.at())
            self.clock.advance(max(ahead, 0.0))
            self.app.step(None)
            self.settle()
            if self.clock.now() >= end - 1e-9:
                return

    def crash(self) -> None:
        """The process dies without warning and is started again on the same journal."""
        self.app.table.close()
        self.buzzes += len(self.panel.buzzes)
        self.said_before = 0
        self._boot(new=False)

    # --- checks --------------------------------------------------------------------------------------------------

    def _heard(self, part: str) -> str:
        wanted = self.grammar.normal(part)
        since = self._since()
        place = since.find(wanted)
        if place < 0:
            return f"«{part}» was not said; said since: {since or 'nothing'}"
        self.said_before += place + len(wanted)
        return ""

    def _not_heard(self, part: str) -> str:
        return f"«{part}» was said" if self.grammar.normal(part) in self._since() else ""

    def _since(self) -> str:
        """Everything said since the last «<», as it is compared."""
        return " ".join(self.grammar.normal(text) for text in self.voice.said)[self.said_before :]

    def check(self, rest: str) -> str:
        """A state line. Returns what is wrong, or an empty string."""
        return check(self, rest)

    @property
    def state(self) -> State:
        """The state of the game."""
        return self.app.state


def _button(rest: str) -> Signal:
    name, *how = rest.split()
    control = Control(name)
    if not how:
        return Pressed(control)
    signals: dict[str, Signal] = {"hold": Held(control), "release": Released(control)}
    return signals[how[0]]


def replay(script: Transcript, *, show: bool = False) -> tuple[str, list[str]]:
    """Play a transcript. Returns its first difference ("" if there is none) and everything said and lit."""
    with tempfile.TemporaryDirectory(prefix="narrator-") as folder:
        try:
            player = Player(script, Path(folder))
        except RulesError as error:
            raise TranscriptError(f"{script.name}: {error}") from error
        for step in script.steps:
            if show:
                player.screen.lines.append(f"{step.mark} {step.rest}")
            try:
                wrong = player.step(step)
            except (ValueError, KeyError, IndexError) as error:
                raise TranscriptError(f"{script.name}:{step.line}: «{step.mark} {step.rest}»: {error}.") from error
            if wrong:
                return f"{script.name}:{step.line}: {step.mark} {step.rest}: {wrong}", player.screen.lines
    return "", player.screen.lines
