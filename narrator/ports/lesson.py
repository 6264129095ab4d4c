"""Learning new words while the old ones are heard: another model is built and loaded on a thread of its own.

Lives in the ears' child process. Must not touch the recogniser in use. Invariant: a lesson ends, with a recogniser or
with a sentence about what cannot be heard.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from narrator.ports.models import RecogniserError
from narrator.ports.recogniser import Recogniser

Learnt = tuple[Recogniser | None, str]
"""The recogniser to use from now on (None: the old one will do), and what it cannot hear in one sentence."""
Teach = Callable[[tuple[str, ...]], Learnt]


class Lesson:
    """`words` being learnt by `teach`, which may take a second or two."""

    def __init__(self, teach: Teach, words: tuple[str, ...]) -> None:
        self.words = words
        self._teach = teach
        self._result: Learnt = (None, "")
        self._thread = threading.Thread(target=self._run, name="lesson", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result = self._teach(self.words)
        except RecogniserError as error:
            self._result = (None, f"Names are not heard, call by number: {error}")

    def result(self) -> Learnt | None:
        """What came of it; None while it lasts."""
        return None if self._thread.is_alive() else self._result
