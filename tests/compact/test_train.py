"""Learning the model's sounds, piece by piece. The pieces with PyTorch are left out where it is not installed."""

from __future__ import annotations

import importlib
import itertools
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from narrator.compact import BuildError, train
from narrator.compact.acoustic import Acoustic, load_base
from narrator.compact.pronounce import pronounce
from narrator.compact.train import corpus, sources
from narrator.ports.recogniser import Recogniser
from narrator.ports.recordings import read_sound
from tests.speech_lab import model as model
from tests.speech_lab import speak

WORDS = ["номер", "четыре", "голосование", "спасибо", "пять"]
missing = [name for name in ("torch", "scipy", "soxr") if importlib.util.find_spec(name) is None]
learns = pytest.mark.skipif(bool(missing), reason=f"learning needs {', '.join(missing)}: pip install narrator[train]")


def piece(name: str) -> Any:
    return importlib.import_module(f"narrator.compact.train.{name}")


@pytest.fixture(scope="module")
def network() -> Any:
    return piece("network").Network(load_base()[0], Acoustic())


@pytest.fixture
def said(tmp_path: Path) -> corpus.Utterance:
    frames, _ = read_sound(speak("ru+f3", " ".join(WORDS), tmp_path / "said.wav"))
    found = pronounce(WORDS, Acoustic().phones)
    return corpus.Utterance("espeak_f3", np.frombuffer(frames, "<i2"), tuple(found[word][0] for word in WORDS))


# --- speech -------------------------------------------------------------------------------------------------------


def test_utterances_are_kept_as_they_are(tmp_path: Path) -> None:
    said = [
        corpus.Utterance("festvox", np.arange(7, dtype=np.int16), (("d", "a"),)),
        corpus.Utterance("asterisk", np.arange(3, dtype=np.int16), (("nʲ", "e", "t"), ("d", "a"))),
    ]
    corpus.save(tmp_path / "said.npz", said)
    read = corpus.load(tmp_path / "said.npz")
    first, second = ([(u.source, u.sound.tolist(), u.words) for u in some] for some in (said, read))
    assert first == second


def test_a_stress_is_written_after_the_vowel_that_bears_it() -> None:
    assert corpus._stressed("голосование", "ɡʌɭʌsʌvˈɑnʲijɪ") == "голосова\u0301ние"
    assert corpus._stressed("дон", "dˈon") == "дон"
    assert corpus._stressed("полёт", "pʌɭʲˈɵt") == "полёт"


def test_the_labels_of_festvox_become_phones_of_ours() -> None:
    words = corpus._festvox_words(["pau", "t", "ee", "ll", "e", "pau", "sch", "oo", "pau"])
    assert words == (("t", "e", "ɭʲ", "i"), ("ɕ", "ɵ"))


def test_every_source_has_a_licence_in_the_table(tmp_path: Path) -> None:
    names = ("festvox", "asterisk", *(f"rhvoice_{v}" for v in corpus.RHVOICE), *(f"espeak_{v}" for v in corpus.ESPEAK))
    said = [corpus.Utterance(name, np.zeros(96000, np.int16), ()) for name in names]
    path = sources.tell(said, tmp_path / "new.npz")
    lines = path.read_text("utf-8").splitlines()
    assert path.name == "new.licences.md"
    assert len(lines) == 2 + 8 + 1
    assert "| 32 utterances, 3 minutes | output of espeak-ng" in lines[-2]
    with pytest.raises(KeyError):
        sources.table([corpus.Utterance("somebody", np.zeros(1, np.int16), ())])


@pytest.mark.skipif(not corpus.FESTVOX.exists(), reason="festvox-ru is not installed: apt install festvox-ru")
def test_what_is_held_out_is_not_learnt_and_all_phones_are_known() -> None:
    held_out = (Path(corpus.__file__).with_name("data") / "held_out.txt").read_text("ascii").split()
    read = list(corpus._festvox())
    assert len(held_out) == 80
    assert len(read) == len(list((corpus.FESTVOX / "lab").glob("*.lab"))) - 80
    assert {phone for u in read for word in u.words for phone in word} <= set(Acoustic().phones)


def test_held_out_voices_do_not_speak_for_training() -> None:
    voices = piece_of_bench()
    held_out = {name.split("+")[-1].split(":")[-1] for name in (*voices.COMMANDS, *voices.TALK)}
    assert not held_out & {*corpus.RHVOICE, *corpus.ESPEAK}


def piece_of_bench() -> Any:
    return importlib.import_module("tests.bench.hearing.voices")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "find_spec", lambda name: None if name == "torch" else name)
    with pytest.raises(BuildError, match=re.escape('needs torch: pip install "narrator[train]"')):
        train.check()


# --- features and network -------------------------------------------------------------------------------------------


@learns
def test_a_cepstrum_is_kaldis() -> None:
    """Against the definitions written out for one frame: window, transform, triangles, logarithm, cosines, lifter."""
    frame = np.random.default_rng(1).normal(0, 1000, 400)
    flat = frame - frame.mean()
    sharp = flat - 0.97 * np.concatenate([flat[:1], flat[:-1]])
    windowed = sharp * (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 399)) ** 0.85
    bins = np.arange(257)[:, None]
    power = np.abs((windowed * np.exp(-2j * np.pi * bins * np.arange(400) / 512)).sum(1)) ** 2
    mel = [1127 * np.log(1 + k * 16000 / 512 / 700) for k in range(257)]
    edges = np.linspace(1127 * np.log(1 + 20 / 700), 1127 * np.log(1 + 7600 / 700), 42)
    energies = []
    for left, centre, right in zip(edges, edges[1:], edges[2:], strict=False):
        rising = [(m - left) / (centre - left) if left < m <= centre else 0.0 for m in mel]
        falling = [(right - m) / (right - centre) if centre < m < right else 0.0 for m in mel]
        energies.append(float(np.dot(power, np.add(rising, falling))))
    expected = [
        (1 + 11 * np.sin(np.pi * n / 22))
        * np.sqrt((1 if n == 0 else 2) / 40)
        * sum(np.log(e) * np.cos(np.pi * n * (j + 0.5) / 40) for j, e in enumerate(energies))
        for n in range(40)
    ]
    found = piece("features").mfcc(frame.astype(np.float32))
    assert found.shape == (1, 40)
    np.testing.assert_allclose(found[0], expected, rtol=1e-3, atol=0.02)


@learns
def test_the_network_hears_words_where_vosk_hears_them(network: Any, said: corpus.Utterance, model: Path) -> None:
    recogniser = Recogniser(model, 16000)
    recogniser.listen([" ".join(WORDS)])
    heard = recogniser.feed(said.sound.tobytes())
    last = recogniser.finish()
    words = [word for utterance in (*heard, *([last] if last else [])) for word in utterance.words]
    assert [word.text for word in words] == WORDS
    (aligned,) = piece("align").align([said], network, Acoustic().phones)
    spoken = aligned.phones > 0
    begins = np.flatnonzero(spoken & ~np.concatenate([[False], spoken[:-1]]))
    assert abs(begins[0] / 100 - words[0].start) < 0.1
    ends = np.flatnonzero(spoken)[-1] + 1
    assert abs(ends / 100 - words[-1].end) < 0.15
    assert aligned.score > -1.0


@learns
def test_what_is_packed_is_read_again(network: Any, tmp_path: Path) -> None:
    base, chance = load_base()[0], np.random.default_rng(2)
    changed = {
        name: value.detach().numpy() + chance.normal(0, 0.01, value.shape).astype(np.float32)
        for name, value in network.parameters.items()
    }
    path = tmp_path / "acoustic.npz"
    piece("pack").pack(path, base, Acoustic().phones, changed, network.prior.numpy())
    again = Acoustic(path)
    read = piece("network").Network(base, again).parameters
    assert set(read) == set(changed)
    for name, value in read.items():
        np.testing.assert_allclose(value.detach().numpy(), changed[name], atol=0.02)
    assert again.write(base).endswith(Acoustic().write(base)[-8:])
    assert path.stat().st_size < 3_500_000
    assert [file.name for file in tmp_path.iterdir()] == ["acoustic.npz"]


# --- alignment and criterion ----------------------------------------------------------------------------------------


@learns
def test_the_best_path_is_the_best_of_all() -> None:
    optional = np.array([True, False, False, True, False, True])
    scores = np.log(np.random.default_rng(3).random((7, 6)))

    def allowed(path: tuple[int, ...]) -> bool:
        steps = itertools.pairwise(path)
        return (
            path[0] < 2 and path[-1] > 3 and all(b - a in (0, 1) or (b - a == 2 and optional[a + 1]) for a, b in steps)
        )

    paths = [path for path in itertools.combinations_with_replacement(range(6), 7) if allowed(path)]
    best = max(paths, key=lambda path: sum(scores[t, s] for t, s in enumerate(path)))
    found, total = piece("align").best_path(scores, optional)
    assert tuple(found) == best
    assert total == pytest.approx(sum(scores[t, s] for t, s in enumerate(best)))


@learns
def test_the_sequence_criterion_sums_over_all_paths() -> None:
    import torch

    criterion = piece("criterion")
    loop = torch.rand(3, 3)
    likely = torch.rand(4, 1, 3) + 0.1
    total = sum(
        float(likely[0, 0, p[0]]) / 3
        * np.prod([float(loop[p[t - 1], p[t]] * likely[t, 0, p[t]]) for t in range(1, 4)])
        for p in itertools.product(range(3), repeat=4)
    )  # fmt: skip
    assert float(criterion._paths(likely, loop)) == pytest.approx(np.log(total), rel=1e-4)


@learns
def test_what_was_said_is_never_likelier_than_everything() -> None:
    import torch

    made = piece("criterion")
    labels = torch.tensor([[0], [2], [3], [4], [5], [0]])
    chances = made.transitions([labels[:, 0].numpy()], 6)
    assert chances.sum(1) == pytest.approx(np.ones(6))
    assert chances[0, 3] == 0  # nothing goes on that has not begun
    criterion = made.Criterion(chances, np.full(6, 1 / 6, np.float32))
    right = 8.0 * torch.nn.functional.one_hot(labels, 6).float()
    wrong = 8.0 * torch.nn.functional.one_hot((labels + 2) % 6, 6).float()
    assert 0 <= float(criterion.sequence(right, labels)) < float(criterion.sequence(wrong, labels))


@learns
def test_some_steps_on_one_batch_make_it_fit_better(network: Any, said: corpus.Utterance) -> None:
    import torch

    made = piece("criterion")
    aligned = list(piece("align").align([said], network, Acoustic().phones))
    table = piece("augment").Table([said.sound], np.eye(1, 9600, dtype=np.float32)[None].repeat(4, 1))
    features, labels = (torch.from_numpy(part) for part in piece("batches").Batches(
        aligned, table, size=2, count=1, seed=5)[0])  # fmt: skip
    criterion = made.Criterion(made.transitions([labels.numpy()], 86), network.prior)
    before = {name: value.detach().clone() for name, value in network.parameters.items()}
    optimiser = torch.optim.Adam(network.parameters.values(), lr=1e-4)
    losses = []
    for _ in range(4):
        loss, _told = criterion(network(features), labels)
        losses.append(loss.item())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        for name, value in network.parameters.items():
            value.copy_(before[name])
    assert losses[-1] < losses[0]


# --- examples -------------------------------------------------------------------------------------------------------


@learns
def test_labels_follow_the_sound_at_any_speed() -> None:
    """A buzz has the phone 5, everything else is silence: at every speed loud outputs are labelled 5 and no others."""
    sound = np.zeros(24000, np.int16)
    sound[8000:16000] = (3000 * np.sin(np.arange(8000))).astype(np.int16)
    frames = (len(sound) - 400) // 160 + 1
    buzzes = np.array([8000 <= 160 * k + 200 < 16000 for k in range(frames)])
    item = piece("align").Aligned(
        corpus.Utterance("festvox", sound, ()), 5 * buzzes.astype(np.uint8), buzzes.astype(np.int16), 0.0
    )
    quiet = SimpleNamespace(spoil=lambda sound, chance: SimpleNamespace(sound=sound, warp=1.0))
    batches = piece("batches").Batches([item], quiet, size=6, count=9, seed=7)
    features, labels = batches[3]
    assert labels.shape == (106, 6)
    assert features.shape == (318 + 68, 6, 40)
    loud = features[34:-34:3, :, 0] > features[..., 0].mean()
    assert np.mean(loud == (labels // 2 == 5)) > 0.97
    assert 0.05 < loud.mean() < 0.8
    again, _ = batches[3]
    np.testing.assert_array_equal(features, again)


@learns
@pytest.mark.parametrize("noise", ["coloured", "music", "household"])
def test_a_noise_is_of_level_one_and_the_same_for_the_same_chance(noise: str) -> None:
    make = getattr(piece("augment"), noise)
    first, second = (make(48000, np.random.default_rng(8)) for _ in range(2))
    assert first.shape == (48000,)
    assert first.std() == pytest.approx(1, abs=0.01)
    np.testing.assert_array_equal(first, second)


@learns
def test_spoilt_sound_is_what_a_sound_card_could_give() -> None:
    made = piece("augment")
    chance = np.random.default_rng(9)
    voice = (1000 * chance.standard_normal(48000)).astype(np.int16)
    table = made.Table([voice], np.eye(1, 9600, dtype=np.float32)[None].repeat(4, 1))
    for sound in (voice.astype(np.float32), np.zeros(48000, np.float32)):
        for _ in range(20):
            spoilt = table.spoil(sound, chance)
            assert spoilt.sound.shape == sound.shape
            assert np.array_equal(spoilt.sound, spoilt.sound.astype(np.int16))
            assert 0.8 <= spoilt.warp <= 1.22


def test_training_asks_for_the_words_to_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "WORDS", tmp_path / "none.dic")
    with pytest.raises(BuildError, match="apt install hunspell-ru"):
        list(corpus.collect(tmp_path, ["да"], Acoustic().phones))
