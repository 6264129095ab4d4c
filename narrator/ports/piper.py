"""Piper, a neural voice for 64-bit boards, as an extra: `pip install piper-tts` and a Russian model (.onnx and .json).

The model is a file of the user's; nothing is fetched. The network runs in the engine's child process. Invariant: a
model that is not there, or not whole, is told with its path before anything is loaded.
"""

from __future__ import annotations

import importlib.util
import wave
from pathlib import Path

from narrator.ports.child import Link
from narrator.ports.engines import ChildEngine, EngineMissing, package_version

_USUAL = 150  # words a minute at a model's own speed
_PATIENCE = 20.0  # seconds for one text; a Pi needs about as long as the text lasts
_WHERE = "set [voice] voice to the path of a Russian model, with its .onnx.json beside it"


def missing(voice: str) -> str:
    """Why Piper cannot speak with the model file `voice`, or an empty string."""
    if importlib.util.find_spec("piper") is None:
        return "Piper is not installed; run: .venv/bin/pip install piper-tts"
    if not voice:
        return f"Piper needs a model; {_WHERE}"
    model = Path(voice).expanduser()
    absent = [str(path) for path in (model, Path(f"{model}.json")) if not path.is_file()]
    return f"{' and '.join(absent)}: not there; {_WHERE}" if absent else ""


class PiperEngine(ChildEngine):
    """See Engine. `voice`: path of a model; `rate`: words a minute."""

    def __init__(self, voice: str, rate: int) -> None:
        self._voice = voice
        self._model = Path(voice).expanduser()
        super().__init__(self._name_all, serve_piper, (str(self._model), rate), patience=_PATIENCE)

    def render(self, text: str, path: Path) -> None:
        """See Engine. Raises EngineMissing, which says what to do, when Piper or its model is absent."""
        why = missing(self._voice)
        if why:
            raise EngineMissing(why)
        super().render(text, path)

    def _name_all(self) -> str:
        about = self._model.stat() if self._model.is_file() else None
        size = (about.st_size, about.st_mtime_ns) if about else ()
        return f"piper {package_version('piper-tts')}, {self._model.name} {size}, {self._args[1]}"


def serve_piper(link: Link, model: str, rate: int) -> None:
    """The child: one loaded model, one text at a time."""
    try:
        from piper import PiperVoice
        from piper.config import SynthesisConfig

        link.beat()
        voice = PiperVoice.load(model)
    except Exception as error:  # onnxruntime has many errors of its own for a file that is no model
        link.send(("missing", None, f"{model} is no Piper model ({error}); {_WHERE}"))
        return
    speed = SynthesisConfig(length_scale=_USUAL / rate)
    while not link.closed:
        link.beat()
        request = link.receive(0.25)
        if request is not None:
            ticket, text, path = request
            with wave.open(path, "wb") as file:
                voice.synthesize_wav(text, file, syn_config=speed)
            link.send(("done", ticket, ""))
