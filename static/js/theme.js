// Loaded before the first paint: applies the remembered theme, so that no page flashes in the wrong one.
(() => {
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be blocked; the system's theme is then the right one.
  }
})();
