"""The number of games that follow from small positions stays what it is; see tests/perft.py."""

from __future__ import annotations

import pytest

from tests.perft import POSITIONS, divide, written


def test_every_position_is_on_file() -> None:
    assert set(written()) == set(POSITIONS)


@pytest.mark.parametrize("name", POSITIONS)
def test_as_many_games_as_before(name: str) -> None:
    wanted, found = written()[name], divide(name)
    rows = [
        f"  {kind}: {wanted.get(kind, 0)} on file, {found.get(kind, 0)} now"
        for kind in sorted({*wanted, *found})
        if wanted.get(kind) != found.get(kind)
    ]
    assert not rows, "\n".join([f"{name}: sequences by first move", *rows, "right? python -m tests.perft --write"])
