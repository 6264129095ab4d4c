"""A screen that shows nothing."""

from __future__ import annotations

from narrator.messages import HostView, Scene, Story, View


class QuietScreen:
    """See Screen; keeps what was said about devices."""

    def __init__(self) -> None:
        self.notices: list[str] = []

    def said(self, text: str) -> None:
        """Nothing."""

    def private(self, text: str) -> None:
        """Nothing."""

    def notice(self, text: str) -> None:
        """Keep it."""
        self.notices.append(text)

    def show(self, scene: Scene) -> None:
        """Nothing."""

    def heard(self, text: str, confidence: float, trouble: str) -> None:
        """Nothing."""

    def device(self, port: str, why: str) -> None:
        """Keep it."""
        self.notices.append(f"{port}: {why}")

    def look(self, view: View, host: HostView, cards: tuple[str, ...], at: float) -> None:
        """Nothing."""

    def story(self, story: Story | None) -> None:
        """Nothing."""
