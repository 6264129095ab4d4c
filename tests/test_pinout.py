"""The wiring from the settings: right pins, no pin twice, enough pins for fifteen seats or a clear refusal."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from gpiozero.pins.pi import PiBoardInfo
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from narrator import cli, config
from narrator.config import PARTS, ConfigError, PanelSettings
from narrator.pinout import GROUNDS, HAT, HEADER, BudgetError, as_text, header_pin, legs, notes, propose
from narrator.pinout_svg import as_svg


def panel(**changes: Any) -> PanelSettings:
    return config.load(Path("/dev/null"), panel=changes).panel


def test_the_header_is_that_of_a_pi() -> None:
    pins = PiBoardInfo.from_revision(0xC03111).headers["J8"].pins.values()
    assert {pin.number: pin.name for pin in pins} == HEADER


def test_every_part_has_its_pin_and_a_ground_nearby() -> None:
    found = legs(panel(seats=[4, 18]))
    assert [leg.part for leg in found] == [*PARTS, "seat 1", "seat 2"]
    assert {leg.part: (leg.bcm, leg.pin, leg.ground) for leg in found} | {} == {
        "green": (17, 11, 9),
        "yellow": (27, 13, 14),
        "red": (22, 15, 14),
        "buzzer": (23, 16, 14),
        "next": (5, 29, 30),
        "back": (6, 31, 30),
        "plus": (13, 33, 34),
        "minus": (19, 35, 34),
        "seat 1": (4, 7, 9),
        "seat 2": (18, 12, 14),
    }


def test_an_rgb_lamp_has_a_blue_leg_and_one_common_ground() -> None:
    found = {leg.part: leg for leg in legs(panel(lamps="rgb"))}
    assert found["blue"].bcm == panel().yellow and "yellow" not in found
    lamps = [found[colour] for colour in ("green", "blue", "red")]
    assert len({leg.ground for leg in lamps}) == 1 and all("common leg" in leg.other for leg in lamps)
    assert "blue" in as_text(legs(panel(lamps="rgb"))) and "blue lamp" in as_svg(legs(panel(lamps="rgb")))


def test_without_lamps_nothing_is_wired_to_their_pins() -> None:
    assert [leg.part for leg in legs(panel(lamps="off"))] == list(PARTS[3:])


def test_only_what_needs_a_resistor_gets_one() -> None:
    resistors = {leg.part: leg.resistor for leg in legs(panel(seats=[4, 2]))}
    assert resistors["green"] == "330 Ω" and resistors["buzzer"] == "1 kΩ"
    assert resistors["next"] == resistors["seat 1"] == "none (inside the Pi)"
    assert resistors["seat 2"] == "none (1.8 kΩ on the board)"


@pytest.mark.parametrize("seats", range(1, 16))
def test_pins_are_found_for_every_table(seats: int) -> None:
    pins = propose(panel(), seats)
    assert len(set(pins)) == seats
    assert panel(seats=pins).seats == pins, "the settings take what is proposed"
    assert [header_pin(pin) for pin in pins] == sorted(header_pin(pin) for pin in pins)


def test_pins_with_a_second_purpose_come_last() -> None:
    assert propose(panel(), 9) == [4, 18, 24, 25, 12, 16, 26, 20, 21]
    assert not notes(legs(panel(seats=propose(panel(), 9))))
    told = notes(legs(panel(seats=propose(panel(), 15))))
    assert len(told) == 2 and told[0].startswith("GPIO 7, 8, 9, 10, 11 is free while SPI") and "GPIO 2" in told[1]


FREE = sorted(set(range(28)) - {17, 27, 22, 23, 5, 6, 13, 19})


@given(st.integers(-3, 20), st.sets(st.sampled_from(FREE)))
def test_a_budget_fits_or_is_refused_in_one_sentence(seats: int, keep: set[int]) -> None:
    free = set(FREE) - keep - set(HAT)
    try:
        pins = propose(panel(), seats, keep)
    except BudgetError as error:
        assert not 1 <= seats <= min(15, len(free))
        assert re.fullmatch(r"[^.]+( \([^)]+\))?[^.]*\.", str(error).replace("[keypad]", ""))
    else:
        assert len(pins) == seats and set(pins) <= free


def test_a_pin_to_be_kept_that_a_part_uses_is_told() -> None:
    with pytest.raises(BudgetError, match=r"Pin 19 is to be kept free, but \[panel\] minus uses it"):
        propose(panel(), 5, [18, 19])


def test_the_table_has_a_line_for_every_part() -> None:
    lines = as_text(legs(panel(seats=[4, 7]))).splitlines()
    assert lines[0].split() == ["part", "BCM", "header", "resistor", "from", "the", "pin"]
    assert len(lines) == 2 + 10 + 2
    assert re.match(r"seat 2 +7 +pin 26 +none \(inside the Pi\) +button, GND \(pin 25\)$", lines[11])
    assert lines[-1].startswith("GPIO 7 is free while SPI is off")


def test_the_picture_shows_every_pin_and_every_part() -> None:
    found = legs(panel(seats=propose(panel(), 15)))
    picture = ElementTree.fromstring(as_svg(found))
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    for pin, name in HEADER.items():
        assert texts.count(str(pin)) == 1
        assert texts.count(name) >= list(HEADER.values()).count(name)
    for leg in found:
        assert texts.count(leg.part if leg.kind in ("buzzer", "button", "seat") else f"{leg.part} lamp") == 1
    grounded = " ".join(text for text in texts if text and ("←" in text or "→" in text))
    assert all(leg.ground in GROUNDS and leg.part.removeprefix("seat ") in grounded for leg in found)
    assert not re.search(r"href|url\(|<script|<image", as_svg(found)), "nothing from outside"


def test_seat_buttons_that_are_not_there_are_not_drawn() -> None:
    assert "seat 1" not in as_svg(legs(panel()))


# --- the command ------------------------------------------------------------------------------------------------


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli.app, ["wiring", *words])
    if isinstance(result.exception, ValueError):
        return 2, str(result.exception)  # `main` prints these as they are
    return result.exit_code, result.output


def test_the_command_proposes_a_line_that_the_settings_take(tmp_path: Path) -> None:
    svg = tmp_path / "header.svg"
    code, output = run("--config", "/dev/null", "--seats", "10", "--svg", str(svg))
    assert code == 0
    (line,) = re.findall(r"^seats = \[.*\]$", output, re.M)
    settings = tmp_path / "config.toml"
    settings.write_text(f"[panel]\n{line}\n")
    assert len(config.load(settings).panel.seats) == 10
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")
    code, table = run("--config", str(settings))
    assert code == 0 and table.count("seat ") == 10 and "Into the settings" not in table


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--seats", "16"), "a table has 1 to 15 seats"),
        (("--seats", "15", "--keep", "20,21,18,24"), "15 seat buttons need 15 pins and 14 are free"),
        (("--seats", "5", "--keep", "x"), "--keep x: write BCM numbers"),
        (("--svg", "/dev/null/header.svg"), "/dev/null/header.svg: cannot be written"),
    ],
)
def test_what_cannot_be_is_one_sentence(words: tuple[str, ...], told: str) -> None:
    code, output = run("--config", "/dev/null", *words)
    assert code == 2 and told in output


def test_a_clash_is_told(tmp_path: Path) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text("[panel]\nseats = [17]\n")
    with pytest.raises(ConfigError, match="seat 1 and green both use pin 17"):
        config.load(settings)
    assert run("--config", str(settings))[0] == 2
