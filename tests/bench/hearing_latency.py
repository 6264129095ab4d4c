"""How long after the last sound of a spoken command it is known, and what listening costs.

    python -m tests.bench.hearing_latency [--count 40]

Everybody listens to the same microphone (a PulseAudio source, real time) at the same time: our ears with and
without early acceptance, and Vosk as it comes, without a grammar and with its default end-pointer, fed in blocks
as short as ours and in the half-second blocks of its own example. The end of a command is known from the sound
file and from where a recording of the same source holds it. Needs PulseAudio and espeak-ng.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import shutil
import subprocess
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
from narrator.ports.child import Child, Link
from narrator.ports.ears import MicrophoneEars
from narrator.ports.microphone import load_sounddevice
from narrator.ports.models import find_model
from tests.lab import RATE, Pulse, Sound, read_sound, wait_for

PHRASES = (
    *(f"игрок номер {n}" for n in ("один", "два", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять")),
    *("дальше", "стоп", "пауза", "продолжить", "отмена", "повтори", "спасибо", "промах", "нет", "да"),
    *("мафия просыпается", "выставляю номер десять", "номер десять", "три голоса", "против двенадцать"),
)
VOICES = ("ru+f3", "ru+m4", "ru", "ru+f2")


@dataclass
class Listener:
    """Somebody who listens: what was known when (monotonic)."""

    name: str
    results: list[tuple[float, str]] = field(default_factory=list)

    def put(self, signal: Any) -> None:
        if isinstance(signal, Heard):
            self.results.append((time.monotonic(), signal.text))


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


def command(text: str, voice: str, path: Path) -> tuple[Sound, float]:
    """A sound file: 0.4 s of room noise, the command, 3 s of noise. Its samples, and the second of its last sound."""
    subprocess.run(["espeak-ng", "-v", voice, "-s", "160", "-w", path, text], check=True)
    speech = read_sound(path)
    loud = np.flatnonzero(np.abs(speech) > 0.02)
    speech = speech[loud[0] : loud[-1]]
    noise = np.random.default_rng(len(text)).normal(0, 0.0006, RATE * 4)
    lead = round(0.4 * RATE)
    sound = np.concatenate([noise[:lead], speech, noise[lead : lead + 3 * RATE]])
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((sound * 32767).astype("<i2").tobytes())
    return sound, (lead + len(speech)) / RATE


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


def measure(pulse: Pulse, folder: Path, count: int) -> None:
    """Run it and print the table."""
    early, late = Listener("our ears, early acceptance"), Listener("our ears, end-pointer only")
    short, long = Listener("Vosk as it comes, blocks of 0.025 s"), Listener("Vosk as it comes, blocks of 0.5 s")
    settings = {on: load(ears={"early": on}).ears for on in (True, False)}
    model = find_model(settings[True], folder, PHRASES)
    plain = default_end_pointer(model, folder)
    ears = [MicrophoneEars(settings[on], folder, PHRASES, who.put) for on, who in ((True, early), (False, late))]
    children = [
        Child("vosk", plain_vosk, (plain, block), on_message=who.put) for block, who in ((0.025, short), (0.5, long))
    ]
    spoken: list[tuple[str, float, float]] = []  # text, end of its last sound, end of waiting
    try:
        wait_for(lambda: all(each.health for each in ears), 60, "ears that hear")
        idle_cpu, _ = cost(ears[0], lambda: time.sleep(5))
        for each in ears:
            each.listen(1, PHRASES)

        def talk() -> None:
            for n in range(count):
                text, path = PHRASES[n % len(PHRASES)], folder / f"{n}.wav"
                sound, end = command(text, VOICES[n % len(VOICES)], path)
                with pulse.recording("usbmic") as recording:
                    pulse.play_into_mic(path)
                found = recording.find(sound)
                if found.share < 0.4:
                    print(f"the recording of «{text}» was disturbed ({found.share:.2f}); left out")
                    continue
                after = len(sound) / RATE - end
                spoken.append((text, recording.began + found.end - after, time.monotonic()))

        cpu, memory = cost(ears[0], talk)
    finally:
        for each in ears:
            each.close()
        for child in children:
            child.close()
    print(f"\n{len(spoken)} commands, {len(PHRASES)} phrases, model {model.name}")
    print(f"{'end of speech → known, seconds':40}{'median':>8}{'95 %':>8}{'most':>8}{'right':>10}{'nothing':>9}")
    for who in (early, late, short, long):
        waits, right = [], 0
        for text, end, over in spoken:
            known = next(((at, said) for at, said in who.results if end - 0.5 < at < over), None)
            if known:
                waits.append(known[0] - end)
                right += known[1] == text
        row = np.percentile(waits, [50, 95, 100]) if waits else [float("nan")] * 3
        shown = "".join(f"{value:8.3f}" for value in row)
        print(f"{who.name:40}{shown}{right:6}/{len(spoken)}{len(spoken) - len(waits):9}")
    print(
        f"\nears' process: {memory:.0f} MB; {cpu:.3f} s of processor a second while listening, "
        f"{idle_cpu:.3f} with nothing to listen for"
    )


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
