"""The rules in print: as sentences, as the table of phases and moves, as a diagram of phases, as a list of rulesets.

Makes text from a ruleset, the game's own table and the map found by playing; decides nothing. Invariant: nothing here
is written by hand that the game could contradict.
"""

from __future__ import annotations

from collections.abc import Iterator

from narrator.explore import explore
from narrator.game import moves as m
from narrator.game.guards import TABLE
from narrator.game.rulesets import RULESETS, Ruleset
from narrator.game.state import Phase
from narrator.speech.lang import load
from narrator.speech.rules_text import printed_rules


def title(rules: Ruleset, language: str) -> str:
    """«Классические правила (classic)»."""
    return f"{load(language).RULES_NAMES.get(rules.key, rules.key)} ({rules.key})"


def as_text(rules: Ruleset, language: str) -> Iterator[str]:
    """Every rule as a sentence under its heading; what the club has changed is marked with a star."""
    words = load(language).IN_PRINT
    yield title(rules, language)
    for heading, lines in printed_rules(rules, language).items():
        yield ""
        yield heading
        for line in lines:
            note = f" ({words.RULE_CHANGED.format(value=line.book)})" if line.book else ""
            yield f"{'*' if line.book else ' '} {line.text}{note}"


def as_table(rules: Ruleset, language: str) -> Iterator[str]:
    """Moves by phases, in Markdown; the phases are numbered columns with their names below."""
    words = load(language).IN_PRINT
    phases = list(TABLE)
    kinds = [kind for kind in move_kinds() if any(kind in TABLE[phase] for phase in phases)]
    names = [f"{words.MOVES[kind_name(kind)]} `{kind_name(kind)}`" for kind in kinds]
    width = max(map(len, names))
    yield f"# {title(rules, language)}"
    yield ""
    yield f"| {words.MAPS['move']:<{width}} | {' | '.join(f'{n:>2}' for n in range(1, len(phases) + 1))} |"
    yield f"|{'-' * (width + 2)}|{'|'.join(':--:' for _ in phases)}|"
    for kind, name in zip(kinds, names, strict=True):
        cells = " | ".join(" +" if kind in TABLE[phase] else "  " for phase in phases)
        yield f"| {name:<{width}} | {cells} |"
    yield ""
    yield from (f"{n}. {words.PHASES[phase]} `{phase}`" for n, phase in enumerate(phases, 1))
    yield ""
    yield words.MAPS["table"]


def as_diagram(rules: Ruleset, language: str) -> Iterator[str]:
    """The phases of `rules` and what leads from one to another, as a Mermaid state diagram. Takes some seconds."""
    words = load(language).IN_PRINT
    edges = explore(rules)
    met = {phase for edge in edges for phase in edge}
    yield f"%% {title(rules, language)}. {words.MAPS['diagram']}"
    yield "stateDiagram-v2"
    yield from (f'    state "{words.PHASES[phase]}" as {_id(phase)}' for phase in Phase if phase in met)
    yield f"    [*] --> {_id(Phase.LOBBY)}"
    for (before, after), labels in edges.items():
        told = ", ".join(sorted(_told(label, words.MOVES, words.ASKED) for label in labels))
        yield f"    {_id(before)} --> {_id(after)} : {told}"
    yield f"    {_id(Phase.GAME_OVER)} --> [*]"


def as_list(active: str, language: str) -> Iterator[str]:
    """One line for each ruleset; the one that the settings name is marked with a star."""
    words = load(language)
    for key, rules in RULESETS.items():
        label = "seats-fixed" if rules.seats_min == rules.seats_max else "seats"
        seats = words.IN_PRINT.MAPS[label].format(few=rules.seats_min, many=rules.seats_max)
        yield f"{'*' if key == active else ' '} {key:<8} {words.RULES_NAMES.get(key, key)}, {seats}"


def move_kinds() -> tuple[type, ...]:
    """Every kind of move, in the order of the game's own list."""
    return m.Move.__args__


def kind_name(kind: type) -> str:
    """The name under which a kind of move stands in journals: SetUp is "set-up"."""
    return str(kind.__dataclass_fields__["kind"].default)  # type: ignore[attr-defined]


def _id(phase: Phase) -> str:
    return phase.value.replace("-", "_")


def _told(label: str, moves: dict[str, str], asked: dict[str, str]) -> str:
    return asked[label.removeprefix("answer-")] if label.startswith("answer-") else moves[label]
