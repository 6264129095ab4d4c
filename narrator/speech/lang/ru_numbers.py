"""Russian numbers in words: seats, counts and times, as they are said and as they are heard. Read through `ru`."""

from __future__ import annotations

from unicode_rbnf import RbnfEngine

_ENGINE = RbnfEngine.for_language("ru")
_CASES = ("", "-genitive", "-dative", "-accusative", "-ablative", "-locative")
_NOUNS = {
    1: "единица",
    2: "двойка",
    3: "тройка",
    4: "четвёрка",
    5: "пятёрка",
    6: "шестёрка",
    7: "семёрка",
    8: "восьмёрка",
    9: "девятка",
    10: "десятка",
}


def _spell(number: int, ruleset: str) -> str:
    result = _ENGINE.format_number(number, ruleset_names=[ruleset])
    return str(result.text_by_ruleset[ruleset]).replace("\u00ad", "")


def cardinal(number: int, gender: str = "m") -> str:
    """«пять», «одна», «два»: a number in words, nominative; gender m, f or n."""
    kind = {"m": "masculine", "f": "feminine", "n": "neuter"}[gender]
    return _spell(number, f"spellout-cardinal-{kind}")


def plural(number: int, forms: str) -> str:
    """The one of «голос/голоса/голосов» that goes with `number`."""
    one, few, many = forms.split("/")
    tens, units = abs(number) % 100, abs(number) % 10
    if 11 <= tens <= 14 or units == 0 or units >= 5:
        return many
    return one if units == 1 else few


def counted(number: int, forms: str) -> str:
    """«пять голосов», «одна минута»: a number with its noun; nouns in -а or -я are feminine here, in -е neuter."""
    one = forms.split("/")[0].lower()
    gender = "f" if one[-1] in "ая" else "n" if one[-1] in "её" else "m"
    return f"{cardinal(number, gender)} {plural(number, forms)}"


def seat_name(seat: int) -> str:
    """How a seat is called: «номер пять» stays the same in every case."""
    return f"номер {cardinal(seat)}"


def duration(seconds: float) -> str:
    """«одна минута», «полторы минуты», «тридцать семь секунд»."""
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if whole == 90:
        return "полторы минуты"
    parts = []
    if minutes:
        parts.append(counted(minutes, "минута/минуты/минут"))
    if rest or not minutes:
        parts.append(counted(rest, "секунда/секунды/секунд"))
    return " ".join(parts)


SEAT_CASES = ("nominative", "accusative", "dative", "plain")


def seat_forms(seat: int, case: str = "") -> tuple[str, ...]:
    """Every way a seat's number may be said: cardinal, ordinal of a man or a woman in all cases, and the noun.

    `case`: one of SEAT_CASES, only what is said so: of whoever does something (nominative), is chosen (accusative) or
    is spoken to (dative; a host says «пятый, замечание», too); plain is the cardinal, as after «номер» and «игрок».
    """
    noun = _NOUNS.get(seat, "")
    stem, of = noun[:-1], "ы" if noun == "единица" else "и"
    cases, endings = {
        "": (_CASES, ("а", "у", of, "е")),
        "nominative": (("",), ("а",)),
        "accusative": (("", "-genitive", "-accusative"), ("а", "у")),
        "dative": (("", "-dative"), ("а", "е")),
        "plain": ((), ()),
    }[case]
    ordinals = [_spell(seat, f"spellout-ordinal-{gender}{c}") for gender in ("masculine", "feminine") for c in cases]
    nouns = [stem + ending for ending in endings if noun]
    forms = [form.replace("третьому", "третьему").replace("ё", "е") for form in (cardinal(seat), *ordinals, *nouns)]
    return tuple(dict.fromkeys(forms))  # «третьому» is the library's slip


COUNT_KINDS = ("one", "few", "many")


def count_forms(count: int, kind: str = "") -> tuple[str, ...]:
    """«четыре», «ноль»: a count by itself. `kind`: none where a noun after it is not in that form of COUNT_KINDS."""
    return (cardinal(count),) if not kind or plural(count, "/".join(COUNT_KINDS)) == kind else ()
