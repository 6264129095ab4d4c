"""The packages of a 64-bit Pi, run and not hoped for: resolved with their pins, then loaded under emulation to speak
and to recognise a command.

On request only (scripts/lab arm64). The emulator says nothing about speed.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.appliance.machine import LAB, ROOT, need_lab

pytestmark = pytest.mark.slow

PYTHONS = {"3.11": "lgpio", "3.13": "adafruit_lgpio"}
"""Python of Bookworm and of Trixie, and where lgpio comes from there."""
BINFMT = Path("/proc/sys/fs/binfmt_misc")
_SAY = """
from pathlib import Path
from narrator.config import load
from narrator.ports.child import Child
from narrator.ports.engines import engine_for
Child.__init__.__kwdefaults__["start_patience"] = 600.0  # an emulated processor is slower than any
engine = engine_for(load().voice)
engine._patience = 300.0
engine.render("пауза", Path("/work/pause.wav"))
engine.render("голосование", Path("/work/vote.wav"))
engine.close()
"""
PACKAGES = ("python3", "libatomic1", "libportaudio2", "espeak-ng", "libespeak-ng1", "libfst-tools",
            "libfst26-plugins-base", "libc-bin", "coreutils", "bash")  # fmt: skip


def site(python: str) -> Path:
    """The locked packages for aarch64, each checked by its hash."""
    need_lab()
    folder = LAB / f"arm64-site-{python}"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(
        [sys.executable, "-m", "uv", "pip", "install", "--native-tls", "--quiet", "--target", str(folder),
         "--python-platform", "aarch64-manylinux_2_36", "--python-version", python,
         "--require-hashes", "--no-deps", "-r", str(ROOT / "requirements.lock")],
        check=True,
    )  # fmt: skip
    return folder


@pytest.mark.parametrize("python", PYTHONS)
def test_the_pins_resolve_for_a_pi(python: str) -> None:
    folder = site(python)
    found = {path.name.partition("-")[0]: path.name for path in folder.glob("*.dist-info")}
    assert found["vosk"] == "vosk-0.3.45.dist-info"  # not the old one that pip falls back to
    assert found[PYTHONS[python]].startswith(f"{PYTHONS[python]}-0.2.2")  # not the empty shell 0.0.0.2
    libraries = sorted(folder.rglob("*.so"))
    assert libraries
    for library in libraries:
        assert library.read_bytes()[18] == 183, f"{library} is not for aarch64"  # e_machine of its ELF header
    print(f"\nPython {python}: {len(found)} packages, {len(libraries)} libraries, all for aarch64")


@contextlib.contextmanager
def emulation() -> Iterator[None]:
    """Let this kernel run aarch64 programs during the block."""
    mounted = (BINFMT / "register").exists()
    if not mounted:
        subprocess.run(["mount", "-t", "binfmt_misc", "none", str(BINFMT)], check=True)
    known = (BINFMT / "qemu-aarch64").exists()
    try:
        if not known:
            (BINFMT / "register").write_bytes(Path("/usr/lib/binfmt.d/qemu-aarch64.conf").read_bytes().strip())
        yield
    finally:
        if not known:
            (BINFMT / "qemu-aarch64").write_text("-1")
        if not mounted:
            subprocess.run(["umount", str(BINFMT)], check=True)


def root() -> Path:
    folder = LAB / "arm64"
    if not (folder / ".complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(
            ["mmdebstrap", "--quiet", "--arch=arm64", "--variant=extract", f"--include={','.join(PACKAGES)}",
             "trixie", str(folder)],
            check=True,
        )  # fmt: skip
        (folder / ".complete").touch()
    return folder


def test_it_speaks_and_understands_on_arm64(tmp_path: Path) -> None:
    need_lab("mmdebstrap", "qemu-aarch64-static")
    packages, where = site("3.13"), root()
    for name, source in (("site", packages), ("src", ROOT / "narrator")):
        target = where / "opt" / name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target / "narrator" if name == "src" else target)
    work = where / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    env = {
        "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8", "PYTHONPATH": "/opt/src:/opt/site",
        "HOME": "/work", "XDG_CACHE_HOME": "/work", "XDG_STATE_HOME": "/work", "LG_WD": "/work",
    }  # fmt: skip

    def run(*words: str) -> str:
        begun = time.monotonic()
        done = subprocess.run(["chroot", str(where), *words], env=env, capture_output=True, text=True, timeout=1500)
        print(f"\n{time.monotonic() - begun:6.1f} s  {' '.join(words)[:90]}")
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def narrator(*words: str) -> str:
        return run("/usr/bin/python3", "-m", "narrator.cli", *words)

    with emulation():
        run("/usr/sbin/ldconfig")
        every = "narrator.app, narrator.wiring, vosk, sounddevice, gpiozero, lgpio, pyttsx3, numpy, soxr, uvicorn"
        told = run("/usr/bin/python3", "-c",
                   f"import platform, {every}; print(platform.machine(), hasattr(lgpio, 'gpiochip_open'))")  # fmt: skip
        assert told.split() == ["aarch64", "True"]
        run("/usr/bin/python3", "-c", _SAY)
        lines = [json.loads(line) for line in narrator("hear", "/work/pause.wav", "/work/vote.wav").splitlines()]
    print(*lines, sep="\n")
    assert [line["text"] for line in lines] == ["пауза", "голосование"]
