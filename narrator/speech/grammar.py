"""Templates to text and back: what the recogniser may hear, and what a heard text says.

One template source per language feeds both. Must not know the game: intents and slot values are plain names and
numbers here. Invariant: whatever `phrases` yields, `read` understands.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hassil import Intents, SlotList, TextSlotList, recognize_all, sample_expression

from narrator.messages import Form
from narrator.speech import lang

SEATS = range(1, 16)
COUNTS = range(16)
TABLES = range(5, 16)

Slots = tuple[tuple[str, int], ...]
"""Slot names and values, sorted: (("by", 3), ("seat", 5))."""
Shape = tuple[str, ...]
"""The words of a sentence, slots as «@name»."""


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
    """The commands of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._words = lang.load(language)
        self._intents = Intents.from_dict(
            {
                "language": language,
                "intents": {name: {"data": [{"sentences": s}]} for name, s in self._words.COMMANDS.items()},
                "expansion_rules": self._words.RULES,
            }
        )
        seats = {seat: self._words.seat_forms(seat) for seat in SEATS}
        self._forms: dict[str, dict[int, tuple[str, ...]]] = {
            "seat": seats,
            "by": seats,
            "count": {count: self._words.count_forms(count) for count in COUNTS},
            "table": {table: (self._words.cardinal(table).replace("ё", "е"),) for table in TABLES},
        }
        self._lists: dict[str, SlotList] = {
            name: TextSlotList.from_tuples([(form, value) for value in values for form in values[value]], name=name)
            for name, values in self._forms.items()
        }
        self._sentences = {name: self._sentences_of(name) for name in self._words.COMMANDS}
        self._shapes = {name: _thinned(shapes) for name, shapes in self._sentences.items()}

    @property
    def intents(self) -> tuple[str, ...]:
        """Names of all intents."""
        return tuple(self._shapes)

    def read(self, text: str) -> tuple[Reading, ...]:
        """All readings of a whole utterance (normalised text without the address); none if it is no command."""
        if not text:
            return ()
        found = {
            Reading(result.intent.name, tuple(sorted((k, int(v.value)) for k, v in result.entities.items())))
            for result in recognize_all(text, self._intents, slot_lists=self._lists, language=self.language)
        }
        return tuple(sorted(found))

    def address(self, text: str) -> tuple[str, bool]:
        """The text without a leading «ведущий», and whether it stood there."""
        word = self._words.ADDRESS
        if text == word:
            return "", True
        return (text[len(word) + 1 :], True) if text.startswith(word + " ") else (text, False)

    def phrases(self, live: Iterable[Reading], *, bare: bool, addressed: bool) -> tuple[str, ...]:
        """Phrases for the recogniser that cover every pair of neighbouring words of every live command.

        `bare`: as said; `addressed`: after «ведущий». The recogniser's model is made of word pairs, so covering the
        pairs covers all sentences with a fraction of the text; a sentence of odd pairs fails in `read`.
        """
        return self._cover(tuple(sorted(set(live))), bare, addressed)

    def forms(
        self, live: Iterable[Reading], unhurried: frozenset[str], *, bare: bool, addressed: bool
    ) -> tuple[Form, ...]:
        """Every form of every live command, for those who must know whether a text is whole and may go on.

        `unhurried`: the intents that may not be done at once. A form of two slots stands for all pairs of their values.
        """
        return self._all_forms_of(tuple(sorted(set(live))), unhurried, bare, addressed)

    def everything(self) -> tuple[Reading, ...]:
        """Every command with every value of its slots."""
        found: set[Reading] = set()
        for intent, shapes in self._shapes.items():
            for shape in shapes:
                names = sorted(token[1:] for token in shape if token.startswith("@"))
                values = (tuple(self._forms[name]) for name in names)
                found.update(Reading(intent, tuple(zip(names, v, strict=True))) for v in itertools.product(*values))
        return tuple(sorted(found))

    def normal(self, text: str) -> str:
        """Text as it is compared: small letters, е for ё, no punctuation."""
        return str(self._words.normal(text))

    def words(self) -> tuple[str, ...]:
        """Every word of every command, for the vocabulary of the recogniser."""
        everything = {self._words.ADDRESS}
        for shapes in self._shapes.values():
            for shape in shapes:
                for token in shape:
                    everything |= set(self._all_forms(token))
        return tuple(sorted(word for form in everything for word in form.split()))

    # --- inside --------------------------------------------------------------------------------------------------

    def _all_forms(self, token: str) -> tuple[str, ...]:
        if not token.startswith("@"):
            return (token,)
        return tuple(form for forms in self._forms[token[1:]].values() for form in forms)

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
    def _cover(self, live: tuple[Reading, ...], bare: bool, addressed: bool) -> tuple[str, ...]:
        seen: set[tuple[str, str]] = set()
        out: list[str] = []
        for prefix in self._prefixes(bare, addressed):
            for _, shape, slots in _live_shapes(live, self._shapes):
                self._fill((*prefix, *shape), slots, seen, out)
        return tuple(out)

    @lru_cache(maxsize=64)  # noqa: B019 - see above
    def _all_forms_of(
        self, live: tuple[Reading, ...], unhurried: frozenset[str], bare: bool, addressed: bool
    ) -> tuple[Form, ...]:
        out: list[Form] = []
        shared: dict[frozenset[str], frozenset[str]] = {}  # few sets of words stand at very many places
        for intent, shape, slots in _live_shapes(live, self._sentences):
            words = {
                f"@{name}": frozenset(form for value in values for form in self._forms[name][value])
                for name, values in slots.items()
            }
            for prefix in self._prefixes(bare, addressed):
                tokens = (*prefix, *shape)
                places = (words.get(token, frozenset((token,))) for token in tokens)
                told_apart = tuple(tokens.index(slot) for slot in words)
                out.append(
                    Form(tuple(shared.setdefault(p, p) for p in places), intent, told_apart, intent not in unhurried)
                )
        return tuple(out)

    def _prefixes(self, bare: bool, addressed: bool) -> list[tuple[str, ...]]:
        return ([()] if bare else []) + ([(self._words.ADDRESS,)] if addressed else [])

    def _fill(
        self, shape: tuple[str, ...], slots: Mapping[str, set[int]], seen: set[tuple[str, str]], out: list[str]
    ) -> None:
        """Add the sentences of one shape that bring new pairs: each slot's forms in turn, the others at their first."""
        forms = {name: [f for v in sorted(values) for f in self._forms[name][v]] for name, values in slots.items()}
        tokens = [forms[token[1:]][0] if token.startswith("@") else token for token in shape]
        ends = ["<s>", *tokens, "</s>"]
        base = set(itertools.pairwise(ends))
        if not base <= seen:
            seen |= base
            out.append(" ".join(tokens))
        for place, token in enumerate(shape):
            if not token.startswith("@"):
                continue
            before, after = ends[place], ends[place + 2]
            for form in forms[token[1:]]:
                if (before, form) not in seen or (form, after) not in seen:
                    seen.update(((before, form), (form, after)))
                    out.append(" ".join((*tokens[:place], form, *tokens[place + 1 :])))


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
            if tuple(sorted(token[1:] for token in shape if token.startswith("@"))) == names:
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
