// The PIN form of the moderator's page and of the box: shown while this browser has no session.
import { $, post } from "/static/common.js";

const WHY = { wrong: "Код не подошёл.", wait: "Слишком много попыток. Подождите" };

export function login(entered) {
  const form = $("login");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const answer = await post("/login", { pin: $("pin").value.replace(/\D/g, "") });
    $("pin").value = "";
    if (answer.ok) {
      form.hidden = true;
      $("page").hidden = false;
      entered();
      return;
    }
    const told = answer.status === 429 || answer.status === 403 ? await answer.json() : {};
    const wait = told.wait ? ` ${told.wait} с.` : "";
    $("why").textContent = told.reason ? WHY[told.reason] + wait : "Введите шесть цифр кода.";
    $("pin").focus();
  });
  return function denied() {
    form.hidden = false;
    $("page").hidden = true;
    $("pin").focus();
  };
}
