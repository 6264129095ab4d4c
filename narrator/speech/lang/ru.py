"""Every Russian word of the product: what is understood and what is said.

COMMANDS, hassil templates, feed grammar and parser; BASE is said: `{seat}` is «номер пять», `{seat:whom}` adds a name,
`{count:голос/голоса/голосов}` declines. No digit stands here, no phrase equals a command, ё is written, stress is not.
"""

from __future__ import annotations

from narrator.speech.lang import ru_menu, ru_names, ru_numbers, ru_print, ru_screen, ru_stress, ru_timer, ru_variety

cardinal, plural, counted = ru_numbers.cardinal, ru_numbers.plural, ru_numbers.counted
seat_name, duration = ru_numbers.seat_name, ru_numbers.duration
SEAT_CASES, seat_forms = ru_numbers.SEAT_CASES, ru_numbers.seat_forms
COUNT_KINDS, count_forms = ru_numbers.COUNT_KINDS, ru_numbers.count_forms

ADDRESS = "ведущий"
"""The word that turns table talk into a command."""
LIKE_ADDRESS = frozenset({"следующий"})
"""Words that sound like the address: people pause after «ведущий», and that must not be taken for a command."""
GOES_ON = frozenset({("ночью", "убит")})
"""Commands after which people pause and go on with another: «ночью убит… пятый»."""
AND, OR = "и", "или"

ROLE_NAMES = {"civilian": "мирный житель", "sheriff": "Шериф", "mafia": "мафия", "don": "Дон", "maniac": "Маньяк"}

ANSWERS = {"yes": "да, это Шериф", "no": "нет", "black": "чёрный", "red": "красный", **ROLE_NAMES}

RULES_NAMES = {
    "classic": "Классические правила",
    "moscow": "Московские правила",
    "forum": "Форумные правила",
    "sport": "Спортивные правила",
}


def normal(text: str) -> str:
    """Text as it is compared: small letters, е for ё, no stress marks, no punctuation, single spaces."""
    text = text.lower().replace("ё", "е").replace("\u0301", "")
    kept = "".join(c if c.isalpha() or c.isdigit() or c in "[]" else " " for c in text)
    return " ".join(kept.split())


# --- what is understood ------------------------------------------------------------------------------------------

BEFORE_NUMBERS = frozenset({"игрок", "игрока", "игроку", "номер", "номеру"})
AFTER_NUMBERS = frozenset({"голос", "голоса", "голосов", "игроков"})
"""What is one with a number: «игрок номер пять», «пять голосов»."""

RULES = {
    "number": "([игрок|игрока|игроку] номер|игрок|игрока|игроку|номеру) {seat_plain}",
    "who": "({seat}|<number>)",
    "doer": "({seat_nominative}|<number>)",
    "chosen": "({seat_accusative}|<number>)",
    "spoken_to": "({seat_dative}|<number>)",
    "voter": "({by_nominative}|([игрок] номер|игрок) {by_plain})",
    "votes": "({count}|{count_one} голос|{count_few} голоса|{count_many} голосов)",
}
"""Where a number stands first, it is said in one case or another; «первого замечание» is the middle of a sentence."""

COMMANDS: dict[str, list[str]] = {
    "next": ["дальше", "следующий", "продолжаем"],
    "pause": ["пауза", "стоп таймер"],
    "restart": ["заново", "речь заново"],
    "resume": ["продолжить", "поехали"],
    "hush": ["тишина", "стоп", "хватит"],
    "repeat": ["повтори", "еще раз"],
    "undo": ["отмена", "отменить", "назад"],
    "yes": ["да", "подтверждаю", "верно"],
    "no": ["нет", "неверно", "да нет"],
    "time-left": ["сколько времени", "сколько осталось"],
    "more-time": ["добавь десять секунд", "плюс десять [секунд]"],
    "less-time": ["минус десять [секунд]"],
    "end-speech": ["спасибо", "конец речи", "пас"],
    "new-game": ["новая игра"],
    "rules-moscow": ["московские правила"],
    "rules-classic": ["классические правила"],
    "rules-forum": ["форумные правила"],
    "rules-sport": ["спортивные правила"],
    "seats": ["(играют|играет) {table}", "{table} игроков"],
    "start": ["начинаем [игру]"],
    "nominate": ["[я] выставляю [на голосование] <who>", "на голосование <who>", "<voter> выставляет <who>"],
    "ritual": ["я выставляю на голосование <who>"],
    "open-vote": ["голосование", "голосуем", "голосовать"],
    "count": ["<votes>", "за него <votes>", "ни одного"],
    "vote-for": ["<voter> [голосует] за <who>", "<voter> пас"],
    "lift": ["повесить всех", "поднять всех"],
    "spare": ["помиловать всех", "оставить всех"],
    "choose": ["<chosen>", "[я] выбираю <who>"],
    "best-move": ["лучший ход <who>"],
    "done": ["готово"],
    "warn": ["(замечание|фол) <who>", "<spoken_to> (замечание|фол)"],
    "unwarn": ["снять (замечание|фол) <who>", "минус (замечание|фол) <who>"],
    "leave": ["<doer> уходит", "<doer> встает из за стола"],
    "remove": ["удалить <who>", "модкилл <who>"],
    "killed": ["[ночью] убит <who>", "<doer> убит"],
    "killed-list": ["[ночью] убиты", "ночью убит"],
    "killed-none": ["никто не убит", "все живы"],
    "town-won": ["победа города", "победа мирных"],
    "mafia-won": ["победа мафии"],
    "maniac-won": ["победа маньяка"],
    "nobody-won": ["ничья"],
    "order": ["прошу тишины", "тише", "призови к порядку"],
    "status": ["кто в игре", "статус"],
    "rules": ["правила"],
    "pin": ["код доступа", "пин код"],
    "floor": ["<spoken_to> [ваша] минута", "слово <who>"],
}

# --- what is said ------------------------------------------------------------------------------------------------

Script = dict[str, str]

BASE: Script = {
    "lobby": "Добрый вечер.|{rules}.|Игроков за столом: {word}.|Когда все готовы, скажите: начинаем игру.",
    "table-set": "{rules}.|Игроков за столом: {word}.",
    "cards-known": "Карты розданы.",
    "cards-on-phones": "Карты розданы, они у вас в телефонах.|Посмотрите каждый свою. Все посмотрели — начинаем игру.",
    "game-started": "Игра начинается.",
    "greeting": "Добро пожаловать в наш город. Днём говорим по очереди и голосуем. Ночью молчим. Мафия среди нас.",
    "night-fell": "Наступает ночь. Все надевают повязки.",
    "woke-meeting-mafia": "Просыпается мафия. Познакомьтесь и договоритесь. Тихо.",
    "slept-meeting-mafia": "Мафия засыпает.",
    "woke-meeting-don": "Просыпается Дон и знакомится с ведущим.",
    "slept-meeting-don": "Засыпает Дон.",
    "woke-meeting-sheriff": "Просыпается Шериф и знакомится с ведущим.",
    "slept-meeting-sheriff": "Засыпает Шериф.",
    "woke-meeting-maniac": "Просыпается Маньяк и знакомится с ведущим.",
    "slept-meeting-maniac": "Засыпает Маньяк.",
    "woke-mafia": "Мафия выходит на охоту.",
    "slept-mafia": "Мафия удаляется.",
    "woke-don": "Просыпается Дон. Дон ищет Шерифа.",
    "slept-don": "Засыпает Дон.",
    "woke-sheriff": "Просыпается Шериф. Шериф ищет мафию.",
    "slept-sheriff": "Засыпает Шериф.",
    "woke-maniac": "Просыпается Маньяк и выбирает жертву.",
    "slept-maniac": "Засыпает Маньяк.",
    "number-called": "{Seat}.",
    "miss-told": "Мафия промахнулась.",
    "day-broke": "Утро. Все просыпаются.",
    "deaths-none": "Сегодня ночью никто не был убит.",
    "deaths-one": "Сегодня ночью был убит {dead:who}.",
    "deaths-many": "Сегодня ночью были убиты|{dead:who}.",
    "deaths-asked": "Кто убит этой ночью?",
    "speech-introductions": "Представляется {seat:who}.|{Time}.",
    "speech-speeches": "Говорит {seat:who}.|{Time}.",
    "speech-tie-speech": "Слово в защиту.|{Seat:who}.|{Time}.",
    "speech-last-word": "Последнее слово.|{Seat:who}.|{Time}.",
    "speech-lost": "{Seat} пропускает речь.",
    "time-over": "Время вышло.",
    "more-time": "Добавлено {time}.",
    "less-time": "Убрано {time}.",
    "nominated": "Принято.|{Seat:who}.",
    "speeches-over": "Речи закончены.|На голосование выставлены:|{seats}.",
    "speeches-over-one": "Речи закончены.|На голосование выставлен {seats}.",
    "speeches-over-none": "Речи закончены.|На голосование никто не выставлен.",
    "names-asked": "Речи закончены.|Назовите, кого выставляете на голосование.",
    "no-vote": "Голосования сегодня нет.",
    "vote-cancelled": "Голосование отменено.",
    "vote-began": "Переходим к голосованию.",
    "vote-again": "Голосуем ещё раз.|На голосовании:|{seats}.",
    "candidate-up": "Голосуем за {seat:whom}.",
    "count-word-one": "Раз!",
    "count-word-two": "Два!",
    "count-word-three": "Три!",
    "votes-counted": "Итого: {count:голос/голоса/голосов}.",
    "votes-counted-none": "Итого: ни одного голоса.",
    "votes-rest-none": "Остальные голоса получает {seat}.|Голосов не осталось.",
    "votes-rest": "Остальные голоса получает {seat}.|Итого: {count:голос/голоса/голосов}.",
    "ballot": "Принято.|{Voter}|за {seat}.",
    "ballot-pass": "Принято.|{Voter} воздержался.",
    "tied": "Голоса разделились.|{Seats}.",
    "tied-speak": "Голоса разделились.|{Seats}|получают слово.",
    "lift-asked": "Кто за то, чтобы все покинули стол?",
    "lifted": "За это {count:голос/голоса/голосов}.",
    "lifted-none": "За это нет голосов.",
    "spared": "Все остаются за столом.",
    "victim-asked": "Решает {seat}, убитый этой ночью.|Кто покидает стол:|{seats}?",
    "nobody-out": "Никто не покидает стол.",
    "voted-out-one": "Стол покидает {seats:who}.",
    "voted-out-many": "Стол покидают|{seats}.",
    "warned": "Замечание номеру {number:to_whom}.|Всего {count:замечание/замечания/замечаний}.",
    "warned-muted": "Замечание номеру {number:to_whom}.|Всего {count:замечание/замечания/замечаний}."
    "|Следующая речь пропадает.",
    "unwarned": "Замечание снято.|{Seat:who}.",
    "left-removed": "{Seats} удалён из игры.",
    "left-left": "{Seats} покидает стол по своей воле.",
    "left-warnings": "{Seats} покидает стол за замечания.",
    "ask-remove": "Удалить игрока номер {number:whom}?",
    "ask-leave": "{Seat} действительно покидает игру?",
    "ask-new-game": "Закончить эту игру и начать новую?",
    "ask-winner-town": "Завершить игру победой мирных жителей?",
    "ask-winner-mafia": "Завершить игру победой мафии?",
    "ask-winner-maniac": "Завершить игру победой Маньяка?",
    "ask-winner-draw": "Завершить игру без победителя?",
    "ask-warn": "Замечание номеру {number:to_whom}?",
    "interrupted": "Игра была прервана.",
    "ask-go-on": "Продолжать игру?",
    "declined": "Хорошо, оставляем как есть.",
    "paused": "Время остановлено.",
    "resumed": "Время пошло.",
    "order": "Тишина за столом, пожалуйста!",
    "number-shown": "Выбрано: {word}.",
    "best-move-asked": "{Seat:who}, ваш лучший ход.|Назовите трёх игроков.",
    "best-move-named": "Записано.|{Seat:who}.",
    "best-move-told": "Лучший ход:|{seats}.",
    "best-move-none": "Лучшего хода нет.",
    "undone": "Шаг отменён.",
    "won-town": "Игра окончена. Победили мирные жители!",
    "won-mafia": "Игра окончена. Победила мафия!",
    "won-maniac": "Игра окончена. Победил Маньяк!",
    "won-draw": "Игра окончена. Победителя нет.",
    "cards": "{Role}:|{seats}.",
    # what is going on, for «повтори», after «отмена» and after a restart
    "now-speech": "Говорит {seat:who}.|Осталось: {time}.",
    "now-overtime": "Говорит {seat:who}.|Время вышло.",
    "now-nominations": "На голосовании:|{seats}.",
    "now-nominations-none": "Пока никто не выставлен.",
    "now-vote": "Голосуем за {seat:whom}.|Сколько голосов?",
    "now-victim": "Решает убитый этой ночью.|Кто покидает стол:|{seats}?",
    "now-named-vote": "Идёт голосование.|Не проголосовали:|{seats}.",
    "now-named-vote-done": "Идёт голосование. Проголосовали все.",
    "now-lobby": "Игра ещё не началась.",
    "now-night": "Сейчас ночь.",
    "now-morning": "Сейчас утро.",
    "now-over": "Игра окончена.",
    "time-left": "Осталось: {time}.",
    "no-timer": "Время сейчас не идёт.",
    "status": "В игре:|{seats}.",
    "rules-name": "Напоминаю. {rules}.",
    "microphone-lost": "Я не слышу микрофон. Пользуйтесь кнопками.",
    # with no host
    "hostless": "Ведущего сегодня нет, вас веду я.|Закончили речь — нажмите свою кнопку.|"
    "Голосуете — держите кнопку до счёта три.|Ночью нажимайте её, когда прозвучит нужный номер.",
    "hostless-is-sheriff": "Ночью лампа отвечает без слов.|Дону зелёная говорит: это Шериф. Красная: нет.|"
    "Шерифу красная говорит: это мафия. Зелёная: нет.",
    "hostless-exact-role": "Ночью лампа отвечает без слов.|"
    "Дону зелёная говорит: мирный житель. Жёлтая: Шериф. Красная: мафия.|"
    "Шерифу красная говорит: это мафия. Зелёная: нет.",
    "hostless-everybody": "Ночью, когда звучат номера, нажимает каждый: один раз, на любом номере.|"
    "Засчитаю нажатия только тех, кого вызвал.",
    "hostless-names": "Речи закончены.|Кого выставляете? Нажмите свою кнопку, когда прозвучит номер.",
    "hostless-vote": "Нажмите свою кнопку, когда прозвучит номер, за который вы голосуете.|"
    "Не нажали — значит, воздержались.",
    "hostless-press": "Нажмите свою кнопку, когда прозвучит нужный номер.",
    "meeting-again": "Не сошлось. Все засыпают. Начинаем знакомство сначала.",
    "role-again": "Не вышло. Нажмите ещё раз.",
    "taken-back": "Выдвижение отозвано.",
    **ru_screen.PRIVATE,
    # why not
    "no-too-many-votes": "Столько голосов нет.",
    "no-needs-answer": "Сначала ответьте, пожалуйста.",
    "no-already-nominated": "{Seat} уже выставлен.",
    "no-one-nomination": "Выставить можно только одного.",
    "no-only-in-speech": "Выставляют только в своей речи.",
    "no-after-speeches": "Выставляем после речей.",
    "no-out-of-turn": "Сейчас не ваша речь.",
    "no-not-alive": "{Seat} уже не играет.",
    "no-not-candidate": "{Seat} не на голосовании.",
    "no-speeches-not-over": "Ещё не все сказали речь.",
    "no-votes-missing": "Ещё не голосовали:|{seats}.",
    "no-vote-final": "Голос менять больше нельзя.",
    "no-no-pass": "Сейчас нужно выбрать.",
    "no-wrong-seats": "По этим правилам столько не играют.",
    "no-no-cards": "Сначала раздайте карты.",
    "no-wrong-cards": "Карты розданы неверно.",
    "no-nothing-to-undo": "Отменять нечего.",
    "no-no-warnings": "Замечаний нет.",
    "no-light": "Карты сегодня знает только ведущий.",
    "no-running": "Во время игры это не меняют.",
    "say-again": "Повторите, пожалуйста.",
    "say-which": "Скажите точнее.|{commands}?",
    **ru_menu.PHRASES,
    # the web pages
    "pin": "Код для входа:",
    "pin-digit": "{word}.",
    "pin-none": "Экран выключен в настройках.",
    "page-opened": "Открыт пульт ведущего.",
}

SCRIPTS: dict[str, Script] = {
    "classic": {},
    "moscow": {
        "night-fell": "Наступила ночь. Все жители уснули.",
        "woke-meeting-mafia": "Мафия проснулась и знакомится.",
        "slept-meeting-mafia": "Мафия познакомилась и уснула.",
        "woke-meeting-sheriff": "Проснулся Шериф.",
        "slept-meeting-sheriff": "Шериф уснул.",
        "woke-meeting-maniac": "Проснулся Маньяк.",
        "slept-meeting-maniac": "Маньяк уснул.",
        "woke-mafia": "Мафия делает выстрел.",
        "slept-mafia": "Выстрел сделан.",
        "woke-don": "Проснулся Дон. Дон ищет Шерифа.",
        "slept-don": "Дон уснул.",
        "woke-sheriff": "На расследование выходит Шериф.",
        "slept-sheriff": "Шериф провёл расследование и уснул.",
        "woke-maniac": "Проснулся Маньяк и выбирает жертву.",
        "slept-maniac": "Маньяк выбрал жертву и уснул.",
        "day-broke": "Наступил день. Все жители города проснулись.",
        "speech-tie-speech": "Последнее слово.|{Seat:who}.|{Time}.",
    },
    "forum": {
        "night-fell": "Наступает ночь. Город засыпает.",
        "woke-meeting-mafia": "Мафия собирается на конференцию.",
        "slept-meeting-mafia": "Конференция окончена. Мафия больше не общается.",
        "woke-mafia": "Мафия стреляет. Каждый молча показывает номер жертвы.",
        "slept-mafia": "Мафия засыпает.",
        "deaths-none": "Несострел. Сегодня ночью никто не был убит.",
        "speeches-over": "Обсуждение закончено. Голосуют все.",
        "speeches-over-one": "Обсуждение закончено. Голосуют все.",
        "speeches-over-none": "Обсуждение закончено. Голосуют все.",
        "vote-began": "Переходим к голосованию. Называйте номер или воздержитесь.",
        "vote-again": "Переголосование.|На голосовании:|{seats}.",
        "tied": "Катастрофа.|{Seats}.",
        "tied-speak": "Катастрофа.|{Seats}|получают слово.",
        "lift-asked": "Повесить или помиловать? Кто за то, чтобы повесить всех?",
        "spared": "Все помилованы.",
        "left-removed": "Модкилл.|{Seats} удалён из игры.",
        "left-left": "Модкилл.|{Seats} покидает игру по своей воле.",
    },
    "sport": {
        "night-fell": "Наступает ночь. Город засыпает.",
        "woke-meeting-mafia": "Просыпается мафия. У вас минута на договорку.",
        "woke-mafia": "Мафия выходит на охоту. Стреляем.",
        "slept-mafia": "Мафия удаляется.",
        "speech-tie-speech": "Оправдательная речь.|{Seat:who}.|{Time}.",
    },
    "timer": ru_timer.PHRASES,
}
"""Wordings that a ruleset's own book gives, and those of the timer by itself; everything else is BASE."""

VARIANTS = ru_variety.VARIANTS
"""Other wordings of what is said often."""

STRESS = ru_stress.STRESS
"""Words that a synthesiser stresses wrongly, with U+0301 after the right vowel."""

NAMES = ru_names
"""Players' names in all cases, and the commands that hold them."""

AT_TIMER = ru_timer
"""The timer by itself: the names of its plans, the words of its report."""

IN_PRINT = ru_print
"""What is read and not spoken: the protocol, the rules, the names of phases and moves."""

ON_SCREEN = ru_screen
"""What the web pages show of the game."""
