"""The units as files: systemd understands every line, and thinks the service well shut in."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SYSTEMD = Path(__file__).parents[2] / "systemd"
UNITS = sorted(SYSTEMD.glob("*.service"))
EXPOSURE = 40
"""systemd's own measure in tenths, 0 (shut in) to 100 (open)."""

pytestmark = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze on this machine")


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", "--no-pager", *words], capture_output=True, text=True, timeout=60)


def settings(unit: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in unit.read_text(encoding="utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            found.setdefault(key, []).append(value)
    return found


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_systemd_understands_every_line(unit: Path, tmp_path: Path) -> None:
    # The programs are not installed here, and that is all that may be wrong.
    here = tmp_path / unit.name
    text = unit.read_text(encoding="utf-8").replace("OnFailure=narrator-trouble.service\n", "")
    for program in ("narrator ", "python "):
        text = text.replace(f"/opt/narrator/current/bin/{program}", "/bin/true ")
    here.write_text(text)
    done = analyze("verify", "--recursive-errors=no", "--man=no", str(here))
    assert done.returncode == 0 and done.stderr == "", done.stderr


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_the_unit_is_shut_in(unit: Path) -> None:
    done = analyze("security", "--offline=true", f"--threshold={EXPOSURE}", str(unit))
    assert done.returncode == 0, done.stdout[-400:]


def test_a_misspelt_line_would_be_found(tmp_path: Path) -> None:
    bad = tmp_path / "bad.service"
    bad.write_text("[Service]\nExecStart=/bin/true\nWatchdogSecs=10\n")
    assert analyze("verify", "--recursive-errors=no", "--man=no", str(bad)).returncode != 0


def test_the_service_waits_for_no_network_and_opens_sound_and_pins() -> None:
    unit = settings(SYSTEMD / "narrator.service")
    assert not any("network" in word for key in ("After", "Wants", "Requires") for word in unit.get(key, []))
    assert {"char-alsa rw", "char-gpiochip rw"} <= set(unit["DeviceAllow"])
    assert "ProtectClock" not in unit and "PrivateDevices" not in unit  # either hides sound cards
    assert any("LG_WD=/run/narrator" in line for line in unit["Environment"])
