"""A box in a container: Debian with the program installed by scripts/install-pi, booted by systemd-nspawn.

Wants root and minutes, so only when asked for (NARRATOR_LAB=1); `scripts/lab` builds what it needs. Every boot starts
from the same disk: what happens in one is gone in the next.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAB = Path(os.environ.get("NARRATOR_LAB_DIR", "/var/cache/narrator-lab"))


def need_lab(*programs: str) -> None:
    """Skip the test, loudly, unless labs are asked for and possible here."""
    if os.environ.get("NARRATOR_LAB") != "1":
        pytest.skip("a lab: runs only with NARRATOR_LAB=1, as scripts/lab sets it")
    missing = [program for program in programs if not shutil.which(program)]
    if missing or os.geteuid() != 0:
        pytest.skip(f"this lab wants root and {', '.join(programs)}; start it with scripts/lab")


def lab(*words: str) -> None:
    """Run scripts/lab; its own words go to the terminal."""
    subprocess.run([str(ROOT / "scripts/lab"), *words], check=True)


_UNIT = """\
[Unit]
Description=the test
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/bash /lab/script.sh
StandardOutput=file:/lab/out
StandardError=inherit
ExecStopPost=/bin/systemctl poweroff --no-block
TimeoutStartSec={limit}
"""
_SYSTEM = "/etc/systemd/system"


def boot(folder: Path, script: str, *options: str, limit: float = 240) -> str:
    """Boot the box, run `script` (bash) in it when it is up, and return what that printed. `folder` is /lab inside."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    (folder / "script.sh").write_text(script)
    (folder / "out").write_text("")
    (folder / "lab.service").write_text(_UNIT.format(limit=round(limit)))
    (folder / "lab.conf").write_text("[Unit]\nWants=lab.service\n")
    done = subprocess.run(
        [
            # asked politely first: a container whose systemd-nspawn was killed lives on
            *("timeout", "--kill-after=20", f"{limit + 60:.0f}"),
            *(
                "systemd-nspawn",
                "--register=no",
                "--keep-unit",
                "-q",
                "-b",
                "--volatile=overlay",
                "--private-network",
            ),
            *("-D", str(LAB / "box"), f"--bind={folder}:/lab"),
            f"--bind-ro={folder}/lab.service:{_SYSTEM}/lab.service",
            f"--bind-ro={folder}/lab.conf:{_SYSTEM}/multi-user.target.d/lab.conf",
            *options,
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    out = (folder / "out").read_text()
    assert "the end" in out, f"the script did not come to its end:\n{out}\n{done.stdout[-3000:]}\n{done.stderr[-2000:]}"
    return out
