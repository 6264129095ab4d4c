"""The languages: one module each, all with the same names (`COMMANDS`, `RULES`, `BASE`, `SCRIPTS`, number forms)."""

from __future__ import annotations

import importlib
from types import ModuleType


def load(key: str) -> ModuleType:
    """The language module for `key` ("ru"). Raises ValueError for a language that does not exist."""
    try:
        return importlib.import_module(f"narrator.speech.lang.{key}")
    except ModuleNotFoundError as error:
        raise ValueError(f"There is no language {key!r}; use ru.") from error
