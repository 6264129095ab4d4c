"""Several screens as one: what is shown to one of them is shown to all. Knows messages, decides nothing."""

from __future__ import annotations

from narrator.messages import HostView, Scene, Story, View
from narrator.ports import Screen


class Screens:
    """A Screen that passes everything on to `screens`, in order."""

    def __init__(self, *screens: Screen) -> None:
        self._screens = screens

    def said(self, text: str) -> None:
        """See Screen."""
        for screen in self._screens:
            screen.said(text)

    def private(self, text: str) -> None:
        """See Screen."""
        for screen in self._screens:
            screen.private(text)

    def notice(self, text: str) -> None:
        """See Screen."""
        for screen in self._screens:
            screen.notice(text)

    def show(self, scene: Scene) -> None:
        """See Screen."""
        for screen in self._screens:
            screen.show(scene)

    def heard(self, text: str, confidence: float, trouble: str) -> None:
        """See Screen."""
        for screen in self._screens:
            screen.heard(text, confidence, trouble)

    def device(self, port: str, why: str) -> None:
        """See Screen."""
        for screen in self._screens:
            screen.device(port, why)

    def look(self, view: View, host: HostView, cards: tuple[str, ...], at: float) -> None:
        """See Screen."""
        for screen in self._screens:
            screen.look(view, host, cards, at)

    def story(self, story: Story | None) -> None:
        """See Screen."""
        for screen in self._screens:
            screen.story(story)
