"""The addresses of the pages and what each of them may do: requests in, signals out.

Runs on the server's loop; asks `rights` before it looks at a body. Invariant: nothing becomes a signal without the
right to it, and what a player's device is answered is the same for every card.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from narrator.config import MOST_SEATS
from narrator.messages import Asked, Control, Held, Named, PageOpened, Released, SeatDown, SeatUp, Typed, Wrote
from narrator.ports import Put
from narrator.ports.web.desk import Desk, padded
from narrator.ports.web.guard import Guard
from narrator.ports.web.hub import Hub
from narrator.ports.web.rights import Refused, Rights, TooMany

HOST, SEAT = "narrator-host", "narrator-seat"
"""Names of the two cookies."""
EVENING = 12 * 3600
"""Seconds that a cookie lasts."""
STREAMS, STREAMS_EACH = 300, 80
"""Streams that may be open at once: in all, and from one address."""
LONGEST_NAME = 40
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

Touch = Callable[[Control, bool], None]
"""A finger on (True) or off a button of the simulated box."""


class Site:
    """All pages. `touch` is None where there is no simulated box to be touched."""

    def __init__(self, hub: Hub, desk: Desk, rights: Rights, put: Put, *, lan: bool, touch: Touch | None) -> None:
        self._hub, self._desk, self._rights, self._put, self._touch = hub, desk, rights, put, touch
        self._streams: dict[str, int] = {}
        self._hands: dict[int, _Hand] = {}
        folder = resources.files("narrator.ports.web") / "pages"
        self._files = {file.name: file.read_bytes() for file in folder.iterdir() if file.name[:1] != "."}
        self.app = Starlette(routes=self._routes(), middleware=[Middleware(Guard, lan=lan)])

    def _routes(self) -> list[Route]:
        pages = {"/": "table", "/host": "host", "/seat": "seat", "/box": "box", "/game": "game"}
        posts: dict[str, Callable[[Request], Awaitable[Response]]] = {
            "/login": self.log_in,
            "/logout": self.log_out,
            "/host/do": self.do,
            "/host/write": self.write,
            "/host/type": self.type,
            "/host/talk": self.talk,
            "/host/release": self.release,
            "/host/names": self.names,
            "/seat/join": self.join,
            "/seat/leave": self.leave,
            "/seat/hand": self.hand,
            "/seat/card": self.card,
            "/box/press": self.press,
            "/box/seat": self.press_seat,
        }
        gets: dict[str, Callable[[Request], Awaitable[Response]]] = {
            "/static/{name}": self.static,
            "/enter": self.enter,
            "/events": self.events,
            "/host/events": self.host_events,
            "/seat/me": self.me,
            "/seat/events": self.seat_events,
            "/box/events": self.box_events,
            "/game/protocol.{kind}": self.protocol,
        }
        return [
            *(Route(path, self._page(name), methods=["GET"]) for path, name in pages.items()),
            *(Route(path, endpoint, methods=["GET"]) for path, endpoint in gets.items()),
            *(Route(path, endpoint, methods=["POST"]) for path, endpoint in posts.items()),
        ]

    # --- pages ---------------------------------------------------------------------------------------------------

    def _page(self, name: str) -> Callable[[Request], Awaitable[Response]]:
        async def page(request: Request) -> Response:
            if name == "box" and self._touch is None:
                raise HTTPException(404, "The box is a real one: there is no picture of it.")
            return self._file(f"{name}.html")

        return page

    async def static(self, request: Request) -> Response:
        """A script, a style or a picture."""
        return self._file(request.path_params["name"])

    def _file(self, name: str) -> Response:
        kind = _TYPES.get(name.rpartition(".")[2])
        if name not in self._files or kind is None:
            raise HTTPException(404)
        return Response(self._files[name], media_type=kind)

    async def protocol(self, request: Request) -> Response:
        """The last finished game, to look at or to keep."""
        kinds = {"json": "application/json", "txt": "text/plain", "csv": "text/csv"}
        story, kind = self._desk.story, request.path_params["kind"]
        if story is None or kind not in kinds:
            raise HTTPException(404, "No game is over yet.")
        text = {"json": story.json, "txt": story.text, "csv": story.csv}[kind]
        name = f'attachment; filename="mafia.{kind}"'
        return Response(text, media_type=f"{kinds[kind]}; charset=utf-8", headers={"Content-Disposition": name})

    # --- streams -------------------------------------------------------------------------------------------------

    async def events(self, request: Request) -> Response:
        """What everybody may see."""
        return self._stream(request, ("view", "story"))

    async def host_events(self, request: Request) -> Response:
        """What only the moderator may see; the talk button is let go when his last page is gone."""
        self._host(request)
        names = ("view", "story", "host", "log", "devices", "seats")
        return self._stream(request, names, lambda: self._is_host(request))

    async def box_events(self, request: Request) -> Response:
        """The box: its levels and what it says."""
        self._box(request)
        return self._stream(request, ("view", "story", "box", "said"), lambda: self._is_host(request))

    async def seat_events(self, request: Request) -> Response:
        """The same as everybody sees; a hand goes down when the device's last stream ends."""
        seat = self._seat(request)
        return self._stream(request, ("view", "story"), lambda: self._seat_of(request) == seat, seat)

    def _stream(
        self, request: Request, names: Sequence[str], allowed: Callable[[], bool] = lambda: True, seat: int = 0
    ) -> Response:
        who = _address(request)
        if self._hub.followers >= STREAMS or self._streams.get(who, 0) >= STREAMS_EACH:
            raise HTTPException(503, "Too many pages are open.")

        async def told() -> AsyncIterator[str]:
            self._streams[who] = self._streams.get(who, 0) + 1
            hand = self._hands.setdefault(seat, _Hand()) if seat else _Hand()
            hand.streams += 1
            try:
                async for text in self._hub.follow(names, allowed):
                    yield text
            finally:
                self._streams[who] -= 1
                if not self._streams[who]:
                    del self._streams[who]
                hand.streams -= 1
                if hand.down and not hand.streams:  # a phone that sleeps holds no button
                    hand.down = False
                    self._put(SeatUp(seat))

        return StreamingResponse(told(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    # --- the moderator -------------------------------------------------------------------------------------------

    async def log_in(self, request: Request) -> Response:
        """A session for the PIN."""
        pin = _digits(await _body(request), "pin")
        try:
            session = self._rights.log_in(pin, _address(request))
        except (TooMany, Refused) as error:
            return _refusal(error)
        self._put(PageOpened())
        return _with_cookie(JSONResponse({"ok": True}), HOST, session)

    async def enter(self, request: Request) -> Response:
        """The page that the program itself has opened: a ticket instead of the PIN."""
        session = self._rights.redeem(request.query_params.get("ticket", ""))
        answer = RedirectResponse("/box" if self._touch else "/host", 303)
        return answer if session is None else _with_cookie(answer, HOST, session)

    async def log_out(self, request: Request) -> Response:
        """This browser forgets its session."""
        answer = Response(status_code=204)
        answer.delete_cookie(HOST, path="/", httponly=True, samesite="strict")
        return answer

    async def do(self, request: Request) -> Response:
        """Something that was on offer."""
        self._host(request)
        body = await _body(request)
        self._put(Asked(_word(body, "action", 64), _word(body, "moment", 64)))
        return Response(status_code=204)

    async def write(self, request: Request) -> Response:
        """A line for the box, as if it were said."""
        self._host(request)
        self._put(Wrote(_word(await _body(request), "text", 200)))
        return Response(status_code=204)

    async def type(self, request: Request) -> Response:
        """A number, as on the number pad."""
        self._host(request)
        self._put(Typed(_number(await _body(request), "number", 0, 99)))
        return Response(status_code=204)

    async def talk(self, request: Request) -> Response:
        """The talk button."""
        self._host(request)
        self._put((Held if _flag(await _body(request), "down") else Released)(Control.NEXT))
        return Response(status_code=204)

    async def release(self, request: Request) -> Response:
        """Another phone may take a seat."""
        self._host(request)
        self._rights.release(_number(await _body(request), "seat", 1, 15))
        self._desk.tell_seats()
        return Response(status_code=204)

    async def names(self, request: Request) -> Response:
        """Who sits where."""
        self._host(request)
        self._put(Named(_names(await _body(request))))
        return Response(status_code=204)

    # --- players -------------------------------------------------------------------------------------------------

    async def join(self, request: Request) -> Response:
        """A seat for a code."""
        code = _digits(await _body(request), "code")
        try:
            given = self._rights.join(code, request.cookies.get(SEAT, ""), _address(request))
        except (TooMany, Refused) as error:
            return _refusal(error)
        self._desk.tell_seats()
        return _with_cookie(Response(padded({"seat": self._rights.seat(given)})), SEAT, given)

    async def leave(self, request: Request) -> Response:
        """This device gives its seat back."""
        seat = self._seat(request)
        self._rights.release(seat)
        self._desk.tell_seats()
        answer = Response(status_code=204)
        answer.delete_cookie(SEAT, path="/", httponly=True, samesite="strict")
        return answer

    async def me(self, request: Request) -> Response:
        """Which seat this device has; 0 for none."""
        return Response(padded({"seat": self._seat_of(request) or 0}), media_type="application/json")

    async def card(self, request: Request) -> Response:
        """This seat's own card."""
        return Response(self._desk.card(self._seat(request)), media_type="application/json")

    async def hand(self, request: Request) -> Response:
        """The seat's button; answered alike whether it means something or not."""
        seat = self._seat(request)
        down = _flag(await _body(request), "down")
        hand = self._hands.setdefault(seat, _Hand())
        if hand.down != down and hand.may_move(time.monotonic(), down):
            hand.down = down
            self._put(SeatDown(seat) if down else SeatUp(seat))
        return Response(status_code=204)

    # --- the picture of the box ----------------------------------------------------------------------------------

    async def press(self, request: Request) -> Response:
        """A finger on a simulated button."""
        touch = self._box(request)
        body = await _body(request)
        control = _word(body, "control", 10)
        if control not in set(Control):
            raise HTTPException(400, "There is no such button.")
        touch(Control(control), _flag(body, "down"))
        return Response(status_code=204)

    async def press_seat(self, request: Request) -> Response:
        """A finger on a seat's button."""
        self._box(request)
        body = await _body(request)
        seat = _number(body, "seat", 1, 15)
        self._put(SeatDown(seat) if _flag(body, "down") else SeatUp(seat))
        return Response(status_code=204)

    # --- rights --------------------------------------------------------------------------------------------------

    def _is_host(self, request: Request) -> bool:
        return self._rights.is_host(request.cookies.get(HOST, ""))

    def _host(self, request: Request) -> None:
        if not self._is_host(request):
            raise HTTPException(401, "Enter the PIN first.")

    def _box(self, request: Request) -> Touch:
        self._host(request)
        if self._touch is None:
            raise HTTPException(404, "The box is a real one: there is no picture of it.")
        return self._touch

    def _seat_of(self, request: Request) -> int | None:
        return self._rights.seat(request.cookies.get(SEAT, ""))

    def _seat(self, request: Request) -> int:
        seat = self._seat_of(request)
        if seat is None:
            raise HTTPException(401, "Enter the seat's code first.")
        return seat


class _Hand:
    """A seat's button on its device: whether it is down, and how often it may move."""

    EVERY, BURST = 0.1, 20.0  # seconds for each move of the hand, moves that may come at once

    def __init__(self) -> None:
        self.streams, self.down = 0, False
        self._spare, self._at = self.BURST, 0.0

    def may_move(self, now: float, down: bool) -> bool:
        """Whether the hand may move at `now`; it may always go down again."""
        self._spare = min(self.BURST, self._spare + (now - self._at) / self.EVERY)
        self._at = now
        if down and self._spare < 1:
            return False
        self._spare -= 1
        return True


# --- reading requests --------------------------------------------------------------------------------------------


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


async def _body(request: Request) -> dict[str, Any]:
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, "That is no JSON.") from error
    if not isinstance(body, dict):
        raise HTTPException(400, "Send an object.")
    return body


def _word(body: dict[str, Any], name: str, longest: int) -> str:
    word = body.get(name)
    if not isinstance(word, str) or not 0 < len(word) <= longest or not word.isprintable():
        raise HTTPException(400, f"{name} is not as it should be.")
    return word


def _names(body: dict[str, Any]) -> tuple[str, ...]:
    names = body.get("names")
    if not isinstance(names, list) or len(names) > MOST_SEATS:
        raise HTTPException(400, "names is not as it should be.")
    if not all(isinstance(name, str) and len(name) <= LONGEST_NAME and name.isprintable() for name in names):
        raise HTTPException(400, f"A name has at most {LONGEST_NAME} letters.")
    return tuple(" ".join(name.split()) for name in names)


def _digits(body: dict[str, Any], name: str) -> str:
    word = "".join(_word(body, name, 20).split())
    if not (word.isascii() and word.isdigit()):
        raise HTTPException(400, f"{name} must be digits.")
    return word


def _number(body: dict[str, Any], name: str, least: int, most: int) -> int:
    number = body.get(name)
    if type(number) is not int or not least <= number <= most:
        raise HTTPException(400, f"{name} must be a number from {least} to {most}.")
    return number


def _flag(body: dict[str, Any], name: str) -> bool:
    flag = body.get(name)
    if not isinstance(flag, bool):
        raise HTTPException(400, f"{name} must be true or false.")
    return flag


def _refusal(error: TooMany | Refused) -> Response:
    if isinstance(error, TooMany):
        wait = max(round(error.wait), 1)
        return JSONResponse({"reason": "wait", "wait": wait}, 429, {"Retry-After": str(wait)})
    return JSONResponse({"reason": error.reason}, 403)


def _with_cookie(answer: Response, name: str, value: str) -> Response:
    answer.set_cookie(name, value, max_age=EVENING, path="/", httponly=True, samesite="strict")
    return answer
