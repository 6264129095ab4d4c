# Runs in the virtual machine, with a real kernel: simulated pins, a number pad and a sound card that come and go.
# Lines «= name value» are read by test_vm.py; lines «DO: command» go to the machine's monitor.
set -u
pins=/sys/devices/platform/gpio-sim.0/gpiochip0
level() { cat "$pins/sim_gpio$1/value"; }
press() { echo pull-down >"$pins/sim_gpio$1/pull"; sleep 0.2; echo pull-up >"$pins/sim_gpio$1/pull"; sleep 0.3; }
until_() { # SECONDS CONDITION: says loudly when it has not come true in time
    local ends=$((SECONDS + $1))
    shift
    until eval "$*"; do
        [ $SECONDS -lt $ends ] || { echo "NOT: $*"; log; return 1; }
        sleep 0.2
    done
}
log() { journalctl -u narrator --no-pager -o cat | tail -n 25; }
show() { systemctl show -P "$1" narrator; }
active() { [ "$(show ActiveState)" = active ]; }
kinds() { grep -o '"kind":"[a-z-]*"' /var/lib/narrator/current.journal | cut -d'"' -f4 | tr '\n' ' '; }
lamps() { echo "$(level 17)$(level 27)$(level 22)$(level 23)"; }

echo # after whatever the console was told while it booted
modprobe gpio-sim
mkdir -p /sys/kernel/config/gpio-sim/sim0/bank0
echo 28 >/sys/kernel/config/gpio-sim/sim0/bank0/num_lines
echo 1 >/sys/kernel/config/gpio-sim/sim0/live
for pin in 5 6 13 19; do echo pull-up >"$pins/sim_gpio$pin/pull"; done
udevadm settle
echo "= gpiochip $(stat -c '%G %a' /dev/gpiochip0)"
modprobe -a evdev snd-usb-audio usbhid
cat >/etc/narrator/config.toml <<'C'
[game]
rules = "classic"
host = "light"
[panel]
pins = "real"
C
mkdir -p /run/systemd/system/narrator.service.d
printf '[Service]\nEnvironment=NARRATOR_BOARD=sim\n' >/run/systemd/system/narrator.service.d/board.conf
systemctl daemon-reload
systemctl restart narrator
until_ 120 active; echo "= active $(show ActiveState)"
until_ 30 '[ "$(level 17)" = 1 ]' && echo "= listening green" # a dim pulse: lit a part of the time

press 5
until_ 30 'kinds | grep -q next'; echo "= moves $(kinds)"

echo "= before $(cut -d. -f1 /proc/uptime) $(show NRestarts)"
date -s '+1 day' >/dev/null; sleep 3; date -s '-2 days' >/dev/null; sleep 12
echo "= clock $(show ActiveState) $(show NRestarts)"

echo "DO: device_add usb-kbd,id=pad"
until_ 60 'ls /dev/input/event* 2>/dev/null | grep -q .'; sleep 4
echo "= pad $(fuser /dev/input/event* 2>/dev/null | wc -w)"
echo "DO: device_del pad"; sleep 4
echo "= padless $(show ActiveState)"

# a board with a socket of its own: the USB card is used whenever it is there
plays() { fuser -s "/dev/snd/pcmC$1D0p" 2>/dev/null; }
until_ 60 'plays 0' && echo "= socket in-use"
echo "DO: device_add usb-audio,id=card,audiodev=none"
until_ 60 'ls /dev/snd/pcmC1*p 2>/dev/null | grep -q .'
until_ 90 'plays 1' && echo "= card in-use"
echo "DO: device_del card"
until_ 30 'journalctl -u narrator --no-pager -o cat | grep -q "stopped taking sound\|No loudspeaker"'
until_ 30 '! ls /dev/snd/pcmC1*p 2>/dev/null | grep -q .'
until_ 90 'plays 0'; echo "= cardless $(show ActiveState)"
echo "DO: device_add usb-audio,id=card2,audiodev=none"
until_ 90 'plays 1' && echo "= card back"

# a kill in the middle of light: what is lit stays lit in a pin that nobody holds, until the service makes it dark
printf '[Service]\nRestart=no\n' >/run/systemd/system/narrator.service.d/once.conf
systemctl daemon-reload
until_ 30 '[ "$(lamps)" != 0000 ]'
kill -9 "$(show MainPID)"
until_ 60 '[ "$(show ActiveState)" = failed ]'; echo "= killed $(lamps) $(show ExecStopPost | grep -o 'status=[0-9]*')"
rm /run/systemd/system/narrator.service.d/once.conf; systemctl daemon-reload; systemctl reset-failed narrator

# a pin that another program holds is named, and the box hosts with the others
(cd /tmp && exec /opt/narrator/current/bin/python -c 'import lgpio, pathlib, time
lgpio.gpio_claim_output(lgpio.gpiochip_open(0), 22); pathlib.Path("held").touch(); time.sleep(600)') &
holder=$!
until_ 60 '[ -e /tmp/held ]'
systemctl start narrator; until_ 120 active
until_ 30 'journalctl -u narrator --no-pager -o cat | grep -q "red = 22.*cannot be used"' && echo "= busy told"
kill $holder; systemctl stop narrator

systemctl start narrator; until_ 120 active; until_ 30 '[ "$(lamps)" != 0000 ]'
systemctl stop narrator; echo "= stopped $(lamps) $(show Result)"
NARRATOR_BOARD=sim narrator doctor # as the owner calls it
echo "= after-doctor $(lamps)"
log
echo "= the end"
