"""The README keeps its word: pins as in the settings, transcripts that play, links that lead somewhere."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from gpiozero.pins.pi import PiBoardInfo

from narrator.config import DEFAULTS
from narrator.transcript import parse, replay

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text("utf-8")
ENGLISH, RUSSIAN = TEXT.split("# «Ведущий» по-русски")
LANGUAGES = pytest.mark.parametrize("text", [ENGLISH, RUSSIAN], ids=["english", "russian"])
PANEL = tomllib.loads(DEFAULTS.read_text("utf-8"))["panel"]
PINS = [PANEL[name] for name in ("green", "yellow", "red", "buzzer", "next", "back", "plus", "minus")]
HEADER = {pin.number: pin.name for pin in PiBoardInfo.from_revision(0xC03111).headers["J8"].pins.values()}
"""What is on pins 1…40 of a Raspberry Pi 4, as gpiozero knows it: 3V3, 5V, GND, GPIO17 …"""


def drawn(text: str) -> dict[int, str]:
    """Pins of the header as the picture shows them."""
    pins = {}
    for left, one, two, right in re.findall(r"(\w+) \( ?(\d+)\) \( ?(\d+)\) (\w+)", text):
        pins[int(one)], pins[int(two)] = left, right
    return pins


@LANGUAGES
def test_the_picture_of_the_header_is_right(text: str) -> None:
    assert drawn(text) == HEADER


@LANGUAGES
def test_the_wiring_table_agrees_with_the_settings_and_the_header(text: str) -> None:
    rows = [(int(bcm), int(pin)) for bcm, pin in re.findall(r"^\| [^|]+ \| (\d+) \| (\d+) \| ", text, re.M)]
    assert [bcm for bcm, _ in rows] == PINS
    assert [HEADER[pin] for _, pin in rows] == [f"GPIO{bcm}" for bcm in PINS]


@LANGUAGES
def test_the_picture_marks_the_pins_of_the_settings(text: str) -> None:
    marked = re.findall(r"> +GPIO(\d+) \(|GPIO(\d+) <", text)
    assert sorted(int(left or right) for left, right in marked) == sorted(PINS)


@LANGUAGES
def test_transcripts_play(text: str) -> None:
    scripts = re.findall(r"```transcript\n(.*?)```", text, re.S)
    assert scripts
    for script in scripts:
        assert replay(parse("README.md", script))[0] == ""


@LANGUAGES
def test_settings_are_known(text: str) -> None:
    defaults = tomllib.loads(DEFAULTS.read_text("utf-8"))
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.S)
    for section, values in tomllib.loads(example).items():
        assert section == "rules" or values.keys() <= defaults[section].keys()


def test_links_and_named_files_exist() -> None:
    named = re.findall(r"\]\(([^)#]+)\)", TEXT) + re.findall(r"`((?:narrator|scripts|tests)/[\w/.-]+)`", TEXT)
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_anchors_lead_to_headings() -> None:
    headings = re.findall(r"^#+ (.+)$", TEXT, re.M)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= anchors
