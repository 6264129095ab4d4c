"""Builds the box from settings and runs it: ports, journal, loop, and the order in which they start and stop.

The one place that knows all parts. Invariant: whatever was started is closed again, also on SIGTERM and Ctrl-C.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import random
import signal
import sys
import webbrowser
from collections.abc import Callable, Sequence

from narrator import archive, protocol
from narrator.app import App
from narrator.archive import CURRENT
from narrator.clock import MonotonicClock
from narrator.config import Settings
from narrator.game import moves as m
from narrator.game.night import mafia_count, maniac_count
from narrator.game.roles import Host, Role
from narrator.game.rulesets import Ruleset
from narrator.game.state import Phase, State
from narrator.journal import Beat, Entry, Journal, JournalError, Lock
from narrator.looks import Looks
from narrator.messages import PortBack, PortFailed, Quit, Signal, Story
from narrator.naming import Naming, commands, vocabulary
from narrator.ports import Ears, Panel, Put, Voice
from narrator.ports.console import Console
from narrator.ports.display import Display
from narrator.ports.ears import MicrophoneEars, TypedEars
from narrator.ports.gate import Gate
from narrator.ports.keypad import Keypad
from narrator.ports.panel import GpioPanel, RecordingPanel
from narrator.ports.screens import Screens
from narrator.ports.urgency import urgent
from narrator.ports.voice import SilentVoice, SpeakerVoice
from narrator.protocol.files import latest, read
from narrator.rendering import render_table, said_names, spoken
from narrator.rules import RulesError, ruleset
from narrator.service import Pulse, Service
from narrator.shelter import sheltered
from narrator.speech.director import Director
from narrator.speech.grammar import Grammar
from narrator.stage import Ports
from narrator.table import Table, played_back

log = logging.getLogger(__name__)


def play(settings: Settings, troubles: Sequence[str] = ()) -> None:
    """Host games until somebody leaves. Raises ConfigError, RulesError or JournalError before anything starts.

    `troubles`: what was wrong with the settings and has been passed over, to be told.
    """
    rules, words = ruleset(settings.game.rules, settings.rules), commands(settings)
    inbox: queue.SimpleQueue[Signal] = queue.SimpleQueue()
    console = Console(inbox.put)
    service = Service()
    settings = sheltered(settings, _teller(inbox.put, "card"))
    with contextlib.ExitStack() as stack:
        lock = Lock(settings.paths.state_dir)
        stack.callback(lock.close)
        journal, entries = open_journal(settings, console)
        set_up = table_of(settings, rules)
        if settings.voice.enabled:
            service.starting("rendering phrases", 600)
            render_table(settings, set_up, console.notice)
        ports = open_ports(settings, inbox.put, console, words)
        pin = open_screen(settings, inbox.put, ports, stack, fresh=not entries) if settings.screen.enabled else ""
        display = Display(settings.display, inbox.put)
        stack.callback(display.close)
        table = Table(
            MonotonicClock(),
            journal,
            Beat(settings.paths.state_dir / "beat"),
            on_trouble=_teller(inbox.put, "journal"),
            new_page=lambda: new_journal(settings),
        )
        looks = Looks(ports.screen, settings.game.language, lambda: _story(settings, CURRENT), display.count)
        naming = Naming(settings, words, ports.ears, _teller(inbox.put, "names"), console.notice, set_up)

        def look(table: Table) -> None:
            naming.refresh(table.state)
            looks.refresh(table)

        app = App(
            ports,
            table,
            words,
            Director(settings.game.language, said_names(settings)),
            inbox,
            confidence=settings.ears.confidence,
            deal=deal_cards if settings.game.cards == "box" and settings.game.host != "light" else None,
            pin=pin,
            look=look,
        )
        stack.callback(app.close)
        stack.callback(Keypad(settings.keypad, inbox.put).close)
        leave_on_signals(inbox.put)
        console.notice("Type ? for the keys. Everything you say in Russian can also be typed.")
        app.start(entries, None if entries else set_up)
        if entries and app.state.host != settings.game.host:
            console.notice(
                f"The interrupted game is hosted {app.state.host} and goes on so; "
                f"«новая игра» begins one that is hosted {settings.game.host}."
            )
        if troubles:
            _teller(inbox.put, "settings")(" ".join(troubles))
        console.listen()
        service.ready(f"hosting, {settings.game.rules}")
        urgent()  # this thread is the game's from here on
        app.run(Pulse(service, (ports.voice, ports.ears, ports.panel, table), _teller(inbox.put, "box")))
        service.stopping()


def table_of(settings: Settings, rules: Ruleset) -> m.SetUp:
    """The table that the settings describe. Raises RulesError when these rules are not played by so many."""
    names = dict(enumerate(settings.game.names, 1))
    seats = settings.game.seats or len(names) or rules.seats
    if not rules.seats_min <= seats <= rules.seats_max or len(names) > seats:
        few, many = rules.seats_min, rules.seats_max
        raise RulesError([f"[game] {seats} seats, {len(names)} names: {rules.key} is played by {few} to {many}."])
    return m.SetUp(seats, rules, Host(settings.game.host), names or None)


def deal_cards(state: State) -> m.Deal:
    """Shuffle the cards of this table; chance that nobody can guess, since the roles depend on it."""
    black = mafia_count(state.rules, state.seats)
    cards = [Role.DON, Role.SHERIFF] + [Role.MAFIA] * (black - 1) + [Role.MANIAC] * maniac_count(state)
    cards += [Role.CIVILIAN] * (state.seats - len(cards))
    random.SystemRandom().shuffle(cards)
    return m.Deal(tuple(cards))


def _teller(put: Put, part: str) -> Callable[[str], None]:
    """Tells the log and every screen what is wrong with a part of the box, and that it is well again ("")."""

    def tell(why: str) -> None:
        log.error("%s: %s", part, why or "works again.")
        put(PortFailed(part, why) if why else PortBack(part))

    return tell


# --- the journal -------------------------------------------------------------------------------------------------


def open_journal(settings: Settings, console: Console) -> tuple[Journal, tuple[Entry, ...]]:
    """The journal of the evening: an unfinished game goes on, anything else makes room for a new one."""
    path = settings.paths.state_dir / CURRENT
    if not path.exists():
        return new_journal(settings), ()
    try:
        journal, recovered = Journal.reopen(path)
    except JournalError as error:
        kept = archive.put_away(settings.paths.state_dir, "foreign")
        console.notice(f"{error} It was moved to {kept}.")
        return new_journal(settings), ()
    if recovered.trouble:
        console.notice(recovered.trouble)
    try:
        phase = played_back(recovered.entries)[0].state.phase
    except JournalError as error:  # another version's game; a box with nobody to mend it must start all the same
        journal.close()
        kept = archive.put_away(settings.paths.state_dir, "foreign")
        console.notice(f"{error} It was moved to {kept}.")
        return new_journal(settings), ()
    if phase in (Phase.LOBBY, Phase.GAME_OVER):
        journal.close()
        return new_journal(settings), ()
    return journal, recovered.entries


def new_journal(settings: Settings) -> Journal:
    """A fresh journal; the last game is kept among the games."""
    archive.clear(settings.paths.state_dir, settings.paths.keep_games)
    return Journal.create(settings.paths.state_dir / CURRENT, settings.game.language)


# --- ports -------------------------------------------------------------------------------------------------------


def open_ports(settings: Settings, put: Put, console: Console, words: Grammar) -> Ports:
    """The devices that the settings ask for; each says itself when it is absent."""
    panel: Panel = RecordingPanel() if settings.panel.pins == "off" else GpioPanel(settings.panel, put)
    cache = settings.paths.cache_dir
    ears: Ears = TypedEars(put)
    if settings.ears.enabled:
        ears = MicrophoneEars(settings.ears, cache, vocabulary(settings, words), put)
    gate = Gate(on_close=ears.mute, on_open=ears.unmute)
    voice: Voice = SilentVoice(put)
    if settings.voice.enabled:
        voice = SpeakerVoice(settings.voice, cache, put, gate, spoken=spoken(settings))
    return Ports(voice, ears, panel, console, beeps=settings.voice.beeps)


def open_screen(settings: Settings, put: Put, ports: Ports, stack: contextlib.ExitStack, *, fresh: bool) -> str:
    """Add the web pages to the screens of `ports`; returns the moderator's PIN, "" if there are no pages."""
    from narrator.ports.web.rights import Rights
    from narrator.ports.web.screen import WebScreen

    console = ports.screen
    rights = Rights(settings.paths.state_dir / "screen.json", fresh=fresh)
    panel = ports.panel if isinstance(ports.panel, GpioPanel) and ports.panel.simulated else None
    try:
        web = WebScreen(settings.screen, put, rights, touch=panel.touch if panel else None)
    except OSError as error:
        console.device("screen", str(error))
        return ""
    stack.callback(web.close)
    for name, on in (("voice", settings.voice.enabled), ("ears", settings.ears.enabled), ("panel", True)):
        web.device(name, "" if on else "off")
    if fresh:
        web.story(_story(settings, None))
    if panel:
        panel.watch(lambda written: web.level(written.name, written.value))
    ports.screen = Screens(console, web)
    box = f", {web.url}box a picture of the box" if panel else ""
    console.notice(f"Pages: {web.url} for everybody, {web.url}seat for players, {web.url}host for the moderator{box}.")
    console.notice(f"PIN of the moderator's page: {rights.pin}")
    if settings.screen.open_browser and sys.stdout.isatty() and (os.environ.get("DISPLAY") or sys.platform != "linux"):
        webbrowser.open(web.ticket_url())
    return rights.pin


def _story(settings: Settings, name: str | None) -> Story | None:
    """The finished game of a journal (None: the last one there is) as it was written down."""
    folder = settings.paths.state_dir
    try:
        found = read(folder / name) if name else latest(folder)
    except (JournalError, protocol.ProtocolError) as error:
        log.info("no story: %s", error)
        return None
    game, language = found.protocol, settings.game.language
    if game.state != "over":
        return None
    return Story(protocol.to_json(game), protocol.to_text(game, language), protocol.to_csv(game))


def leave_on_signals(put: Put) -> None:
    """Make Ctrl-C and a service manager's stop an orderly Quit."""

    def leave(number: int, frame: object) -> None:
        put(Quit())

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, leave)
