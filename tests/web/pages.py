"""A server of the pages as the tests speak to it: real rights, real site, values put in by hand, signals kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from narrator.game.state import State
from narrator.messages import Control, Signal, Story
from narrator.ports.web.desk import Desk
from narrator.ports.web.hub import Hub
from narrator.ports.web.rights import Rights
from narrator.ports.web.site import HOST, SEAT, Site
from narrator.speech.view import cards, host_view, public_view

URL = "http://127.0.0.1:8000"
STORY = Story('{"winner": "town"}', "Протокол игры", "день;событие")


class Pages:
    """Everything behind the pages, without a thread; `signals` is what came out of them."""

    def __init__(self, folder: Path, *, lan: bool = False, box: bool = True) -> None:
        self.now = 1000.0
        self.signals: list[Signal] = []
        self.touched: list[tuple[Control, bool]] = []
        self.hub = Hub()
        self.rights = Rights(folder / "screen.json", fresh=True, clock=lambda: self.now)
        self.desk = Desk(self.hub, self.rights)
        touch = (lambda control, down: self.touched.append((control, down))) if box else None
        self.site = Site(self.hub, self.desk, self.rights, self.signals.append, lan=lan, touch=touch)

    def look(self, state: State, at: float = 0.0) -> None:
        """The game is at `state`."""
        host = host_view(state, at, "ru", can_undo=True)
        self.desk.look(public_view(state, at, "ru"), host, cards(state), at, 0.0)

    def browser(self, address: str = "10.0.0.1", url: str = URL) -> Browser:
        """A browser with no cookies yet."""
        return Browser(self, address, url)


class Browser:
    """A client that behaves like a browser on our own page, unless told otherwise."""

    def __init__(self, pages: Pages, address: str, url: str) -> None:
        self.pages, self.url = pages, url
        self.client = TestClient(pages.site.app, base_url=url, client=(address, 50000), follow_redirects=False)

    def get(self, path: str, **headers: str) -> Any:
        """GET, with a header for each keyword (_ for -)."""
        return self.client.get(path, headers=_named(headers))

    def post(self, path: str, body: object = None, **headers: str) -> Any:
        """POST of JSON from our own origin."""
        own = {"Origin": self.url, **_named(headers)}
        return self.client.post(path, json={} if body is None else body, headers=own)

    def log_in(self) -> Browser:
        """With the moderator's session."""
        assert self.post("/login", {"pin": self.pages.rights.pin}).status_code == 200
        return self

    def sit(self, seat: int) -> Browser:
        """With a player's seat."""
        assert self.post("/seat/join", {"code": self.pages.rights.code(seat)}).status_code == 200
        return self

    @property
    def pass_(self) -> str:
        """The seat's pass."""
        return str(self.client.cookies.get(SEAT, ""))

    @property
    def session(self) -> str:
        """The moderator's session."""
        return str(self.client.cookies.get(HOST, ""))


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
