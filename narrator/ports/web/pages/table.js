// The table for everybody: seats in a ring, who speaks, who stands in the vote, the countdown. Reads /events only.
import { $, Countdown, ROLES, clock, follow, make, say, sync, themes } from "/static/common.js";

const ring = $("ring");
const main = document.querySelector("main");
let seats = [];
let told = "";

// Points on the ellipse at equal distances along it, clockwise, the first and the last on either side of the bottom.
function around(count, rx, ry) {
  const steps = 720;
  const lengths = [0];
  const at = (step) => {
    const angle = Math.PI / 2 + (2 * Math.PI * step) / steps;
    return [rx * Math.cos(angle), ry * Math.sin(angle)];
  };
  for (let step = 1; step <= steps; step++) {
    const [[x, y], [u, v]] = [at(step - 1), at(step)];
    lengths.push(lengths[step - 1] + Math.hypot(u - x, v - y));
  }
  const whole = lengths[steps];
  let step = 0;
  return {
    whole,
    points: Array.from({ length: count }, (_, seat) => {
      while (lengths[step] < (whole * (seat + 0.5)) / count) step++;
      return at(step);
    }),
  };
}

function place() {
  const count = seats.length;
  if (!count) return;
  const { width, height } = main.getBoundingClientRect();
  let size = Math.min(width, height) * (width > height ? 0.225 : 0.26);
  for (let again = 0; again < 12; again++) {
    const { whole } = around(count, (width - size) / 2, (height - size) / 2);
    if (size * 1.02 <= whole / count) break;
    size *= 0.93;
  }
  const { points } = around(count, (width - size) / 2, (height - size * 0.98) / 2);
  main.style.setProperty("--s", `${size}px`);
  [...ring.children].forEach((item, seat) => {
    item.style.left = `${width / 2 + points[seat][0]}px`;
    item.style.top = `${height / 2 + points[seat][1]}px`;
  });
  const room = [width - size * 2.1, height - size * 1.95];
  main.style.setProperty("--w", `${room[0]}px`);
  main.style.setProperty("--h", `${room[1]}px`);
  main.style.setProperty("--m", `${Math.max(Math.min(room[0] * 1.1, room[1]), 120)}px`);
}

function build() {
  return make("li", {},
    make("span", { className: "disc", "aria-hidden": "true" }, make("span", {})),
    make("span", { className: "name", "aria-hidden": "true" }),
    make("span", { className: "role", "aria-hidden": "true" }),
    make("span", { className: "dots", "aria-hidden": "true" }),
    make("span", { className: "away" }));
}

function fill(item, seat, limit) {
  const [disc, name, role, dots, words] = item.children;
  say(disc.firstChild, String(seat.seat));
  const hand = disc.querySelector(".hand");
  if (seat.hand && !hand) disc.append(make("span", { className: "hand icon" }));
  if (!seat.hand && hand) hand.remove();
  say(name, seat.name);
  say(role, seat.role === "civilian" ? "Мирный" : ROLES[seat.role] || "");
  const black = seat.role === "mafia" || seat.role === "don";
  const star = seat.role === "sheriff" || seat.role === "maniac";
  item.className = Object.entries({ out: !seat.alive, speaking: seat.speaking, named: seat.place, up: seat.up, black, star })
    .filter(([, on]) => on).map(([word]) => word).join(" ");
  while (dots.children.length > seat.warnings) dots.lastChild.remove();
  while (dots.children.length < seat.warnings) dots.append(make("i"));
  const facts = [`Номер ${seat.seat}`, seat.name, !seat.alive && "выбыл", seat.speaking && "говорит", ROLES[seat.role],
    seat.place && `на голосовании, по порядку ${seat.place}`, seat.votes !== null && `голосов ${seat.votes}`,
    seat.hand && "рука поднята", seat.warnings && `замечаний ${seat.warnings} из ${limit}`];
  say(words, facts.filter(Boolean).join(", "));
}

// Once a game runs, the last one is of no interest; at its end and before the next one it is.
function offer() {
  const phase = document.body.dataset.phase;
  $("story").hidden = !$("story").dataset.ready || !(phase === "over" || phase === "lobby");
}

function show({ view, time }) {
  const night = view.phase === "night";
  document.body.className = `${view.lamp} ${night ? "night-mode" : ""}`;
  document.body.dataset.phase = view.phase;
  offer();
  const day = night ? (view.day ? ` ${view.day}` : "") : "";
  $("title").replaceChildren(`${view.title}${day}`);
  if (view.day && !night && view.phase !== "over") $("title").append(make("small", {}, `день ${view.day}`));
  say($("story"), view.phase === "over" ? "Итоги игры" : "Итоги прошлой игры");
  document.title = `Мафия – ${view.title.toLowerCase()}`;
  const changed = seats.length !== view.seats.length;
  seats = view.seats;
  sync(ring, seats, (seat) => seat.seat, build, (item, seat) => fill(item, seat, view.limit));
  if (changed) place();
  $("moon").toggleAttribute("hidden", !night);
  $("dial").hidden = !time;
  $("paused").hidden = !view.paused || !time;
  document.body.classList.toggle("big", !time && !night);
  say($("note"), night ? "Ночь" : (view.paused && !time ? `${view.note} · пауза` : view.note) || view.title);
  const named = seats.filter((seat) => seat.place).sort((one, other) => one.place - other.place);
  const counted = named.length ? named : seats.filter((seat) => seat.votes !== null);
  sync($("named"), counted, (seat) => seat.seat, () => make("li", {}, make("b"), make("span")), (item, seat) => {
    item.className = seat.up ? "up" : "";
    say(item.firstChild, String(seat.seat));
    item.lastChild.hidden = seat.votes === null;
    say(item.lastChild, seat.votes === null ? "" : String(seat.votes));
    item.ariaLabel = `Номер ${seat.seat}${seat.votes === null ? "" : `, голосов ${seat.votes}`}`;
  });
  const line = `${view.title}. ${night ? "" : view.note}`;
  if (line !== told) say($("live"), (told = line));
  countdown.set(time);
}

const countdown = new Countdown((left, time) => {
  if (left === null) return;
  document.body.classList.toggle("over", left <= 0);
  say($("time"), clock(left));
  const part = Math.max(0, Math.min(1, left / time.total));
  $("arc").style.strokeDashoffset = left <= 0 ? 0 : 1 - part;
});

themes();
new ResizeObserver(place).observe(main);
document.addEventListener("keydown", (event) => {
  if (event.code !== "KeyF") return;
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => {});
});
follow("/events", { view: show, story: (ready) => { $("story").dataset.ready = ready || ""; offer(); } });
