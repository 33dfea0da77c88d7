// Nothing typed is lost: every change goes to this browser's storage at once and to the server soon after. The same
// call keeps the claim alive. A lost connection, an expired session or a lost place is said, never hidden.

const SOON_MS = 1200;
const BEAT_MS = 60_000;
const RETRY_MS = 8000;

const cookie = (name) => document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);

export function keepDraft(form, read, write) {
  const key = `review:${form.dataset.item}`;
  const status = document.getElementById("review-status");
  const clock = form.elements.seconds;
  let revised = Number(form.dataset.revised) || 0;
  let timer = 0;

  const say = (text, isBad = false) => {
    if (!status) return;
    status.textContent = text;
    status.classList.toggle("bad", isBad);
  };

  function store() {
    revised = Math.max(Date.now(), revised + 1);
    try { localStorage.setItem(key, JSON.stringify({ revised, fields: read() })); } catch { /* the server keeps it */ }
    say(form.dataset.saving);
    clearTimeout(timer);
    timer = setTimeout(send, SOON_MS);
  }

  // A sign-in in another tab changes the token: the cookie's is the one that holds.
  function freshToken() {
    const token = cookie("csrftoken");
    if (token) form.elements.csrfmiddlewaretoken.value = token;
    return form.elements.csrfmiddlewaretoken.value;
  }

  async function send() {
    clearTimeout(timer);
    timer = setTimeout(send, BEAT_MS);
    try {
      const response = await fetch(form.dataset.draft, {
        method: "POST",
        credentials: "same-origin",
        headers: { "Content-Type": "application/json", "X-CSRFToken": freshToken() },
        body: JSON.stringify({ revised_ms: revised, fields: read() }),
      });
      if (response.status === 401 || response.status === 403) return fail(form.dataset.signedOut);
      if (!response.ok) return fail(form.dataset.offline);
      const answer = await response.json();
      if (answer.claimed_until || form.elements.again) say(form.dataset.saved);
      else say(form.dataset.lost, true);
      return true;
    } catch {
      return fail(form.dataset.offline);
    }
  }

  function fail(text) {
    say(text, true);
    clearTimeout(timer);
    timer = setTimeout(send, RETRY_MS);
    return false;
  }

  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "null");
    if (kept && kept.revised > revised) { write(kept.fields); revised = kept.revised; clock.value = kept.fields.seconds ?? ""; }
  } catch { /* what cannot be read is no draft */ }

  form.addEventListener("input", store);
  form.addEventListener("review-change", store);
  setInterval(() => { if (!document.hidden) clock.value = Number(clock.value || 0) + 1; }, 1000);
  timer = setTimeout(send, BEAT_MS);
  window.addEventListener("online", send);

  // Handing in waits until the server answers: on an expired session the page, and all that is typed, stays.
  let isChecked = false;
  form.addEventListener("submit", async (event) => {
    if (isChecked) return;
    event.preventDefault();
    const button = event.submitter;
    if (!(await send())) return;
    isChecked = true;
    clearTimeout(timer);
    try { localStorage.removeItem(key); } catch { /* nothing was there */ }
    form.requestSubmit(button ?? undefined);
  });
}
