// Keys of the reply page and the review queue. A page names its links: <a data-key="n" href=…>; the rest is found by class.
//   j k  next, previous criterion      e  its evidence in the reply      ?  the list of keys
//   any other key in data-key: follows that link (n p model, [ ] attempt), or focuses that field

const rows = [...document.querySelectorAll(".criterion")];
let at = -1;

function moveTo(index) {
  if (!rows.length) return;
  at = Math.max(0, Math.min(rows.length - 1, index));
  rows[at].tabIndex = -1;
  rows[at].focus();
  rows[at].scrollIntoView({ block: "nearest" });
}

const showEvidence = () => rows[Math.max(at, 0)]?.querySelector("a.citation, a.place")?.click();

function toggleHelp() {
  const help = document.getElementById("shortcuts");
  if (help instanceof HTMLDialogElement) help.open ? help.close() : help.showModal();
}

function follow(key) {
  const target = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!target) return false;
  if (target.matches("a[href], button, summary")) target.click();
  else target.focus();
  return true;
}

const ACTIONS = { j: () => moveTo(at + 1), k: () => moveTo(at - 1), e: showEvidence, "?": toggleHelp };

document.addEventListener("focusin", (event) => {
  const row = event.target.closest?.(".criterion");
  if (row) at = rows.indexOf(row);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const action = ACTIONS[event.key];
  if (action) action();
  else if (!follow(event.key)) return;
  event.preventDefault();
});
