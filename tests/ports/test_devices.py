"""Which sound device is meant by a name, and by none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from narrator.ports import devices
from narrator.ports.devices import Arrivals, DeviceError, find_device

HDMI = "vc4-hdmi-0: MAI PCM i2s-hifi-0 (hw:0,0)"
SOCKET = "bcm2835 Headphones: - (hw:1,0)"
SPEAKERPHONE = "Conference Speakerphone: USB Audio (hw:2,0)"


class Sounddevice:
    """Just its list of devices; the first output is the system's default."""

    PortAudioError = RuntimeError

    def __init__(self, *names: str) -> None:
        self.names = names
        self.default = type("Default", (), {"device": (-1, 0)})

    def query_devices(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "index": index, "max_output_channels": 2, "max_input_channels": int("USB" in name)}
            for index, name in enumerate(self.names)
        ]


@pytest.fixture(autouse=True)
def a_box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kernel with three cards, the last on USB, and no sound server."""
    for number in (0, 1, 2):
        (tmp_path / f"card{number}").mkdir()
    (tmp_path / "card2" / "usbid").write_text("0d8c:0014\n")
    monkeypatch.setattr(devices, "CARDS", tmp_path)
    for name in ("PULSE_SERVER", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_in_a_box_the_usb_card_comes_before_the_sockets_of_the_board() -> None:
    assert find_device(Sounddevice(HDMI, SOCKET, SPEAKERPHONE), "", "output")["name"] == SPEAKERPHONE


def test_without_a_usb_card_the_system_chooses() -> None:
    assert find_device(Sounddevice(HDMI, SOCKET), "", "output")["name"] == HDMI


def test_where_a_person_has_chosen_on_a_desktop_the_choice_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pulse").mkdir()
    (tmp_path / "pulse" / "native").touch()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert find_device(Sounddevice("default", HDMI, SPEAKERPHONE), "", "output")["name"] == "default"


def test_a_name_beats_everything() -> None:
    sd = Sounddevice(HDMI, SOCKET, SPEAKERPHONE)
    assert find_device(sd, "headphones", "output")["name"] == SOCKET


@pytest.mark.parametrize(
    ("names", "wanted", "words"),
    [
        ((), "", "No loudspeaker is connected"),
        ((HDMI,), "Jabra", "No loudspeaker has «Jabra»"),
        ((HDMI, SOCKET), "hw:", "fits 2 loudspeakers"),
    ],
)
def test_what_fits_nothing_or_two_is_told(names: tuple[str, ...], wanted: str, words: str) -> None:
    with pytest.raises(DeviceError, match=words):
        find_device(Sounddevice(*names), wanted, "output")


def test_a_card_that_comes_later_is_noticed_once_it_has_settled(a_box: Path) -> None:
    now = [0.0]
    arrivals = Arrivals(lambda: now[0])
    assert not arrivals()
    (a_box / "card2" / "usbid").unlink()  # pulled …
    assert not arrivals()
    (a_box / "card2" / "usbid").touch()  # … and plugged in again
    assert not arrivals()
    now[0] = 2.9
    assert not arrivals()
    now[0] = 3.1
    assert arrivals()
