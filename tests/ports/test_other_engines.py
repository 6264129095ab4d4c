"""RHVoice and Piper: chosen where they are installed, and told in a sentence where they are not."""

from __future__ import annotations

import importlib.util
import logging
import stat
import wave
from pathlib import Path

import pytest

from narrator.config import VoiceSettings, load
from narrator.ports import piper, rhvoice
from narrator.ports.engines import EngineError, EngineMissing, Pyttsx3Engine, engine_for, wav_complete

needs_rhvoice = pytest.mark.skipif(bool(rhvoice.missing("")), reason=rhvoice.missing(""))
needs_piper = pytest.mark.skipif(importlib.util.find_spec("piper") is None, reason="no piper; pip install piper-tts")


def settings(**voice: object) -> VoiceSettings:
    return load(Path("/dev/null"), voice=voice).voice


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program by RHVoice's name that writes a WAV of its own arguments' voice, and one free voice."""
    program = tmp_path / "bin" / rhvoice.PROGRAM
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncp "$(dirname "$0")/sound.wav" "$2"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    with wave.open(str(program.with_name("sound.wav")), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(24000)
        file.writeframes(b"\1\2" * 2400)
    (tmp_path / "voices" / "elena").mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setattr(rhvoice, "DATA", (tmp_path / "voices",))
    return program


@pytest.fixture
def absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rhvoice, "DATA", (tmp_path / "nothing",))


def test_rhvoice_is_taken_where_it_is_installed(fake: Path, tmp_path: Path) -> None:
    engine = engine_for(settings())
    assert isinstance(engine, rhvoice.RHVoiceEngine)
    assert "Elena" in engine.key
    engine.render("Город засыпает.", tmp_path / "x.wav")
    assert wav_complete(tmp_path / "x.wav")


def test_an_espeak_voice_means_espeak(fake: Path) -> None:
    assert engine_for(settings(voice="ru+f3")).key.endswith("ru+f3, 150")
    assert engine_for(settings(engine="pyttsx3")).key.endswith("ru+klatt, 120"), "the clearest, and calmer"
    assert isinstance(engine_for(settings(engine="pyttsx3")), Pyttsx3Engine)


@pytest.mark.usefixtures("absent")
def test_without_it_espeak_speaks_and_only_a_named_engine_is_missed(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert isinstance(engine_for(settings()), Pyttsx3Engine)
        assert caplog.text == ""
        assert isinstance(engine_for(settings(engine="rhvoice")), Pyttsx3Engine)
    assert "sudo apt install rhvoice rhvoice-russian" in caplog.text


@pytest.mark.usefixtures("absent")
def test_rhvoice_that_was_removed_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(EngineMissing, match="sudo apt install"):
        rhvoice.RHVoiceEngine("Elena", 150).render("Город засыпает.", tmp_path / "x.wav")


def test_voices_whose_licence_is_not_free_are_refused(fake: Path, tmp_path: Path) -> None:
    with pytest.raises(EngineMissing, match=r"«Arina» is not free; set .* Elena or Aleksandr-hq"):
        rhvoice.RHVoiceEngine("Arina", 150).render("Город засыпает.", tmp_path / "x.wav")


def test_rhvoice_that_makes_no_sound_is_an_error(fake: Path, tmp_path: Path) -> None:
    fake.with_name("sound.wav").write_bytes(b"")
    with pytest.raises(EngineError, match=r"no sound of «Город засыпает.»"):
        rhvoice.RHVoiceEngine("", 150).render("Город засыпает.", tmp_path / "x.wav")


def test_a_process_that_never_ends_is_killed_and_tried_again(
    fake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rhvoice, "_PATIENCE", 0.5)
    once = f"if mkdir {tmp_path}/tried 2>/dev/null; then exec sleep 60; fi\n"
    fake.write_text(fake.read_text().replace("#!/bin/sh\n", f"#!/bin/sh\n{once}"))
    rhvoice.RHVoiceEngine("", 150).render("Город засыпает.", tmp_path / "x.wav")
    assert wav_complete(tmp_path / "x.wav")
    assert (tmp_path / "tried").is_dir()


@needs_rhvoice
def test_the_real_one_speaks_faster_when_told_and_honours_stress(tmp_path: Path) -> None:
    usual, fast = rhvoice.RHVoiceEngine("Elena", 150), rhvoice.RHVoiceEngine("Elena", 250)
    assert usual.key != fast.key
    sizes = []
    for number, (engine, text) in enumerate(
        [(usual, "Три голоса."), (fast, "Три голоса."), (usual, "Три го́лоса."), (usual, "Три голоса́.")]
    ):
        engine.render(text, tmp_path / f"{number}.wav")
        sizes.append((tmp_path / f"{number}.wav").read_bytes())
    assert len(sizes[1]) < 0.8 * len(sizes[0])
    assert sizes[2] != sizes[3]


# --- Piper ---


@needs_piper
def test_piper_without_a_model_says_so_and_espeak_speaks(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    with caplog.at_level(logging.WARNING):
        assert isinstance(engine_for(settings(engine="piper")), Pyttsx3Engine)
        assert isinstance(engine_for(settings(engine="piper", voice=str(tmp_path / "ru.onnx"))), Pyttsx3Engine)
    assert "Piper needs a model" in caplog.text
    assert f"{tmp_path}/ru.onnx and {tmp_path}/ru.onnx.json: not there" in caplog.text


@needs_piper
def test_a_file_that_is_no_model_is_told_by_the_child(tmp_path: Path) -> None:
    model = tmp_path / "ru.onnx"
    model.write_bytes(b"no network at all")
    (tmp_path / "ru.onnx.json").write_text("{}")
    assert piper.missing(str(model)) == ""
    engine = engine_for(settings(engine="piper", voice=str(model)))
    try:
        with pytest.raises(EngineMissing, match="is no Piper model"):
            engine.render("Город засыпает.", tmp_path / "x.wav")
    finally:
        engine.close()


def test_without_the_package_the_line_to_type_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert piper.missing("x.onnx") == "Piper is not installed; run: .venv/bin/pip install piper-tts"
