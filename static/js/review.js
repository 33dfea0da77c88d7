// The marking form: number keys give points, j k walk the parts, m marks the selected words, u undoes. All of it works
// by pointer and without scripts too; what is typed is kept by review-draft.js.

import { keepDraft } from "./review-draft.js";
import { mark, offerMarking } from "./review-marks.js";
import { searchReply, showEvidence } from "./review-search.js";

const form = document.getElementById("review-form");
const parts = [...form.querySelectorAll(".review-part")];
const past = [];
let at = Math.max(0, parts.findIndex((part) => part.getAttribute("aria-invalid") === "true"));
let before = read();

export function read() {
  const fields = Object.fromEntries(new FormData(form));
  delete fields.csrfmiddlewaretoken;
  return fields;
}

export function write(fields) {
  for (const control of form.elements) {
    if (!control.name || ["csrfmiddlewaretoken", "again", "seconds"].includes(control.name)) continue;
    const value = fields[control.name] ?? "";
    if (control.type === "radio") control.checked = control.value === value;
    else control.value = value;
  }
}

function moveTo(index, scrolls = true) {
  at = Math.max(0, Math.min(parts.length - 1, index));
  parts.forEach((part, n) => part.classList.toggle("current", n === at));
  parts[at]?.classList.add("seen"); // opens below the points and never closes: what one clicks must not move away
  if (scrolls) parts[at]?.scrollIntoView({ block: "nearest" });
  showEvidence(parts[at]?.querySelector("[name^='evidence-']")?.value ?? "");
}

function changed() {
  past.push(before);
  before = read();
  form.dispatchEvent(new CustomEvent("review-change"));
}

function undo() {
  const fields = past.pop();
  if (!fields) return;
  write(fields);
  before = read();
  form.dispatchEvent(new CustomEvent("review-change"));
}

function givePoints(digit) {
  const option = parts[at]?.querySelector(`[data-digit="${digit}"]`);
  if (!option) return;
  option.checked = true;
  parts[at].querySelector("[name^='other-']").value = "";
  changed();
  moveTo(at + 1);
}

const [next, previous] = [() => moveTo(at + 1), () => moveTo(at - 1)];
const ACTIONS = {
  j: next, ArrowDown: next, k: previous, ArrowUp: previous, u: undo,
  m: () => mark(parts[at]?.querySelector("[name^='evidence-']"), changed),
  c: () => parts[at]?.querySelector("textarea").focus(),
  "/": () => document.getElementById("reply-search").focus(),
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return void form.requestSubmit();
  const isTyping = event.target.closest("textarea, select, input:not([type=radio])");
  if (event.key === "Escape" && isTyping) return void event.target.blur();
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.type === "radio" && event.key.startsWith("Arrow")) return;
  if (/^\d$/.test(event.key)) givePoints(event.key);
  else if (ACTIONS[event.key]) ACTIONS[event.key]();
  else return;
  event.preventDefault();
});

offerMarking(form, changed);
form.querySelector("#undo").hidden = false;
form.querySelector("#undo").addEventListener("click", undo);
form.addEventListener("input", (event) => {
  const part = event.target.closest(".review-part");
  if (event.target.type === "radio" && part) part.querySelector("[name^='other-']").value = "";
  if (event.target.name?.startsWith("other-") && event.target.value) {
    for (const radio of part.querySelectorAll("[type=radio]")) radio.checked = false;
  }
});
form.addEventListener("change", changed);
form.addEventListener("focusin", (event) => {
  const index = parts.indexOf(event.target.closest(".review-part"));
  if (index >= 0 && index !== at) moveTo(index, false); // a scroll between press and release would lose the click
});

form.classList.add("scripted");
searchReply();
if (form.dataset.draft) keepDraft(form, read, (fields) => { write(fields); before = read(); });
moveTo(at);
