// What all pages share: the stream that reconnects by itself, the countdown, themes, and small tools.

export const ROLES = { civilian: "Мирный житель", sheriff: "Шериф", mafia: "Мафия", don: "Дон", maniac: "Маньяк" };
export const $ = (id) => document.getElementById(id);

export function make(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name in made && name !== "role") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function svg(tag, props = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(props)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Children of `parent` stand for `items`: those that stay keep their element, so focus and a finger's press survive.
export function sync(parent, items, key, build, update) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let child = old.get(name);
    if (child) old.delete(name);
    else {
      child = build(item);
      child.dataset.key = name;
    }
    update(child, item);
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
  }
  for (const child of old.values()) child.remove();
}

export async function post(path, body = {}) {
  try {
    return await fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), keepalive: true,
    });
  } catch {
    return { ok: false, status: 0, json: async () => ({}) };
  }
}

// Server-sent events that come back by themselves: after a break, a restart of the box, or a phone that slept.
const QUIET = 12000;
export function follow(path, handlers, denied = () => {}) {
  let source = null;
  let heard = 0;
  let stopped = false;
  const lost = $("lost");
  const alive = () => {
    heard = Date.now();
    if (lost) lost.hidden = true;
  };
  async function open() {
    if (source) source.close();
    if (stopped) return;
    heard = Date.now();
    source = new EventSource(path);
    source.onopen = alive;
    source.addEventListener("beat", alive);
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => {
        alive();
        handle(JSON.parse(event.data));
      });
    }
    source.onerror = async () => {
      if (lost) lost.hidden = false;
      if (source.readyState !== EventSource.CLOSED) return;
      heard = Date.now() + 1000 - QUIET; // again in a second
      const probe = new AbortController();
      try {
        const answer = await fetch(path, { signal: probe.signal });
        if (answer.status === 401) {
          stopped = true;
          if (lost) lost.hidden = true;
          denied();
        }
      } catch {
        // the box is away: the next try will tell
      }
      probe.abort();
    };
  }
  setInterval(() => {
    if (!stopped && Date.now() - heard > QUIET) open();
  }, 500);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !stopped && Date.now() - heard > 6000) open();
  });
  open();
  return { close() { stopped = true; if (source) source.close(); }, };
}

// A countdown that runs by itself between two messages. `show(left, time)`; left is null when there is none.
export class Countdown {
  constructor(show) {
    this.show = show;
    this.time = null;
    this.base = 0;
    this.slow = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = () => {
      if (this.time && this.time.running && !document.hidden) this.draw();
      if (this.slow) setTimeout(step, 250);
      else requestAnimationFrame(step);
    };
    step();
    document.addEventListener("visibilitychange", () => this.draw());
  }

  set(time) {
    this.time = time;
    this.base = performance.now();
    this.draw();
  }

  draw() {
    if (!this.time) this.show(null, null);
    else this.show(this.time.left - (this.time.running ? (performance.now() - this.base) / 1000 : 0), this.time);
  }
}

export function clock(left) {
  const over = left <= 0;
  const whole = over ? Math.floor(-left) : Math.ceil(left);
  return `${over && whole > 0 ? "+" : ""}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

// Themes: as the system has it, light, dark, high contrast; kept in this browser, or told by ?theme=dark.
const THEMES = { auto: "Как в системе", light: "Светлая", dark: "Тёмная", contrast: "Контрастная" };
function wear(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const button = $("theme");
  if (button) button.title = button.ariaLabel = `Тема: ${THEMES[theme].toLowerCase()} (клавиша T)`;
}
export function themes() {
  const told = new URLSearchParams(location.search).get("theme");
  let theme = told in THEMES ? told : localStorage.getItem("theme");
  if (!(theme in THEMES)) theme = "auto";
  wear(theme);
  const next = () => {
    const names = Object.keys(THEMES);
    theme = names[(names.indexOf(theme) + 1) % names.length];
    localStorage.setItem("theme", theme);
    wear(theme);
  };
  const button = $("theme");
  if (button) button.addEventListener("click", next);
  document.addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.code === "KeyT") next();
  });
}

// A button that is held: `act(true)` when a finger, a mouse or a key goes down, `act(false)` however it ends.
export function held(element, act) {
  let down = false;
  const set = (now) => {
    if (now === down) return;
    down = now;
    element.classList.toggle("down", now);
    act(now);
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    try { element.setPointerCapture(event.pointerId); } catch { /* a pointer that is gone already */ }
    set(true);
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) element.addEventListener(name, () => set(false));
  element.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    if (!event.repeat) set(true);
  });
  element.addEventListener("keyup", (event) => {
    if (event.key === " " || event.key === "Enter") set(false);
  });
  element.addEventListener("blur", () => set(false));
  element.addEventListener("contextmenu", (event) => event.preventDefault());
  document.addEventListener("visibilitychange", () => document.hidden && set(false));
  addEventListener("pagehide", () => set(false));
  return set;
}

export async function awake() {
  try {
    await navigator.wakeLock.request("screen");
  } catch {
    // not every browser may; the screen then sleeps as usual
  }
}
