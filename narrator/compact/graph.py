"""The decoding graphs: HCLr.fst (sounds to words) and Gr.fst (any word after any word), by the OpenFst tools.

Every phone is one state with a self-loop, words share beginnings, silence between words is optional, and [unk] and
[chatter] are any phones in a row, each at a cost. Runs `fstcompile`, `fstarcsort` and `fstconvert` of Debian's
libfst-tools with its plug-in `olabel_lookahead`; touches no sound and no weights.
Invariant: word numbers of both graphs agree (fstconvert renumbers them; Gr.fst follows).
"""

from __future__ import annotations

import math
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from narrator.compact import BuildError
from narrator.compact.acoustic import SILENCE, Acoustic
from narrator.compact.pronounce import Phones

UNKNOWN, CHATTER = "[unk]", "[chatter]"
"""What is no word of the model: dear to those who must not miss a command, cheap to those who doubt it."""

_HALF = math.log(2)  # cost of each of two equally likely ways
_PLUGIN = "olabel_lookahead-fst.so"
_LIBRARIES = Path("/usr/lib")
_INSTALL = "apt install libfst-tools and libfst22-plugins-base (Debian 12) or libfst26-plugins-base (Debian 13)"


def write_graphs(folder: Path, work: Path, acoustic: Acoustic, lexicon: Mapping[str, tuple[Phones, ...]]) -> None:
    """Write HCLr.fst and Gr.fst into `folder`, using `work` for what lies between. Raises BuildError."""
    words = sorted(lexicon)
    numbers = {word: i for i, word in enumerate([*words, UNKNOWN, CHATTER], start=1)}
    (work / "hcl.txt").write_text(_lexicon_graph(acoustic, lexicon, numbers), "utf-8")
    _run(work, "fstcompile", "hcl.txt", "hcl.fst")
    _run(work, "fstarcsort", "--sort_type=olabel", "hcl.fst", "sorted.fst")
    target = str((folder / "HCLr.fst").resolve())
    _run(work, "fstconvert", "--fst_type=olabel_lookahead", "--save_relabel_opairs=pairs", "sorted.fst", target)
    pairs = (line.split() for line in (work / "pairs").read_text("ascii").splitlines())
    renumbered = {int(old): int(new) for old, new in pairs}
    numbers = {word: renumbered[number] for word, number in numbers.items()}

    symbols = ["<eps>", *sorted(numbers, key=numbers.__getitem__)]
    last = max(numbers.values())
    named = {symbol: numbers.get(symbol, 0) for symbol in symbols} | {"#0": last + 1, "<s>": last + 2, "</s>": last + 3}
    (work / "words.txt").write_text("".join(f"{symbol} {number}\n" for symbol, number in named.items()), "utf-8")
    cost = math.log(len(numbers))
    loop = "".join(f"0\t0\t{word}\t{word}\t{cost:.4f}\n" for word in numbers) + "0\t0\n"
    (work / "g.txt").write_text(loop, "utf-8")
    table = ("--isymbols=words.txt", "--osymbols=words.txt", "--keep_isymbols", "--keep_osymbols")
    _run(work, "fstcompile", *table, "g.txt", "g.fst")
    _run(work, "fstarcsort", "--sort_type=ilabel", "g.fst", "gs.fst")
    _run(work, "fstconvert", "--fst_type=const", "gs.fst", str((folder / "Gr.fst").resolve()))


def _lexicon_graph(acoustic: Acoustic, lexicon: Mapping[str, tuple[Phones, ...]], numbers: Mapping[str, int]) -> str:
    """OpenFst's text of transition ids to words; state 0 is the start."""
    arcs: list[str] = []
    states = 3
    start, words_start, silence = range(states)

    def arc(source: int, target: int, sound: int = 0, word: int = 0, cost: float = 0.0) -> None:
        arcs.append(f"{source}\t{target}\t{sound}\t{word}\t{cost:.5f}\n")

    def phone(
        source: int, name: str, position: str, word: int = 0, cost: float = 0.0, target: int | None = None
    ) -> int:
        """A state that is entered by hearing the phone and may stay."""
        nonlocal states
        if target is None:
            target, states = states, states + 1
        leave, stay = acoustic.transitions(acoustic.phone_id(name, position))
        arc(source, target, leave, word, cost + _HALF)
        arc(target, target, stay, 0, _HALF)
        return target

    phone(start, SILENCE, "S", cost=_HALF, target=silence)
    arc(silence, words_start)
    arc(start, words_start, cost=_HALF)

    for word, cost in zip((UNKNOWN, CHATTER), acoustic.phone_costs, strict=True):
        entry, any_phone, states = states, states + 1, states + 2
        arc(words_start, entry, acoustic.garbage(0)[1], numbers[word])
        arc(entry, any_phone)
        for number in range(1, len(acoustic.phones)):
            stay, go_on, leave = acoustic.garbage(number)
            for sound, target in ((go_on, any_phone), (leave, start)):
                arc(any_phone, states, sound, cost=cost + _HALF)
                arc(states, states, stay, cost=_HALF)
                arc(states, target)
                states += 1

    shared: dict[Phones, int] = {}  # beginnings of words
    for word in sorted(lexicon):
        for phones in lexicon[word]:
            state = words_start
            for i, name in enumerate(phones[:-1], start=1):
                if phones[:i] not in shared:
                    shared[phones[:i]] = phone(state, name, "B" if i == 1 else "I")
                state = shared[phones[:i]]
            arc(phone(state, phones[-1], "S" if len(phones) == 1 else "E", numbers[word]), start)
    return "".join(arcs) + "".join(f"{final}\t0\n" for final in (start, words_start, silence))


def _run(work: Path, tool: str, *arguments: str) -> None:
    environment = dict(os.environ)
    if plugin := _plugin_folder():
        environment["LD_LIBRARY_PATH"] = f"{plugin}:{environment.get('LD_LIBRARY_PATH', '')}".rstrip(":")
    try:
        subprocess.run([tool, *arguments], cwd=work, env=environment, check=True, capture_output=True, timeout=300)
    except FileNotFoundError:
        raise BuildError(f"The program {tool} is missing: {_INSTALL}.") from None
    except subprocess.TimeoutExpired:
        raise BuildError(f"The program {tool} does not come to an end: give it fewer words.") from None
    except subprocess.CalledProcessError as error:
        if "olabel_lookahead" in "".join(arguments) and plugin is None:
            raise BuildError(f"The plug-in {_PLUGIN} is missing: {_INSTALL}.") from None
        said = error.stderr.decode(errors="replace").strip().replace("\n", "; ")
        raise BuildError(f"The program {tool} failed ({said}): {_INSTALL}.") from None


def _plugin_folder() -> Path | None:
    """Folder of the lookahead plug-in; of several, the one of the newest OpenFst."""
    found = [path.parent for path in _LIBRARIES.glob(f"*/fst/**/{_PLUGIN}")]
    return max(found, key=lambda folder: int("".join(re.findall(r"\d+$", folder.name)) or 0), default=None)
