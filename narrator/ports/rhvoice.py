"""RHVoice, the better Russian voice of Debian's non-free section, where it is installed.

One short process of `RHVoice-test` for each text: nothing of its native code is in ours, and one that hangs is killed
and tried again. Only voices whose licences allow any use are taken.
Invariant: a voice that is not installed is never replaced in silence, as the program itself would do.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path

from narrator.ports.engines import EngineError, EngineMissing, check_text, wav_complete

PROGRAM = "RHVoice-test"
VOICES = {"Elena": "elena", "Aleksandr-hq": "aleksandr-hq"}
"""Free voices and their folders: Elena is GPL-3, Aleksandr-hq CC-BY-SA-4.0; most others forbid commercial use."""

DATA = (Path("/usr/share/RHVoice/voices"), Path("/usr/local/share/RHVoice/voices"))
_INSTALL = "run: sudo apt install rhvoice rhvoice-russian (Debian's section non-free)"
_USUAL = 150  # words a minute at RHVoice's own speed
_PATIENCE = 20.0  # seconds for one text; it takes half a second, on a machine that is starved sometimes many
_TRIES = 3
_PACKAGES = ("rhvoice", "rhvoice-russian")


def missing(voice: str) -> str:
    """Why RHVoice cannot speak with `voice` ("": with any free one), or an empty string."""
    if voice and voice not in VOICES:
        return f"RHVoice's voice «{voice}» is not free; set [voice] voice to {_names()}"
    if _found(voice) is None or not shutil.which(PROGRAM):
        return f"RHVoice with the voice {voice or _names()} is not installed; {_INSTALL}"
    return ""


def _found(voice: str) -> str | None:
    wanted = [voice] if voice else list(VOICES)
    return next((name for name in wanted if name in VOICES and any((d / VOICES[name]).is_dir() for d in DATA)), None)


class RHVoiceEngine:
    """See Engine. `voice`: Elena, Aleksandr-hq or "" for the first that is there; `rate`: words a minute."""

    def __init__(self, voice: str, rate: int) -> None:
        self._voice, self._rate = voice, rate

    @property
    def key(self) -> str:
        """See Engine."""
        return f"RHVoice {_versions()}, {_found(self._voice) or self._voice}, {self._rate}"

    def render(self, text: str, path: Path) -> None:
        """See Engine. Raises EngineMissing with the line to type when RHVoice or the voice is absent."""
        check_text(text)
        why = missing(self._voice)
        if why:
            raise EngineMissing(why)
        percent = str(round(100 * self._rate / _USUAL))
        command = [PROGRAM, "-p", _found(self._voice) or "", "-r", percent, "-o", str(path)]
        told = ""
        for _ in range(_TRIES):
            path.unlink(missing_ok=True)
            try:
                done = subprocess.run(command, input=text, text=True, capture_output=True, timeout=_PATIENCE)
            except subprocess.TimeoutExpired:
                told = f"it did not end within {_PATIENCE:g} s"
                continue
            if not done.returncode and wav_complete(path):
                return
            told = done.stderr.strip() or f"exit code {done.returncode}"
        raise EngineError(f"RHVoice made no sound of «{text}» ({told}); try again or shorten it")

    def close(self) -> None:
        """See Engine; no process outlives its text."""


def _names() -> str:
    return " or ".join(VOICES)


@functools.cache
def _versions() -> str:
    """Versions of the program and of the voices, as the package system knows them."""
    try:
        told = subprocess.run(
            ["dpkg-query", "-W", "-f=${Version} ", *_PACKAGES], capture_output=True, text=True, timeout=5
        )
    except (OSError, subprocess.TimeoutExpired):
        return "of unknown version"
    return told.stdout.strip() or "of unknown version"
