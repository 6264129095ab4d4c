"""Which threads go first when everything wants to run: those that keep time before those that recognise and render.

Asks the system and takes no for an answer: the highest place is RTPRIO's, the next best is NICE's, and without either
right nothing changes. Invariant: no child process or thread inherits what is asked for here.
"""

from __future__ import annotations

import contextlib
import os
import threading

_NICE = -10
"""What the service may ask for; see LimitNICE in systemd/narrator.service."""


def urgent() -> None:
    """Let the calling thread, which must mostly sleep, run as soon as it wakes."""
    if not hasattr(os, "sched_setscheduler"):  # no Linux
        return
    try:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError:
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_OTHER | os.SCHED_RESET_ON_FORK, os.sched_param(0))
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)  # on Linux, of this thread alone
