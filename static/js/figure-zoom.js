// A figure opens over the page on click or Enter; without scripts its link opens the picture itself.

const dialog = document.getElementById("figure-zoom");
const larger = dialog.querySelector("[aria-pressed]");
const caption = dialog.querySelector("p");
const picture = new Image();
caption.before(picture);

function enlarge(isLarge) {
  picture.classList.toggle("full", isLarge);
  larger.ariaPressed = isLarge;
}

function open(link) {
  picture.src = link.href;
  picture.alt = link.querySelector("img")?.alt ?? "";
  dialog.ariaLabel = picture.alt;
  caption.textContent = link.closest("figure")?.querySelector("figcaption")?.textContent.trim() ?? "";
  enlarge(false);
  dialog.showModal();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.figure-zoom");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open(link);
});

// The picture itself is a second way to the button; a click beside it closes. Arrow keys scroll what is larger.
for (const target of [larger, picture]) target.addEventListener("click", () => enlarge(larger.ariaPressed !== "true"));
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
