"""The sound child: owns PortAudio and one output stream that stays open, on silence, all game long.

It plays what it is told in order, mixes earcons over it, and reports each sound's true end: when its last
sample has left the device's buffer, not when it was handed over. It keeps no state worth saving; when the
stream stops, or is not asked for samples for two seconds (a pulled plug says nothing else), the process ends
and the next one finds the devices anew, because PortAudio's list is frozen at its start. Must not know texts,
engines or the game.

Messages in: («play», seq, path, pause), («earcon», seq, name, asked), («hush», seq), («music», on).
Messages out: («open», name, rate), («done», seq), («unplayable», seq, why), («underflow», count),
(«no-music», why), («failed», why).

Invariant: every seq that came in is answered once («done», «unplayable»), or dropped by a later «hush», or
dies with us.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from narrator.messages import Earcon
from narrator.ports.child import Link
from narrator.ports.devices import Arrivals, DeviceError, find_device, on_usb, served
from narrator.ports.urgency import urgent
from narrator.ports.wav import Samples, read_wav

SILENT_STREAM = 2.0  # seconds without a callback after which the device counts as gone
_RATES = (22050, 44100, 48000)  # the synthesiser's own rate first: the device then converts nothing
_LATENCY = 0.05  # seconds of buffer; 0.03 runs dry now and then on a fully loaded machine
_BEEPS = {Earcon.BEEP: 0.15, Earcon.LONG_BEEP: 0.8}  # seconds, as the buzzer's patterns
_DUCKED = 0.25  # share of the music's level that stays under speech
_SWELL = 0.6  # seconds in which music comes, goes or ducks
_FADE = 0.008  # seconds; a sound cut at full height clicks
_GAP = 0.02  # seconds by which the device's time may differ before the stream is known to have stopped meanwhile
_TRUST = 0.05  # share of that difference that is believed at once
_ROOM = (
    0.03  # seconds beyond the buffer's from the order of an earcon to its sound, the same for each: see Mixer.overlay
)
_HEAR_AGAIN = 10.0  # seconds between two reports of underflows


# --- sounds -------------------------------------------------------------------------------------------------


def earcon_samples(earcon: Earcon, rate: int) -> Samples:
    """Heard = a fourth up, again = the same notes down, about 0.2 s; a bell rings for 1.2 s, a beep lasts as long as
    the buzzer's pattern. At `rate`, mono."""
    if earcon in _BEEPS:
        return _beep(_BEEPS[earcon], rate)
    if earcon in (Earcon.BELL, Earcon.BELLS):
        return _bell(1 if earcon is Earcon.BELL else 2, rate)
    low, high = 659.3, 880.0
    notes = (low, high) if earcon is Earcon.HEARD else (high, low)
    length, step = round(0.13 * rate), round(0.08 * rate)
    t = np.arange(length) / rate
    shape = np.minimum(t / 0.006, 1) * np.exp(-t / 0.04) * np.minimum((t[-1] - t) / 0.01, 1)
    sound = np.zeros(step + length)
    for i, note in enumerate(notes):
        tone = np.sin(2 * np.pi * note * t) + 0.25 * np.sin(4 * np.pi * note * t)
        sound[i * step : i * step + length] += shape * tone
    loud: Samples = np.round(0.35 * 32767 * sound / np.abs(sound).max()).astype(np.int16)
    return loud


def _beep(seconds: float, rate: int) -> Samples:
    """A buzzer's note with soft edges."""
    t = np.arange(round(seconds * rate)) / rate
    tone = np.sin(2 * np.pi * 1200 * t) + 0.3 * np.sin(2 * np.pi * 2400 * t)
    loud: Samples = np.round(0.3 * 32767 * tone * np.minimum(np.minimum(t, t[-1] - t) / 0.005, 1)).astype(np.int16)
    return loud


def _bell(strokes: int, rate: int) -> Samples:
    """A desk bell: partials that are no whole multiples and die the sooner the higher they are."""
    t = np.arange(round(1.2 * rate)) / rate
    stroke = sum(
        level * np.sin(2 * np.pi * 1047 * part * t) * np.exp(-t * 3.5 * part)
        for part, level in ((1.0, 1.0), (2.0, 0.5), (2.76, 0.4), (5.4, 0.2))
    )
    step = round(0.45 * rate)
    sound = np.zeros(len(t) + step * (strokes - 1))
    for i in range(strokes):
        sound[i * step : i * step + len(t)] += stroke * np.minimum(t / 0.002, 1)
    loud: Samples = np.round(0.5 * 32767 * sound / np.abs(sound).max()).astype(np.int16)
    return loud


def load(path: Path, rate: int, volume: float) -> Samples:
    """The WAV at `rate` and `volume` (0…1). Raises ValueError when it cannot be read."""
    samples, own = read_wav(path)
    if own != rate:
        import soxr

        samples = soxr.resample(samples, own, rate)
    quieter: Samples = np.round(samples * volume).astype(np.int16)
    return quieter


# --- mixing -------------------------------------------------------------------------------------------------


class Music:
    """A loop below everything else. The same from its first sample every time it begins; quieter under speech."""

    def __init__(self, samples: Samples, volume: float, rate: int) -> None:
        self._samples, self._volume = samples, volume
        self._step = volume / (_SWELL * rate)  # of level, for each sample
        self._at, self._level, self._on = 0, 0.0, False

    def play(self, on: bool) -> None:
        """Begin from the beginning, or fade away."""
        if on and not self._on:
            self._at = 0
        self._on = on

    def next(self, frames: int, speech: bool) -> np.ndarray[Any, np.dtype[np.float64]] | None:
        """The next `frames` samples, None when there is nothing to hear."""
        goal = 0.0 if not self._on else self._volume * (_DUCKED if speech else 1.0)
        if not self._level and not goal:
            return None
        way = goal - self._level
        levels = self._level + np.sign(way) * np.minimum(np.arange(1, frames + 1) * self._step, abs(way))
        places = (self._at + np.arange(frames)) % len(self._samples)
        self._at = (self._at + frames) % len(self._samples)
        self._level = float(levels[-1])
        return np.asarray(self._samples[places] * levels, dtype=np.float64)


class Mixer:
    """What the device hears next: a queue of sounds, silence after each, overlays mixed on top at once, and music.

    Used by two threads: the child's loop adds, the device's callback fills.
    """

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self._lock = threading.Lock()
        self._queue: deque[tuple[int, Samples, int]] = deque()
        self._at = 0  # frames of the queue's head already played
        self._pause = 0  # frames of silence still owed
        self._overlays: list[tuple[int, Samples]] = []
        self._until = 0.0  # monotonic time at which all that was filled has been heard
        self.music: Music | None = None

    @property
    def idle(self) -> bool:
        """True when nothing is left to play."""
        return not self._queue and not self._overlays

    def add(self, seq: int, samples: Samples, pause: float) -> None:
        """Play `samples` after everything queued, then `pause` seconds of silence."""
        with self._lock:
            self._queue.append((seq, samples, round(pause * self.rate)))

    def overlay(self, seq: int, samples: Samples, due: float = 0.0) -> None:
        """Play `samples` over whatever sounds, so that they begin at monotonic time `due`, or at once after it.

        A beep that waits for a due time ahead of the buffer is as punctual as its order, however late the buffer asks.
        """
        with self._lock:
            ahead = max(0, round((due - self._until) * self.rate)) if due and self._until else 0
            self._overlays.append((seq, np.concatenate((np.zeros(ahead, dtype=np.int16), samples))))

    def hush(self, seq: int) -> None:
        """Drop everything; what sounds now fades out within 8 ms, and that is the end of `seq`."""
        with self._lock:
            tail = np.zeros(round(_FADE * self.rate), dtype=np.int64)
            if self._queue and not self._pause:
                _add(tail, self._queue[0][1][self._at :])
            for _, samples in self._overlays:
                _add(tail, samples)
            self._queue.clear()
            self._at = self._pause = 0
            faded = np.clip(tail * np.linspace(1, 0, len(tail)), -32768, 32767).astype(np.int16)
            self._overlays = [(seq, faded)]

    def fill(self, frames: int, first: float = 0.0) -> tuple[Samples, list[tuple[int, int]]]:
        """The next `frames` samples, and (frame, seq) for each sound that ends among them.

        `first`: monotonic time at which the first of them will be heard, as far as the device knows.
        """
        out = np.zeros(frames, dtype=np.int64)
        ends = []
        with self._lock:
            late = first - self._until
            # Samples follow each other without a gap, so a small difference is the device's guess, not a gap.
            self._until = (first if abs(late) > _GAP else self._until + _TRUST * late) + frames / self.rate
            at = 0
            while at < frames:
                if self._pause:
                    step = min(self._pause, frames - at)
                    self._pause -= step
                elif self._queue:
                    seq, samples, pause = self._queue[0]
                    step = min(len(samples) - self._at, frames - at)
                    out[at : at + step] = samples[self._at : self._at + step]
                    self._at += step
                    if self._at == len(samples):
                        ends.append((at + step, seq))
                        self._queue.popleft()
                        self._at, self._pause = 0, pause
                else:
                    break
                at += step
            left = []
            for seq, samples in self._overlays:
                _add(out, samples)
                if len(samples) > frames:
                    left.append((seq, samples[frames:]))
                else:
                    ends.append((len(samples), seq))
            self._overlays = left
            music = self.music.next(frames, speech=bool(self._queue)) if self.music else None
            if music is not None:
                out += np.round(music).astype(np.int64)
        return np.clip(out, -32768, 32767).astype(np.int16), ends


def _add(onto: np.ndarray[Any, np.dtype[np.int64]], samples: Samples) -> None:
    step = min(len(onto), len(samples))
    onto[:step] += samples[:step]


# --- the device ---------------------------------------------------------------------------------------------


class Speaker:
    """One open output stream. Raises DeviceError when there is none to open."""

    def __init__(self, part: str) -> None:
        arrivals = Arrivals()  # before the list of devices is frozen
        try:
            import sounddevice as sd
        except OSError as error:
            raise DeviceError("The sound library is missing; run: sudo apt install libportaudio2") from error
        device = find_device(sd, part, "output")
        self.name = str(device["name"])
        self._better = None if part or served() or on_usb(device) else arrivals
        self.rate, channels = _format(sd, device)
        self.mixer = Mixer(self.rate)
        self.underflows = 0
        self._ends: deque[tuple[float, int]] = deque()
        self._called = time.monotonic()
        self._urgent = False

        def callback(buffer: Any, frames: int, at: Any, status: Any) -> None:
            if not self._urgent:  # it is PortAudio's own thread
                self._urgent = True
                urgent()
            self._called = now = time.monotonic()
            self.underflows += bool(status.output_underflow)
            ahead = at.outputBufferDacTime - at.currentTime
            if not 0 < ahead < 2:  # some drivers leave these at zero
                ahead = self._stream.latency
            samples, ends = self.mixer.fill(frames, now + ahead)
            np.frombuffer(buffer, dtype=np.int16).reshape(frames, channels)[:] = samples[:, None]
            self._ends.extend((now + ahead + frame / self.rate, seq) for frame, seq in ends)

        try:
            self._stream = sd.RawOutputStream(
                samplerate=self.rate,
                device=device["index"],
                channels=channels,
                dtype="int16",
                latency=_LATENCY,
                callback=callback,
            )
            self._stream.start()
        except sd.PortAudioError as error:
            raise DeviceError(f"{self.name} cannot be opened ({error}); close what else uses it.") from error

    @property
    def delay(self) -> float:
        """Seconds from the order of an earcon to its sound."""
        return float(self._stream.latency) + _ROOM

    @property
    def idle(self) -> bool:
        """True when nothing plays and nothing is on its way out."""
        return self.mixer.idle and not self._ends

    def ended(self) -> list[int]:
        """Sounds whose last sample has been heard by now."""
        now = time.monotonic()
        over = [end for end in tuple(self._ends) if end[0] <= now]
        for end in over:
            self._ends.remove(end)
        return [seq for _, seq in over]

    def fault(self) -> str | None:
        """Why the stream no longer plays, or None."""
        if self._stream.active and time.monotonic() - self._called < SILENT_STREAM:
            return None
        return f"{self.name} stopped taking sound; check its plug and power."

    def second_best(self) -> bool:
        """Whether a USB device has come that would have been chosen before this one."""
        return self._better is not None and self._better()

    def close(self) -> None:
        """Stop at once and let the device go."""
        self._stream.abort()
        self._stream.close()


def _format(sd: Any, device: dict[str, Any]) -> tuple[int, int]:
    """The first rate and number of channels that the device takes."""
    why: Exception | None = None
    for rate in dict.fromkeys((*_RATES, int(device["default_samplerate"]))):
        for channels in (1, 2):  # a bare USB card may take stereo only
            try:
                sd.check_output_settings(device["index"], channels, "int16", samplerate=rate)
            except sd.PortAudioError as error:
                why = error
            else:
                return rate, channels
    raise DeviceError(f"{device['name']} takes no usual kind of sound ({why}); choose another [voice] device.")


def serve_speaker(link: Link, device: str, volume: float, music: str = "", music_volume: float = 0.0) -> None:
    """The child's function; see the module's docstring."""
    with contextlib.suppress(PermissionError):  # a gap in a word is heard by all; without the right we are no worse off
        os.nice(-10)  # the sound library's own threads inherit it
    try:
        speaker = Speaker(device)
    except DeviceError as error:
        link.send(("failed", str(error)))
        return
    urgent()
    link.send(("open", speaker.name, speaker.rate))
    if music:
        try:
            loop = load(Path(music).expanduser(), speaker.rate, 1.0)
            speaker.mixer.music = Music(loop, music_volume * volume, speaker.rate)
        except ValueError as error:
            link.send(("no-music", str(error)))
    beat = told = time.monotonic()
    reported = 0
    while not link.closed:
        message = link.receive(0.2 if speaker.idle else 0.01)
        if message is not None:
            _obey(speaker, link, message, volume)
        for seq in speaker.ended():
            link.send(("done", seq))
        why = speaker.fault()
        if why:
            link.send(("failed", why))
            os._exit(1)  # closing a dead stream may hang for ever
        now = time.monotonic()
        if now - beat > 0.3:
            beat = now
            link.beat()
            if speaker.idle and speaker.second_best():
                link.send(("failed", "A USB sound device was plugged in; it is tried now."))
                break  # a new process sees it
        if speaker.underflows > reported and now - told > _HEAR_AGAIN:
            told, reported = now, speaker.underflows
            link.send(("underflow", reported))
    speaker.close()


def _obey(speaker: Speaker, link: Link, message: tuple[Any, ...], volume: float) -> None:
    match message:
        case ("play", seq, path, pause):
            try:
                speaker.mixer.add(seq, load(Path(path), speaker.rate, volume), pause)
            except ValueError as error:
                link.send(("unplayable", seq, str(error)))
        case ("earcon", seq, name, asked):
            samples = earcon_samples(Earcon(name), speaker.rate)
            speaker.mixer.overlay(seq, np.round(samples * volume).astype(np.int16), asked + speaker.delay)
        case ("music", on):
            if speaker.mixer.music:
                speaker.mixer.music.play(on)
        case ("hush", seq):
            speaker.mixer.hush(seq)
