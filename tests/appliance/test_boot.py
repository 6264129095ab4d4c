"""The service as systemd runs it: booted in a container, killed, hung, misconfigured, out of disk, stopped.

On request only (scripts/lab boot). Prints how long things took.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.appliance.machine import boot, lab, need_lab

pytestmark = pytest.mark.slow

_TOOLS = """
set -u
show() { systemctl show -P "$1" narrator; }
now() { cut -d' ' -f1 /proc/uptime; }
# until SECONDS CONDITION...: fails loudly when it has not come true in time
until_() { local n=$(($1 * 20)); shift; while ! eval "$*"; do n=$((n - 1)); [ $n -gt 0 ] || { echo "NOT: $*"
    systemctl status narrator narrator-trouble --no-pager -n 30; exit 1; }; sleep 0.05; done; }
active() { [ "$(show ActiveState)" = active ]; }
again() { active && [ "$(show NRestarts)" = "$1" ]; }
took() { echo "took $1 $(echo "$2 $(now)" | awk '{printf "%.1f", $2 - $1}')"; }
journal() { /opt/narrator/current/bin/python - <<'P'
from pathlib import Path
from narrator.journal import read
print("journal", [entry.move.kind for entry in read(Path("/var/lib/narrator/current.journal")).entries])
P
}
begin() { begun=$(now); }
"""


@pytest.fixture(scope="module", autouse=True)
def _box() -> None:
    need_lab("systemd-nspawn", "mmdebstrap")
    lab("_box")


def run(tmp_path: Path, script: str, limit: float = 240) -> str:
    out = boot(tmp_path / "lab", _TOOLS + script + "\necho the end\n", limit=limit)
    print(f"\n{out}")
    return out


def told(out: str, key: str) -> list[str]:
    return [line.removeprefix(f"{key} ") for line in out.splitlines() if line.startswith(f"{key} ")]


def seconds(out: str, what: str) -> float:
    (found,) = [line.split()[1] for line in told(out, "took") if line.split()[0] == what]
    return float(found)


_GAME = """
# an evening that was cut off in the middle of a speech
runuser -u narrator -- env HOME=/var/lib/narrator /opt/narrator/current/bin/python - <<'P'
from pathlib import Path
from narrator.game import moves as m
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS
from narrator.journal import Beat, Journal
folder = Path("/var/lib/narrator")
journal = Journal.create(folder / "current.journal", "ru")
journal.append(m.SetUp(10, RULESETS["classic"], Host.LIGHT), 0.0)
journal.append(m.Start(), 1.0)
P
"""


def test_it_is_up_after_the_start_and_comes_back_after_a_kill_and_after_a_hang(tmp_path: Path) -> None:
    out = run(
        tmp_path,
        f"""
until_ 60 active
echo "cgroup $(stat -fc %T /sys/fs/cgroup)"
systemctl stop narrator; {_GAME}
begin; systemctl start narrator; until_ 30 active; took start $begun; journal
echo "user $(ps -o user= -p $(show MainPID)) nice $(show LimitNICE)"
echo "pid $(show MainPID)"
begin; kill -9 $(show MainPID); until_ 30 again 1; took kill $begun; journal
echo "dark $(show ExecStopPost | grep -o 'status=[0-9]*')"
begin; kill -STOP $(show MainPID); until_ 60 again 2; took hang $begun; journal
journalctl -u narrator --no-pager -o cat | grep -i watchdog | head -n 1
pgrep -u narrator -c -f multiprocessing | sed 's/^/children /'
begin; systemctl stop narrator; took stop $begun
echo "result $(show Result) $(show ActiveState)"
pgrep -u narrator -c . | sed 's/^/left /'
journal
journalctl -u narrator --no-pager -o cat | grep -c 'moderator only\\|PIN of' | sed 's/^/secrets /'
""",
    )
    # where control groups are of the old kind, a container's systemd is not told that they are empty, and waits
    waits = 0 if told(out, "cgroup") == ["cgroup2fs"] else 15
    assert seconds(out, "kill") <= 8 + waits
    assert 5 <= seconds(out, "hang") <= 30 and "Watchdog timeout" in out
    assert seconds(out, "stop") <= 5
    journals = told(out, "journal")
    assert all(line.startswith("['set-up', 'start'") for line in journals), journals
    assert told(out, "result") == ["success inactive"] and told(out, "left") == ["0"]
    assert told(out, "dark") == ["status=0"] and told(out, "secrets") == ["0"]
    assert re.search(r"user narrator nice", out)


def test_a_broken_settings_file_is_told_and_the_box_hosts_all_the_same(tmp_path: Path) -> None:
    out = run(
        tmp_path,
        """
until_ 60 active
printf '[game]\\nruels = "sport"\\n' >/etc/narrator/config.toml
systemctl kill -s KILL narrator; until_ 30 again 1
until_ 20 'journalctl -u narrator --no-pager -o cat | grep -q "did you mean rules"'
journalctl -u narrator --no-pager -o cat | grep "did you mean" | head -n 1
rm /etc/narrator/config.toml
systemctl kill -s KILL narrator; until_ 30 again 2
echo "last $(ls /var/lib/narrator)"
""",
    )
    assert "the settings that it had before" in out


def test_a_card_that_cannot_be_written_ends_no_evening(tmp_path: Path) -> None:
    out = run(
        tmp_path,
        f"""
until_ 60 active; systemctl stop narrator; {_GAME}
mount --bind /var/lib/narrator /var/lib/narrator; mount -o remount,ro,bind /var/lib/narrator
systemctl start narrator; until_ 30 active
journalctl -u narrator --no-pager -o cat | grep "kept in memory" | head -n 1
systemctl kill -s KILL narrator; until_ 30 again 1
ls -A /run/narrator/narrator-state | grep -c current.journal | sed 's/^/memory /'
systemctl stop narrator; umount /var/lib/narrator
mkdir -p /full; mount -t tmpfs -o size=64k none /full; cp /var/lib/narrator/* /full/ 2>/dev/null
dd if=/dev/zero of=/full/fill bs=1k 2>/dev/null
mount --bind /full /var/lib/narrator; chown -R narrator /var/lib/narrator
systemctl start narrator; until_ 30 active
journalctl -u narrator --no-pager -o cat | grep -c "No space left" | sed 's/^/full /'
""",
    )
    assert "kept in memory" in out and told(out, "memory") == ["1"]
    assert int(told(out, "full")[0]) >= 1


def test_what_cannot_be_kept_running_is_given_up_and_shows_why(tmp_path: Path) -> None:
    out = run(
        tmp_path,
        """
until_ 60 active
mkdir -p /run/systemd/system/narrator.service.d
printf '[Service]\\nExecStart=\\nExecStart=/bin/false\\nRestartSec=100ms\\n' >x.conf
mv x.conf /run/systemd/system/narrator.service.d/
systemctl daemon-reload; systemctl restart narrator
until_ 60 '[ "$(show ActiveState)" = failed ]'
until_ 20 '[ "$(systemctl show -P ActiveState narrator-trouble)" = active ]' # blinks, or says that it has no lamps
sleep 3
echo "trouble $(systemctl show -P ActiveState narrator-trouble)"
journalctl -u narrator-trouble --no-pager -o cat | tail -n 25
rm -r /run/systemd/system/narrator.service.d; systemctl daemon-reload; systemctl reset-failed narrator
systemctl start narrator; until_ 30 active
until_ 10 '[ "$(systemctl show -P ActiveState narrator-trouble)" = inactive ]'
echo "trouble over"
""",
    )
    assert told(out, "trouble") == ["active", "over"]
