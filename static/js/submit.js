// The submit forms refresh what depends on a choice, without losing anything typed: the benchmark's own fields, what
// the run would send or the file's template (data-follows), and what the endpoint answers. Without scripts the same
// buttons send the whole form.

const form = document.querySelector("form[data-submit-form]");
const SECRETS = ["api_key", "judge_api_key"];
let turn = 0;

function replace(id, text) {
  const fresh = new DOMParser().parseFromString(text, "text/html").getElementById(id);
  if (fresh) document.getElementById(id).replaceWith(fresh);
}

async function refresh(part) {
  const mine = ++turn;
  const data = new FormData(form);
  for (const name of [...SECRETS, "csrfmiddlewaretoken", "file"]) data.delete(name);
  data.set("part", part);
  const response = await fetch(`${form.action}?${new URLSearchParams(data)}`, { credentials: "same-origin" });
  if (response.ok && mine === turn) replace(part, await response.text());
}

async function check(button) {
  const data = new FormData(form);
  data.set("act", "check");
  data.set("part", "endpoint");
  button.disabled = true;
  try {
    const response = await fetch(form.action, { method: "POST", body: data, credentials: "same-origin" });
    replace("endpoint-report", await response.text());
  } finally {
    button.disabled = false;
  }
}

form.addEventListener("change", (event) => {
  if (event.target.name === "benchmark") refresh("choices");
  else if (event.target.closest("#choices")) refresh(form.dataset.follows);
});
form.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-check]");
  if (!button) return;
  event.preventDefault();
  check(button);
});
// Enter in a field starts the run, not the first button of the form.
form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
  event.preventDefault();
  form.requestSubmit(form.querySelector("button[value=submit]"));
});
for (const box of form.querySelectorAll("[data-script-hides]")) box.hidden = true;
