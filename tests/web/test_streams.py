"""The real server on a real port: how soon a change is told, to how many, and what happens to streams that end."""

from __future__ import annotations

import http.client
import json
import queue
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from narrator import config
from narrator.game import moves as m
from narrator.game.rulesets import RULESETS
from narrator.game.state import Phase, State
from narrator.messages import PortFailed, SeatDown, SeatUp, Signal, View
from narrator.ports.web.rights import Rights
from narrator.ports.web.screen import WebScreen
from narrator.speech.view import cards, host_view, public_view
from tests.lab import wait_for
from tests.table import made, placed

PATIENCE = 10.0


class Server:
    """The pages on a port of their own; `signals` is what came out of them."""

    def __init__(self, folder: Path, port: int = 18200) -> None:
        self.signals: list[Signal] = []
        self.rights = Rights(folder / "screen.json", fresh=True)
        settings = config.load(folder / "none.toml", screen={"port": port}).screen
        self.web = WebScreen(settings, self.signals.append, self.rights)

    def look(self, state: State, at: float = 0.0) -> None:
        host = host_view(state, at, "ru", can_undo=True)
        self.web.look(public_view(state, at, "ru"), host, cards(state), at)

    def cookie(self, path: str, body: dict[str, str]) -> str:
        """The cookie that a code buys."""
        client = http.client.HTTPConnection("127.0.0.1", self.web.port, timeout=PATIENCE)
        origin = f"http://127.0.0.1:{self.web.port}"
        headers = {"Origin": origin, "Content-Type": "application/json"}
        client.request("POST", path, json.dumps(body), headers)
        return str(client.getresponse().headers["set-cookie"]).partition(";")[0]

    def post(self, path: str, body: dict[str, Any], cookie: str) -> int:
        client = http.client.HTTPConnection("127.0.0.1", self.web.port, timeout=PATIENCE)
        origin = f"http://127.0.0.1:{self.web.port}"
        client.request(
            "POST", path, json.dumps(body), {"Origin": origin, "Content-Type": "application/json", "Cookie": cookie}
        )
        return client.getresponse().status


class Reader:
    """Somebody who follows a stream; `events` are (name, value, when it came)."""

    def __init__(self, server: Server, path: str = "/events", cookie: str = "") -> None:
        self._client = http.client.HTTPConnection("127.0.0.1", server.web.port, timeout=30)
        self._client.request("GET", path, headers={"Cookie": cookie})
        self.answer = self._client.getresponse()
        assert self.answer.status == 200
        self._socket = self._client.sock
        self.events: queue.Queue[tuple[str, Any, float]] = queue.Queue()
        self.ended = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        name = ""
        try:
            while line := self.answer.readline():
                field, _, value = line.decode().rstrip("\n").partition(": ")
                if field == "event":
                    name = value
                elif field == "data":
                    self.events.put((name, json.loads(value), time.monotonic()))
        except (OSError, ValueError, http.client.HTTPException, AttributeError):
            pass  # the other side or the test has ended it
        self.ended.set()

    def next(self, name: str) -> tuple[Any, float]:
        """The next value of a channel and when it came; other channels are passed over."""
        while True:
            told, value, at = self.events.get(timeout=PATIENCE)
            if told == name:
                return value, at

    def close(self) -> None:
        """The phone goes away without a word."""
        if self._socket is not None:
            self._socket.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "none.toml").write_text("")
    made_ = Server(tmp_path)
    yield made_
    made_.web.close()


def speeches(seat: int = 1) -> State:
    game = placed(RULESETS["classic"], Phase.SPEECHES)
    for _ in range(seat - 1):
        game = made(game, m.Next())
    return made(game, m.Ready()).state


def test_thirty_viewers_are_told_within_a_tenth_of_a_second(server: Server) -> None:
    """The median of all viewers and changes; the slowest may be held up by a busy machine, but not for long."""
    server.look(speeches())
    readers = [Reader(server) for _ in range(30)]
    for reader in readers:
        reader.next("view")
    delays = []
    for seat in range(2, 10):
        state = speeches(seat)
        began = time.monotonic()
        server.look(state)
        for reader in readers:
            told, at = reader.next("view")
            assert told["view"]["seats"][seat - 1]["speaking"]
            delays.append(at - began)
    print(f"delay to 30 viewers: median {statistics.median(delays) * 1000:.1f} ms, most {max(delays) * 1000:.1f} ms")
    assert statistics.median(delays) < 0.1
    assert max(delays) < 1.0


def test_who_comes_late_or_comes_back_is_told_what_is_left(server: Server) -> None:
    server.look(speeches(), at=0.0)
    first, _ = Reader(server).next("view")
    again, _ = Reader(server).next("view")
    assert first["view"] == again["view"]
    assert 59.0 < again["time"]["left"] <= first["time"]["left"] <= 60.0


def test_nothing_is_told_while_the_night_goes_on(server: Server) -> None:
    """Choices and answers change the moderator's page alone; the next thing a viewer hears is the morning."""
    game = placed(RULESETS["classic"], Phase.NIGHT_SHOOTING)
    server.look(game.state)
    viewer = Reader(server)
    host = Reader(server, "/host/events", server.cookie("/login", {"pin": server.rights.pin}))
    assert viewer.next("view")[0]["view"]["phase"] == "night"
    host.next("host")
    for move in (m.Choose(5), m.Next(), m.Choose(4), m.Next(), m.Choose(1)):
        game = made(game, move)
        server.look(game.state)
        host.next("host")
    game = made(game, m.Next())
    server.look(game.state)
    assert viewer.next("story")[0] is False
    assert viewer.next("view")[0]["view"]["phase"] == "speeches"


def test_players_get_the_same_bytes_at_the_same_time(server: Server) -> None:
    """Whatever their cards: the stream of a seat is made of nothing but the table's view."""
    game = placed(RULESETS["classic"], Phase.NIGHT_SHOOTING)
    server.look(game.state)
    phones = [
        Reader(server, "/seat/events", server.cookie("/seat/join", {"code": server.rights.code(seat)}))
        for seat in range(1, 11)
    ]
    for move in (m.Choose(5), m.Next(), m.Next(), m.Next()):
        game = made(game, move)
        server.look(game.state)
    for phone in phones:
        while phone.next("view")[0]["view"]["phase"] == "night":
            continue
    assert {phone.events.qsize() for phone in phones} == {0}


def test_a_phone_that_sleeps_holds_no_button(server: Server) -> None:
    cookie = server.cookie("/seat/join", {"code": server.rights.code(3)})
    phone = Reader(server, "/seat/events", cookie)
    phone.next("story")
    assert server.post("/seat/hand", {"down": True}, cookie) == 204
    phone.close()
    wait_for(lambda: server.signals == [SeatDown(3), SeatUp(3)], PATIENCE, "the hand to go down")


def test_two_pages_of_one_phone_hold_until_both_are_gone(server: Server) -> None:
    cookie = server.cookie("/seat/join", {"code": server.rights.code(3)})
    phones = [Reader(server, "/seat/events", cookie) for _ in range(2)]
    for phone in phones:
        phone.next("story")
    server.post("/seat/hand", {"down": True}, cookie)
    phones[0].close()
    wait_for(phones[0].ended.is_set, PATIENCE, "the end of the first stream")
    server.look(speeches())
    phones[1].next("view")
    assert server.signals == [SeatDown(3)]
    phones[1].close()
    wait_for(lambda: server.signals == [SeatDown(3), SeatUp(3)], PATIENCE, "the hand to go down")


def test_a_released_seat_hears_nothing_more(server: Server) -> None:
    cookie = server.cookie("/seat/join", {"code": server.rights.code(3)})
    phone = Reader(server, "/seat/events", cookie)
    phone.next("story")
    server.web._on_loop(server.rights.release, 3)
    server.look(speeches())
    wait_for(phone.ended.is_set, PATIENCE, "the end of the stream")


def test_a_slow_reader_is_told_only_what_is_last(server: Server) -> None:
    """Levels, not edges: nothing queues up for a page that does not read."""
    state = speeches()
    for warnings in range(200):
        server.look(replace(state, day=warnings))
    told: list[View] = []
    reader = Reader(server)
    value, _ = reader.next("view")
    while value["view"]["day"] != 199:
        told.append(value)
        value, _ = reader.next("view")
    assert len(told) < 200


def test_a_taken_port_gives_the_next_one(server: Server, tmp_path: Path) -> None:
    second = Server(tmp_path, server.web.port)
    try:
        assert second.web.port > server.web.port
        assert Reader(second).next("story")[0] is False
    finally:
        second.web.close()


def test_closing_ends_all_streams_and_frees_the_port(tmp_path: Path) -> None:
    (tmp_path / "none.toml").write_text("")
    first = Server(tmp_path)
    port = first.web.port
    readers = [Reader(first) for _ in range(5)]
    first.web.close()
    for reader in readers:
        wait_for(reader.ended.is_set, PATIENCE, "the end of a stream")
    second = Server(tmp_path, port)
    try:
        assert second.web.port == port
    finally:
        second.web.close()
    assert not [signal for signal in first.signals if isinstance(signal, PortFailed)]


def test_the_server_listens_to_this_machine_alone(server: Server) -> None:
    assert server.web._socket.getsockname()[0] == "127.0.0.1"
