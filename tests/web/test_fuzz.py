"""Any request at all: never an error of ours, never a secret, never an action without the right to it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from narrator.game import moves as m
from narrator.game.rulesets import RULESETS
from narrator.game.state import Phase
from narrator.messages import Asked, Held, PageOpened, Released, SeatDown, SeatUp, Typed, Wrote
from tests.table import made, placed
from tests.web.pages import Browser, Pages
from tests.web.test_server import HOST_POSTS, SEAT_POSTS

POSTS = [*HOST_POSTS, *SEAT_POSTS, "/login", "/logout", "/seat/join"]
GETS = ["/", "/host", "/seat", "/box", "/game", "/static/table.js", "/enter", "/seat/me", "/game/protocol.json", "/x"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        name: JSON | st.sampled_from(["1", "next", "00000000"]) | st.integers(-1, 16)
        for name in ("pin", "code", "action", "moment", "text", "number", "down", "seat", "control")
    },
)
BODIES = st.binary(max_size=300) | (JSON | FIELDS).map(lambda value: json.dumps(value).encode())
ODD = st.sampled_from(
    [b"[" * 4000, b'{"number":' + b"9" * 4000 + b"}", b'{"text":"\\ud800"}', b'{"pin":"\xd9\xa1"}', b"\xff"]
)
PATHS = st.text(
    alphabet=st.characters(min_codepoint=33, max_codepoint=0x450, exclude_characters="?#\\"), max_size=20
).map(lambda text: "/" + quote(text))
MODERATORS = (Asked, Wrote, Typed, Held, Released, SeatDown, SeatUp, PageOpened)
KEPT = [path for path in POSTS if path not in ("/logout", "/seat/leave", "/host/release")]
"""What leaves a session or a seat as it is."""
SHELLS = ("/seat", "/game", "/host", "/box", "/static/table.js")
"""The same for everybody and always; they hold the names of the roles, as the rules do."""
SECRETS = ("sheriff", "Шериф", "mafia", "мафия", "don", "Дон", "чёрный")


@pytest.fixture(scope="module")
def night() -> Any:
    """A night with a shot, an answer and cards; and who may try things in it."""
    with tempfile.TemporaryDirectory() as folder:
        pages = Pages(Path(folder))
        game = made(placed(RULESETS["classic"], Phase.NIGHT_SHOOTING), m.Choose(5), m.Next(), m.Choose(4))
        pages.look(game.state)
        pages.desk.line("said", "Просыпается Дон.")
        yield pages


def strangers(pages: Pages) -> Browser:
    return pages.browser("10.0.9.9")


@given(
    path=st.sampled_from(POSTS) | PATHS,
    body=BODIES | ODD,
    method=st.sampled_from(["POST", "PUT", "DELETE", "PATCH"]),
)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_stranger_changes_and_learns_nothing(night: Pages, path: str, body: bytes, method: str) -> None:
    night.signals.clear()
    browser = strangers(night)
    headers = {"Origin": browser.url, "Content-Type": "application/json"}
    answer = browser.client.request(method, path, content=body, headers=headers)
    assert 200 <= answer.status_code < 500
    assert [signal for signal in night.signals if not isinstance(signal, PageOpened)] == []
    assert night.touched == []
    assert not any(secret in answer.text for secret in SECRETS)


@given(
    path=st.sampled_from(GETS) | PATHS,
    query=st.text(max_size=30),
    cookie=st.text(st.characters(max_codepoint=126, min_codepoint=33), max_size=80),
)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_reading_is_never_an_error_and_never_a_secret(night: Pages, path: str, query: str, cookie: str) -> None:
    browser = strangers(night)
    answer = browser.client.get(
        path, params={"ticket": query}, headers={"Cookie": f"narrator-host={cookie}; narrator-seat={cookie}"}
    )
    assert 200 <= answer.status_code < 500
    if path not in SHELLS:
        assert not any(secret in answer.text for secret in SECRETS)


@pytest.mark.parametrize(
    ("who", "may"),
    [
        (
            lambda pages: pages.browser("10.0.8.1").log_in(),
            (Asked, Wrote, Typed, Held, Released, SeatDown, SeatUp, PageOpened),
        ),
        (lambda pages: pages.browser("10.0.8.2").sit(2), (SeatDown, SeatUp, PageOpened)),
    ],
    ids=["moderator", "player"],
)
def test_whoever_has_a_right_has_no_other(
    tmp_path: Path, who: Callable[[Pages], Browser], may: tuple[type, ...]
) -> None:
    pages = Pages(tmp_path)
    browser = who(pages)

    @given(
        path=st.sampled_from(KEPT),
        body=BODIES | ODD,
    )
    @settings(max_examples=120, deadline=None)
    def anything(path: str, body: bytes) -> None:
        headers = {"Origin": browser.url, "Content-Type": "application/json"}
        answer = browser.client.post(path, content=body, headers=headers)
        assert 200 <= answer.status_code < 500

    anything()
    assert all(isinstance(signal, may) for signal in pages.signals)
    if SeatDown in may and Asked not in may:
        assert {signal.seat for signal in pages.signals if isinstance(signal, SeatDown | SeatUp)} <= {2}
        assert pages.touched == []
