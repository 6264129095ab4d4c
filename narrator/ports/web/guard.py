"""The door of the server: who may speak to it at all, and what every answer carries.

A middleware around all pages. Invariant: a request that names another host is answered nothing (so a name that is made
to point here reads nothing), and one that changes something comes from our own page or is refused.
"""

from __future__ import annotations

import ipaddress
import socket

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST = 4096
"""Bytes of the longest body that any page sends."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Lets through what may come in. `lan`: addresses and names of the local network are ours, too."""

    def __init__(self, app: ASGIApp, *, lan: bool) -> None:
        self._app, self._lan = app, lan
        name = socket.gethostname().lower()
        self._names = {"localhost"} | ({name, f"{name}.local"} if lan else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope["method"], Headers(scope=scope))

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        answer: ASGIApp = self._app
        if refusal is not None:
            answer = PlainTextResponse(refusal[1], refusal[0])
        await answer(scope, receive, guarded)

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str] | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return 421, "This name is not served here."
        if method in ("GET", "HEAD"):
            return None
        if headers.getlist("origin") != [f"http://{hosts[0]}"]:
            return 403, "Only our own pages may do that."
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return 403, "Only our own pages may do that."
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return 415, "Send JSON."
        length = headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()) or "transfer-encoding" in headers:
            return 411, "Say how long it is."
        return (413, "That is too long.") if int(length[:9]) > LONGEST or len(length) > 9 else None

    def _is_ours(self, host: str) -> bool:
        name = host.lower()
        if not name.endswith("]"):  # [::1] has colons of its own
            front, colon, port = name.rpartition(":")
            name = front if colon and port.isdigit() else name
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return address.is_loopback or self._lan
