"""Russian of the spoken menu: what the box offers when it is asked what else it can do. Each is a question to Next.

The same keys as in `ru.BASE`, of which these are a part; no phrase may equal a command.
"""

from __future__ import annotations

PHRASES: dict[str, str] = {
    "menu-repeat": "Напомнить, что сейчас?",
    "menu-time-left": "Сказать, сколько осталось?",
    "menu-status": "Назвать, кто в игре?",
    "menu-rules": "Рассказать правила?",
    "menu-order": "Призвать к порядку?",
    "menu-open-vote": "Перейти к голосованию?",
    "menu-vote": "Записать голос?|{Voter}|за {seat}.",
    "menu-vote-pass": "Записать голос?|{Voter} воздержался.",
    "menu-unwarn": "Отменить замечание?|{Seat}.",
    "menu-leave": "Игрок уходит сам?|{Seat}.",
    "menu-remove": "Удалить из игры?|{Seat}.",
    "menu-killed-list": "Назвать убитых по одному?",
    "menu-change-rules": "Сменить правила?|{rules}.",
}
