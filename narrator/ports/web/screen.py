"""The Screen port of the web pages: a server on a thread of its own.

Calls come from any thread and return at once; values go to the server's loop, signals come back through `Put`. Knows
messages, never the game. Invariant: the port that is told to people is one that is really listened on.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import uvicorn

from narrator.config import ScreenSettings
from narrator.messages import HostView, PortFailed, Scene, Story, View
from narrator.ports import Put
from narrator.ports.web.desk import Desk
from narrator.ports.web.hub import Hub
from narrator.ports.web.rights import Rights
from narrator.ports.web.site import Site, Touch

log = logging.getLogger(__name__)

NEXT_PORTS = 20
"""Ports that are tried after the one in the settings."""


class WebScreen:
    """All pages, served until `close`. Raises OSError if there is no free port.

    `touch` presses the buttons of a simulated box; None: the box is real or absent, and there is no picture of it.
    """

    def __init__(self, settings: ScreenSettings, put: Put, rights: Rights, *, touch: Touch | None = None) -> None:
        self._put, self._rights = put, rights
        self._lan = settings.open_to_lan
        self._socket = _listen("0.0.0.0" if self._lan else "127.0.0.1", settings.port)  # every address: asked for
        self.port: int = self._socket.getsockname()[1]
        self._hub = Hub()
        self._desk = Desk(self._hub, rights)
        self._site = Site(self._hub, self._desk, rights, put, lan=self._lan, touch=touch)
        config = uvicorn.Config(
            self._site.app, log_level="warning", access_log=False, lifespan="off", server_header=False,
            timeout_graceful_shutdown=1, timeout_keep_alive=30,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="screen", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address of the table's page, as it is typed."""
        return f"http://{_own_address() if self._lan else '127.0.0.1'}:{self.port}/"

    def ticket_url(self) -> str:
        """An address that opens the box (or the moderator's page) once without the PIN."""
        return f"http://127.0.0.1:{self.port}/enter?ticket={self._rights.ticket()}"

    def _run(self) -> None:
        try:
            asyncio.set_event_loop(self._loop)
            self._loop.run_until_complete(self._server.serve(sockets=[self._socket]))
        except Exception as error:  # whatever a server raises: the game goes on without pages
            log.exception("The web pages stopped.")
            self._put(PortFailed("screen", f"The web pages stopped ({error}); start the program again."))
        finally:
            self._loop.close()

    def _on_loop(self, act: Callable[..., None], *args: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(act, *args)
        except RuntimeError:
            log.debug("the pages are closed; %s is not told", act.__name__)

    def close(self) -> None:
        """End all streams and the server."""
        self._on_loop(self._hub.close)
        self._server.should_exit = True
        self._thread.join(3.0)
        if self._thread.is_alive():
            log.warning("The web server did not end in three seconds.")
        self._socket.close()

    # --- screen --------------------------------------------------------------------------------------------------

    def said(self, text: str) -> None:
        """See Screen."""
        self._on_loop(self._desk.line, "said", text)

    def private(self, text: str) -> None:
        """See Screen; the moderator's view has it as a level."""

    def notice(self, text: str) -> None:
        """See Screen."""
        self._on_loop(self._desk.line, "notice", text)

    def show(self, scene: Scene) -> None:
        """See Screen; the view has the lamp's colour, and the picture of the box its levels."""

    def heard(self, text: str, confidence: float, trouble: str) -> None:
        """See Screen."""
        self._on_loop(lambda: self._desk.line("heard", text, confidence=round(confidence, 2), trouble=trouble))

    def device(self, port: str, why: str) -> None:
        """See Screen."""
        self._on_loop(self._desk.device, port, why)

    def look(self, view: View, host: HostView, cards: tuple[str, ...], at: float) -> None:
        """See Screen."""
        self._on_loop(self._desk.look, view, host, cards, at, time.monotonic())

    def story(self, story: Story | None) -> None:
        """See Screen."""
        self._on_loop(self._desk.tell_story, story)

    def level(self, name: str, value: float) -> None:
        """A lamp or the buzzer of the simulated box has another level."""
        self._on_loop(self._desk.level, name, value)


def _listen(address: str, port: int) -> socket.socket:
    """A listening socket on `port` or the next free one."""
    for candidate in range(port, min(port + NEXT_PORTS, 65535) + 1):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, candidate))
            listener.listen(128)
        except OSError as error:
            listener.close()
            last = error
        else:
            listener.set_inheritable(False)
            return listener
    raise OSError(f"The ports from {port} on are taken ({last.strerror}); set [screen] port to a free one.")


def _own_address() -> str:
    """This machine's address in the local network, or its name when it has none yet."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent: the kernel only chooses the way
            return str(probe.getsockname()[0])
        except OSError:
            return f"{socket.gethostname()}.local"
