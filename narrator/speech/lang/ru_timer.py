"""Russian of the speech timer: what it says beside the game's own words, and what its report prints.

PHRASES are wordings like those of a ruleset (see `ru`); REPORT is read and not spoken, so its tables hold digits.
"""

from __future__ import annotations

PHRASES: dict[str, str] = {
    "timer-open": "Таймер готов.|{plan}.|Когда все готовы, нажмите «дальше».",
    "timer-speaker": "Говорит {seat}.",
    "timer-restart": "Речь начинается заново.|{Seat}.",
    "timer-over": "Речи закончены. Спасибо!",
}

PLANS: dict[str, str] = {
    "countdown": "Речь: {time}",
    "toastmasters-1-2": "Речь: от одной до двух минут",
    "toastmasters-2-3": "Речь: от двух до трёх минут",
    "toastmasters-5-7": "Речь: от пяти до семи минут",
    "debate-7": "Речь: семь минут, первая и последняя защищены",
}

REPORT: dict[str, str] = {
    "number": "номер",
    "name": "имя",
    "used": "время",
    "allowed": "дано",
    "over": "сверх",
    "total": "всего",
    "none": "Речей не было.",
}
