"""The program with its queues counted: `python -m tests.appliance.queues FILE VERB…` runs `narrator VERB…`.

Every second a line is added to FILE: how many things wait in all queues of this process, and how many queues it has.
Children are not counted: what they hold is bounded (the microphone drops, and counts, what it cannot keep).
"""

from __future__ import annotations

import queue
import sys
import threading
import weakref
from pathlib import Path
from typing import Any, ClassVar

EVERY = 1.0


class Counted(queue.SimpleQueue[Any]):
    """A queue that is known to exist."""

    known: ClassVar[weakref.WeakSet[Counted]] = weakref.WeakSet()

    def __init__(self) -> None:
        super().__init__()
        self.known.add(self)


def waiting() -> int:
    """How many things wait in all queues that live."""
    return sum(one.qsize() for one in list(Counted.known))


def _write(file: Path) -> None:
    pause = threading.Event()
    with file.open("w", buffering=1, encoding="ascii") as lines:
        while not pause.wait(EVERY):
            lines.write(f"{waiting()} {len(Counted.known)}\n")


if __name__ == "__main__":
    queue.SimpleQueue = Counted  # type: ignore[misc]
    threading.Thread(target=_write, args=(Path(sys.argv.pop(1)),), daemon=True).start()
    from narrator.cli import main

    main()
