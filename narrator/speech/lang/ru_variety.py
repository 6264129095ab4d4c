"""Other wordings of phrases that a host says many times an evening; which one comes depends on the day and the seat.

What a rulebook gives word for word is not here, and a ruleset's own wording always stands alone. A variant keeps the
words that people wait for («говорит номер пять», «время вышло») and changes what stands around them.
"""

from __future__ import annotations

VARIANTS: dict[str, tuple[str, ...]] = {
    "speech-speeches": ("Сейчас говорит {seat:who}.|{Time}.", "Слушаем.|Говорит {seat:who}.|{Time}."),
    "time-over": ("Всё, время вышло.", "Закончили. Время вышло."),
    "order": ("Прошу внимания. Тишина за столом!",),
    "declined": ("Хорошо, всё остаётся как было.",),
    "vote-began": ("Время решать. Переходим к голосованию.",),
    "votes-counted-none": ("За него ни одного голоса.",),
    "nobody-out": ("Сегодня никто не покидает стол.",),
    "no-needs-answer": ("Жду ответа. Сначала ответьте, пожалуйста.",),
}
