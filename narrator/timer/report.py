"""The times of a meeting as a table to read and as CSV to keep. Pure.

Seconds are rounded to tenths in the CSV and to whole ones in the table. Invariant: the CSV has one line for each
speech, in order, and nothing else but its heading.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from narrator.speech.lang import load
from narrator.timer.core import Spoken


def as_csv(spoken: Sequence[Spoken], names: Sequence[str], language: str) -> str:
    """Heading and one line for each speech; seconds with a decimal point."""
    words = load(language).AT_TIMER.REPORT
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([words[key] for key in ("number", "name", "used", "allowed", "over")])
    for one in spoken:
        times = [f"{seconds:.1f}" for seconds in (one.used, one.allowed, one.over)]
        writer.writerow([one.speaker, _name(one, names), *times])
    return out.getvalue()


def as_table(spoken: Sequence[Spoken], names: Sequence[str], language: str) -> str:
    """Columns of equal width, minutes and seconds, a total below."""
    words = load(language).AT_TIMER.REPORT
    if not spoken:
        return str(words["none"])
    heads = [str(words[key]) for key in ("number", "name", "used", "allowed", "over")]
    rows = [[str(one.speaker), _name(one, names), *_times(one.used, one.allowed, one.over)] for one in spoken]
    sums = [sum(column) for column in zip(*((one.used, one.allowed, one.over) for one in spoken), strict=True)]
    rows.append([str(words["total"]), "", *_times(*sums)])
    shown = [place for place in range(len(heads)) if place != 1 or any(row[1] for row in rows)]
    widths = {place: max(len(row[place]) for row in [heads, *rows]) for place in shown}
    return "\n".join(
        "  ".join(row[i].ljust(widths[i]) if i <= 1 else row[i].rjust(widths[i]) for i in shown).rstrip()
        for row in [heads, *rows]
    )


def clock(seconds: float) -> str:
    """«1:05»: minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"


def _times(used: float, allowed: float, over: float) -> list[str]:
    return [clock(used), clock(allowed), clock(over) if round(over) else ""]


def _name(one: Spoken, names: Sequence[str]) -> str:
    return names[one.speaker - 1] if one.speaker <= len(names) else ""
