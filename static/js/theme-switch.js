// The theme goes round: system, light, dark. The choice is kept in this browser only.

const ORDER = ["auto", "light", "dark"];

const current = () => document.documentElement.dataset.theme ?? "auto";

function remember(theme) {
  try {
    if (theme === "auto") localStorage.removeItem("theme");
    else localStorage.setItem("theme", theme);
  } catch {
    // Without storage the choice holds for this page.
  }
}

export function labelTheme(button) {
  button.querySelector(".theme-label").textContent = button.title = button.dataset[current()];
}

export function cycleTheme(button) {
  const theme = ORDER[(ORDER.indexOf(current()) + 1) % ORDER.length];
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  remember(theme);
  labelTheme(button);
}
