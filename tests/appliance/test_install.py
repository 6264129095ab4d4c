"""scripts/install-pi on bare Debian systems: whole, again, cut off at its lines, and taken away again.

On request only (scripts/lab boot). Every run starts from the same disk, in a container that shares the network.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.appliance.machine import LAB, ROOT, lab, need_lab

pytestmark = pytest.mark.slow

_CUT = """
# kills the installer, with all that it has started, at its Nth command, as a power cut does
if [ -n "${CUT_AT:-}" ] && [[ $0 == */install-pi ]]; then
    set -T
    _n=0
    trap '_n=$((_n + 1)); [ $_n -lt "$CUT_AT" ] || { echo "CUT at $BASH_COMMAND" >>/lab/cuts; kill -9 -- -$$; }' DEBUG
fi
"""
_LOOK = """
# a copy: the tree may change under a run that takes minutes
mkdir -p /root/src && cp -r /src/{narrator,scripts,systemd,pyproject.toml,requirements.lock,README.md,LICENSE} /root/src
look() {
    [ -x /opt/narrator/current/bin/narrator ] && echo "runs $(narrator version)"
    [ -L /etc/systemd/system/multi-user.target.wants/narrator.service ] && echo enabled
    id narrator
    ls -d /opt/narrator/releases/* | wc -l | sed 's/^/releases /'
    stat -c '%U %a %n' /var/lib/narrator /var/cache/narrator
    ls /var/cache/narrator/phrases | wc -l | sed 's/^/phrases /'
    cat /etc/udev/rules.d/61-narrator.rules
}
"""


def run(release: str, script: str, tmp_path: Path) -> str:
    (tmp_path / "cut.sh").write_text(_CUT)
    (tmp_path / "script.sh").write_text(f"set -u\n{_LOOK}\n{script}\necho the end\n")
    done = subprocess.run(
        # asked politely first: a container whose systemd-nspawn was killed lives on
        ["timeout", "--kill-after=20", "3600", str(ROOT / "scripts/lab"), "_in", str(LAB / release),
         f"--bind={tmp_path}:/lab", "--volatile=overlay", "--", "bash", "/lab/script.sh"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    print(f"\n{done.stdout}")
    assert "the end" in done.stdout
    return done.stdout


@pytest.fixture(scope="module", autouse=True)
def _lab() -> None:
    need_lab("systemd-nspawn", "mmdebstrap")


@pytest.mark.parametrize("release", ["bookworm", "trixie"])
def test_whole_again_upgraded_and_away(release: str, tmp_path: Path) -> None:
    lab("_debian", release)
    out = run(
        release,
        """
        time /root/src/scripts/install-pi && look
        echo "--- again"
        time /root/src/scripts/install-pi 2>&1 | tee /lab/again && look
        echo "--- doctor"; narrator doctor --quick
        echo "--- upgrade"; touch /var/lib/narrator/a-game; echo '# mine' >>/etc/narrator/config.toml
        sed -i 's/^__version__ = .*/__version__ = "9.9.9"/' /root/src/narrator/__init__.py
        sed -i 's/^version = .*/version = "9.9.9"/' /root/src/pyproject.toml
        /root/src/scripts/install-pi >/lab/upgrade 2>&1; look; ls /var/lib/narrator; grep mine /etc/narrator/config.toml
        echo "--- away"
        /root/src/scripts/install-pi --uninstall; ls /opt /var/lib/narrator /etc/narrator; id narrator
        /root/src/scripts/install-pi --uninstall --purge
        ls -d /opt/narrator /var/lib/narrator /var/cache/narrator /etc/narrator /usr/local/bin/narrator; id narrator
        """,
        tmp_path,
    )
    first, again, doctor, upgrade, away = out.split("--- ")
    for part in (first, again, upgrade):
        assert "runs narrator" in part and "enabled" in part and "releases 1" in part
        assert "narrator 700 /var/lib/narrator" in part
    assert "making" not in again and "installing system packages" not in again
    assert "espeak-ng" in doctor and "✓ Python" in doctor
    assert "runs narrator 9.9.9" in upgrade and "a-game" in upgrade and "# mine" in upgrade
    assert "a-game" in away and away.count("no such user") == 2
    assert away.count("No such file") == 5


def test_it_goes_on_after_being_cut_off_at_any_line(tmp_path: Path) -> None:
    """The cuts add up: each run finds what the one before has left half done, and is cut later itself."""
    lab("_debian", "trixie")
    out = run(
        "trixie",
        """
        # everything that it has started dies with it, amid apt, pip or rendering
        for seconds in 1 2 3 5 8 12 17 23 30; do
            setsid /root/src/scripts/install-pi >/lab/log 2>&1 & sleep $seconds
            kill -9 -- -$! && echo "POWER CUT after $seconds s: $(tail -n 1 /lab/log)"; wait
        done
        export BASH_ENV=/lab/cut.sh
        for at in $(seq 2 6 400); do
            CUT_AT=$at setsid --wait /root/src/scripts/install-pi >/lab/log 2>&1; code=$?
            [ $code != 0 ] || break
        done
        cat /lab/cuts; echo "cuts until $at, last code $code"
        unset CUT_AT BASH_ENV
        /root/src/scripts/install-pi && look && narrator doctor --quick
        """,
        tmp_path,
    )
    assert out.count("POWER CUT") >= 5 and out.count("CUT at") >= 20
    assert "runs narrator" in out and "enabled" in out and "releases 1" in out and "✗" not in out
