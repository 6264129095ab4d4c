"""Devices as thin ports, each with a twin that records its history.

A port knows messages and settings, never the game. It never blocks the game thread: calls return at once and
answers come as signals through `Put`. A device that is absent says so once (`PortFailed`) and the game goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from narrator.messages import Buzz, Earcon, Form, HostView, Say, Scene, Signal, Story, View

Put = Callable[[Signal], None]
"""Thread-safe entry into the inbox."""


class Voice(Protocol):
    """Speaks phrases in order."""

    def say(self, phrases: Sequence[Say]) -> None:
        """Queue phrases. `SpeechDone` comes for every one of them, spoken or not."""

    def earcon(self, earcon: Earcon) -> None:
        """Play a short sound now."""

    def music(self, on: bool) -> None:
        """The music of the night, if there is any; a level, safe to send again. Nobody waits for it."""

    def hush(self) -> None:
        """Silence within 150 ms and an empty queue; `SpeechDone` still comes for what was dropped."""

    def close(self) -> None: ...


class Ears(Protocol):
    """Hears one of the given phrases, or nothing."""

    def listen(self, epoch: int, phrases: Sequence[str], forms: Sequence[Form] | None = None) -> None:
        """Listen for `phrases` from now on; results carry `epoch`. No phrases: do not listen.

        `forms`: the whole commands that may be said, when the phrases only cover their pairs of words; without them
        every phrase is a command of its own.
        """

    def learn(self, words: Sequence[str]) -> None:
        """All words that may be listened for from now on, names among them. What cannot be heard is told as
        «vocabulary»; until all is learnt, the words known before are heard."""

    def finish(self) -> None:
        """The talk button came up: take the utterance so far as finished."""

    def mute(self) -> None:
        """Drop the microphone's frames; counted, each call needs one `unmute`."""

    def unmute(self) -> None: ...

    def close(self) -> None: ...


class Panel(Protocol):
    """Lamps and buzzer."""

    def show(self, scene: Scene) -> None:
        """Make lamps agree with the scene; only differences are written."""

    def buzz(self, pattern: Buzz) -> None: ...

    def close(self) -> None:
        """Everything off."""


class Screen(Protocol):
    """Something to look at: the moderator's console, or pages of which each shows what its reader may see."""

    def said(self, text: str) -> None:
        """The narrator says this."""

    def private(self, text: str) -> None:
        """For the moderator alone; never on a screen that others see, never in a log."""

    def notice(self, text: str) -> None:
        """About the box itself: devices, the journal."""

    def show(self, scene: Scene) -> None:
        """The lamps changed."""

    def heard(self, text: str, confidence: float, trouble: str) -> None:
        """What the recogniser made of somebody's words, and why nothing was done about it ("" if it was)."""

    def device(self, port: str, why: str) -> None:
        """A device is gone, with a sentence that says what to do, or works ("")."""

    def look(self, view: View, host: HostView, cards: tuple[str, ...], at: float) -> None:
        """What is so at game time `at`; safe to send again. `cards`: what each seat may see of its own card, or ""."""

    def story(self, story: Story | None) -> None:
        """A game is over and this is what happened; None: it is not over after all."""
