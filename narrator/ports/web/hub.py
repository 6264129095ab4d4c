"""Levels for the pages: named channels of which each holds its latest text, and streams that follow them.

Lives on the server's loop. Invariant: a slow reader misses what is old and never what is last, and costs no memory.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

BEAT = 5.0
"""Seconds after which a stream that has nothing to say says that it lives."""

Text = Callable[[float], str]
"""A channel's text at a monotonic time: one line."""


@dataclass(slots=True)
class _Channel:
    text: Text
    version: int = 0


class Hub:
    """Channels and their followers."""

    def __init__(self) -> None:
        self._channels: dict[str, _Channel] = {}
        self._followers: set[asyncio.Event] = set()
        self._closed = False

    @property
    def followers(self) -> int:
        """Streams that are open."""
        return len(self._followers)

    def publish(self, name: str, text: Text) -> None:
        """The channel says `text` from now on."""
        channel = self._channels.setdefault(name, _Channel(text))
        channel.text, channel.version = text, channel.version + 1
        self._wake()

    def close(self) -> None:
        """End all streams."""
        self._closed = True
        self._wake()

    def _wake(self) -> None:
        for follower in self._followers:
            follower.set()

    async def follow(self, names: Sequence[str], allowed: Callable[[], bool] = lambda: True) -> AsyncIterator[str]:
        """Server-sent events: the last text of each channel, then every later one; ends when not `allowed`."""
        changed = asyncio.Event()
        self._followers.add(changed)
        seen: dict[str, int] = {}
        try:
            yield "retry: 1000\n\n"
            while not self._closed and allowed():
                changed.clear()
                news = self._news(names, seen)
                if news:
                    yield news
                try:
                    await asyncio.wait_for(changed.wait(), BEAT)
                except TimeoutError:
                    yield "event: beat\ndata: 0\n\n"
        finally:
            self._followers.discard(changed)

    def _news(self, names: Sequence[str], seen: dict[str, int]) -> str:
        now = time.monotonic()
        news = []
        for name in names:
            channel = self._channels.get(name)
            if channel is not None and seen.get(name) != channel.version:
                seen[name] = channel.version
                news.append(f"event: {name}\ndata: {channel.text(now)}\n\n")
        return "".join(news)
