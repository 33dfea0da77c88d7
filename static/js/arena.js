// The arena without waiting: a vote is sent in place, and the next battle is fetched while this one is read.
// Without this script the same forms and links do the same with whole pages.

let ahead = null; // the promised next battle
let busy = false;

const current = () => document.getElementById("battle");

async function fetchBattle(address, options = {}) {
  const response = await fetch(address, { credentials: "same-origin", ...options });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return page.getElementById("battle") ?? page.getElementById("content")?.firstElementChild?.parentElement ?? null;
}

function fetchAhead() {
  const battle = current();
  if (!battle?.dataset.after) return;
  const address = new URL(battle.dataset.next, location.href);
  address.searchParams.set("after", battle.dataset.after);
  ahead = fetchBattle(address).then((next) => {
    for (const image of next?.querySelectorAll("img") ?? []) new Image().src = image.src; // on hand when it is shown
    return next?.dataset.after ? next : null;
  }).catch(() => null);
}

function show(battle) {
  current().replaceWith(document.adoptNode(battle));
  window.scrollTo({ top: Math.max(0, current().getBoundingClientRect().top + scrollY - 16) });
  document.getElementById("battle-title")?.focus({ preventScroll: true });
  if (current().querySelector("a.figure-zoom")) import("./figure-zoom.js");
}

async function send(form, button) {
  if (busy) return; // a double click votes once; the server holds to that too
  busy = true;
  current().classList.add("busy");
  try {
    const isSkip = button?.value === "skip";
    const answer = await fetchBattle(form.action, { method: "POST", body: new FormData(form, button) });
    if (!answer) throw new Error("no battle in the answer");
    show(answer);
    if (isSkip) fetchAhead();
  } catch {
    current().classList.remove("busy");
    const status = current().querySelector(".battle-status");
    if (status) status.textContent = status.dataset.offline;
  }
  busy = false;
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches(".vote, .battle-reference")) return;
  event.preventDefault();
  send(event.target, event.submitter);
});

document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a.battle-next");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const next = await ahead;
  if (!next) return void location.assign(link.href);
  show(next);
  fetchAhead();
});

if (current() && !("revealed" in current().dataset)) fetchAhead();
