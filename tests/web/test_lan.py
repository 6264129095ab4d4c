"""From another machine of the local network: a host of its own in a network namespace, with a cable to ours."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from narrator import config
from narrator.game.rulesets import RULESETS
from narrator.game.state import Phase
from narrator.messages import PageOpened, Signal
from narrator.ports.web.rights import Rights
from narrator.ports.web.screen import WebScreen
from narrator.speech.view import cards, host_view, public_view
from tests.table import placed

OURS, THEIRS = "10.213.7.1", "10.213.7.2"
NAME = f"guest{os.getpid()}"
VISIT = """
import http.client, json, sys
address, port, path, body, origin = sys.argv[1:]
client = http.client.HTTPConnection(address, int(port), timeout=10)
headers = {"Origin": origin or f"http://{address}:{port}", "Content-Type": "application/json"}
try:
    client.request("POST" if body else "GET", path, body or None, headers)
except OSError as error:
    print("refused", type(error).__name__)
else:
    answer = client.getresponse()
    print(answer.status, answer.read(200).decode(errors="replace").partition("\\n")[0])
"""


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


@pytest.fixture(scope="module")
def guest() -> Iterator[None]:
    """Another machine in the room."""
    if os.geteuid() != 0 or not shutil.which("ip"):
        pytest.skip("NO SECOND HOST: a network namespace needs root and the program ip")
    try:
        _ip("netns", "add", NAME)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"NO SECOND HOST: {error.stderr.strip()}")
    try:
        _ip("link", "add", f"v{os.getpid()}", "type", "veth", "peer", "name", "eth0", "netns", NAME)
        _ip("addr", "add", f"{OURS}/24", "dev", f"v{os.getpid()}")
        _ip("link", "set", f"v{os.getpid()}", "up")
        _ip("-n", NAME, "addr", "add", f"{THEIRS}/24", "dev", "eth0")
        _ip("-n", NAME, "link", "set", "eth0", "up")
        yield
    finally:
        _ip("netns", "del", NAME)


def visit(web: WebScreen, path: str, body: str = "", origin: str = "") -> str:
    """What the other machine is answered."""
    command = ["ip", "netns", "exec", NAME, sys.executable, "-c", VISIT, OURS, str(web.port), path, body, origin]
    run = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    return run.stdout.strip()


def served(folder: Path, put: list[Signal], *, lan: bool) -> tuple[WebScreen, Rights]:
    rights = Rights(folder / "screen.json", fresh=True)
    (folder / "none.toml").write_text("")
    settings = config.load(folder / "none.toml", screen={"port": 18300, "open_to_lan": lan}).screen
    web = WebScreen(settings, put.append, rights)
    state = placed(RULESETS["classic"], Phase.SPEECHES).state
    web.look(public_view(state, 0.0, "ru"), host_view(state, 0.0, "ru", can_undo=True), cards(state), 0.0)
    return web, rights


def test_a_closed_box_does_not_answer_the_network(guest: None, tmp_path: Path) -> None:
    web, _ = served(tmp_path, [], lan=False)
    assert visit(web, "/") == "refused ConnectionRefusedError"
    web.close()


def test_an_open_box_shows_the_table_and_asks_for_the_pin(guest: None, tmp_path: Path) -> None:
    signals: list[Signal] = []
    web, rights = served(tmp_path, signals, lan=True)
    assert visit(web, "/").startswith("200 <!doctype html>")
    assert visit(web, "/host/events").startswith("401")
    wrong = str((int(rights.pin) + 1) % 10**6).zfill(6)
    assert visit(web, "/login", f'{{"pin": "{wrong}"}}').startswith("403")
    assert visit(web, "/login", f'{{"pin": "{rights.pin}"}}', origin="http://evil.example").startswith("403")
    assert signals == []
    assert visit(web, "/login", f'{{"pin": "{rights.pin}"}}').startswith("200")
    assert signals == [PageOpened()]
    assert visit(web, "/seat/join", f'{{"code": "{rights.code(5)}"}}').startswith("200")
    web.close()
