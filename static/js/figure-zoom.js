// A figure opens over the page on click or Enter; without scripts its link opens the picture itself.

const dialog = document.createElement("dialog");
dialog.className = "zoomed";
const closer = document.createElement("form");
closer.method = "dialog";
const button = document.createElement("button");
button.className = "button quiet";
const picture = document.createElement("img");
const caption = document.createElement("p");
closer.append(button);
dialog.append(closer, picture, caption);
document.body.append(dialog);

function open(link) {
  const thumbnail = link.querySelector("img");
  picture.src = link.href;
  picture.alt = thumbnail?.alt ?? "";
  caption.textContent = link.closest("figure")?.querySelector("figcaption")?.textContent.trim() ?? "";
  button.textContent = link.dataset.close ?? "×";
  dialog.showModal();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.figure-zoom");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open(link);
});

// A second click on the picture shows it at its own size, a click beside it closes.
picture.addEventListener("click", () => picture.classList.toggle("full"));
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
dialog.addEventListener("close", () => picture.classList.remove("full"));
