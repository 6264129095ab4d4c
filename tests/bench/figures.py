"""The figures of the whole box, in one table: the real program on a sound server, and its peers in the same run.

    python -m tests.bench.figures [--count 32]

Commands are spoken into the microphone in real time and judged by where a recording of that microphone holds their
last sound; what the narrator says, by a recording of the loudspeaker; lamps, by the history of the simulated pins.
The recordings' clock is late by the least latency of the sound server, so that a first sound is never shown too early.
Peers: Vosk as its own example uses it (no grammar, default end-pointer, half-second blocks) on the same microphone at
the same time, and pyttsx3's own say(). Takes about seven minutes; needs PulseAudio, espeak-ng and the compact model.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from narrator.config import load
from narrator.messages import Heard, Signal
from narrator.naming import vocabulary
from narrator.ports.child import Child
from narrator.ports.models import find_model
from narrator.speech.grammar import grammar
from tests.bench.hearing.paced import cpu_seconds, default_end_pointer, plain_vosk
from tests.bench.voice import pyttsx3_times
from tests.e2e.box import Box, descendants, now
from tests.e2e.evening import phrases_of
from tests.e2e.game import BLACK, SHERIFF
from tests.e2e.moderator import Moderator
from tests.e2e.room import SYNTHETIC, Listener, Room, talk
from tests.lab import RATE, Pulse, read_sound

COMMANDS = {
    "ведущий, пауза": "pause",
    "ведущий, продолжить": "resume",
    "ведущий, замечание номер пять": "warn",
    "ведущий, отмена": "undo",
}
DEVICES = """
[screen]
open_browser = false
[panel]
pins = "simulated"
[voice]
engine = "pyttsx3"
device = "pulse"
[ears]
device = "pulse"
[rules]
"""
SPEECHES = 5
SPEECH = 15.0
WARM = 5


@dataclass
class Lab:
    """The server, a folder, the product's cache, and the rows of the table."""

    pulse: Pulse
    folder: Path
    cache: Path

    @contextlib.contextmanager
    def box(self, speech: float) -> Iterator[tuple[Box, Room, Moderator]]:
        """A box in a room, the first speech of the first day about to begin."""
        home = Path(tempfile.mkdtemp(dir=self.folder))
        with contextlib.ExitStack() as stack:
            room = Room(self.pulse, home)
            stack.callback(room.close)
            box = Box(home, self.cache, f"{DEVICES}speech = {speech}\n", env=self.pulse.env)
            stack.callback(box.close)
            box.shows("Добрый вечер", 300)
            room.listened_to()
            moderator = Moderator(box, room)
            moderator.silence(now())
            yield box, room, moderator


def row(name: str, seconds: list[float], note: str = "") -> None:
    """A line of the table, in milliseconds."""
    middle, high, most = np.percentile(1000 * np.array(seconds or [np.nan]), [50, 95, 100])
    print(f"{name:58} n={len(seconds):3} {middle:9.1f} {high:9.1f} {most:9.1f} ms  {note}", flush=True)


def starts(lab: Lab) -> None:
    """From the start of the process to the first audible sample: first of all, then with everything in the cache."""

    def first_sound() -> float:
        home = Path(tempfile.mkdtemp(dir=lab.folder))
        with lab.pulse.recording() as heard:
            began = now()
            box = Box(home, lab.cache, DEVICES, env=lab.pulse.env)
            box.wait(lambda: box.told("signal", kind="SpeechDone"), 300, "the first phrase")
            box.close()
        return heard.began + heard.sounding()[0] - began

    row("start to first sound, nothing rendered, no model built", [first_sound()])
    row("start to first sound, later starts", [first_sound() for _ in range(WARM)])


def cost(name: str, box: Box, meanwhile: Callable[[], None]) -> None:
    """A line about memory and processor of all processes of the box."""
    pids = (box.process.pid, *descendants(box.process.pid))
    before, began = sum(map(cpu_seconds, pids)), now()
    meanwhile()
    share = (sum(map(cpu_seconds, pids)) - before) / (now() - began)
    resident, proportional = (sum(memory(pid, kind) for pid in pids) for kind in ("Rss", "Pss"))
    print(f"{name:58} {len(pids)} processes, {share:.3f} s of processor a second, "
          f"{resident:.0f} MB resident ({proportional:.0f} MB with shared pages counted once)", flush=True)  # fmt: skip


def memory(pid: int, kind: str) -> float:
    """MB of a process, "Rss" or "Pss"."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{kind}:")) / 1024


def first_speech(box: Box) -> None:
    """Type the game forward to the first speech."""
    for line in ("начинаем игру", *BLACK, "", BLACK[0], "", SHERIFF, ""):
        box.type(line)
    box.shows("Говорит номер один")
    box.type("")  # no need to hear the announcement
    box.shows("(green lamp)")


def commands(lab: Lab, count: int) -> None:
    """Spoken commands: end of the command to the move on disk, order to first sound, and what plain Vosk takes."""
    plain: list[tuple[float, str]] = []

    def heard_by_vosk(signal: Signal) -> None:
        if isinstance(signal, Heard):
            plain.append((time.monotonic(), signal.text))

    settings = load()
    model = find_model(settings.ears, lab.cache / "narrator", vocabulary(settings, grammar("ru")))
    peer_model = default_end_pointer(model, lab.folder)
    said: list[tuple[float, float, str, Path]] = []
    with lab.box(900) as (box, room, moderator):
        first_speech(box)
        microphone = Listener(lab.pulse.env, "usbmic")
        cost("listening in a quiet room", box, lambda: time.sleep(10))  # the length of the measurement
        peer = Child("vosk", plain_vosk, (peer_model, 0.5), on_message=heard_by_vosk)
        try:
            for turn in range(count):
                text = tuple(COMMANDS)[turn % len(COMMANDS)]
                path = room.sound(text, SYNTHETIC[turn % len(SYNTHETIC)])
                moderator.silence(now())
                moves, began = len(box.told("move", kind=COMMANDS[text])), now()
                lab.pulse.play_into_mic(path)
                understood = made(box, COMMANDS[text], moves + 1, 3)
                said.append((began, now(), COMMANDS[text], path))
                if not understood and COMMANDS[text] in ("pause", "warn"):
                    box.type(text)  # so that its opposite means something
            moderator.silence(now())
        finally:
            peer.close()
            microphone.stop()
        room.ear.stop()
        judge(lab, box, room, microphone, said, plain)


def made(box: Box, kind: str, times: int, seconds: float) -> bool:
    """Wait until a kind of move has been made so often; whether it was."""
    until = now() + seconds
    box.wait(lambda: len(box.told("move", kind=kind)) >= times or now() > until, seconds + 5, kind)
    return len(box.told("move", kind=kind)) >= times


def judge(
    lab: Lab, box: Box, room: Room, microphone: Listener, said: list[tuple[float, float, str, Path]],
    plain: list[tuple[float, str]],
) -> None:  # fmt: skip
    """The lines about spoken commands."""
    moved, answered, ordered, peers, missed, disturbed = [], [], [], [], [], 0
    phrases = phrases_of(box, lab.cache)
    for began, over, kind, path in said:
        sound = read_sound(path)
        loud = np.flatnonzero(np.abs(sound) > 0.02)
        found = microphone.find_between(sound, began, over)
        if found.share < 0.4:
            disturbed += 1
            continue
        end = found.end - (len(sound) - loud[-1]) / RATE
        peers += [next((at for at, _ in plain if end - 0.3 < at < end + 4), np.nan) - end]
        move = next((e["at"] for e in box.told("move", kind=kind) if began < e["at"] <= over), None)
        if move is None:
            heard_as = [f"{e['text']} ({e['confidence']:.2f})" for e in box.told("signal", kind="Heard")
                        if began < e["at"] <= over]  # fmt: skip
            missed.append(f"{kind}: {', '.join(heard_as) or 'nothing heard'}")
            continue
        moved.append(move - end)
        order = next(e for e in box.told("say") if e["at"] >= move)
        wav = phrases.get(order["text"])
        if wav is not None:
            sound = read_sound(wav)
            heard = room.ear.find_between(sound, order["at"] - 0.1, order["at"] + len(sound) / RATE + 1.5)
            if heard.share > 0.4:
                ordered.append(heard.begin - order["at"])
                answered.append(heard.begin - end)
    peers = [wait for wait in peers if wait == wait]
    used = len(said) - disturbed
    row("end of spoken command to move on disk", moved, f"{len(moved)} of {used} understood at the first try")
    row("peer: Vosk, no grammar, default end-pointer, to its final", peers, f"{len(peers)} of {used} gave any text")
    for what in missed:
        print(f"  not understood: {what}")
    row("order to first sample of a cached phrase", ordered)
    row("end of spoken command to first sample of the answer", answered)


def marks(lab: Lab) -> None:
    """The lamps of timed speeches while people talk, against the true end of the announcement."""
    yellow: list[float] = []
    red: list[float] = []
    with lab.box(SPEECH) as (box, room, moderator):
        first_speech(box)
        babble = [*((text, "human") for text in talk(60)), ("номер семь говорит неправду, я это вижу", "ru+m3")]
        for turn in range(SPEECHES):
            until = box.told("move", kind="ready")[turn]["at"] + SPEECH - 2
            while now() < until:
                room.say(*babble[int(now()) % len(babble)])
            box.shows("(red", 60, turn + 1)
            moderator.silence(now())
            box.type("")
            assert made(box, "ready", turn + 2, 30), box.story()
        for ready in box.told("move", kind="ready")[:SPEECHES]:
            done = [e["at"] for e in box.told("signal", kind="SpeechDone") if e["at"] <= ready["at"]][-1]
            lit = {name: [e["at"] for e in box.told("pin", name=name, value=1.0) if e["at"] > done]
                   for name in ("yellow", "red")}  # fmt: skip
            yellow.append(lit["yellow"][0] - done - (SPEECH - 10))
            red.append(lit["red"][0] - done - SPEECH)
    row("yellow lamp at 10 s left: how late, people talking", yellow)
    row("red lamp at 0 s: how late, people talking", red)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=32, help="commands to speak (about 5 s each)")
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory() as folder, Pulse() as pulse:
        os.environ.update({k: pulse.env[k] for k in ("PULSE_SERVER", "PULSE_COOKIE", "XDG_RUNTIME_DIR")})
        lab = Lab(pulse, Path(folder), Path(folder) / "cache")
        print(f"{'load ' + format(os.getloadavg()[0], '.1f'):58}       {'median':>9} {'95 %':>9} {'most':>9}")
        row("peer: pyttsx3 say() to its first sample", pyttsx3_times(pulse, 10))
        starts(lab)
        commands(lab, count)
        marks(lab)
        print(f"load at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
