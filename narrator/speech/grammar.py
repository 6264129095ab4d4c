"""Templates to text and back: what the recogniser may hear, and what a heard text says.

One template source per language feeds both. Must not know the game: intents and slot values are plain names and
numbers here. Invariant: whatever `phrases` yields, `read` understands.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hassil import Intents, SlotList, TextSlotList, recognize_all, sample_expression

from narrator.messages import JOINT, Form
from narrator.speech import lang
from narrator.speech.names import Names

SEATS = range(1, 16)
COUNTS = range(16)
TABLES = range(5, 16)

Slots = tuple[tuple[str, int], ...]
"""Slot names and values, sorted: (("by", 3), ("seat", 5))."""
_TABLES_KEPT = 8
_PLACE = re.compile(r"@(\w+)")

Shape = tuple[str, ...]
"""The words of a sentence, or what is joined of them, slots as «@name»."""


@dataclass(frozen=True, slots=True, order=True)
class Reading:
    """An intent with its slots."""

    intent: str
    slots: Slots = ()

    def get(self, slot: str) -> int | None:
        """A slot's value."""
        return dict(self.slots).get(slot)


def reading(intent: str, **slots: int | None) -> Reading:
    """A reading; slots that are None are left out."""
    return Reading(intent, tuple(sorted((name, value) for name, value in slots.items() if value is not None)))


class Grammar:
    """The commands of one language; `named` gives the grammar of a table.

    `spelling`: how names are read, see `said_name`. `own`: further templates by intent, see `club`.
    `players`: who may be called by name.
    """

    def __init__(
        self,
        language: str,
        spelling: Mapping[str, str] | None = None,
        own: Mapping[str, Sequence[str]] | None = None,
        players: Names | None = None,
    ) -> None:
        self.language, self.players = language, players
        self._words = lang.load(language)
        self._spelling, self._own = spelling or {}, own or {}
        self._tables: dict[tuple[str, ...], Grammar] = {}
        cases = self._words.NAMES.CASES
        more = (self._words.NAMES.COMMANDS if players else {}, self._own)
        commands = {
            intent: [*sentences, *(s for source in more for s in source.get(intent, ()))]
            for intent, sentences in self._words.COMMANDS.items()
        }
        anybody = {f"any_{case}": f"(<who>|{{seat_{case}}})" if players else "<who>" for case in cases}
        self._intents = Intents.from_dict(
            {
                "language": language,
                "intents": {name: {"data": [{"sentences": s}]} for name, s in commands.items()},
                "expansion_rules": self._words.RULES | anybody,
            }
        )
        seats = {
            case: {seat: self._words.seat_forms(seat, case) for seat in SEATS} for case in ("", *self._words.SEAT_CASES)
        }
        self._forms: dict[str, dict[int, tuple[str, ...]]] = {
            **{f"{slot}_{case}" if case else slot: forms for slot in ("seat", "by") for case, forms in seats.items()},
            **{
                f"count_{kind}" if kind else "count": {c: self._words.count_forms(c, kind) for c in COUNTS}
                for kind in ("", *self._words.COUNT_KINDS)
            },
            "table": {table: (self._words.cardinal(table).replace("ё", "е"),) for table in TABLES},
        }
        if players:
            self._forms.update({"by_who": players.forms("who"), **{f"seat_{c}": players.forms(c) for c in cases}})
        self._lists: dict[str, SlotList] = {
            name: TextSlotList.from_tuples([(form, value) for value in values for form in values[value]], name=name)
            for name, values in self._forms.items()
        }
        numbers: dict[str, set[int]] = {}
        for values in self._forms.values():
            for value in values:
                for form in values[value]:
                    numbers.setdefault(form.split()[-1], set()).add(value)
        self._numbers = {word: tuple(sorted(found)) for word, found in numbers.items()}
        self._sentences = {name: self._sentences_of(name) for name in self._words.COMMANDS}
        self._shapes = {name: _thinned(shapes) for name, shapes in self._sentences.items()}
        self._joined_shapes = {
            name: _thinned(tuple(map(self._joined_shape, shapes))) for name, shapes in self._sentences.items()
        }

    @property
    def intents(self) -> tuple[str, ...]:
        """Names of all intents."""
        return tuple(self._shapes)

    @property
    def numbers(self) -> Mapping[str, Mapping[int, tuple[str, ...]]]:
        """What may stand in a slot: by the slot and a case, for each value its forms, the usual one first."""
        return self._forms

    def named(self, names: tuple[str, ...]) -> Grammar:
        """The grammar of a table of players called `names`, seat 1 first."""
        if not any(names):
            return self
        if names not in self._tables:
            if len(self._tables) >= _TABLES_KEPT:
                self._tables.clear()
            players = Names(self.language, names, self._spelling, self.words())
            self._tables[names] = type(self)(self.language, self._spelling, self._own, players)
        return self._tables[names]

    def read(self, text: str) -> tuple[Reading, ...]:
        """All readings of a whole utterance (normalised text without the address); none if it is no command."""
        if not text:
            return ()
        found = {
            Reading(result.intent.name, tuple(sorted((_slot(k), int(v.value)) for k, v in result.entities.items())))
            for result in recognize_all(text, self._intents, slot_lists=self._lists, language=self.language)
        }
        return tuple(sorted(found))

    def address(self, text: str) -> tuple[str, bool]:
        """The text without a leading «ведущий», and whether it stood there."""
        word = self._words.ADDRESS
        if text == word:
            return "", True
        return (text[len(word) + 1 :], True) if text.startswith(word + " ") else (text, False)

    def phrases(self, live: Iterable[Reading], *, bare: bool, addressed: bool, joined: bool = False) -> tuple[str, ...]:
        """Phrases for the recogniser that cover every pair of neighbouring words of every live command.

        `bare`: as said; `addressed`: after «ведущий». The recogniser's model is made of pairs, so covering the pairs
        covers all sentences with a fraction of the text; a sentence of odd pairs fails in `read`. `joined`: the pairs
        are covered also for a recogniser that knows what is `joined` as one word.
        """
        return self._cover(tuple(sorted(set(live))), bare, addressed, joined)

    def forms(
        self, live: Iterable[Reading], unhurried: frozenset[str], *, bare: bool, addressed: bool
    ) -> tuple[Form, ...]:
        """Every form of every live command, for those who must know whether a text is whole and may go on.

        Forms that sound like the address, or go on after a pause, are not `prompt`: nobody may act on them before the
        speaker has finished.
        `unhurried`: the intents that may not be done at once. A form of two slots stands for all pairs of their values.
        """
        return self._all_forms_of(tuple(sorted(set(live))), unhurried, bare, addressed)

    def plain(self, said: Reading) -> str:
        """A way to say `said` that means nothing else; "" if there is none."""
        phrases = self.phrases([said], bare=True, addressed=False)
        return next((phrase for phrase in phrases if self.read(phrase) == (said,)), "")

    def everything(self) -> tuple[Reading, ...]:
        """Every command with every value of its slots."""
        found: set[Reading] = set()
        for intent, shapes in self._shapes.items():
            for shape in shapes:
                lists = sorted(_slot_in(token)[0] for token in shape if "@" in token)
                values = (tuple(self._forms[name]) for name in lists)
                slots = [_slot(name) for name in lists]
                found.update(Reading(intent, tuple(zip(slots, v, strict=True))) for v in itertools.product(*values))
        return tuple(sorted(found))

    def normal(self, text: str) -> str:
        """Text as it is compared: small letters, е for ё, no punctuation."""
        return str(self._words.normal(text))

    def words(self) -> tuple[str, ...]:
        """Every word of every command, for the vocabulary of the recogniser."""
        return tuple(sorted({word for form in self._everything_said() for word in form.split()}))

    def joined(self) -> tuple[str, ...]:
        """Words that always follow one another, as one: «номер_пять», «снять_фол».

        A recogniser whose model knows them hears fewer pairs that nobody says («номер уходит»), hence fewer mistakes.
        """
        return tuple(sorted({form.replace(" ", JOINT) for form in self._everything_said() if " " in form}))

    # --- inside --------------------------------------------------------------------------------------------------

    def _everything_said(self) -> set[str]:
        said = {self._words.ADDRESS}
        for token in {token for shapes in self._joined_shapes.values() for shape in shapes for token in shape}:
            name, written = _slot_in(token)
            forms = [form for values in self._forms[name].values() for form in values] if name else [""]
            said.update(written.format(form) for form in forms)
        return said

    def _joined_shape(self, shape: Shape) -> Shape:
        """The words that belong together as one: «игрок номер @seat» is one, «уходит» another."""
        joined: list[str] = []
        for word in shape:
            last = joined[-1] if joined else ""
            numbers, before = "@" in word, set(last.split()) <= self._words.BEFORE_NUMBERS
            if "@" in last:
                belongs = word in self._words.AFTER_NUMBERS
            else:
                belongs = before if numbers or before else word not in self._words.BEFORE_NUMBERS
            if last and belongs:
                joined[-1] += f" {word}"
            else:
                joined.append(word)
        return tuple(joined)

    def _sentences_of(self, intent: str) -> tuple[Shape, ...]:
        """A template's sentences with slots as placeholders («выставляю @seat»), the shortest first."""
        marks: dict[str, SlotList] = {
            name: TextSlotList.from_tuples([(f"@{name}", 0)], name=name) for name in self._forms
        }
        shapes: dict[tuple[str, ...], None] = {}
        for data in self._intents.intents[intent].data:
            for sentence in data.sentences:
                for text in sample_expression(sentence.expression, marks, self._intents.expansion_rules):
                    shapes[tuple(text.split())] = None
        return tuple(sorted(shapes, key=lambda s: (len(s), s)))

    @lru_cache(maxsize=64)  # noqa: B019 - a grammar lives as long as the program
    def _cover(self, live: tuple[Reading, ...], bare: bool, addressed: bool, joined: bool) -> tuple[str, ...]:
        seen: set[tuple[str, str]] = set()
        out: list[str] = []
        for prefix in self._prefixes(bare, addressed):
            for _, shape, slots in _live_shapes(live, self._joined_shapes if joined else self._shapes):
                self._fill((*prefix, *shape), slots, seen, out)
        return tuple(out)

    @lru_cache(maxsize=64)  # noqa: B019 - see above
    def _all_forms_of(
        self, live: tuple[Reading, ...], unhurried: frozenset[str], bare: bool, addressed: bool
    ) -> tuple[Form, ...]:
        out: list[Form] = []
        shared: dict[frozenset[str], frozenset[str]] = {}  # few sets of words stand at very many places
        for intent, shape, slots in _live_shapes(live, self._sentences):
            prompt = self._words.LIKE_ADDRESS.isdisjoint(shape) and shape not in self._words.GOES_ON
            for words, told_apart in self._places(shape, slots):
                for prefix in self._prefixes(bare, addressed):
                    places = (*(frozenset((word,)) for word in prefix), *words)
                    at = tuple(place + len(prefix) for place in told_apart)
                    told = tuple(shared.setdefault(p, p) for p in places)
                    out.append(Form(told, intent, at, intent not in unhurried, self._numbers, prompt))
        return tuple(out)

    def _places(
        self, shape: Shape, slots: Mapping[str, set[int]]
    ) -> Iterator[tuple[tuple[frozenset[str], ...], tuple[int, ...]]]:
        """A shape's words, place by place, and the places of its slots by name. Names of several words are rows of
        their own, and of such a name its last word counts."""
        ways: list[list[tuple[frozenset[str], ...]]] = []
        for token in shape:
            forms = self._live_forms(token, slots)
            single = frozenset(form for form in forms if " " not in form)
            several = [tuple(frozenset((word,)) for word in form.split()) for form in forms if " " in form]
            ways.append([*([(single,)] if single else []), *several])
        slotted = sorted((_slot(token[1:]), place) for place, token in enumerate(shape) if token.startswith("@"))
        for row in itertools.product(*ways):
            ends = tuple(itertools.accumulate(map(len, row)))
            yield tuple(itertools.chain.from_iterable(row)), tuple(ends[place] - 1 for _, place in slotted)

    def _live_forms(self, token: str, slots: Mapping[str, set[int]]) -> tuple[str, ...]:
        """What may stand at a token; nothing where a name must, and nobody who is live has one."""
        name, written = _slot_in(token)
        if not name:
            return (token,)
        forms, values = self._forms[name], sorted(slots[_slot(name)])
        return tuple(written.format(form) for value in values for form in forms.get(value, ()))

    def _prefixes(self, bare: bool, addressed: bool) -> list[tuple[str, ...]]:
        return ([()] if bare else []) + ([(self._words.ADDRESS,)] if addressed else [])

    def _fill(
        self, shape: tuple[str, ...], slots: Mapping[str, set[int]], seen: set[tuple[str, str]], out: list[str]
    ) -> None:
        """Add the sentences of one shape that bring new pairs: each slot's forms in turn, the others at their first."""
        forms = {token: self._live_forms(token, slots) for token in shape}
        if not all(forms.values()):
            return
        tokens = [forms[token][0] for token in shape]
        ends = ["<s>", *tokens, "</s>"]
        base = set(itertools.pairwise(ends))
        if not base <= seen:
            seen |= base
            out.append(" ".join(tokens))
        for place, token in enumerate(shape):
            if "@" not in token:
                continue
            before, after = ends[place], ends[place + 2]
            for form in forms[token]:
                if (before, form) not in seen or (form, after) not in seen:
                    seen.update(((before, form), (form, after)))
                    out.append(" ".join((*tokens[:place], form, *tokens[place + 1 :])))


def _slot_in(token: str) -> tuple[str, str]:
    """The list of forms that a token has a place for, "" if none, and the token with {} there: «номер @seat_plain»."""
    found = _PLACE.search(token)
    return (found[1], _PLACE.sub("{}", token)) if found else ("", token)


def _slot(name: str) -> str:
    """The slot that a list of words fills: «seat_whom» are the seats by their players' names."""
    return name.partition("_")[0]


def _live_shapes(
    live: tuple[Reading, ...], shapes: Mapping[str, tuple[Shape, ...]]
) -> Iterator[tuple[str, Shape, dict[str, set[int]]]]:
    """Each intent's shapes that take the slots of a live reading, with all live values of these slots."""
    values: dict[tuple[str, tuple[str, ...]], dict[str, set[int]]] = {}
    for item in live:
        names = tuple(name for name, _ in item.slots)
        slots = values.setdefault((item.intent, names), {name: set() for name in names})
        for name, value in item.slots:
            slots[name].add(value)
    for (intent, names), slots in sorted(values.items()):
        for shape in shapes[intent]:
            if tuple(sorted(_slot(_slot_in(token)[0]) for token in shape if "@" in token)) == names:
                yield intent, shape, slots


def _thinned(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Those with new pairs of words; the first always stays."""
    seen: set[tuple[str, str]] = set()
    kept: list[Shape] = []
    for shape in shapes:
        pairs = set(_pairs(shape))
        # a sentence with another number of slots is another command form and stays
        if not pairs <= seen or not kept:
            kept.append(shape)
            seen |= pairs
    return tuple(kept)


def _pairs(tokens: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    return itertools.pairwise(("<s>", *tokens, "</s>"))


@lru_cache(maxsize=4)
def grammar(language: str) -> Any:
    """The one grammar of a language."""
    return Grammar(language)
