// The moderator's page: what may be done now as buttons, the private answers, the evening's journal, the devices.
import { $, Countdown, ROLES, awake, clock, follow, held, make, post, say, sync, themes } from "/static/common.js";
import { login } from "/static/login.js";

const PORTS = { voice: "Голос", ears: "Микрофон", panel: "Лампы и кнопки", screen: "Экран", journal: "Журнал", keypad: "Клавиатура", names: "Имена", vocabulary: "Словарь" };
const TROUBLE = {
  "not-understood": "не понято", "low-confidence": "неуверенно", "not-addressed": "не ко мне", "two-readings": "два смысла",
  night: "ночью не слушаю", "not-now": "не сейчас",
};
let host = null;
let view = null;
let voter = 0;
let pairs = false;
let showCards = false;
let sheet = 0;
let renaming = false;

const choose = (choice) => post("/host/do", { action: choice.id, moment: host.moment });
const button = (choice) => {
  const made = make("button", { type: "button" });
  made.addEventListener("click", () => choose(made.choice));
  return made;
};
const label = (made, choice) => {
  made.choice = choice;
  say(made, choice.text);
};
const of = (group) => host.choices.filter((choice) => choice.group === group);

function draw() {
  if (!host || !view) return;
  const night = view.phase === "night";
  document.body.className = `${view.lamp} ${night ? "night-mode" : ""}`;
  say($("title"), `${host.title}${view.day ? `, ${night ? "ночь" : "день"} ${view.day}` : ""}${view.paused ? " · пауза" : ""}`);
  say($("now"), host.question ? "" : host.now);
  const answers = of("answer");
  $("asked").hidden = !answers.length;
  say($("question"), host.question || host.now);
  sync($("answers"), answers, (choice) => choice.id, button, (made, choice) => {
    label(made, choice);
    made.className = choice.id.endsWith(".1") ? "strong" : "";
  });
  $("secret").hidden = !host.private.length;
  sync($("private"), host.private, (line) => line, () => make("li"), say);
  drawPad();
  drawSeats();
  drawBars();
  drawSetup();
  if ($("sheet").open) openSheet(sheet);
}

// Numbers as they are; or, where it matters who votes or names, first who and then whom.
function drawPad() {
  const both = of("pair");
  const alone = of("number");
  const twice = both.length > 0 && (pairs || !alone.length);
  const doers = [...new Set(both.map((choice) => choice.by))];
  if (!twice || !doers.includes(voter)) voter = 0;
  let numbers = alone;
  if (twice) numbers = voter ? both.filter((choice) => choice.by === voter) : doers.map((by) => ({ id: `by.${by}`, text: String(by), voter: by }));
  $("pad").hidden = !numbers.length;
  say($("caption"), !twice ? host.caption : voter ? `${host.caption}: ${voter} – кого?` : `${host.caption}: кто?`);
  $("otherby").hidden = !voter && !(both.length && alone.length);
  say($("otherby"), voter ? "← другой игрок" : twice ? "без имени" : "указать, кто");
  sync($("numbers"), numbers, (choice) => choice.id, () => {
    const made = make("button", { type: "button" });
    made.addEventListener("click", () => {
      if (made.choice.voter) voter = made.choice.voter;
      else {
        choose(made.choice);
        voter = 0;
      }
      draw();
    });
    return made;
  }, (made, choice) => {
    label(made, choice);
    made.className = /^\d+$/.test(choice.text) ? "" : "word";
    const name = view.seats[(choice.seat || choice.voter || 0) - 1];
    made.ariaLabel = name ? `${choice.text} ${name.name}`.trim() : choice.text;
  });
}

function drawSeats() {
  $("cards").hidden = !host.cards.some(Boolean);
  say($("cards"), showCards ? "спрятать карты" : "показать карты");
  $("cards").ariaPressed = String(showCards);
  sync($("seats"), view.seats, (seat) => seat.seat, (seat) => {
    const made = make("button", { type: "button" }, make("b"), make("span", { className: "who" }, make("span"), make("span", { className: "card" })),
      make("span", { className: "warned" }));
    made.addEventListener("click", () => openSheet(seat.seat, true));
    return make("li", {}, made);
  }, (item, seat) => {
    const made = item.firstChild;
    const [number, who, warned] = made.children;
    say(number, String(seat.seat));
    say(who.firstChild, seat.name || "игрок");
    const role = showCards ? host.cards[seat.seat - 1] : "";
    say(who.lastChild, ROLES[role] || "");
    who.lastChild.className = `card ${{ mafia: "black", don: "black", sheriff: "star", maniac: "star" }[role] || ""}`;
    say(warned, "●".repeat(seat.warnings));
    made.className = [!seat.alive && "out", seat.speaking && "speaking", seat.place && "named"].filter(Boolean).join(" ");
    made.ariaLabel = [`Номер ${seat.seat}`, seat.name, ROLES[role], !seat.alive && "выбыл", seat.speaking && "говорит",
      seat.place && "на голосовании", seat.warnings && `замечаний ${seat.warnings}`].filter(Boolean).join(", ");
  });
}

function openSheet(number, fresh = false) {
  const deeds = host.choices.filter((choice) => choice.group === "seat" && choice.seat === number);
  if (!deeds.length) {
    $("sheet").close();
    return;
  }
  sheet = number;
  const seat = view.seats[number - 1];
  say($("who"), `Номер ${number} ${seat.name}`.trim());
  sync($("deeds"), deeds, (choice) => choice.id, (choice) => {
    const made = button(choice);
    made.addEventListener("click", () => $("sheet").close());
    return made;
  }, label);
  if (fresh && !$("sheet").open) $("sheet").showModal();
}

function drawBars() {
  const bars = of("main");
  const thumb = bars.filter((choice) => choice.id === "undo" || choice.id === "next" || choice.id === "start");
  const resume = bars.find((choice) => choice.id === "resume");
  const lead = thumb.find((choice) => choice.id !== "undo") || bars.find((choice) => choice.id === "done" || choice.id === "open-vote");
  const main = [thumb.find((choice) => choice.id === "undo"), view.paused && resume ? resume : lead].filter(Boolean);
  sync($("thumb"), main, (choice) => choice.id, button, (made, choice) => {
    label(made, choice);
    made.className = choice.id === "undo" ? "" : "strong";
  });
  const side = [...bars.filter((choice) => !main.includes(choice)), ...of("time")];
  sync($("side"), side, (choice) => choice.id, button, label);
}

function drawSetup() {
  const all = of("setup");
  $("setup").hidden = !all.length;
  const counts = all.filter((choice) => choice.id.startsWith("seats."));
  sync($("rules"), all.filter((choice) => !counts.includes(choice)), (choice) => choice.id, button, label);
  $("countname").hidden = !counts.length;
  sync($("counts"), counts, (choice) => choice.id, button, label);
  if (all.length) drawNames();
  sync($("others"), of("more"), (choice) => choice.id, button, label);
}

function drawNames() {
  sync($("names"), view.seats, (seat) => seat.seat, (seat) => {
    const input = make("input", { maxLength: 40, autocomplete: "off", value: seat.name });
    input.ariaLabel = `Имя игрока номер ${seat.seat}`;
    return make("li", {}, make("b", {}, String(seat.seat)), input);
  }, (item, seat) => {
    if (!renaming) item.lastChild.value = seat.name;
  });
}

function drawLog(lines) {
  sync($("log"), lines.slice(-80).reverse(), (line) => `${line.at} ${line.kind} ${line.text}`, () =>
    make("li", {}, make("time"), make("span"), make("span", { className: "trouble" })), (item, line) => {
    const [at, text, trouble] = item.children;
    say(at, line.at);
    say(text, line.kind === "said" ? `«${line.text}»` : line.kind === "heard" ? `услышано: ${line.text} (${Math.round(line.confidence * 100)} %)` : line.text);
    text.className = line.kind;
    say(trouble, line.trouble ? TROUBLE[line.trouble] || "нельзя сейчас" : "");
  });
}

function drawDevices(devices) {
  const ill = Object.values(devices).filter((why) => why && why !== "off").length;
  say($("ill"), ill ? `– не работает: ${ill}` : "");
  const rows = Object.entries(devices).flatMap(([port, why]) => [["dt", port, PORTS[port] || port], ["dd", port, why === "off" ? "выключено в настройках" : why || "работает"]]);
  sync($("devices"), rows, ([tag, port]) => `${tag} ${port}`, ([tag]) => make(tag), (item, [, , text]) => {
    item.lang = /^[\x20-\x7e]+$/.test(text) ? "en" : "ru";
    say(item, text);
  });
}

function drawCodes(rows) {
  sync($("codes"), rows, (row) => row.seat, (row) => {
    const free = make("button", { type: "button", className: "plain" }, "сменить код");
    free.addEventListener("click", () => post("/host/release", { seat: row.seat }));
    return make("li", {}, make("b"), make("code"), free);
  }, (item, row) => {
    say(item.children[0], String(row.seat));
    say(item.children[1], row.taken ? "телефон есть" : `${row.code.slice(0, 4)} ${row.code.slice(4)}`);
    say(item.children[2], row.taken ? "отвязать" : "сменить код");
    item.children[2].ariaLabel = `${row.taken ? "Отвязать телефон" : "Сменить код"} места ${row.seat}`;
  });
}

const countdown = new Countdown((left) => {
  $("time").hidden = left === null;
  if (left !== null) say($("time"), clock(left));
});

function start() {
  follow("/host/events", {
    view: (told) => { view = told.view; countdown.set(told.time); draw(); },
    host: (told) => { if (!host || host.moment !== told.moment) voter = 0; host = told; draw(); },
    story: (ready) => { $("story").hidden = !ready; },
    log: drawLog, devices: drawDevices, seats: drawCodes,
  }, denied);
}

themes();
say($("seaturl"), `${location.host}/seat`);
const denied = login(start);
held($("talk"), (down) => post("/host/talk", { down }));
$("cards").addEventListener("click", () => { showCards = !showCards; draw(); });
$("otherby").addEventListener("click", () => {
  if (voter) voter = 0;
  else pairs = !pairs;
  draw();
});
$("shut").addEventListener("click", () => $("sheet").close());
$("write").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("text").value.trim();
  if (text) post("/host/write", { text });
  $("text").value = "";
});
$("naming").addEventListener("input", () => { renaming = true; });
$("naming").addEventListener("submit", (event) => {
  event.preventDefault();
  renaming = false;
  post("/host/names", { names: [...$("names").querySelectorAll("input")].map((input) => input.value.trim()) });
});
$("leave").addEventListener("click", async () => { await post("/logout"); location.reload(); });
addEventListener("pointerdown", awake, { once: true });
start();
