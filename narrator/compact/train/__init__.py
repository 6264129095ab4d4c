"""Learns the acoustic model's differences anew, from packages of the registries alone: `narrator train`.

`corpus` collects and synthesises speech, `align` finds its phones, `rooms` and `augment` spoil it as a table does,
`network` and `criterion` are the model in PyTorch, `learn` goes through it all and `pack` writes `acoustic.npz`.
Nothing here runs in a game; what is needed beyond the program (PyTorch and others) is the extra `train`.
Invariant: everything that takes long lies in the work folder and is not done twice.
"""

from __future__ import annotations

from importlib.util import find_spec

from narrator.compact import BuildError

_NEEDED = ("torch", "scipy", "pyroomacoustics", "av", "soxr")


def check() -> None:
    """Raises BuildError when a library is missing that training needs."""
    missing = ", ".join(name for name in _NEEDED if find_spec(name) is None)
    if missing:
        raise BuildError(f'Training needs {missing}: pip install "narrator[train]".')
