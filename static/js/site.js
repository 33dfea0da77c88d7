// Small comforts on every page. Each works on what it finds and none is needed: pages are whole without them.

import { cycleTheme, labelTheme } from "./theme-switch.js";

const themeSwitch = document.querySelector(".theme-switch");
if (themeSwitch) {
  labelTheme(themeSwitch);
  themeSwitch.hidden = false;
  themeSwitch.addEventListener("click", () => cycleTheme(themeSwitch));
}

// A filter applies itself on change; its button is then only in the way.
for (const form of document.querySelectorAll("form[data-autosubmit]")) {
  form.addEventListener("change", () => form.requestSubmit());
  for (const button of form.querySelectorAll("[data-autosubmit-fallback]")) button.hidden = true;
}

// A menu closes on Escape and on a click elsewhere.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector("details.menu[open]");
  if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
});
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

// Copy buttons carry the text, or the id of the element that holds it.
for (const button of document.querySelectorAll("button[data-copy], button[data-copy-from]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = button.dataset.copy ?? document.getElementById(button.dataset.copyFrom)?.textContent ?? "";
    const label = button.textContent;
    await navigator.clipboard.writeText(source.trim());
    button.textContent = button.dataset.copied ?? label;
    setTimeout(() => { button.textContent = label; }, 1600);
  });
}

// What scrolls sideways can be scrolled by keyboard; a turned telephone or an opened fold may make it scroll later.
const scrolling = new ResizeObserver((boxes) => {
  for (const { target } of boxes) if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
});
for (const box of document.querySelectorAll(".math-block, .math-wide, .scroll, .board-scroll")) scrolling.observe(box);

if (document.querySelector("a.figure-zoom")) import("./figure-zoom.js");
if (document.querySelector("[data-shortcuts]")) import("./shortcuts.js");
if (document.querySelector("a.citation, a.place")) import("./evidence.js");
if (document.querySelector("math")) import("./copy-latex.js");
if (document.querySelector("[data-poll]")) import("./live.js");
if (document.querySelector("form[data-submit-form]")) import("./submit.js");
