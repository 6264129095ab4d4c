"""Which microphone a sound server gives us: it may put another one in the place of one that goes, and tells no stream.

Asks PulseAudio (or PipeWire, which speaks its language) once a second on a thread of its own; without a server, or
where the stream goes straight to the card, there is nothing to ask and nothing happens. Lives in the ears' child
process. Invariant: `moved` is said of the first source that this process was given, and once said stays.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from typing import Any

log = logging.getLogger(__name__)
EVERY = 1.0
"""Seconds between two questions."""


class Route:
    """Watches the source of this process's stream from now until `close`."""

    def __init__(self) -> None:
        self.moved = ""
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="route", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop asking; does not wait for a server that hangs."""
        self._closed.set()

    def _run(self) -> None:
        try:
            import pulsectl
        except (ImportError, OSError):  # no libpulse, so no sound server
            return
        # A server that goes takes the stream with it, which is noticed elsewhere.
        with contextlib.suppress(pulsectl.PulseError, OSError), pulsectl.Pulse("narrator") as server:
            first: tuple[int, str] | None = None
            while not self._closed.wait(EVERY):
                now = _source(server)
                if first is None:
                    first = now
                elif now is not None and now[0] != first[0]:
                    self.moved = f"The sound server has put «{now[1]}» in the place of the microphone «{first[1]}»"
                    return


def _source(server: Any) -> tuple[int, str] | None:
    """Number and name of the source of this process's stream, None if it has none."""
    ours = str(os.getpid())
    for stream in server.source_output_list():
        if stream.proplist.get("application.process.id") == ours:
            return stream.source, server.source_info(stream.source).description
    return None
