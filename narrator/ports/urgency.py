"""Which threads go first when everything wants to run: those that keep time before those that recognise and render.

Asks the system and takes no for an answer: without the right (a user without RTPRIO) nothing changes. Invariant: no
child process or thread inherits what is asked for here.
"""

from __future__ import annotations

import contextlib
import os


def urgent() -> None:
    """Let the calling thread, which must mostly sleep, run as soon as it wakes."""
    if hasattr(os, "sched_setscheduler"):
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
