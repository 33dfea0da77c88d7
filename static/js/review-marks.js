// Evidence by selecting words: what is selected in the reply goes into a part's evidence field.

import { showEvidence } from "./review-search.js";

// A formula is quoted by its source, as it stands in the reply.
function selectedWords() {
  const selection = document.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return "";
  const piece = selection.getRangeAt(0).cloneContents();
  for (const math of piece.querySelectorAll("math")) {
    math.replaceWith(`$${math.querySelector("annotation")?.textContent ?? math.textContent}$`);
  }
  return piece.textContent.replace(/\s+/g, " ").trim();
}

export function mark(field, changed) {
  const words = selectedWords();
  if (!words || !field) return;
  field.value = words;
  changed();
  showEvidence(words);
}

export function offerMarking(form, changed) {
  for (const button of form.querySelectorAll(".mark-evidence")) {
    button.hidden = false;
    button.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the selection
    button.addEventListener("click", () => mark(button.parentElement.querySelector("input"), changed));
  }
}
