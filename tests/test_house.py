"""Rules of the house that no linter knows: short files, told purposes, and no device before it is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "narrator").rglob("*.py"))
LIMITS = {"narrator/app.py": 220}
DEVICES = ("sounddevice", "vosk", "pyttsx3", "gpiozero", "lgpio", "evdev")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_file_is_short_enough_to_read(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LIMITS.get(name(path), 420)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_the_limits_name_files_that_exist() -> None:
    assert set(LIMITS) <= {name(path) for path in MODULES}


@pytest.mark.parametrize("module", ["narrator", "narrator.cli", "narrator.app", "narrator.ports.panel"])
def test_no_device_library_is_loaded_before_it_is_used(module: str) -> None:
    script = f"import sys, {module}; print(*(name for name in {DEVICES} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
