"""`narrator train`: everything from nothing to an `acoustic.npz`, in stages that are kept and an hour of learning.

May be stopped at any moment and started again: it goes on with what lies in the work folder.
Invariant: the packaged parameters are never touched; whoever wants the new ones measures and copies them.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from narrator.compact.acoustic import Acoustic, load_base
from narrator.compact.train.align import Aligned, align, good
from narrator.compact.train.augment import Table
from narrator.compact.train.batches import Batches
from narrator.compact.train.corpus import collect, load
from narrator.compact.train.criterion import Criterion, transitions
from narrator.compact.train.network import STEP, Network
from narrator.compact.train.pack import pack
from narrator.compact.train.rooms import rooms
from narrator.compact.train.sources import tell

_ROOMS = 320
_BATCH = 14
_RATE, _OUTPUT_RATE = 2e-4, 6e-4  # of learning: the body, and the output layer
_WARM = 60  # steps until the full rate
_LEAST = 0.03  # share of the rate that is left at the end
_CLIP = 2.0  # greatest norm of a gradient
_AVERAGE = 0.998  # of the parameters
# What is packed lies between the packaged model, which learning began with, and that average: it hears voices that
# neither has met better than both do (Wortsman et al., Robust fine-tuning of zero-shot models, 2022).
_LEARNT = 0.6
_TOLD, _KEPT = 25, 100  # steps between reports and between savings
_WITHHELD = 31  # every so many utterances are for watching only
_MANY = 10**9

Parameters = dict[str, Any]


def train(work: Path, out: Path, commands: Sequence[str], *, minutes: float) -> Iterator[str]:
    """Learn for so many minutes, all runs together, and write `out`; tells what it does.

    `commands`: phrases that matter most. Raises BuildError with what to install.
    """
    torch.set_num_threads(1)  # more wait for one another, and the second core makes the batches
    base, _ = load_base()
    acoustic = Acoustic()
    yield from collect(work / "speech", commands, acoustic.phones)
    network = Network(base, acoustic)
    responses = rooms(work / "rooms.npy", _ROOMS, seed=1)
    yield f"{len(responses)} rooms"
    aligned: list[Aligned] = []
    for path in sorted((work / "speech").glob("*.npz")):
        aligned += _aligned(path, work / "aligned", network, acoustic.phones)
    aligned = good(aligned)
    yield f"{len(aligned)} utterances aligned, mean log probability {np.mean([item.score for item in aligned]):.2f}"
    yield f"what was used and under which licences: {tell([item.utterance for item in aligned], out)}"
    yield from _learn(work, out, base, acoustic.phones, network, aligned, Table(_talk(aligned), responses), minutes)


def _aligned(speech: Path, folder: Path, network: Network, alphabet: Sequence[str]) -> list[Aligned]:
    """The utterances of one source with their phones; kept in `folder`."""
    path = folder / f"{speech.stem}.pickle"
    if not path.exists():
        folder.mkdir(exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_bytes(pickle.dumps(list(align(load(speech), network, alphabet))))
        partial.rename(path)
    found: list[Aligned] = pickle.loads(path.read_bytes())
    return found


def _talk(aligned: Sequence[Aligned]) -> list[Any]:
    """Who may talk in the background: everybody, people twice."""
    people = [item for item in aligned if item.utterance.source in ("festvox", "asterisk")]
    return [item.utterance.sound for item in (*aligned, *people)]


def _learn(
    work: Path,
    out: Path,
    base: bytes,
    phones: Sequence[str],
    network: Network,
    aligned: Sequence[Aligned],
    table: Table,
    minutes: float,
) -> Iterator[str]:
    learnt = [item for number, item in enumerate(aligned) if number % _WITHHELD]
    withheld = Batches(aligned[::_WITHHELD], table, size=_BATCH, count=4, seed=0)
    batches = Batches(learnt, table, size=_BATCH, count=_MANY, seed=1)
    states = 2 * len(phones)
    likely = transitions((_labels(item) for item in learnt), states)
    criterion = Criterion(likely, network.prior)
    names = list(network.parameters)
    tensors = [network.parameters[name] for name in names]
    groups = [
        {"params": [p for n, p in zip(names, tensors, strict=True) if n.startswith("output") == output], "base": rate}
        for output, rate in ((False, _RATE), (True, _OUTPUT_RATE))
    ]
    optimiser = torch.optim.Adam(groups, lr=_RATE, betas=(0.9, 0.98))
    average = [tensor.detach().clone() for tensor in tensors]
    first = [tensor.detach().clone() for tensor in tensors]
    step, spent = 0, 0.0
    kept = work / "learning.pt"
    if kept.exists():
        saved = torch.load(kept, weights_only=True)
        step, spent, average = saved["step"], saved["spent"], saved["average"]
        optimiser.load_state_dict(saved["optimiser"])
        with torch.no_grad():
            for tensor, value in zip(tensors, saved["parameters"], strict=True):
                tensor.copy_(value)

    def keep() -> str:
        saved = {"step": step, "spent": spent, "average": average, "optimiser": optimiser.state_dict()}
        torch.save({**saved, "parameters": [tensor.detach() for tensor in tensors]}, kept.with_suffix(".partial"))
        kept.with_suffix(".partial").rename(kept)
        between = [torch.lerp(*pair, _LEARNT) for pair in zip(first, average, strict=True)]
        now = {name: value.numpy() for name, value in zip(names, between, strict=True)}
        pack(out, base, phones, now, network.prior.numpy())
        ours = [tensor.detach().clone() for tensor in tensors]
        with torch.no_grad():
            _put(tensors, between)
            told = torch.stack([criterion(network(f), labels)[1] for f, labels in _tensors(withheld)]).mean(0)
            _put(tensors, ours)
        return "withheld: {:.3f} a frame, {:.4f} a sequence's frame, {:.1%} right".format(*told.tolist())

    yield f"learning from step {step}; {keep()}"
    loader = torch.utils.data.DataLoader(
        batches,
        batch_size=None,
        sampler=range(step, _MANY),
        num_workers=1,
        prefetch_factor=6,
    )
    dtype = torch.bfloat16 if "avx512_bf16" in Path("/proc/cpuinfo").read_text("ascii") else torch.float32
    sums, began, before = torch.zeros(3), time.monotonic(), spent
    for features, labels in loader:
        share = spent / (60 * minutes)
        if share >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = group["base"] * min(1.0, (step + 1) / _WARM) * max(_LEAST, 1 - share)
        loss, told = criterion(network(features, dtype=dtype), labels)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(tensors, _CLIP)
        optimiser.step()
        step += 1
        kept_share = min(_AVERAGE, step / (step + 20))
        for mean, tensor in zip(average, tensors, strict=True):
            mean.mul_(kept_share).add_(tensor.detach(), alpha=1 - kept_share)
        spent = before + time.monotonic() - began
        sums += told
        if step % _TOLD == 0:
            yield "step {}, {:.0f} s: {:.3f}, {:.4f}, {:.1%}".format(step, spent, *(sums / _TOLD).tolist())
            sums.zero_()
        if step % _KEPT == 0:
            yield keep()
    yield keep()


def _put(tensors: Sequence[Any], values: Sequence[Any]) -> None:
    for tensor, value in zip(tensors, values, strict=True):
        tensor.copy_(value)


def _tensors(batches: Batches) -> Iterator[tuple[Any, Any]]:
    for number in range(len(batches)):
        features, labels = batches[number]
        yield torch.from_numpy(features), torch.from_numpy(labels)


def _labels(item: Aligned) -> Any:
    """Labels of an utterance as the network's outputs would have them."""
    phones, stretches = item.phones[::STEP].astype(np.int64), item.stretches[::STEP]
    return 2 * phones + (stretches == np.concatenate([stretches[:1], stretches[:-1]]))
