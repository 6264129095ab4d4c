"""The fetching script against a server on this machine: whole, cut off, wrong, absent."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from narrator.ports.models import BIG, LARGEST, check_model
from tests.speech_lab import WORDS
from tests.speech_lab import model as model

SCRIPT = Path(__file__).parents[1] / "scripts" / "fetch-model"


class Server:
    """Serves `data`; breaks off after `cut` bytes of an answer while `cuts` is above zero."""

    def __init__(self) -> None:
        self.data = b""
        self.cut = self.cuts = 0
        self.ranges = True
        self.status = 200
        self.asked: list[str | None] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                wanted = self.headers.get("Range")
                outer.asked.append(wanted)
                if outer.status != 200:
                    self.send_error(outer.status)
                    return
                start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and outer.ranges else 0
                if start and start >= len(outer.data):
                    self.send_error(416)
                    return
                body = outer.data[start:]
                self.send_response(206 if start else 200)
                self.send_header("Content-Length", str(len(body)))
                if start:
                    self.send_header("Content-Range", f"bytes {start}-{len(outer.data) - 1}/{len(outer.data)}")
                self.end_headers()
                if outer.cuts:
                    outer.cuts -= 1
                    body = body[: outer.cut]
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Quiet."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}/{BIG}.zip"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture(scope="module")
def archive(model: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A real model packed as the big one is."""
    return pack({f"{BIG}/{path.relative_to(model)}": path.read_bytes() for path in files(model)}, tmp_path_factory)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def pack(content: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("zip") / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, data in content.items():
            file.writestr(name, data)
    return path.read_bytes()


def fetch(cache: Path, url: str, expect: int) -> str:
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    command = [sys.executable, str(SCRIPT), "--to", str(cache), "--url", url]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert run.returncode == expect, run.stderr
    assert "Traceback" not in run.stderr
    return run.stdout + run.stderr


def left(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir()) if cache.exists() else []


def test_the_model_is_fetched_once(server: Server, archive: bytes, tmp_path: Path) -> None:
    server.data = archive
    cache = tmp_path / "new" / "cache"
    assert str(cache / BIG) in fetch(cache, server.url, 0)
    assert left(cache) == [BIG]
    assert check_model(cache / BIG).missing_words(WORDS) == ()
    fetch(cache, server.url, 0)
    assert len(server.asked) == 1


def test_a_download_goes_on_where_it_was_cut_off(server: Server, archive: bytes, tmp_path: Path) -> None:
    server.data, server.cut, server.cuts = archive, 1_000_000, 2
    fetch(tmp_path, server.url, 0)
    assert server.asked == [None, "bytes=1000000-", "bytes=2000000-"]
    assert left(tmp_path) == [BIG]


def test_a_second_run_goes_on_where_the_first_one_stopped(server: Server, archive: bytes, tmp_path: Path) -> None:
    server.data, server.cut, server.cuts = archive, 500_000, 99
    told = fetch(tmp_path, server.url, 2)
    assert "compact model" in told
    assert left(tmp_path) == [f"{BIG}.zip.part"]
    server.cuts = 0
    fetch(tmp_path, server.url, 0)
    assert server.asked[-1] == "bytes=1500000-"
    assert left(tmp_path) == [BIG]


def test_a_server_without_ranges_is_asked_for_the_whole(server: Server, archive: bytes, tmp_path: Path) -> None:
    server.data, server.ranges = archive, False
    (tmp_path / f"{BIG}.zip.part").write_bytes(archive[:1000])
    fetch(tmp_path, server.url, 0)
    assert left(tmp_path) == [BIG]


@pytest.mark.parametrize("part", ["whole", "more", "of something else"])
def test_what_was_left_behind_is_used_or_thrown_away(server: Server, archive: bytes, tmp_path: Path, part: str) -> None:
    server.data = archive
    data = {"whole": archive, "more": archive + bytes(1 << 20), "of something else": b"x" * 5000}[part]
    (tmp_path / f"{BIG}.zip.part").write_bytes(data)
    fetch(tmp_path, server.url, 0)
    assert left(tmp_path) == [BIG]
    assert check_model(tmp_path / BIG).unknown


def test_what_is_not_the_model_is_refused(
    server: Server, archive: bytes, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    broken = bytearray(archive)
    broken[len(broken) // 2] ^= 255
    wrong = {
        "no sound zip": b"<html>sign in to the network</html>",
        "zip archive": bytes(broken),
        "not the model": pack({"readme.txt": b"hello"}, tmp_path_factory),
        "no graph/HCLr.fst": pack({f"{BIG}/graph/Gr.fst": b"", "../../evil": b""}, tmp_path_factory),
        "far bigger": pack({f"{BIG}/zeros": bytes(LARGEST + 1)}, tmp_path_factory),
    }
    for says, data in wrong.items():
        server.data = data
        assert says in fetch(tmp_path / "cache", server.url, 1)
        assert left(tmp_path / "cache") == []
    assert left(tmp_path) == ["cache"]


def test_a_broken_model_is_replaced(server: Server, archive: bytes, model: Path, tmp_path: Path) -> None:
    server.data = archive
    shutil.copytree(model, tmp_path / BIG)
    (tmp_path / BIG / "graph" / "Gr.fst").write_bytes(b"")
    fetch(tmp_path, server.url, 0)
    assert left(tmp_path) == [BIG]
    assert check_model(tmp_path / BIG).unknown


def test_no_network_is_said_clearly(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for url in (f"http://127.0.0.1:{port}/a.zip", "http://nowhere.invalid/a.zip"):
        told = fetch(tmp_path / "cache", url, 2)
        assert "No network" in told and "compact model" in told
    assert left(tmp_path / "cache") == []


def test_a_wrong_address_is_told(server: Server, tmp_path: Path) -> None:
    server.status = 404
    assert "404" in fetch(tmp_path, server.url, 1)


def test_a_cache_that_cannot_be_written_is_told(server: Server, archive: bytes, tmp_path: Path) -> None:
    server.data = archive
    (tmp_path / "file").write_text("")
    assert "cannot be stored" in fetch(tmp_path / "file", server.url, 1)


def test_a_stick_will_do(archive: bytes, tmp_path: Path) -> None:
    (tmp_path / "stick.zip").write_bytes(archive)
    fetch(tmp_path / "cache", (tmp_path / "stick.zip").as_uri(), 0)
    assert left(tmp_path / "cache") == [BIG]
