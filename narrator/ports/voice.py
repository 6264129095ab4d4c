"""The voice: speaks phrases in order through a sound child, or keeps time for them when nothing can sound.

Rendering, playing and keeping time each happen elsewhere (a thread that renders, a child that plays); here is
the one thread that decides. Everything that happens to the voice comes to it as an action in one queue, so
there is no lock and one order. It must not know the game, and it never makes a caller wait.

Invariant: every utterance that `say` took is answered by exactly one SpeechDone, whatever dies meanwhile, and
the gate is held whenever our own sound may be in the room.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from narrator.config import VoiceSettings
from narrator.messages import Earcon, PortBack, PortFailed, Say, SpeechDone
from narrator.ports import Put
from narrator.ports.child import Child
from narrator.ports.engines import Engine, EngineError
from narrator.ports.gate import Gate
from narrator.ports.phrases import PhraseCache, Spoken, as_written, phrase_cache
from narrator.ports.sound import serve_speaker
from narrator.ports.urgency import urgent
from narrator.ports.vital import Answers

log = logging.getLogger(__name__)

PACE = 0.07  # seconds a character takes when nothing sounds; espeak-ng at 150 words a minute
_RENDER_PATIENCE = 4.0  # seconds the game waits for the sound of one phrase
_START_PATIENCE = 20.0  # seconds for the first word of a sound child; its own watch is shorter
_SOUND_SLACK = 10.0  # seconds a sound may last beyond any sensible length
_IDLE_ENGINE = 30.0  # seconds after which an unused synthesiser gives its memory back

Action = Callable[[], None]


@dataclass(eq=False, slots=True)
class _Item:
    """One phrase: rendering (no path yet), ready (path), sent to the child, or mute (it will never sound)."""

    seq: int
    phrase: Say
    path: Path | None = None
    mute: bool = False
    sent: bool = False
    until: float | None = None  # when the head of the queue is over at the latest; None: not yet worked out


class SpeakerVoice:
    """The Voice that is heard.

    PortFailed and PortBack come for «voice» (the speaker) and «synthesiser» (the engine), once per outage.
    `spoken`: how a text is to be read. `paced=False`: a phrase that cannot sound is done at once instead of after the
    time it would take.
    """

    def __init__(
        self,
        settings: VoiceSettings,
        cache_dir: Path,
        put: Put,
        gate: Gate,
        *,
        paced: bool = True,
        engine: Engine | None = None,
        spoken: Spoken = as_written,
    ) -> None:
        self._put, self._gate, self._tail, self._paced = put, gate, settings.tail, paced
        self._muted = frozenset() if settings.earcons else frozenset({Earcon.HEARD, Earcon.AGAIN})
        self._music = False
        self._phrases = (
            PhraseCache(cache_dir, engine, spoken=spoken) if engine else phrase_cache(settings, cache_dir, spoken)
        )
        self._actions: queue.SimpleQueue[Action] = queue.SimpleQueue()
        self._to_render: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._queue: deque[_Item] = deque()
        self._numbers = count(1)
        self._sounding: set[int] = set()  # what the child has and has not ended
        self._state = "starting"  # of the child: starting, up, down
        self.device = ""
        """What it plays on, by name and rate; the last one when there is none now, "" when there never was one."""
        self._quiet_since = float("-inf")
        self._not_before = 0.0  # the pause after a phrase that could not sound
        self._held = False
        self._failed: set[str] = set()
        self._closing = False
        self._sound = Child(
            "speaker",
            serve_speaker,
            (settings.device, settings.volume, settings.music, settings.music_volume),
            on_message=lambda message: self._actions.put(partial(self._told, message)),
            on_death=lambda why: self._actions.put(
                partial(self._lost, f"The sound process failed: {why}; it is started again.")
            ),
            back_off=(0.1, 0.5, 1.0, 2.0, 3.0),
        )
        self._threads = [
            threading.Thread(target=self._run, name="voice", daemon=True),
            threading.Thread(target=self._render, name="voice-render", daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self._answers = Answers(self._threads[0], self._actions.put)

    # --- for the game ---

    def say(self, phrases: Sequence[Say]) -> None:
        """See Voice."""
        self._actions.put(partial(self._say, tuple(phrases)))

    def earcon(self, earcon: Earcon) -> None:
        """See Voice."""
        self._actions.put(partial(self._earcon, earcon, time.monotonic()))

    def hush(self) -> None:
        """See Voice."""
        self._actions.put(self._hush)

    def music(self, on: bool) -> None:
        """See Voice. The gate does not close for it: it is quiet, and a night without ears would need no commands."""
        self._actions.put(partial(self._play_music, on))

    def close(self) -> None:
        """Silence, no process left, the gate open."""
        self._actions.put(self._stop)
        self._threads[0].join(2.0)
        self._to_render.put(None)
        self._sound.close()
        self._phrases.close()
        self._threads[1].join(2.0)

    def ails(self) -> str:
        """See Vital. A synthesiser that hangs is waited for elsewhere; its thread must only live."""
        if not self._threads[1].is_alive():
            return f"The thread {self._threads[1].name} has died."
        return self._answers.ails() or self._sound.ails()

    @property
    def sound_works(self) -> bool:
        """True while the speaker is open."""
        return self._state == "up"

    @property
    def sound_pid(self) -> int | None:
        """Process id of the sound child, None between two lives."""
        return self._sound.pid

    # --- the deciding thread ---

    def _run(self) -> None:
        urgent()
        while not self._closing:
            try:
                action = self._actions.get(timeout=self._wait())
            except queue.Empty:
                action = None
            try:
                if action:
                    action()
                self._advance()
            except Exception:
                log.exception("the voice stumbled; it goes on with the next phrase")

    def _wait(self) -> float | None:
        times = [self._queue[0].until, self._not_before] if self._queue else []
        if self._held and not self._sounding:
            times.append(self._quiet_since + self._tail)
        now = time.monotonic()
        ahead = [t - now for t in times if t is not None and t > now]
        return min(ahead, default=None) if not self._due(now) else 0.0

    def _due(self, now: float) -> bool:
        return bool(self._queue) and (self._queue[0].until or now) <= now

    def _say(self, phrases: tuple[Say, ...]) -> None:
        for phrase in phrases:
            item = _Item(next(self._numbers), phrase, self._phrases.get(phrase.text))
            self._queue.append(item)
            if item.path is None:
                self._to_render.put(phrase.text)

    def _play_music(self, on: bool) -> None:
        self._music = on
        if self._state == "up":
            self._sound.send(("music", on))

    def _earcon(self, earcon: Earcon, asked: float) -> None:
        if self._state == "up" and earcon not in self._muted:
            self._to_child("earcon", next(self._numbers), earcon.value, asked)

    def _hush(self) -> None:
        for item in self._queue:
            self._put(SpeechDone(item.phrase.utterance))
        self._queue.clear()
        self._not_before = 0.0
        if self._state == "up":
            self._sounding.clear()
            self._to_child("hush", next(self._numbers))

    def _stop(self) -> None:
        self._closing = True
        self._queue.clear()
        self._sounding.clear()
        self._hold(False)

    def _told(self, message: tuple[Any, ...]) -> None:
        match message:
            case ("open", name, rate):
                self.device = f"{name}, {rate} Hz"
                log.info("the voice plays on %s", self.device)
                self._state = "up"
                for item in self._queue:
                    item.until = None
                if self._music:
                    self._play_music(True)
                self._works("voice")
            case ("done", seq):
                self._ended(seq)
            case ("unplayable", seq, why):
                log.error("a phrase cannot be played: %s", why)
                self._ended(seq)
            case ("no-music", why):
                log.warning("[voice] music is not played: %s", why)
            case ("underflow", times):
                log.warning("the speaker ran dry %d times; the machine is too busy", times)
            case ("failed", why):
                self._lost(why)

    def _ended(self, seq: int) -> None:
        if seq not in self._sounding:
            return  # hushed meanwhile
        self._sounding.discard(seq)
        self._quiet_since = time.monotonic()
        if self._queue and self._queue[0].seq == seq:
            self._put(SpeechDone(self._queue.popleft().phrase.utterance))

    def _lost(self, why: str) -> None:
        news, self._state = self._state != "down", "down"
        if self._sounding:
            self._sounding.clear()
            self._quiet_since = time.monotonic()
        if self._queue and self._queue[0].sent:  # it was being said: half a phrase is not said twice
            self._put(SpeechDone(self._queue.popleft().phrase.utterance))
        for item in self._queue if news else ():  # every vain try to start again comes here too
            item.sent, item.until = False, None
        self._fails("voice", why)

    def _rendered(self, text: str, path: Path | None) -> None:
        for item in self._queue:
            if item.phrase.text == text and item.path is None:
                item.path, item.mute, item.until = path, path is None, None

    def _advance(self) -> None:
        """Hand over what is ready, let go what is over, open the gate when it is quiet."""
        now = time.monotonic()
        if self._state == "up" and now >= self._not_before:
            for item in self._queue:
                if item.path is None:
                    break  # those behind it wait for its turn
                if not item.sent:
                    item.sent, item.until = True, None
                    self._to_child("play", item.seq, str(item.path), item.phrase.pause)
        while self._queue:
            head = self._queue[0]
            if head.until is None:
                head.until = now + self._patience(head, now)
            if head.until > now:
                break
            if head.sent:
                log.error("the speaker never reported the end of «%s»", head.phrase.text)
                self._sounding.discard(head.seq)
            elif self._paced:
                self._not_before = now + head.phrase.pause
            self._queue.popleft()
            self._put(SpeechDone(head.phrase.utterance))
        busy = self._state == "up" and bool(self._queue)
        self._hold(busy or bool(self._sounding) or now < self._quiet_since + self._tail)

    def _patience(self, head: _Item, now: float) -> float:
        """Seconds the head of the queue may take from `now` on."""
        if head.sent:
            return _SOUND_SLACK + 5 * PACE * len(head.phrase.text)
        if head.mute or self._state == "down":
            return max(0.0, self._not_before - now) + PACE * len(head.phrase.text) if self._paced else 0.0
        if self._state == "starting":
            return _START_PATIENCE
        return max(0.0, self._not_before - now) + _RENDER_PATIENCE

    def _to_child(self, kind: str, seq: int, *rest: object) -> None:
        self._hold(True)  # before the first sample, not after it
        self._sounding.add(seq)
        self._sound.send((kind, seq, *rest))

    def _hold(self, wanted: bool) -> None:
        if wanted != self._held:
            self._held = wanted
            (self._gate.hold if wanted else self._gate.release)()

    def _fails(self, port: str, why: str) -> None:
        if port not in self._failed:
            self._failed.add(port)
            log.warning("%s: %s", port, why)
            self._put(PortFailed(port, why))

    def _works(self, port: str) -> None:
        if port in self._failed:
            self._failed.discard(port)
            self._put(PortBack(port))

    # --- the rendering thread ---

    def _render(self) -> None:
        while True:
            try:
                text = self._to_render.get(timeout=_IDLE_ENGINE)
            except queue.Empty:
                self._phrases.close()
                continue
            if text is None:
                return
            path = None
            try:
                path = self._phrases.render(text)
            except ValueError as error:
                log.error("not spoken: %s", error)
            except EngineError as error:
                log.error("not spoken: %s", error)
                why = f"{str(error)[0].upper()}{str(error)[1:]}."
                self._actions.put(partial(self._fails, "synthesiser", why))
            else:
                self._actions.put(partial(self._works, "synthesiser"))
            self._actions.put(partial(self._rendered, text, path))


class SilentVoice:
    """The twin without sound: keeps what it was told in `said` and `earcons`, and is done with it at once."""

    def __init__(self, put: Put) -> None:
        self._put = put
        self.said: list[str] = []
        self.earcons: list[Earcon] = []
        self.hushes = 0
        self.playing = False

    def say(self, phrases: Sequence[Say]) -> None:
        """See Voice."""
        for phrase in phrases:
            self.said.append(phrase.text)
            self._put(SpeechDone(phrase.utterance))

    def earcon(self, earcon: Earcon) -> None:
        """See Voice."""
        self.earcons.append(earcon)

    def music(self, on: bool) -> None:
        """See Voice."""
        self.playing = on

    def hush(self) -> None:
        """See Voice; there is never anything left to hush."""
        self.hushes += 1

    def close(self) -> None:
        """See Voice."""
