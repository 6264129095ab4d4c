"""One run: the systems and their models, every row, every hour of talk, and what it cost.

The packaged acoustic model is always measured; others are measured beside it on the same sound, through our ears alone.
Invariant: a figure of memory is that of a process which does nothing else.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import itertools
import json
import multiprocessing
import os
import re
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from narrator.compact import acoustic
from narrator.compact.build import build
from narrator.config import load
from narrator.naming import vocabulary
from narrator.ports.hearing import resident_memory
from tests.bench.hearing.commands import GRAMMAR, Moment, moments
from tests.bench.hearing.measure import Tape, measure, overhear
from tests.bench.hearing.report import Table, fingerprint
from tests.bench.hearing.rows import CROWD, Cast, Size, rows
from tests.bench.hearing.systems import Free, Held, Ours, System, Whisper, samples
from tests.bench.hearing.talk import talk
from tests.bench.hearing.voices import RATE, Studio
from tests.bench.intelligible import whisper

OURS, WAITING, HELD, FREE, WHISPER = "ours", "waiting", "held", "free", "whisper"
SYSTEMS = {
    OURS: "our ears",
    WAITING: "ours, waiting for the end-pointer",
    HELD: "Vosk, same grammar, at its word",
    FREE: "Vosk, no grammar, same text",
    WHISPER: "Whisper base, nearest sentence",
}
FEW = {WHISPER: 3, WAITING: 60, HELD: 40, FREE: 40}
"""Commands of a row that are enough for the others."""
SHORT = {WHISPER: 180.0, HELD: 1800.0, FREE: 1800.0}
"""Seconds of talk that are enough for the others; «waiting» hears none."""


def models(given: list[str], folder: Path) -> Iterator[tuple[str, str, Path]]:
    """(label, what it is made of, model folder) of the packaged model and of those given.

    «FILE,SILENCE_WEIGHT=-1»: another acoustic.npz, and constants of `narrator.compact.acoustic` to go with it.
    """
    for n, text in enumerate([str(acoustic.DIFFERENCES), *given]):
        name, *constants = text.split(",")
        file = Path(name).resolve()
        kept = vars(acoustic).copy()
        acoustic.DIFFERENCES = file
        for constant in constants:
            key, _, value = constant.partition("=")
            if not isinstance(kept.get(key), float):
                raise ValueError(f"narrator.compact.acoustic has no number {key}.")
            setattr(acoustic, key, float(value))
        told = " ".join([fingerprint(file), *constants])
        out = folder / "models" / hashlib.sha256(told.encode()).hexdigest()[:16]
        build(vocabulary(load(Path(os.devnull)), GRAMMAR), out)
        vars(acoustic).update(kept)
        yield "" if n == 0 else f" with {file.stem}", told, out


def make(kind: str, label: str, model: Path) -> System:
    """One of SYSTEMS."""
    name, settings = SYSTEMS[kind] + label, load(Path(os.devnull)).ears
    match kind:
        case "ours" | "waiting":
            return Ours(name, model, settings, early=kind == "ours")
        case "held":
            return Held(name, model)
        case "free":
            return Free(name, model)
    with tempfile.TemporaryDirectory() as work:  # once it is loaded the files are not needed
        return Whisper(name, whisper(Path(work)))


def memory(kind: str, model: Path, folder: Path) -> float:
    """MB that a system adds to a process of its own which has heard a second of silence in a vote."""
    alone = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=alone) as pool:
        return pool.submit(_grown, kind, model, folder).result() / 2**20


def _grown(kind: str, model: Path, folder: Path) -> int:
    moment, before = moments()["vote"], resident_memory()
    system = make(kind, "", model)
    system.hear(samples(next(iter(talk(Studio(folder / "sound"), 1))).sound)[: 4 * RATE], moment, lambda _: moment)
    return resident_memory() - before


def run(given: argparse.Namespace, size: Size) -> Table:
    """Measure everything that is asked for."""
    began, cast, places = time.monotonic(), Cast(Studio(given.cache / "sound")), moments()
    table = Table({key: str(value) for key, value in vars(given).items()}, cast.absent, load=[os.getloadavg()[0]])
    chosen = list(systems(given, table))
    for row in rows(size, cast, places):
        if not re.search(given.rows, f"{row.group} {row.name}"):
            continue
        for kind, system in chosen:
            few = dataclasses.replace(row, said=row.said[: FEW.get(kind, len(row.said))])
            table.scores += measure(few, [system], places, cast.speak)
        note(given, table, began, row.name)
    if size.hours:
        overhear_all(given, size, chosen, places, cast, table, began)
    return table


def note(given: argparse.Namespace, table: Table, began: float, what: str) -> None:
    """Tell how far it is, and keep what there is: a run takes long and may be stopped."""
    table.seconds = time.monotonic() - began
    table.load = [table.load[0], os.getloadavg()[0]]
    print(f"{table.seconds:6.0f} s  {what}", flush=True)
    if given.out:
        rough = given.out.with_suffix(".part")
        rough.write_text(json.dumps(table.as_json(), ensure_ascii=False, indent=1), "utf-8")
        rough.replace(given.out)


def systems(given: argparse.Namespace, table: Table) -> Iterator[tuple[str, System]]:
    """Those asked for; the other acoustic files are for our ears alone."""
    wanted = given.systems.split(",")
    for label, told, model in models(given.acoustic, given.cache):
        for kind in wanted if not label else [kind for kind in wanted if kind in (OURS, WAITING)]:
            system = make(kind, label, model)
            table.memory[system.name] = round(memory(kind, model, given.cache))
            if kind != WHISPER:
                table.models[system.name] = told
            yield kind, system


def overhear_all(
    given: argparse.Namespace,
    size: Size,
    chosen: list[tuple[str, System]],
    places: dict[str, Moment],
    cast: Cast,
    table: Table,
    began: float,
) -> None:
    """The hours of talk, and of talk in a crowd."""
    studio = Studio(given.cache / "sound")
    whole = list(talk(studio, size.hours * 3600))
    for kind, system in chosen:
        if kind == WAITING:
            continue
        for part in sorted({*size.talk.values(), *size.talk_in_babble.values()}, reverse=True):
            most = min(size.hours * 3600 * part, SHORT.get(kind, float("inf")))
            ends = list(itertools.accumulate(len(said.sound) / RATE for said in whole))
            tape = Tape.of(said for said, end in zip(whole, ends, strict=True) if end <= most or end == ends[0])
            heard = [(name, "", tape) for name, share in size.talk.items() if share == part]
            if crowded := [name for name, share in size.talk_in_babble.items() if share == part]:
                crowd = cast.noises.make("babble", len(tape.sound), np.random.default_rng(4))
                noisy = tape.with_noise(crowd, CROWD)
                heard += [(name, f", babble {CROWD} dB", noisy) for name in crowded]
            for name, behind, sound in heard:
                overheard = overhear(sound, system, places[name])
                table.talks.append(dataclasses.replace(overheard, moment=name + behind))
                note(given, table, began, f"talk: {system.name}, {name}{behind}")
