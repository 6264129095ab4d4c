"""Where Russian words of the script are stressed, for the words that a synthesiser gets wrong by itself.

U+0301 stands after the stressed vowel; ё is always stressed and needs none. A line of several words is for a word
whose stress depends on its neighbour: the longest line that fits counts. Everything else the engines know.
"""

from __future__ import annotations

STRESS = (
    "веду́",
    "воздержи́тесь",
    "го́лоса",  # «два го́лоса» …
    "остальные голоса́",  # … and the votes themselves
    "голоса́ разделились",
    "го́рода",
    "держи́те",
    "добро́",
    "догово́рку",
    "игры́",
    "ма́фию",
    "модки́лл",
    "несостре́л",
    "переголосова́ние",
    "поми́лованы",
    "пошло́",
    "со́рок",
    "уже́",
    "фо́румные",
)
