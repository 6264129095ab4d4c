"""What the box does to the room: speaks, buzzes, lights and listens. The loop tells it what; it keeps count.

Knows ports, lines and scenes, never the rules. Invariant: `silent` is true exactly when every phrase has truly ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from narrator.messages import Buzz, Earcon, Form, Say, Scene
from narrator.ports import Ears, Panel, Screen, Voice
from narrator.speech.director import Cue
from narrator.speech.script import Line


@dataclass(slots=True)
class Ports:
    """Everything the box speaks, hears, shows and is touched with."""

    voice: Voice
    ears: Ears
    panel: Panel
    screen: Screen
    beeps: bool = False
    """Whether the buzzer's patterns come from the loudspeaker, too."""


class Stage:
    """The ports, and what is under way on them."""

    def __init__(self, ports: Ports) -> None:
        self.ports = ports
        self.epoch = 0  # which grammar the ears have
        self._listened: tuple[tuple[str, ...], tuple[Form, ...]] = ((), ())
        self._utterance = 0
        self._speaking: set[int] = set()
        self._scene: Scene | None = None
        self._music = False

    @property
    def silent(self) -> bool:
        """Whether nothing is being said or waits to be said."""
        return not self._speaking

    def ended(self, utterance: int) -> None:
        """The sound of an utterance has truly ended."""
        self._speaking.discard(utterance)

    def perform(self, cues: Sequence[Cue]) -> None:
        """Buzz and say, once."""
        for cue in cues:
            if isinstance(cue, Buzz):
                self.buzz(cue)
        self.say(cue for cue in cues if isinstance(cue, Line))

    def say(self, lines: Iterable[Line]) -> None:
        """Queue phrases behind what is being said."""
        phrases = []
        for line in lines:
            self._utterance += 1
            self._speaking.add(self._utterance)
            phrases.append(Say(self._utterance, line.text, line.pause))
            self.ports.screen.said(line.text)
        if phrases:
            self.ports.voice.say(phrases)

    def buzz(self, pattern: Buzz) -> None:
        """A pattern of the buzzer."""
        self.ports.panel.buzz(pattern)
        if self.ports.beeps:
            self.earcon(Earcon.LONG_BEEP if pattern is Buzz.LONG else Earcon.BEEP)

    def music(self, on: bool) -> None:
        """The music of the night."""
        if on is not self._music:
            self._music = on
            self.ports.voice.music(on)

    def earcon(self, earcon: Earcon) -> None:
        """A short sound now."""
        self.ports.voice.earcon(earcon)

    def hush(self) -> None:
        """Silence now; what was queued is dropped."""
        self.ports.voice.hush()

    def listen(self, phrases: tuple[str, ...], forms: tuple[Form, ...]) -> None:
        """Listen for these from now on; results for older ones are stale."""
        if (phrases, forms) != self._listened:
            self.epoch += 1
            self._listened = phrases, forms
            self.ports.ears.listen(self.epoch, phrases, forms)

    def talk_ended(self) -> None:
        """The talk button came up: the utterance so far is finished."""
        self.ports.ears.finish()

    def show(self, scene: Scene) -> None:
        """Lamps agree with the scene."""
        if scene != self._scene:
            self._scene = scene
            self.ports.panel.show(scene)
            self.ports.screen.show(scene)

    def close(self) -> None:
        """Everything off, ears first, so that nothing is heard of the end."""
        for port in (self.ports.ears, self.ports.voice, self.ports.panel):
            port.close()
