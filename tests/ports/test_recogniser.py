"""Real recognition of synthetic commands: what is heard, when, and that nothing else comes out."""

from __future__ import annotations

import json
import logging
import random
import re
import shutil
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from narrator.config import load
from narrator.messages import Form
from narrator.ports import models
from narrator.ports.models import BIG, RecogniserError, check_model, find_model, spelling
from narrator.ports.recogniser import FEW, LONG, REFRACTORY, SHORT, TALK, Recogniser, hear_file
from narrator.ports.recordings import read_sound
from tests.speech_lab import COMMANDS, NUMBERS, RATE, VOICES, WORDS, speak, write_wav
from tests.speech_lab import model as model

FIVE, SIX = "выставляю номер пять", "выставляю номер шесть"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., bytes]:
    """Frames of a spoken text at 16 kHz, each made once."""
    folder = tmp_path_factory.mktemp("sound")
    made: dict[tuple[str, str], bytes] = {}

    def frames(text: str, voice: str = VOICES[0]) -> bytes:
        if (voice, text) not in made:
            made[voice, text] = read_sound(speak(voice, text, folder / "spoken.wav"))[0]
        return made[voice, text]

    return frames


@pytest.fixture
def recogniser(model: Path) -> Recogniser:
    return Recogniser(model, RATE)


def texts(recogniser: Recogniser, frames: bytes, block: int = 3200) -> list[str]:
    heard = [u for at in range(0, len(frames), block) for u in recogniser.feed(frames[at : at + block])]
    last = recogniser.finish()
    return [u.text for u in heard + ([last] if last else [])]


# --- what is heard -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("voice", "early"), [(VOICES[0], False), (VOICES[1], True)])
def test_commands_are_heard(model: Path, sound: Callable[..., bytes], voice: str, early: bool) -> None:
    recogniser = Recogniser(model, RATE, early=early)
    recogniser.listen(COMMANDS)
    wrong = {}
    for command in COMMANDS:
        heard = texts(recogniser, sound(command, voice))
        if heard != [command]:
            wrong[command] = heard
    assert len(wrong) <= 2, wrong
    assert not [t for heard in wrong.values() for t in heard if t in COMMANDS], "another command was heard"


def test_an_utterance_tells_its_words_times_and_confidence(recogniser: Recogniser, sound: Callable[..., bytes]) -> None:
    recogniser.listen(COMMANDS)
    (utterance,) = recogniser.feed(sound(FIVE))
    assert utterance.text == FIVE == " ".join(word.text for word in utterance.words)
    assert 0.9 < utterance.confidence <= 1
    assert all(0 <= word.confidence <= 1 and word.start < word.end for word in utterance.words)
    assert 0.3 < utterance.words[0].start < 0.8  # half a second of silence comes first
    assert utterance.seconds == pytest.approx(1.4, abs=0.5)
    assert 0.5 < utterance.lag < 1.3
    assert 0 < utterance.took < 5
    assert not utterance.early


def test_silence_is_never_an_utterance(recogniser: Recogniser) -> None:
    recogniser.listen(COMMANDS)
    assert texts(recogniser, bytes(2 * RATE * 12)) == []
    assert recogniser.finish() is None


def test_the_size_of_the_blocks_does_not_matter(recogniser: Recogniser, sound: Callable[..., bytes]) -> None:
    recogniser.listen(COMMANDS)
    both = sound("дальше") + sound(FIVE)
    for block in (320, 3200, 5000, len(both)):
        assert texts(recogniser, both, block) == ["дальше", FIVE]


@pytest.mark.parametrize("said", ["холодильник стоит на кухне", "вчера мы ходили в кино", "какая интересная история"])
def test_other_talk_is_no_command(recogniser: Recogniser, sound: Callable[..., bytes], said: str) -> None:
    recogniser.listen(COMMANDS)
    assert not set(texts(recogniser, sound(said))) & set(COMMANDS)


def test_words_of_commands_in_another_order_are_no_command(recogniser: Recogniser, sound: Callable[..., bytes]) -> None:
    recogniser.listen(COMMANDS)
    dice = random.Random(5)
    vocabulary = sorted({word for command in COMMANDS for word in command.split()})
    for _ in range(20):
        said = " ".join(dice.sample(vocabulary, dice.randint(2, 4)))
        if said not in COMMANDS:
            heard = [text for text in texts(recogniser, sound(said, VOICES[1])) if text in COMMANDS]
            assert not [text for text in heard if len(text.split()) > 2], (said, heard)


# --- early -------------------------------------------------------------------------------------------------------


def forms(*said: str, at_once: bool = True) -> list[Form]:
    return [Form(tuple(frozenset((word,)) for word in text.split()), text, (), at_once) for text in said]


def known_after(recogniser: Recogniser, frames: bytes) -> list[tuple[str, bool, float]]:
    """Text, whether it was early, and seconds from the last sound until it was known, for each utterance."""
    samples = np.abs(np.frombuffer(frames, "<i2").astype(int))
    end = np.flatnonzero(samples > samples.max() * 0.03)[-1] / RATE
    frames += bytes(4 * RATE)
    step = 2 * RATE // 40
    return [
        (utterance.text, utterance.early, (at + step) / 2 / RATE - end)
        for at in range(0, len(frames), step)
        for utterance in recogniser.feed(frames[at : at + step])
    ]


@pytest.mark.parametrize("voice", VOICES)
def test_a_settled_command_is_known_a_fifth_of_a_second_after_it_and_once(
    model: Path, sound: Callable[..., bytes], voice: str
) -> None:
    recogniser = Recogniser(model, RATE, early=True)
    recogniser.listen([FIVE, SIX, "отмена"])
    ((text, early, after),) = known_after(recogniser, sound(FIVE, voice))
    assert (text, early) == (FIVE, True)
    assert after < SHORT + 0.05
    assert recogniser.finish() is None


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        (forms("проверка", "проверка номер пять"), "проверка"),  # another command begins so
        (forms("отмена", at_once=False), "отмена"),  # cannot be taken back
        (forms("проверка"), "проверка"),  # one word, with which a sentence may begin
    ],
)
def test_other_commands_wait_a_little_longer(
    model: Path, sound: Callable[..., bytes], listed: list[Form], said: str
) -> None:
    recogniser = Recogniser(model, RATE, early=True)
    recogniser.listen(["проверка", "проверка номер пять", "отмена", FIVE], listed)
    ((text, early, after),) = known_after(recogniser, sound(said))
    assert (text, early) == (said, True)
    assert SHORT + 0.1 < after < LONG + 0.15


def test_a_phrase_that_is_no_whole_command_waits_for_the_end_pointer(model: Path, sound: Callable[..., bytes]) -> None:
    """The phrases cover pairs of words; what is whole, the forms say."""
    recogniser = Recogniser(model, RATE, early=True)
    recogniser.listen(["проверка", "выставляю номер пять"], forms("выставляю номер пять"))
    ((text, early, _),) = known_after(recogniser, sound("проверка"))
    assert (text, early) == ("проверка", False)


def test_a_short_word_is_not_taken_out_of_a_long_one(model: Path, sound: Callable[..., bytes]) -> None:
    recogniser = Recogniser(model, RATE, early=True)
    recogniser.listen([f"выставляю номер {number}" for number in NUMBERS])
    for number in ("одиннадцать", "тринадцать", "пятнадцать"):
        for voice in VOICES:
            said = f"выставляю номер {number}"
            assert [text for text, _, _ in known_after(recogniser, sound(said, voice))] == [said]
            recogniser.reset()


def test_a_pause_inside_a_command_does_not_cut_it(model: Path, sound: Callable[..., bytes]) -> None:
    """Somebody looks for the number: «выставляю… номер пять»."""
    recogniser = Recogniser(model, RATE, early=True)
    recogniser.listen([FIVE, SIX, "проверка"])
    first, rest = (_voiced(sound(text)) for text in ("выставляю", "номер пять"))
    frames = bytes(RATE) + first + bytes(2 * (RATE // 4)) + rest
    assert [text for text, _, _ in known_after(recogniser, frames)] == [FIVE]


def _voiced(frames: bytes) -> bytes:
    samples = np.frombuffer(frames, "<i2")
    loud = np.flatnonzero(np.abs(samples) > 300)
    return samples[loud[0] : loud[-1]].tobytes()


# --- a second opinion ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sceptical", "text"),
    [
        ([(FIVE, 100), ("[chatter]", 99)], FIVE),
        ([("[chatter]", 100.8), (FIVE, 100)], FIVE),  # nearly as good as talk: the recogniser's word goes
        ([("[chatter]", 100.9), (FIVE, 100)], f"[unk] {FIVE}"),
        ([("[chatter]", 103.4), ("отмена", 100)], "отмена"),  # talk seldom sounds like what has no number
        ([("[chatter]", 103.5), ("отмена", 100)], "[unk] отмена"),
        ([("выставляю [chatter]", 104), ("[chatter]", 103), (FIVE, 100)], f"[unk] {FIVE}"),
        ([("выставляю номер четыре", 103), (FIVE, 100)], FIVE),  # which command it is, is not the sceptic's matter
        ([("", 103), (FIVE, 100)], f"[unk] {FIVE}"),
        ([], f"[unk] {FIVE}"),
        ([("пять", 100), ("[chatter]", 97.5)], "пять"),
        ([("пять", 100), ("[chatter]", 98)], "[unk] пять"),  # a number alone is what talk sounds like most often
    ],
)
def test_what_the_sceptic_thinks_impossible_was_not_said(
    recogniser: Recogniser, sceptical: list[tuple[str, float]], text: str
) -> None:
    numbered = [
        Form(tuple(frozenset((word,)) for word in text.split()), "nominate", (2,), numbers={text.split()[2]: (number,)})
        for number, text in enumerate((FIVE, "выставляю номер четыре"))
    ]
    alone = Form((frozenset(("пять",)),), "vote", (0,), numbers={"пять": (5,)})
    recogniser.listen([FIVE, *NUMBERS, "отмена", "пять"], [*numbered, alone, *forms("отмена")])
    heard(recogniser, text.removeprefix("[unk] "), *sceptical)
    utterance = recogniser.finish()
    assert utterance is not None
    assert utterance.text == text


@pytest.mark.parametrize(
    ("early", "talk", "text"),
    [
        (True, 97.5, "отмена"),
        (True, 98, "[unk] отмена"),  # it may go on
        (False, 98, "отмена"),
        (False, 103.5, "[unk] отмена"),
    ],
)
def test_while_it_may_be_how_a_sentence_begins_the_sceptic_must_be_sure(
    recogniser: Recogniser, early: bool, talk: float, text: str
) -> None:
    recogniser.listen(["отмена"])
    heard(recogniser, "отмена", ("отмена", 100), ("[chatter]", talk))
    utterance = recogniser._utterance(recogniser._vosk.FinalResult, early=early)
    assert utterance is not None
    assert utterance.text == text


@pytest.mark.parametrize(
    ("rise", "talk", "text"),
    [(3.1, 98, "отмена"), (2.9, 97.5, "отмена"), (2.9, 98, "[unk] отмена"), (2.9, None, "[unk] отмена")],
)
def test_of_what_is_no_louder_than_the_crowd_the_sceptic_must_be_sure(
    recogniser: Recogniser, monkeypatch: pytest.MonkeyPatch, rise: float, talk: float | None, text: str
) -> None:
    recogniser.listen(["отмена"])
    heard(recogniser, "отмена", ("отмена", 100), ("[chatter]", talk or 0))
    monkeypatch.setattr(recogniser._loudness, "rise", lambda start, end: rise)
    if talk is None:
        monkeypatch.setattr(recogniser._sceptic, "has_given_up", True)
    utterance = recogniser.finish()
    assert utterance is not None
    assert utterance.text == text


def heard(recogniser: Recogniser, text: str, *sceptical: tuple[str, float]) -> None:
    """That is what the recogniser heard, and the sceptic, with the logarithms of its likelihoods."""
    assert recogniser._sceptic is not None
    recogniser._sceptic._last.result()
    recogniser._vosk, recogniser._sceptic._vosk = Guesses((text, 100)), Guesses(*sceptical)


def test_the_sceptic_forgets_the_talk_before_a_command(recogniser: Recogniser, sound: Callable[..., bytes]) -> None:
    recogniser.listen(COMMANDS)
    for said in ("холодильник стоит на кухне", "какая интересная история"):
        assert texts(recogniser, sound(said) + sound(FIVE))[-1] == FIVE


def test_a_repeated_command_is_one_to_the_sceptic_too(recogniser: Recogniser) -> None:
    recogniser.listen(["отмена"])
    heard(recogniser, "отмена отмена", ("отмена отмена", 100), ("[chatter]", 99))
    utterance = recogniser.finish()
    assert utterance is not None
    assert utterance.text == "отмена"


# --- grammars ----------------------------------------------------------------------------------------------------


def test_the_grammar_is_plain_text_for_vosk(recogniser: Recogniser) -> None:
    assert recogniser.grammar == ""
    recogniser.listen(COMMANDS)
    assert "\\" not in recogniser.grammar
    assert json.loads(recogniser.grammar) == [*COMMANDS, "[unk]"]


def test_where_few_words_begin_commands_talk_is_likelier(recogniser: Recogniser) -> None:
    """As where each command needs the address; its share is told by repetition, all that Vosk offers."""
    for beginnings in range(1, FEW + 3):
        listed = [f"{word} номер пять" for word in ("выставляю", "проверка", "отмена", *NUMBERS)[:beginnings]]
        recogniser.listen(listed, forms(*listed))
        assert json.loads(recogniser.grammar).count("[unk]") == (TALK if beginnings <= FEW else 1)


class Guesses:
    """A Vosk with guesses of its own: texts and the logarithms of their likelihoods; each word lasts 0.25 s."""

    def __init__(self, *told: tuple[str, float]) -> None:
        self._told = told

    def FinalResult(self) -> str:
        words = [
            [{"word": word, "start": at / 4, "end": (at + 1) / 4} for at, word in enumerate(text.split())]
            for text, _ in self._told
        ]
        return json.dumps(
            {"alternatives": [{"result": w, "confidence": c} for w, (_, c) in zip(words, self._told, strict=True)]}
        )


@pytest.mark.parametrize(
    ("talk", "lead", "heard"),
    [
        ("выставляю номер [unk]", 1.5, FIVE),  # who begins so goes on with a number
        ("выставляю номер [unk]", 6.0, "выставляю номер [unk]"),
        ("[unk]", 1.5, "[unk]"),
        ("[unk] номер", 1.5, "[unk] номер"),
    ],
)
def test_talk_is_less_likely_after_the_first_words_of_a_command(
    recogniser: Recogniser, talk: str, lead: float, heard: str
) -> None:
    recogniser._sceptic = None
    recogniser.listen([FIVE, *NUMBERS], forms(FIVE, *NUMBERS))
    recogniser._vosk = Guesses((talk, 100 + lead), (FIVE, 100))
    utterance = recogniser.finish()
    assert utterance is not None
    assert utterance.text == heard


def test_a_phrase_with_an_unknown_word_is_left_out_whole_and_named_once(
    recogniser: Recogniser, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            recogniser.listen(["дальше", "игрок абракадабра", "абракадабра"])
    assert json.loads(recogniser.grammar) == ["дальше", "[unk]"]
    assert recogniser.unavailable == ("абракадабра",)
    assert caplog.text.count("абракадабра") == caplog.text.count("«абракадабра»: «игрок абракадабра»") * 2 == 2


def test_e_and_yo_are_the_same_letter(recogniser: Recogniser, sound: Callable[..., bytes]) -> None:
    recogniser.listen(["черный игрок", "красный игрок"])
    assert recogniser.unavailable == ()
    assert texts(recogniser, sound("чёрный игрок")) == ["черный игрок"]


@pytest.mark.parametrize("phrases", [[], [""], ["абракадабра"]])
def test_nothing_to_listen_for_is_refused_and_changes_nothing(
    recogniser: Recogniser, sound: Callable[..., bytes], phrases: list[str]
) -> None:
    recogniser.listen(["дальше"])
    with pytest.raises(RecogniserError, match="None of the phrases"):
        recogniser.listen(phrases)
    assert texts(recogniser, sound("дальше")) == ["дальше"]


def test_before_the_first_grammar_nothing_is_heard(recogniser: Recogniser, sound: Callable[..., bytes]) -> None:
    recogniser.reset()
    assert recogniser.partial == ""
    assert texts(recogniser, sound("дальше")) == []


def test_half_a_sample_is_refused(recogniser: Recogniser) -> None:
    recogniser.listen(["дальше"])
    with pytest.raises(RecogniserError, match="16-bit"):
        recogniser.feed(b"\0\0\0")


def test_a_reset_forgets_what_was_being_said(recogniser: Recogniser, sound: Callable[..., bytes]) -> None:
    recogniser.listen(["дальше", "отмена"])
    frames = sound("отмена")
    recogniser.feed(frames[: int(RATE * 2 * 1.1)])
    assert recogniser.partial
    recogniser.reset()
    assert recogniser.partial == ""
    assert texts(recogniser, sound("дальше")) == ["дальше"]


@pytest.mark.slow
def test_two_thousand_switches_in_the_middle_of_speech_keep_memory_and_ears(
    model: Path, sound: Callable[..., bytes]
) -> None:
    recogniser = Recogniser(model, RATE, early=True)
    dice = random.Random(11)
    frames = sound(FIVE)
    lists = [dice.sample(COMMANDS, dice.randint(1, 20)) for _ in range(30)]
    before = 0
    for i in range(2000):
        if i == 200:
            before = _memory()
        recogniser.listen(dice.choice(lists))
        at = 2 * dice.randrange(len(frames) // 4)
        recogniser.feed(frames[at : at + 2 * dice.randrange(1600)])
        if i % 3:
            dice.choice((recogniser.reset, recogniser.finish))()
    assert _memory() - before < 10_000_000
    recogniser.listen(COMMANDS)
    assert texts(recogniser, frames) == [FIVE]


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


# --- files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [8000, 16000, 22050, 44100, 48000])
@pytest.mark.parametrize("channels", [1, 2])
def test_a_file_of_any_rate_is_heard(model: Path, tmp_path: Path, rate: int, channels: int) -> None:
    path = speak(VOICES[0], FIVE, tmp_path / "spoken.wav", rate=rate, channels=channels)
    assert [u.text for u in hear_file(model, path, COMMANDS)] == [FIVE]


def test_flac_is_heard_where_soundfile_is(model: Path, tmp_path: Path) -> None:
    soundfile = pytest.importorskip("soundfile")
    path = tmp_path / "made.flac"
    soundfile.write(str(path), *soundfile.read(str(speak(VOICES[0], FIVE, tmp_path / "spoken.wav"))))
    assert [u.text for u in hear_file(model, path, COMMANDS)] == [FIVE]
    path.write_bytes(b"fLaC and no more")
    with pytest.raises(RecogniserError, match="no FLAC file"):
        read_sound(path)


def test_without_soundfile_flac_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(RecogniserError, match="pip install soundfile"):
        read_sound(tmp_path / "a.flac")


def test_a_file_that_was_cut_off_is_heard_as_far_as_it_goes(model: Path, tmp_path: Path) -> None:
    path = speak(VOICES[0], FIVE, tmp_path / "spoken.wav")
    path.write_bytes(path.read_bytes()[: 44 + int(2 * RATE * 2.2) + 1])
    assert [u.text for u in hear_file(model, path, COMMANDS)] == [FIVE]


def test_bad_files_are_refused_with_one_sentence(tmp_path: Path) -> None:
    good = speak(VOICES[0], "да", tmp_path / "good.wav").read_bytes()
    (tmp_path / "folder.wav").mkdir()
    bad = {
        "empty.wav": b"",
        "short.wav": good[:20],
        "text.wav": b"this is not sound at all, only text" * 9,
        "silent.wav": good[:40] + struct.pack("<I", 0),
        "header.wav": good[:44],
    }
    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
    write_wav(tmp_path / "eight.wav", bytes(3000), width=1)
    write_wav(tmp_path / "deep.wav", bytes(3000), width=3)
    write_wav(tmp_path / "slow.wav", bytes(2000), rate=1000)
    for name in [*bad, "eight.wav", "deep.wav", "slow.wav", "absent.wav", "folder.wav"]:
        with pytest.raises(RecogniserError, match=rf"{name} .*: \w") as told:
            read_sound(tmp_path / name)
        assert "\n" not in str(told.value)


# --- models ------------------------------------------------------------------------------------------------------


def test_the_vocabulary_that_is_read_is_the_one_that_vosk_has(model: Path, recogniser: Recogniser) -> None:
    report = check_model(model)
    assert set(WORDS) <= report.words
    for word in [*WORDS, "[unk]", "абракадабра"]:
        assert (word in report.words) == recogniser._knows(word)
    assert report.missing_words(["номер пять", "игрок абракадабра", "черный"]) == ("абракадабра",)


@pytest.mark.parametrize(
    ("word", "known", "spelt"),
    [("ещё", "еще", "еще"), ("еще", "ещё", "ещё"), ("чёрный", "чёрный", "чёрный"), ("пас", "бас", None)],
)
def test_spelling(word: str, known: str, spelt: str | None) -> None:
    assert spelling(word, {known}.__contains__) == spelt


@pytest.fixture
def copy(model: Path, tmp_path: Path) -> Iterator[Path]:
    shutil.copytree(model, tmp_path / BIG)
    yield tmp_path / BIG


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("graph/Gr.fst", "no graph/Gr.fst.*cannot be held to commands"),
        ("graph/HCLr.fst", "no graph/HCLr.fst.*cannot be held to commands"),
        ("am/final.mdl", "lacks am/final.mdl"),
        ("conf/model.conf", "lacks conf/model.conf"),
    ],
)
def test_a_model_without_a_file_is_refused(copy: Path, name: str, says: str) -> None:
    (copy / name).unlink()
    with pytest.raises(RecogniserError, match=says):
        check_model(copy)
    with pytest.raises(RecogniserError, match=says):
        Recogniser(copy, RATE)


@pytest.mark.parametrize("cut", [0, 3, 40, 70, 300, 1500])
def test_a_model_with_a_damaged_graph_is_refused(copy: Path, cut: int) -> None:
    graph = copy / "graph" / "Gr.fst"
    graph.write_bytes(graph.read_bytes()[:cut])
    with pytest.raises(RecogniserError, match="damaged"):
        check_model(copy)


def test_a_graph_with_wrong_bytes_is_refused_or_read_but_nothing_worse(copy: Path) -> None:
    dice = random.Random(3)
    good = (copy / "graph" / "Gr.fst").read_bytes()
    refused = 0
    for _ in range(300):
        data = bytearray(good)
        for _ in range(4):
            data[dice.randrange(200)] = dice.randrange(256)
        (copy / "graph" / "Gr.fst").write_bytes(data)
        try:
            assert check_model(copy).words
        except RecogniserError:
            refused += 1
    assert refused > 100


def test_a_model_too_big_for_the_box_is_refused(copy: Path) -> None:
    with (copy / "graph" / "HCLr.fst").open("r+b") as file:
        file.truncate(models.LARGEST)  # a hole: it takes no space
    with pytest.raises(RecogniserError, match="too big"):
        check_model(copy)


def test_a_model_that_vosk_cannot_load_is_told(copy: Path) -> None:
    shutil.rmtree(copy / "graph" / "phones")
    (copy / "conf" / "mfcc.conf").write_text("--use-energy=false\n")
    with pytest.raises(RecogniserError, match=r"There is no model folder"):
        Recogniser(copy / "am" / "nothing", RATE)


@pytest.mark.parametrize("rate", [0, 100, 1_000_000])
def test_an_odd_rate_is_refused(model: Path, rate: int) -> None:
    with pytest.raises(RecogniserError, match=f"{rate} Hz"):
        Recogniser(model, rate)


def test_the_configured_model_comes_first_then_the_big_one_then_the_compact_one(
    model: Path, copy: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = copy.parent
    default = load().ears
    assert find_model(default.model_copy(update={"model": str(model)}), cache, WORDS) == model
    assert find_model(default, cache, WORDS) == copy
    (copy / "graph" / "Gr.fst").unlink()
    with caplog.at_level(logging.WARNING):
        compact = find_model(default, cache, ["да", "нет"])
    assert re.fullmatch("compact-[0-9a-f]{16}", compact.name) and compact.parent == cache
    assert "compact model" in caplog.text
    with pytest.raises(RecogniserError, match="There is no model folder"):
        find_model(default.model_copy(update={"model": str(tmp_path / "absent")}), cache, WORDS)
    with pytest.raises(RecogniserError, match="small Russian letters"):
        find_model(default, cache, ["yes"])


def test_an_absent_vosk_is_named(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vosk", None)
    with pytest.raises(RecogniserError, match="pip install vosk"):
        Recogniser(model, RATE)


def test_no_network_is_asked(model: Path, sound: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    recogniser = Recogniser(model, RATE)
    recogniser.listen(["дальше"])
    assert texts(recogniser, sound("дальше")) == ["дальше"]


def test_noise_ten_decibels_below_the_voice_seldom_makes_another_command(
    recogniser: Recogniser, sound: Callable[..., bytes]
) -> None:
    recogniser.listen(COMMANDS)
    noise = np.random.default_rng(2)
    right, wrong = 0, []
    for command in COMMANDS[::2]:
        frames = np.frombuffer(sound(command), "<i2").astype(float)
        noisy = frames + noise.normal(size=len(frames)) * frames[np.abs(frames) > 50].std() * 10**-0.5
        heard = texts(recogniser, noisy.clip(-32768, 32767).astype("<i2").tobytes())
        right += heard == [command]
        wrong += [(command, text) for text in heard if text in COMMANDS and text != command]
    assert len(wrong) <= 2, wrong  # 4 of 228 in a longer run
    assert right >= 0.85 * len(COMMANDS[::2])


# --- doubts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize(
    ("room", "before", "obeyed"),
    [(-40, 0, False), (-40, -12, True), (0, 0, False)],
    ids=["somebody as loud", "somebody farther away", "a crowd as loud"],
)
def test_a_command_no_louder_than_somebody_before_it_is_the_middle_of_a_sentence(
    model: Path, sound: Callable[..., bytes], early: bool, room: float, before: float, obeyed: bool
) -> None:
    recogniser = Recogniser(model, RATE, early=early)
    recogniser.listen(COMMANDS)
    command = np.frombuffer(sound(FIVE), "<i2")
    spoken = np.flatnonzero(abs(command) > 300)
    levels = (
        np.repeat([10 ** (room / 20), 10 ** (before / 20)], (RATE, RATE // 2)) * command[spoken[0] : spoken[-1]].std()
    )
    noise = (np.random.default_rng(1).normal(0, 1, len(levels)) * levels).astype("<i2")
    heard = texts(recogniser, np.concatenate([noise, command[spoken[0] :]]).tobytes())
    assert (FIVE in heard) is obeyed, heard


def test_a_command_whose_beginning_is_missing_is_doubted(model: Path, sound: Callable[..., bytes]) -> None:
    """The microphone is opened while somebody speaks: «не выставляю номер пять» must not nominate anybody."""
    recogniser = Recogniser(model, RATE)
    recogniser.listen(COMMANDS)
    spoken = _voiced(sound(FIVE))
    for before, doubt in ((0.0, "cut off"), (0.3, "")):
        recogniser.reset()
        (heard,) = recogniser.feed(bytes(2 * round(before * RATE)) + spoken + bytes(3 * RATE))
        assert (heard.text, heard.doubt) == (FIVE, doubt)


def test_the_noise_of_a_room_at_the_opening_is_no_beginning(model: Path, sound: Callable[..., bytes]) -> None:
    """Vosk may count the silence before a word to it."""
    recogniser = Recogniser(model, RATE)
    recogniser.listen(COMMANDS)
    noise = np.random.default_rng(4).normal(0, 20, RATE // 10).astype("<i2").tobytes()
    (heard,) = recogniser.feed(noise + _voiced(sound(FIVE)) + bytes(3 * RATE))
    assert (heard.text, heard.doubt) == (FIVE, "")


@pytest.mark.parametrize(("louder", "doubt"), [(1.0, ""), (40.0, "clipped")])
def test_a_command_that_is_clipped_is_doubted(
    model: Path, sound: Callable[..., bytes], louder: float, doubt: str
) -> None:
    recogniser = Recogniser(model, RATE)
    recogniser.listen(["дальше"])
    loud = (np.frombuffer(sound("дальше"), "<i2") * louder).clip(-32768, 32767).astype("<i2").tobytes()
    (heard,) = recogniser.feed(loud + bytes(2 * RATE))
    assert heard.doubt == doubt


def test_right_after_a_command_nothing_is_heard(model: Path, sound: Callable[..., bytes]) -> None:
    """«Дальше, дальше!» and its echo are one command; said again after a second it is another."""
    recogniser = Recogniser(model, RATE, early=True)
    recogniser.listen(["дальше", FIVE])
    for text in ("дальше", FIVE):
        word = _voiced(sound(text))
        for gap, times in ((0.2, 1), (REFRACTORY + LONG + 0.5, 2)):
            recogniser.reset()
            said = bytes(RATE) + word + bytes(2 * round(gap * RATE)) + word + bytes(4 * RATE)
            assert [heard for heard, _, _ in known_after(recogniser, said)] == [text] * times
