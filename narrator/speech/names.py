"""The names of a table: how each is said, by which words a player may be called, and why a seat stays number-only.

Pure; the language declines. Invariant: no form stands for two seats, and none is a word of a command: what could be
taken for somebody else is not listened for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from narrator.speech.lang import load

MARK = "\u0301"


def said_name(language: str, name: str, spelling: Mapping[str, str]) -> str:
    """`name` as the narrator says and shows it, "" if it cannot be pronounced.

    `spelling`: how a word, or a whole name, is read instead of what is written.
    """
    read = spelling.get(name) or " ".join(spelling.get(word, word) for word in name.split())
    read = read.replace(MARK, "")
    return read if load(language).NAMES.is_speakable(read) else ""


def read_names(language: str, spelling: Mapping[str, str]) -> dict[str, str]:
    """`spelling` with every case of its names: «Ивано́ва» tells how «Ивановой» is stressed, too."""
    names = load(language).NAMES
    found: dict[str, str] = {}
    for read in spelling.values():
        name, stressed = read.replace(MARK, ""), read.find(MARK)
        if stressed > 0 and read.count(MARK) == 1 and names.is_speakable(name):
            forms = (names.declined(name, case) for case in names.CASES)
            found.update({f: f[:stressed] + MARK + f[stressed:] for f in forms if f[:stressed] == name[:stressed]})
    return {**found, **spelling}


class Names:
    """The players called `names`, seat 1 first, at one table; `taken`: words that mean something else.

    `said`: the names to be spoken, "" where there is none. `unheard`: a sentence for every name that cannot be called.
    """

    def __init__(
        self, language: str, names: Sequence[str], spelling: Mapping[str, str], taken: Collection[str]
    ) -> None:
        self._words = load(language)
        self._taken = frozenset(taken)
        self.said = tuple(said_name(language, name, spelling) for name in names)
        self._callings = {seat: self._calling(name) for seat, name in enumerate(self.said, 1) if name}
        self._owners: dict[str, set[int]] = defaultdict(set)
        for seat, calling in self._callings.items():
            for form in (form for forms in calling for form in forms.values()):
                self._owners[form].add(seat)
        self._heard = {seat: [c for c in callings if self._free(c)] for seat, callings in self._callings.items()}
        whys = (self._why(seat, name.strip()) for seat, name in enumerate(names, 1))
        self.unheard = tuple(why for why in whys if why)

    def forms(self, case: str) -> dict[int, tuple[str, ...]]:
        """What each player may be called in a case, as it is compared: the name, and each word of it that is his."""
        return {seat: tuple(calling[case] for calling in heard) for seat, heard in self._heard.items() if heard}

    def vocabulary(self) -> tuple[str, ...]:
        """Every word of every form, with ё where it is spoken: what a recogniser must know."""
        spoken = (
            self._words.NAMES.declined(self.said[seat - 1], case)
            for seat, heard in self._heard.items()
            for case in self._words.NAMES.CASES
            if heard
        )
        return tuple(sorted({word for name in spoken for word in name.lower().replace("-", " ").split()}))

    def _calling(self, name: str) -> tuple[dict[str, str], ...]:
        """The ways to call a player, each in every case: by the whole name and, of several words, by each alone."""
        cases = self._words.NAMES.CASES
        whole = {case: str(self._words.normal(self._words.NAMES.declined(name, case))) for case in cases}
        count = len(whole["who"].split())
        parts = [{case: text.split()[place] for case, text in whole.items()} for place in range(count)]
        return (whole, *(parts if count > 1 else ()))

    def _free(self, calling: Mapping[str, str]) -> bool:
        """Whether nobody and nothing else is called so in any case: «Александра» is two people, and an ending is easily
        misheard.
        """
        forms = calling.values()
        return all(len(self._owners[form]) == 1 and self._taken.isdisjoint(form.split()) for form in forms)

    def _why(self, seat: int, written: str) -> str:
        """Why a player can be called by number only; "" if he has no name or can be called by it."""
        if not written or self._heard.get(seat):
            return ""
        told = f"«{written}» (seat {seat}) is called by number only: "
        if seat not in self._callings:
            return told + "write it in Russian letters, or tell how it is read with [voice] pronounce."
        forms = {form for calling in self._callings[seat] for form in calling.values()}
        others = sorted(set().union(*(self._owners[form] for form in forms)) - {seat})
        if not others:
            return told + "it is a word of the commands; take another name."
        alike = ", ".join(f"«{self.said[other - 1]}» (seat {other})" for other in others)
        return told + f"it sounds like {alike}; add a surname or a nickname."
