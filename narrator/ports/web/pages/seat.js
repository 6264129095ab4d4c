// A player's phone: the seat's button, and the card while a finger is on it. What it shows, sends and gets is alike for
// every card: the card itself is asked for only while it is held, in answers of one size, and is kept nowhere.
import { $, Countdown, ROLES, awake, clock, follow, held, post, say } from "/static/common.js";

const WHY = {
  wrong: "Такого кода нет.", taken: "Это место уже занято другим телефоном. Ведущий может отвязать его.",
  seated: "У этого телефона уже есть место.", wait: "Слишком много попыток. Подождите",
};
let stream = null;
let seat = 0;

const countdown = new Countdown((left) => say($("time"), left === null ? "" : clock(left)));

function show({ view, time }) {
  document.body.className = view.phase === "night" ? "night-mode" : "";
  say($("phase"), view.title);
  const me = view.seats[seat - 1];
  say($("note"), me && !me.alive && view.phase !== "over" ? `${view.note || view.title} · вы выбыли` : view.note || view.title);
  countdown.set(time);
}

async function enter() {
  let answer = { ok: false };
  try {
    answer = await fetch("/seat/me");
  } catch {
    setTimeout(enter, 1000);
    return;
  }
  seat = answer.ok ? (await answer.json()).seat : 0;
  $("join").hidden = seat > 0;
  $("page").hidden = !seat;
  if (!seat) {
    $("code").focus();
    return;
  }
  say($("seat"), String(seat));
  stream = follow("/seat/events", { view: show }, () => location.reload());
}

$("join").addEventListener("submit", async (event) => {
  event.preventDefault();
  const answer = await post("/seat/join", { code: $("code").value.replace(/\D/g, "") });
  if (answer.ok) {
    enter();
    return;
  }
  const told = answer.status === 429 || answer.status === 403 ? await answer.json() : {};
  say($("why"), told.reason ? WHY[told.reason] + (told.wait ? ` ${told.wait} с.` : "") : "Введите восемь цифр кода.");
});

let looking = 0;
held($("card"), async (down) => {
  const mine = ++looking;
  say($("role"), down ? "…" : "Карта");
  if (!down) return;
  const answer = await post("/seat/card");
  const { card } = answer.ok ? await answer.json() : { card: "" };
  if (mine === looking) say($("role"), card === "late" ? "Этот телефон подключили после раздачи" : ROLES[card] || "Карта у вас на руках");
});
held($("hand"), (down) => post("/seat/hand", { down }));
$("leave").addEventListener("click", async () => {
  if (!confirm("Отвязать этот телефон от места? Понадобится новый код.")) return;
  if (stream) stream.close();
  await post("/seat/leave");
  location.reload();
});
addEventListener("pointerdown", awake, { once: true });

const told = new URLSearchParams(location.search).get("code");
if (told) {
  $("code").value = told;
  history.replaceState(null, "", "/seat");
}
enter();
