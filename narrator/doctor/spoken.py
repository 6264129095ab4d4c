"""The doctor's spoken test: five words are asked for, and heard among all commands, as in a game.

Wants a person; whoever runs checks without one leaves it out. Invariant: it ends, said to or not.
"""

from __future__ import annotations

import math
import queue
import time
from collections.abc import Callable, Iterator

from narrator.config import Settings
from narrator.doctor import Finding, Group, State
from narrator.doctor.devices import PATIENCE, wait_for_signal
from narrator.messages import Heard, PortFailed, Signal
from narrator.naming import commands, vocabulary
from narrator.ports.ears import MicrophoneEars

WORDS = ("пауза", "продолжить", "голосование", "номер пять", "отмена")
ENOUGH = 4
"""Words of five that must be understood; one may be said badly."""


def spoken(settings: Settings, ask: Callable[[str], None], patience: float = 8.0) -> Iterator[Finding]:
    """Ask for each word and wait for it, `patience` seconds at most."""
    if not settings.ears.enabled:
        return
    signals: queue.SimpleQueue[Signal] = queue.SimpleQueue()
    words = commands(settings)
    ears = MicrophoneEars(settings.ears, settings.paths.cache_dir, vocabulary(settings, words), signals.put)
    try:
        ears.listen(1, words.phrases(words.everything(), bare=True, addressed=True, joined=True))
        ends = time.monotonic() + PATIENCE
        while ears.health is None and time.monotonic() < ends:
            if wait_for_signal(signals, 0.2, PortFailed) is not None:
                return  # the check of the microphone has said why
        noise, loudest, wrong = math.inf, 0.0, []
        for word in WORDS:
            noise = min(noise, ears.health.rms if ears.health else noise)
            ask(word)
            heard = wait_for_signal(signals, patience, Heard)
            loudest = max(loudest, ears.health.peak if ears.health else 0.0)
            if not isinstance(heard, Heard) or heard.text != word:
                wrong.append(f"«{word}»: {f'«{heard.text}»' if isinstance(heard, Heard) else 'nothing'}")
        yield _judged(wrong, noise, loudest)
    finally:
        ears.close()


def _judged(wrong: list[str], noise: float, loudest: float) -> Finding:
    right = len(WORDS) - len(wrong)
    found = f"{right} of {len(WORDS)} words were understood"
    if loudest > 0 and 0 < noise < math.inf:
        found += f", the loudest {20 * math.log10(loudest / noise):.0f} dB above the noise"
    if wrong:
        found += f"; heard instead: {', '.join(wrong)}"
    if right >= ENOUGH:
        return Finding(Group.MICROPHONE, "spoken test", State.OK, found)
    todo = "closer to the microphone, one word at a time; narrator hear --live shows what it hears"
    return Finding(Group.MICROPHONE, "spoken test", State.WARN, found, todo)
