"""How long after the last sound of a spoken command it is known, paced as at a table, and what listening costs.

    python -m tests.bench.hearing.paced [--count 40]

Everybody listens to the same microphone (a PulseAudio source, real time) at the same time, each held to the grammar of
the command's moment: our ears as they are, our ears waiting for their end-pointer, and with Kaldi's default one; and
Vosk as its own example uses it, with no grammar, in half-second blocks. Who acts and does something else than was said
has acted wrongly. The end of a command is known from the sound file and from where a recording of the same source
holds it. Needs PulseAudio and espeak-ng; festival's voice and recordings of people are used where they are.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import shutil
import tempfile
import time
import wave
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from narrator.config import load
from narrator.messages import Heard
from narrator.naming import vocabulary
from narrator.ports.child import Child, Link
from narrator.ports.ears import MicrophoneEars
from narrator.ports.microphone import load_sounddevice
from narrator.ports.models import find_model
from tests.bench.hearing.commands import GRAMMAR, Command, Moment, balanced, moments
from tests.bench.hearing.rows import HUMAN, Cast
from tests.bench.hearing.voices import Studio
from tests.lab import MIC_RATE, RATE, Pulse, Sound, read_sound, wait_for

MOMENTS = ("speech, talk button", "vote", "nominations", "best move", "speech")
"""Where the commands of a game are said."""
SURE = 0.6


@dataclass(eq=False)
class Listener:
    """Somebody who listens: what was known when (monotonic)."""

    name: str
    results: list[tuple[float, Heard]] = field(default_factory=list)

    def put(self, signal: Any) -> None:
        if isinstance(signal, Heard):
            self.results.append((time.monotonic(), signal))


def plain_vosk(link: Link, model: Path, block: float) -> None:
    """A child: Vosk's microphone example."""
    import vosk

    vosk.SetLogLevel(-1)
    recogniser = vosk.KaldiRecognizer(vosk.Model(str(model)), 16000)
    blocks: queue.Queue[bytes] = queue.Queue()
    with load_sounddevice().RawInputStream(
        samplerate=16000,
        blocksize=round(16000 * block),
        dtype="int16",
        channels=1,
        callback=lambda frames, count, when, status: blocks.put(bytes(frames)),
    ):
        while not link.closed:
            link.beat()
            link.receive(0)
            if recogniser.AcceptWaveform(blocks.get(timeout=2)) and (text := json.loads(recogniser.Result())["text"]):
                link.send(Heard(text, 1.0, 0))


def default_end_pointer(model: Path, folder: Path) -> Path:
    """A copy of the model with Kaldi's own waiting times at the end of an utterance."""
    copy = folder / "default-end-pointer"
    shutil.copytree(model, copy)
    conf = copy / "conf" / "model.conf"
    kept = [line for line in conf.read_text().splitlines() if "min-trailing-silence" not in line]
    conf.write_text("\n".join(kept) + "\n")
    return copy


def in_a_room(speech: Sound, path: Path) -> tuple[Sound, float]:
    """A sound file: 0.4 s of room noise, the speech, 3 s of noise. Its samples, and the second of its last sound."""
    noise = np.random.default_rng(len(speech)).normal(0, 0.0006, len(speech) + 4 * MIC_RATE)
    lead = round(0.4 * MIC_RATE)
    sound = noise[: lead + len(speech) + 3 * MIC_RATE]
    sound[lead : lead + len(speech)] += speech
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(MIC_RATE)
        file.writeframes((sound * 32767).astype("<i2").tobytes())
    return read_sound(path), (lead + len(speech)) / MIC_RATE


def cpu_seconds(pid: int) -> float:
    """Processor seconds a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cost(ears: MicrophoneEars, meanwhile: Callable[[], None]) -> tuple[float, float]:
    """Processor seconds for each second of `meanwhile`, and MB of memory after it, of the ears' process."""
    assert ears.pid is not None
    cpu, began = cpu_seconds(ears.pid), time.monotonic()
    meanwhile()
    share = (cpu_seconds(ears.pid) - cpu) / (time.monotonic() - began)
    pages = int(Path(f"/proc/{ears.pid}/statm").read_text().split()[1])
    return share, pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def said_by(count: int, cast: Cast) -> list[tuple[Command, str]]:
    """What is said, by which voice: each voice and each kind of command equally often, a person where he can."""
    known = moments()
    commands = balanced([known[name] for name in MOMENTS], count)
    voices = [*cast.voices, HUMAN]
    turns = [(command, voices[n % len(voices)]) for n, command in enumerate(commands)]
    return [(c, v if v != HUMAN or cast.can_say(c.text) else cast.voices[0]) for c, v in turns]


def measure(pulse: Pulse, folder: Path, count: int) -> None:
    """Run it and print the table."""
    places, cast = moments(), Cast(Studio(folder / "studio"))
    words = vocabulary(load(), GRAMMAR)
    model = find_model(load().ears, folder, words)
    plain = default_end_pointer(model, folder)
    ears_of: dict[Listener, dict[str, Any]] = {
        Listener("our ears"): {},
        Listener("our ears, waiting for the end-pointer"): {"early": False},
        Listener("our ears, default end-pointer"): {"early": False, "model": str(plain)},
    }
    free = Listener("Vosk as it comes: no grammar, blocks of 0.5 s")
    ears = [MicrophoneEars(load(ears=given).ears, folder, words, who.put) for who, given in ears_of.items()]
    child = Child("vosk", plain_vosk, (plain, 0.5), on_message=free.put)
    spoken: list[tuple[Command, float, float]] = []  # what, end of its last sound, end of waiting
    try:
        wait_for(lambda: all(each.health for each in ears), 60, "ears that hear")
        idle_cpu, _ = cost(ears[0], lambda: time.sleep(5))

        def talk() -> None:
            for n, (what, voice) in enumerate(said_by(count, cast), 1):
                sound, end = in_a_room(cast.speak(voice, what.text).astype(float), folder / f"{n}.wav")
                for each in ears:
                    each.listen(n, *places[what.moment].listening)
                with pulse.recording("usbmic") as recording:
                    pulse.play_into_mic(folder / f"{n}.wav")
                found = recording.find(sound)
                if found.share < 0.4:
                    print(f"the recording of «{what.text}» was disturbed ({found.share:.2f}); left out")
                    continue
                after = len(sound) / RATE - end
                spoken.append((what, recording.began + found.end - after, time.monotonic()))

        cpu, memory = cost(ears[0], talk)
    finally:
        for each in ears:
            each.close()
        child.close()
    print(f"\n{len(spoken)} commands by {', '.join([*cast.voices, HUMAN])}, model {model.name}")
    print(f"{'end of speech → known, seconds':48}{'median':>8}{'95 %':>8}{'most':>8}{'right':>10}{'wrong':>7}")
    for who in (*ears_of, free):
        judge(who, spoken, places)
    print(
        f"\nears' process: {memory:.0f} MB; {cpu:.3f} s of processor a second while listening, "
        f"{idle_cpu:.3f} with nothing to listen for"
    )


def judge(who: Listener, spoken: list[tuple[Command, float, float]], places: dict[str, Moment]) -> None:
    """A line of the table. Times are of what was right; of those without a grammar, of any text."""
    waits, right, wrong = [], 0, 0
    for what, end, over in spoken:
        heard = [(at, said) for at, said in who.results if end - 2.0 < at < over and said.confidence >= SURE]
        done = [(at, move) for at, said in heard if (move := places[what.moment].does(said.text)) is not None]
        if done:
            right += done[0][1] == what.does
            wrong += done[0][1] != what.does
            if done[0][1] != what.does:
                texts = ", ".join(f"{said.text} ({said.confidence:.2f}, {at - end:+.2f} s)" for at, said in heard)
                print(f"wrong: «{what.text}» in {what.moment}: {texts}")
        if done[:1] and done[0][1] == what.does:
            waits.append(done[0][0] - end)
        elif heard and who.name.startswith("Vosk"):
            waits.append(heard[0][0] - end)
    row = np.percentile(waits, [50, 95, 100]) if waits else [float("nan")] * 3
    print(f"{who.name:48}{''.join(f'{value:8.3f}' for value in row)}{right:6}/{len(spoken)}{wrong:7}")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=40, help="commands to speak (about 5 s each)")
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory() as folder, Pulse(sink=False) as pulse:
        for name in ("PULSE_SERVER", "PULSE_COOKIE", "XDG_RUNTIME_DIR"):
            os.environ[name] = pulse.env[name]
        measure(pulse, Path(folder), count)


if __name__ == "__main__":
    main()
