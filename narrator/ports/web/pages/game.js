// After the game: the protocol as a picture. Reads /game/protocol.json, draws it once.
import { $, ROLES, clock, make, themes } from "/static/common.js";

const WON = { town: "Победили мирные жители", mafia: "Победила мафия", maniac: "Победил Маньяк", draw: "Ничья" };
const OUT = {
  voted: "ушёл по голосованию", "with-other": "ушёл вместе с другим кандидатом", killed: "убит", removed: "удалён", left: "ушёл сам",
  warnings: "удалён за замечания", earlier: "выбыл раньше",
};
const RULES = { classic: "Классические правила", moscow: "Московские правила", forum: "Форумные правила", sport: "Спортивные правила" };
const ANSWERS = { yes: "это Шериф", no: "не Шериф", black: "чёрный", red: "красный", ...ROLES };

const look = (role) => ({ mafia: "black", don: "black", sheriff: "star", maniac: "star" })[role] || "";
const list = (seats) => seats.join(", ");
const table = (target, head, rows) => {
  target.replaceChildren(make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))), make("tbody", {}, ...rows));
};
const row = (name, ...cells) => make("tr", {}, make("th", { scope: "row" }, name), ...cells);

function drawPlayers(game) {
  const points = new Map(game.nights.flatMap((night) => night.best_moves).map((best) => [best.by, best]));
  table($("players"), ["№", "Игрок", "Карта", "Судьба", "Замечания", "Лучший ход"], game.players.map((player) => {
    const fate = player.out ? `${OUT[player.out]}${player.out === "earlier" ? "" : `, ${player.night ? "ночь" : "день"} ${player.number}`}` : "до конца";
    const best = points.get(player.seat);
    const worth = best ? `${list(best.seats)}${best.points === null ? "" : ` · ${String(best.points).replace(".", ",")}`}` : "";
    return row(String(player.seat), make("td", {}, player.name), make("td", { className: look(player.role) }, ROLES[player.role] || "–"),
      make("td", {}, fate), make("td", {}, "●".repeat(player.warnings)), make("td", {}, worth));
  }));
}

function nightLines(night) {
  return [
    ...night.shots.map((shot) => [`${shot.by === "maniac" ? "Маньяк" : "Выстрел"}: ${shot.seat || "промах"}`]),
    ...night.checks.map((check) => [`${check.by === "don" ? "Дон" : "Шериф"} проверил ${check.seat}: ${ANSWERS[check.answer]}`]),
    ...night.departures.map((gone) => [`${gone.seat} ${OUT[gone.how]}`, "gone"]),
    ...(night.told && !night.departures.length ? [["никто не убит"]] : []),
    ...night.best_moves.map((best) => [best.seats.length ? `лучший ход ${best.by}: ${list(best.seats)}` : `${best.by} не назвал лучший ход`]),
  ];
}

function dayLines(day) {
  return [
    ...(day.nominations.length ? [[`выставлены ${list(day.nominations.map((named) => named.seat))}`]] : []),
    ...day.rounds.map((round) => [round.votes.map((votes) => `${votes.seat} – ${votes.votes}`).join(", ") + (round.tied.length ? `; поровну ${list(round.tied)}` : "")]),
    ...day.no_vote.map((none) => [none.cancelled ? "голосование отменено" : "голосования не было"]),
    ...day.lifts.map((lift) => [`${list(lift.seats)}: ${lift.leave ? "уходят все" : "все остаются"}`]),
    ...day.nobody_out.map(() => ["стол никто не покинул"]),
    ...day.departures.map((gone) => [`${gone.seat} ${OUT[gone.how]}`, "gone"]),
    ...day.warnings.map((warning) => [warning.taken_back ? `снято замечание: ${warning.seat}` : `замечание: ${warning.seat} (${warning.count} из ${warning.limit})`]),
  ].filter(([text]) => text);
}

function drawLine(game) {
  const parts = [...game.nights.map((night) => ({ night, at: night.at })), ...game.days.map((day) => ({ day, at: day.at }))].sort((one, other) => one.at - other.at);
  $("line").replaceChildren(...parts.map(({ night, day }) => {
    const lines = night ? nightLines(night) : dayLines(day);
    const title = night ? `☾ Ночь ${night.number}${night.meeting ? ": знакомство" : ""}` : `☀ День ${day.number}`;
    return make("li", { className: night ? "part night" : "part" }, make("h3", {}, title, make("small", {}, clock((night || day).seconds || 0))),
      make("ul", {}, ...lines.map(([text, kind]) => make("li", { className: kind || "" }, text))));
  }));
}

function drawVotes(game) {
  const rounds = game.days.flatMap((day) => day.rounds.map((round) => ({ day: day.number, out: day.departures.map((gone) => gone.seat), ...round })));
  $("votes").hidden = !rounds.length;
  const most = Math.max(1, ...rounds.flatMap((round) => round.votes.map((votes) => votes.votes)));
  const last = (round) => rounds.filter((other) => other.day === round.day).at(-1) === round;
  const head = ["За кого", ...rounds.map((round) => `день ${round.day}${round.number > 1 ? `, тур ${round.number}` : ""}`)];
  const stood = game.players.filter((player) => rounds.some((round) => round.votes.some((votes) => votes.seat === player.seat)));
  table($("matrix"), head, stood.map((player) => row(`${player.seat} ${player.name}`, ...rounds.map((round) => {
    const votes = round.votes.find((counted) => counted.seat === player.seat);
    if (!votes) return make("td", {}, "·");
    const heat = Math.round((100 * votes.votes) / most);
    const cell = make("td", { className: ["some", heat > 55 && "hot", last(round) && round.out.includes(player.seat) && "out"].filter(Boolean).join(" ") }, String(votes.votes));
    cell.style.setProperty("--heat", `${heat > 55 ? Math.max(heat, 90) : Math.round(heat * 0.45)}%`);
    return cell;
  }))));
  const byName = rounds.filter((round) => round.ballots.length);
  $("named").hidden = !byName.length;
  table($("ballots"), ["Кто", ...byName.map((round) => `день ${round.day}${round.number > 1 ? `, тур ${round.number}` : ""}`)],
    game.players.map((player) => row(`${player.seat} ${player.name}`, ...byName.map((round) => {
      const mine = round.ballots.filter((ballot) => ballot.voter === player.seat);
      return make("td", {}, mine.map((ballot) => ballot.candidate ?? "пас").join(" → ") || "·");
    }))));
}

function drawBars(game) {
  const speeches = game.days.flatMap((day) => day.speeches).filter((speech) => speech.used);
  const sum = (seat) => speeches.filter((speech) => speech.seat === seat).reduce((total, speech) => total + speech.used, 0);
  const most = Math.max(1, ...game.players.map((player) => sum(player.seat)));
  $("bars").replaceChildren(...game.players.map((player) => {
    const bar = make("span", { className: "bar", "aria-hidden": "true" });
    for (const speech of speeches.filter((said) => said.seat === player.seat)) {
      for (const [seconds, kind] of [[speech.used - speech.over, ""], [speech.over, "over"]]) {
        if (seconds <= 0) continue;
        const piece = make("i", { className: kind, title: clock(seconds) });
        piece.style.width = `${(98 * seconds) / most}%`;
        bar.append(piece);
      }
    }
    return make("li", {}, make("span", { className: "name" }, `${player.seat} ${player.name}`), bar, make("span", { className: "sum" }, sum(player.seat) ? clock(sum(player.seat)) : "0:00"));
  }));
}

async function draw() {
  const answer = await fetch("/game/protocol.json");
  $("none").hidden = answer.ok;
  $("all").hidden = !answer.ok;
  if (!answer.ok) return;
  const game = await answer.json();
  $("title").textContent = WON[game.winner] || "Итоги игры";
  const when = game.started ? new Date(game.started).toLocaleString("ru", { dateStyle: "long", timeStyle: "short" }) : "";
  const minutes = Math.max(1, Math.round(game.seconds / 60));
  $("facts").textContent = [when, RULES[game.rules.key], `игроков: ${game.players.length}`, `${minutes} мин`].filter(Boolean).join(" · ");
  drawPlayers(game);
  drawLine(game);
  drawVotes(game);
  drawBars(game);
}

themes();
$("print").addEventListener("click", () => print());
draw();
