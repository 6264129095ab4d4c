"""Typed settings over `default.toml`. Reads files only; knows no device and no game state.

Invariant: `load` either returns complete settings or raises `ConfigError` with every mistake at once,
each with where it stands and, for a misspelt name, the nearest right one.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from narrator.messages import Buzz

DEFAULTS = Path(__file__).with_name("default.toml")
PARTS = ("green", "yellow", "red", "buzzer", "next", "back", "plus", "minus")
"""The parts of the panel with one pin each; seat buttons have a list of their own."""
MOST_SEATS = 15

_Pin = Annotated[int, Field(ge=0, le=27)]


class ConfigError(ValueError):
    """Settings that cannot be used; `problems` holds one clear sentence for each mistake."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class GameSettings(_Section):
    rules: str
    host: Literal["full", "light", "none"]
    seats: int = Field(ge=0, le=15)
    names: list[str]
    say_names: bool
    cards: Literal["table", "box"]
    language: Literal["ru"]


class VoiceSettings(_Section):
    enabled: bool
    engine: Literal["auto", "rhvoice", "pyttsx3", "piper"]
    voice: str
    pack: str
    pronounce: dict[str, str]
    earcons: bool
    beeps: bool
    music: str
    music_volume: float = Field(ge=0, le=1)
    rate: int = Field(ge=80, le=300)
    volume: float = Field(ge=0, le=1)
    device: str
    tail: float = Field(ge=0, le=2)


class EarsSettings(_Section):
    enabled: bool
    device: str
    model: str
    phrases: dict[str, str]
    confidence: float = Field(ge=0, le=1)
    early: bool


class PanelSettings(_Section):
    pins: Literal["auto", "real", "simulated", "off"]
    green: _Pin
    yellow: _Pin
    red: _Pin
    buzzer: _Pin
    next: _Pin
    back: _Pin
    plus: _Pin
    minus: _Pin
    seats: list[_Pin] = Field(max_length=MOST_SEATS)
    lamps: Literal["three", "rgb", "off"]
    contrast: bool
    brightness: float = Field(ge=0.05, le=1)
    buzzer_enabled: bool
    buzzer_marks: list[Buzz]
    debounce: float = Field(ge=0.005, le=0.2)
    hold: float = Field(ge=0.2, le=3)


class KeypadSettings(_Section):
    device: str
    seats: dict[str, Annotated[int, Field(ge=1, le=MOST_SEATS)]]


class DisplaySettings(_Section):
    kind: Literal["", "matrix", "digits"]
    blocks: int = Field(ge=1, le=16)
    orientation: Literal[-90, 0, 90, 180]
    upside_down: bool
    brightness: float = Field(ge=0, le=1)
    chip: Literal[0, 1]


class ScreenSettings(_Section):
    enabled: bool
    port: int = Field(ge=1, le=65535)
    open_to_lan: bool
    open_browser: bool


class PathSettings(_Section):
    state: str
    cache: str
    keep_games: int = Field(ge=1, le=100_000)

    @property
    def state_dir(self) -> Path:
        """Folder of the journals."""
        return _home(self.state, "XDG_STATE_HOME", ".local/state")

    @property
    def cache_dir(self) -> Path:
        """Folder of the rendered phrases and of the compact model."""
        return _home(self.cache, "XDG_CACHE_HOME", ".cache")


class Settings(_Section):
    """All settings of the product, complete and valid."""

    game: GameSettings
    rules: dict[str, Any]
    voice: VoiceSettings
    ears: EarsSettings
    panel: PanelSettings
    keypad: KeypadSettings
    display: DisplaySettings
    screen: ScreenSettings
    paths: PathSettings


def _home(given: str, variable: str, below: str) -> Path:
    if given:
        return Path(given).expanduser()
    return Path(os.environ.get(variable) or Path.home() / below) / "narrator"


def default_path() -> Path:
    """Where a user's own settings are looked for when no file is named."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "narrator" / "config.toml"


def load(path: Path | None = None, **sections: dict[str, Any]) -> Settings:
    """Settings from `default.toml`, then `path` (or the user's file if there is one), then `sections`.

    Raises ConfigError listing every mistake.
    """
    with DEFAULTS.open("rb") as file:
        merged: dict[str, Any] = tomllib.load(file)
    layers: list[dict[str, Any]] = []
    source = path or (default_path() if default_path().exists() else None)
    if source is not None:
        layers.append(_read(source))
    layers.append(sections)
    problems: list[str] = []
    where = str(source) if source else "settings"
    for layer in layers:
        _merge(merged, layer, where, problems)
    try:
        settings = Settings.model_validate(merged)
    except ValidationError as error:
        problems += [_sentence(where, e) for e in error.errors()]
        raise ConfigError(problems) from error
    problems += [f"{where}: {p}" for p in (*_pin_clashes(settings), *_cards_unseen(settings))]
    if problems:
        raise ConfigError(problems)
    return settings


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise ConfigError([f"{path}: cannot be read ({error.strerror}); check the name and the rights."]) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError([f"{path}: is not valid TOML ({error}); mend that line."]) from error


def _merge(into: dict[str, Any], layer: dict[str, Any], where: str, problems: list[str]) -> None:
    for section, values in layer.items():
        if section not in into:
            problems.append(f"{where}: there is no section [{section}]{did_you_mean(section, into)}.")
            continue
        if not isinstance(values, dict):
            problems.append(f"{where}: [{section}] must be a section with settings below it.")
            continue
        for key, value in values.items():
            if section != "rules" and key not in into[section]:
                problems.append(f"{where}: [{section}] has no setting {key}{did_you_mean(key, into[section])}.")
            else:
                into[section][key] = value


def did_you_mean(word: str, known: Any) -> str:
    """« (did you mean X?)» for a misspelt `word`, or an empty string."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" (did you mean {near[0]}?)" if near else ""


def _sentence(where: str, error: Any) -> str:
    place = [str(part) for part in error["loc"]]
    name = f"[{place[0]}] {'.'.join(place[1:])}" if len(place) > 1 else f"[{place[0]}]"
    return f"{where}: {name} = {error['input']!r}: {error['msg'][0].lower()}{error['msg'][1:]}."


def pins_of(panel: PanelSettings) -> list[tuple[str, int]]:
    """Every part with a pin and its BCM number, seat buttons last."""
    seats = [(f"seat {seat}", pin) for seat, pin in enumerate(panel.seats, 1)]
    return [*((name, getattr(panel, name)) for name in PARTS), *seats]


def _pin_clashes(settings: Settings) -> list[str]:
    bus = (10, 11, 8 - settings.display.chip) if settings.display.kind else ()
    used = dict.fromkeys(bus, "the display")
    clashes = []
    for name, pin in pins_of(settings.panel):
        if pin in used:
            clashes.append(f"[panel] {name} and {used[pin]} both use pin {pin}; give each its own.")
        used[pin] = name
    return clashes


def _cards_unseen(settings: Settings) -> list[str]:
    """With no host only a player's own phone can show him his card and nobody else."""
    phones = settings.screen.enabled and settings.screen.open_to_lan
    if settings.game.cards == "box" and settings.game.host == "none" and not phones:
        return [
            '[game] cards = "box" with host = "none" shows the cards on phones: set [screen] open_to_lan = true, '
            'or take real cards with cards = "table".'
        ]
    return []
