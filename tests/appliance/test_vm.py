"""Pins and USB for real: the box in a virtual machine whose kernel has simulated pins, a number pad and sound cards
that are plugged and pulled while it hosts.

On request only (scripts/lab vm). Emulated without help of the processor: its clock goes by the instructions that were
executed, so that a busy machine makes it slow but no patience inside ends too early. Its times mean nothing.
"""

from __future__ import annotations

import queue
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.appliance.machine import LAB, lab, need_lab
from tests.lab import wait_for

pytestmark = pytest.mark.slow
LIMIT = 3600


def machine(tmp_path: Path) -> list[str]:
    """Boot it; the lines of its terminal, until it is off."""
    vm, monitor = LAB / "vm", tmp_path / "monitor"
    words = "console=ttyS0 quiet root=/dev/vda rw systemd.mask=serial-getty@ttyS0.service systemd.wants=lab.service"
    process = subprocess.Popen(
        ["qemu-system-x86_64", "-accel", "tcg,thread=single", "-icount", "shift=1", "-rtc", "clock=vm",
         "-cpu", "max", "-smp", "2", "-m", "1536", "-no-reboot",
         "-nic", "none", "-display", "none", "-device", "qemu-xhci", "-audiodev", "none,id=none",
         "-device", "intel-hda", "-device", "hda-output,audiodev=none",  # the board's own socket
         "-kernel", str(vm / "vmlinuz"), "-initrd", str(vm / "initramfs.gz"), "-append", words,
         "-drive", f"file={vm / 'root.img'},if=virtio,format=raw,snapshot=on",
         "-serial", "stdio", "-monitor", f"unix:{monitor},server,nowait"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    )  # fmt: skip
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        assert process.stdout
        for line in process.stdout:
            lines.put(line.rstrip())
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    seen: list[str] = []
    ends = time.monotonic() + LIMIT
    try:
        wait_for(monitor.exists, 20, "the monitor")
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(str(monitor))
            while (line := lines.get(timeout=max(ends - time.monotonic(), 0.1))) is not None:
                seen.append(line)
                print(line, flush=True)
                if line.startswith("DO: "):
                    control.sendall(f"{line.removeprefix('DO: ')}\n".encode())
    except queue.Empty:
        pytest.fail(f"the machine did not end within {LIMIT} s")
    finally:
        process.kill()
        process.wait()
    return seen


def test_pins_number_pad_and_sound_cards_of_a_real_kernel(tmp_path: Path) -> None:
    need_lab("systemd-nspawn")
    lab("_vm")
    begun = time.monotonic()
    lines = machine(tmp_path)
    told = dict(line.removeprefix("= ").partition(" ")[::2] for line in lines if line.startswith("= "))
    print(f"\n{time.monotonic() - begun:.0f} s")
    assert "the" in told, "the script did not come to its end"
    assert [line for line in lines if line.startswith("NOT:")] == []
    assert told["gpiochip"] == "gpio 660"  # as the installer's own rule says
    assert told["active"] == "active" and told["listening"] == "green"
    assert "next" in told["moves"].split()  # the button was pressed, and the game began
    assert told["clock"] == "active 0"  # a day ahead and two back: nothing happened
    assert told["pad"] != "0" and told["padless"] == "active"
    assert told["socket"] == "in-use" and told["card"] == "back" and told["cardless"] == "active"
    assert told["busy"] == "told"
    assert told["killed"].startswith("0000") and told["stopped"] == "0000 success"
    assert told["after-doctor"] == "0000"
    assert any("lamps and buzzer" in line for line in lines)
