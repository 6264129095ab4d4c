"""The voice game takes minutes of real time and little of the processor: it is played while the other tests run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.e2e.evening import Evening, need_everything, shared_cache, spend_evening


@pytest.fixture(scope="session")
def voice_game(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[Future[Evening]]:
    """The game under way; its result is the evening, or what went wrong in it."""
    need_everything()
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(spend_evening, tmp_path_factory.mktemp("voice"), shared_cache(pytestconfig))


@pytest.fixture(scope="session", autouse=True)
def _begin_early(request: pytest.FixtureRequest) -> None:
    """Begin the voice game with the first test of this folder, if it is wanted at all and can be played."""
    if any("voice_game" in getattr(item, "fixturenames", ()) for item in request.session.items):
        with contextlib.suppress(pytest.skip.Exception):  # the tests that need it say so themselves
            request.getfixturevalue("voice_game")
