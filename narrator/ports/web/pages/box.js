// The box as a picture: what its pins do, and fingers for its buttons. Only there while the pins are simulated.
import { $, follow, held, make, post, say, sync, themes } from "/static/common.js";
import { login } from "/static/login.js";

const NAMES = { green: "Зелёная", yellow: "Жёлтая", red: "Красная" };
const KEYS = { KeyN: "next", KeyB: "back", NumpadEnter: "next", Backspace: "back", Minus: "minus", NumpadSubtract: "minus", Equal: "plus", NumpadAdd: "plus" };
let tone = null;

function show(levels) {
  for (const [name, words] of Object.entries(NAMES)) {
    const level = levels[name] || 0;
    const lamp = $(`lamp-${name}`);
    lamp.firstElementChild.style.setProperty("--level", level && Math.max(level ** 0.5, 0.3));
    lamp.ariaLabel = `${words} лампа: ${level === 1 ? "горит" : level ? "тлеет" : "не горит"}`;
  }
  const on = levels.buzzer > 0;
  $("buzzer").classList.toggle("on", on);
  if (tone) tone.gain.gain.setTargetAtTime(on ? 0.12 : 0, tone.context.currentTime, 0.005);
}

function drawSeats({ view }) {
  sync($("seats"), view.seats, (seat) => seat.seat, (seat) => {
    const made = make("button", { type: "button" }, String(seat.seat));
    made.press = held(made, (down) => post("/box/seat", { seat: seat.seat, down }));
    return made;
  }, (made, seat) => {
    made.classList.toggle("out", !seat.alive);
    made.ariaLabel = `Кнопка места ${seat.seat}${seat.name ? `, ${seat.name}` : ""}`;
  });
}

const presses = {};
for (const made of document.querySelectorAll("#buttons button")) {
  const control = made.dataset.control;
  presses[control] = held(made, (down) => post("/box/press", { control, down }));
}

function key(event, down) {
  if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code);
  const press = digit ? $("seats").children[(Number(digit[1]) || 10) - 1]?.press : presses[KEYS[event.code]];
  if (!press) return;
  event.preventDefault();
  press(down);
}
document.addEventListener("keydown", (event) => key(event, true));
document.addEventListener("keyup", (event) => key(event, false));

$("sound").addEventListener("click", () => {
  if (!tone) {
    const context = new AudioContext();
    const gain = context.createGain();
    const source = new OscillatorNode(context, { type: "square", frequency: 2300 });
    gain.gain.value = 0;
    source.connect(gain).connect(context.destination);
    source.start();
    tone = { context, gain };
  } else {
    tone.context.close();
    tone = null;
  }
  $("sound").ariaPressed = String(Boolean(tone));
  say($("sound"), `звук зуммера: ${tone ? "включён" : "выключен"}`);
});

$("write").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("text").value.trim();
  if (text) post("/host/write", { text });
  $("text").value = "";
});

const start = () => follow("/box/events", { view: drawSeats, box: show, said: (lines) => say($("said"), lines.slice(-3).join(" ")) }, denied);
const denied = login(start);
themes();
start();
