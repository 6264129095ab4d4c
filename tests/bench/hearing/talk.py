"""Talk at the table that holds no command: people reading, and sentences of the game in several voices.

The sentences are full of the words of commands («ночь», «голосую», «номер пять», names and numbers), but none of them,
and no part of one between two pauses, is a command in any state. Nothing here was in the training of a model, save the
recordings of people. Invariant: the same seed gives the same talk.
"""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from narrator.ports.recordings import read_sound
from narrator.speech.lang import ru
from tests.bench.hearing.commands import GRAMMAR, RECORDINGS, with_yo
from tests.bench.hearing.noise import HALL, LIVING, SMALL, Place, heard_at, quiet_room
from tests.bench.hearing.voices import RATE, TALK, Sound, Studio, levelled, present, resampled, trimmed
from tests.table import NAMES

_SENTENCES = (
    "Я думаю, что {seat} сегодня ночью стрелял в {other}.",
    "Мне кажется, {name} слишком много говорит про {seat_gen}.",
    "Я бы голосовал против {seat_gen}, но не уверен.",
    "{name}, а почему ты вчера голосовала за {seat_acc}?",
    "Ночью я слышал какой-то шорох справа от {name_gen}.",
    "Если мы уберём {seat_acc}, то ночью мафия убьёт {other_acc}.",
    "Против меня два голоса, против {seat_gen} четыре, а у остальных ни голоса.",
    "Мой номер {card}, я мирный житель, и мне нечего скрывать.",
    "Вчера за {seat_acc} было четыре голоса, а сегодня ни одной руки.",
    "Проверка была красная, так сказал шериф, и я ему верю.",
    "Дон этой ночью искал шерифа и, кажется, не нашёл.",
    "Я голосую последним, поэтому решать буду не я.",
    "Пусть {seat} объяснит, почему он молчал весь круг.",
    "У нас осталось семь человек, из них двое чёрных.",
    "Слушайте, номер {card} точно играет за город, я ручаюсь.",
    "Давайте не будем торопиться с голосованием, у нас ещё есть время.",
    "Ты говоришь {card}, а поднимаешь руку за {other_acc}.",
    "Я слежу за {name_ins} уже третью игру подряд, так она не играет.",
    "Игрок номер {card} путается в показаниях второй день.",
    "Красный проверенный у нас {seat}, а вот чёрный, видимо, не один.",
    "Повторите, пожалуйста, кого вы называли первым номером?",
    "Он сказал спасибо и сел, даже не назвав никого.",
    "Ведущий сегодня строгий, сразу даёт замечания.",
    "А ведущий слышал, что {name} выкрикивает с места?",
    "Наш ведущий поставил паузу, и все сразу забыли, о чём спорили.",
    "Никто не хочет уходить первым, это понятно.",
    "Убили {seat_acc}, значит, стреляли по сильному игроку.",
    "За столом двое молчат, и это как раз {seat} и {other}.",
    "Мафия проснулась, посмотрела и выбрала тихого.",
    "Мы в прошлый раз повесили двух мирных, хватит ошибаться.",
    "Дальше будет только хуже, если мы не начнём думать.",
    "Продолжать этот спор бессмысленно, {name} нас не слышит.",
    "Назад дороги нет, мы уже проголосовали против {seat_gen}.",
    "Тише едешь, дальше будешь, как говорила моя бабушка.",
    "Правила простые, но почему-то их каждый раз нарушают.",
    "Сколько времени мы уже тут сидим, часа два точно.",
    "Стой, подожди, это же неправда!",
    "Да нет же, я говорил совсем про другое.",
    "Ну да, я выставил {seat_acc}, и я готов объяснить почему.",
    "Минус один мирный, плюс один повод задуматься.",
    "Лучший ход, который я видел, сделала вчера {name}.",
    "Победа была за городом, но мы её упустили.",
    "Я выставлял вчера, сегодня пусть выставляет кто-нибудь ещё.",
    "Передай, пожалуйста, чай и вот те бутерброды.",
    "У кого-нибудь есть зарядка для телефона?",
    "Кто в игре первый раз, тот обычно краснеет.",
    "Завтра рано вставать, так что ещё одна партия, и по домам.",
    "{name} сидит между {seat_ins} и {other_ins}, ей всё видно.",
    "Ну что, десять секунд, и ты ничего не сказал по делу.",
    "Мне нужна минута, чтобы собраться с мыслями.",
    "Я шериф, ночью проверил {seat_acc}, он чёрный.",
    "Фолы копятся, у {seat_gen} их уже три, между прочим.",
    "Кто голосует за {seat_acc}, тот помогает мафии.",
    "На голосование попали {seat} и {other}, и оба красные.",
    "Готово дело, опять нас обманули.",
    "Помиловать бы всех и лечь спать, честное слово.",
    "Статус у него такой, что все ему верят на слово.",
    "Пас я не возьму, мне есть что сказать.",
    "Верно подмечено, {name}, но ты сама тогда промолчала.",
    "В какой момент {seat} встал из-за стола, кто-нибудь видел?",
    "Кто удалил мой номер из общего чата, признавайтесь!",
    "Начинаем мы всегда в восемь, а заканчиваем под утро.",
    "Игра новая, коробка новая, а люди всё те же.",
    "Один за всех, и все за одного, а мафия против.",
    "Одиннадцать человек, трое чёрных и один маньяк, считайте сами.",
    "Пятый день подряд одно и то же, {card} не отвечает.",
    "Хватит уже спорить, давайте послушаем {name_acc}.",
)
"""{seat}: «пятый»; its cases; {card}: «пять»; {other}: another one; {name}: a name and its cases."""
_CASES = {"": 1, "_gen": 2, "_acc": 2, "_ins": 4}
"""Places of the masculine forms in `seat_forms`."""
_WOMEN = ("Анна", "Вера", "Дарья", "Жанна", "Ирина", "Мария", "Нина")


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of talk with the silence after it."""

    text: str
    voice: str
    sound: Sound


def recorded(kinds: tuple[str, ...] = ("sentence", "phrase"), *, words: bool = False) -> list[tuple[str, str]]:
    """(file below RECORDINGS, text) of what people read, `words` of commands or none; nothing where they are not."""
    if not RECORDINGS.is_dir():
        return []
    with (RECORDINGS / "manifest.tsv").open(encoding="utf-8") as file:
        return [
            (row["file"], row["transcript"])
            for row in csv.DictReader(file, delimiter="\t")
            if row["kind"] in kinds and (words or no_command(row["transcript"]))
        ]


def no_command(text: str) -> bool:
    """Whether no part of a text between two pauses is a command."""
    parts = [part for n in range(2) for part in re.split(r"[,.!?:;–—]" if n else r"[.!?]", text)]
    return not any(GRAMMAR.read(GRAMMAR.address(GRAMMAR.normal(part))[0]) for part in parts)


def human(file: str) -> Sound:
    """A recording of a person."""
    return levelled(trimmed(resampled(*read_sound(RECORDINGS / file))))


def sentence(dice: random.Random) -> str:
    """One that holds no command."""
    while True:
        text = dice.choice(_SENTENCES).format(**_words(dice))
        if no_command(text):
            return text[0].upper() + text[1:]


def _words(dice: random.Random) -> dict[str, str]:
    one, two = dice.sample(range(1, 11), 2)
    name = dice.choice(NAMES)
    found = {"card": ru.cardinal(one), "name": dice.choice(_WOMEN)}
    for key, seat in (("seat", one), ("other", two)):
        forms = ru.seat_forms(seat)
        found |= {key + end: with_yo(forms[place]) for end, place in _CASES.items()}
    woman = dice.choice([each for each in _WOMEN if each != name])
    stem = woman[:-1]
    soft = stem[-1] in "ьи"
    found["name_gen"] = stem + ("и" if soft else "ы")
    found["name_acc"] = stem + ("ю" if soft else "у")
    found["name_ins"] = stem + ("ей" if soft else "ой")
    return found


def talk(studio: Studio, seconds: float, seed: int = 3) -> Iterator[Said]:
    """People's recordings, then sentences in the voices of TALK, `seconds` in all; half of it in a room."""
    dice = random.Random(seed)
    voices = [voice for voice in TALK if present(voice)]
    left = seconds
    waiting = recorded()
    dice.shuffle(waiting)
    while left > 0:
        if waiting and dice.random() < 0.4:
            file, text = waiting.pop()
            voice, sound = "human", human(file)
        else:
            voice = dice.choice(voices)
            text = " ".join(sentence(dice) for _ in range(dice.randint(1, 3)))
            sound = studio.say(voice, text)
        sound = np.concatenate([sound, np.zeros(round(dice.uniform(0.2, 1.6) * RATE), np.float32)])
        if dice.random() < 0.5:
            room, echo = dice.choice((SMALL, LIVING, HALL))
            sound = heard_at(sound, Place(room, echo, dice.choice((0.6, 0.9, 1.2, 1.5)), dice.choice((0.2, 1.3, 2.4))))
        sound = quiet_room(sound * 10 ** (dice.uniform(-12, 3) / 20), np.random.default_rng(dice.randrange(1 << 30)))
        left -= len(sound) / RATE
        yield Said(text, voice, sound)
