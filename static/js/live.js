// Live parts: <section data-poll="/runs/…/?part=progress" data-every="2000"> is replaced by what that address returns,
// until an answer comes without data-poll: the run has ended, and all that the page says of it changes at once, so the
// page is loaded anew. A failed call waits longer and tries again; a hidden tab does not ask.

const MAX_WAIT_MS = 30_000;

async function load(section) {
  const response = await fetch(section.dataset.poll, { headers: { "HX-Request": "true" }, credentials: "same-origin" });
  if (!response.ok) throw new Error(`${response.status}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return page.querySelector(`#${CSS.escape(section.id)}`);
}

function watch(section) {
  const every = Number(section.dataset.every) || 2000;
  let wait = every;

  async function turn() {
    if (document.hidden) return void setTimeout(turn, wait);
    try {
      const fresh = await load(section);
      wait = every;
      section.classList.remove("stale");
      if (!fresh) return;
      if (!fresh.dataset.poll) return void location.reload();
      section.replaceWith(fresh);
      section = fresh;
    } catch {
      wait = Math.min(wait * 2, MAX_WAIT_MS);
      section.classList.add("stale");
    }
    setTimeout(turn, wait);
  }
  setTimeout(turn, wait);
}

for (const section of document.querySelectorAll("[data-poll]")) watch(section);
