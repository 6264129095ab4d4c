"""Nothing is looked for outside: the calls of every process of the box in a whole game with sound, as the kernel sees
them.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.e2e.box import Box
from tests.e2e.evening import CONFIG, need_everything, shared_cache
from tests.lab import Pulse

pytestmark = pytest.mark.slow
HOME = re.compile(r"127\.0\.0\.1|::1|AF_UNIX|AF_NETLINK")


def test_no_process_calls_anything_but_this_machine(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    need_everything()
    if not shutil.which("strace"):
        pytest.skip("no strace; apt install strace")
    trace = tmp_path / "calls"
    under = ("strace", "-f", "-q", "-o", str(trace), "-e", "trace=connect,bind,sendto,sendmsg")
    with Pulse() as pulse:
        box = Box(tmp_path, shared_cache(pytestconfig), CONFIG, env=pulse.env, observed=False, under=under)
        try:
            box.shows("Добрый вечер", 240)
            for line in ("начинаем игру", "2", "5", "9", "", "5", "", "7", ""):
                box.type(line)
            box.shows("Говорит номер один", 60)
            for seat in ("один", "три", "четыре", "шесть"):
                box.type(f"удалить номер {seat}")
                box.type("да")
            box.shows("Победила", 60)
        finally:
            box.close()
    addressed = [line for line in trace.read_text(errors="replace").splitlines() if "sa_family=" in line]
    assert any("127.0.0.1" in line for line in addressed)  # its own pages: the trace is a trace of the box
    assert [line for line in addressed if not HOME.search(line)] == []
