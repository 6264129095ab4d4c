"""In every phase: the server goes away and comes back, and everybody reloads; everybody sees what he saw."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from narrator import config
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.game.state import Phase, State
from narrator.ports.web.rights import Rights
from narrator.ports.web.screen import WebScreen
from narrator.speech.view import cards, host_view, public_view
from tests.lab import wait_for
from tests.table import lobby, placed
from tests.web.screens import PHONE, TV, Moderator, Room, needs_browser

pytestmark = [needs_browser, pytest.mark.slow]

PATIENCE = 15.0
OF_OTHERS = {
    Phase.INTRODUCTIONS: "moscow",
    Phase.VICTIM_VOTE: "moscow",
    Phase.NIGHT_MANIAC: "moscow",
    Phase.NOMINATIONS: "forum",
    Phase.NIGHT_CONFERENCE: "forum",
    Phase.BEST_MOVE: "sport",
}
"""Phases that the classic rules do not have, and rules that have them."""


def at(phase: Phase) -> State:
    """A table in `phase`."""
    rules = RULESETS[OF_OTHERS.get(phase, "classic")]
    if phase is Phase.LOBBY:
        return lobby(rules).state
    if phase is Phase.MORNING:  # lasts only where the moderator is asked who has died
        return placed(rules, phase, Host.LIGHT, roles=()).state
    if phase in (Phase.BEST_MOVE, Phase.VICTIM_VOTE):
        return placed(rules, phase, died=((7, "mafia"),), candidates=(5, 8)).state
    if phase is Phase.GAME_OVER:
        return placed(rules, Phase.MORNING, alive=(1, 2, 3, 4, 5, 6), died=((6, "mafia"),)).state
    day = 1 if phase in (Phase.NIGHT_MEETING, Phase.NIGHT_CONFERENCE, Phase.INTRODUCTIONS) else 2
    return placed(rules, phase, day=day, candidates=(5, 8)).state


class Box:
    """The pages of a box that is switched off and on; the codes are kept on its card."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._folder = folder
        (folder / "none.toml").write_text("")
        self.on(fresh=True)

    def on(self, *, fresh: bool = False) -> None:
        self.rights = Rights(self._folder / "screen.json", fresh=fresh)
        settings = config.load(self._folder / "none.toml", screen={"port": self._port}).screen
        self.web = WebScreen(settings, lambda signal: None, self.rights)
        assert self.web.port == self._port

    def look(self, state: State) -> None:
        host = host_view(state, 0.0, "ru", can_undo=True)
        self.web.look(public_view(state, 0.0, "ru"), host, cards(state), 0.0)


@pytest.fixture(scope="module")
def room() -> Iterator[Room]:
    opened = Room()
    yield opened
    opened.close()


def seen(table: Page, host: Page, seat: Page) -> list[str]:
    """What can be read on the three pages about the moment."""
    places = (
        (table, ("#title", "#note", "#time", "#named")),
        (host, ("#title", "#now", "#question", "#caption", "#numbers", "#thumb")),
        (seat, ("#phase", "#note", "#time")),
    )
    found = [page.locator(name) for page, names in places for name in names]
    return [element.inner_text() if element.is_visible() else "" for element in found]


def test_a_restart_and_a_reload_in_every_phase(room: Room, tmp_path: Path) -> None:
    box = Box(tmp_path)
    url = f"http://127.0.0.1:{box.web.port}"
    box.look(at(Phase.LOBBY))
    table, seat = room.page(TV), room.page(PHONE)
    table.goto(url)
    host = Moderator(room.page(PHONE), url, box.rights.pin).page
    seat.goto(f"{url}/seat?code={box.rights.code(4)}")
    seat.click("#join button")
    expect(seat.locator("#seat")).to_have_text("4")
    told = set()

    def the_same(before: list[str], phase: Phase) -> None:
        wait_for(lambda: seen(table, host, seat) == before, PATIENCE, f"{phase}: the same to see")

    for phase in Phase:
        state = at(phase)
        assert state.phase is phase
        box.look(state)
        view = public_view(state, 0.0, "ru")
        expect(table.locator("#note")).to_have_text(view.note or view.title)
        expect(host.locator("#title")).to_contain_text(host_view(state, 0.0, "ru", can_undo=True).title)
        before = seen(table, host, seat)
        told.add(tuple(before))
        box.web.close()
        expect(table.locator("#lost")).to_be_visible()
        box.on()
        box.look(state)
        expect(table.locator("#lost")).to_be_hidden()
        expect(host.locator("#lost")).to_be_hidden()
        expect(seat.locator("#lost")).to_be_hidden()
        the_same(before, phase)
        for page in (table, host, seat):
            page.reload()
            expect(page.locator("#lost")).to_be_hidden()
        expect(table.locator("#note")).to_have_text(view.note or view.title)
        expect(seat.locator("#seat")).to_have_text("4")
        expect(host.locator("#thumb button").first).to_be_visible()
        the_same(before, phase)
    assert len(told) == len(Phase)
    box.web.close()
    assert room.troubles == []
