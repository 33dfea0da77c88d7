// A copied formula is its LaTeX. A selection over several copies as text with each formula in its dollars;
// one that begins within a formula takes all of it. Without scripts the browser copies what it sees.

const SOURCE = "annotation[encoding='application/x-tex']";

function latexOf(math) {
  const source = math.querySelector(SOURCE)?.textContent.trim();
  if (!source) return null;
  return math.getAttribute("display") === "block" ? `\\[${source}\\]` : `$${source}$`;
}

function widen(range) {
  const first = closestMath(range.startContainer);
  const last = closestMath(range.endContainer);
  if (first) range.setStartBefore(first);
  if (last) range.setEndAfter(last);
  return range;
}

const closestMath = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement)?.closest("math");

function textOf(range) {
  const holder = document.createElement("div");
  holder.append(range.cloneContents());
  for (const math of holder.querySelectorAll("math")) math.replaceWith(latexOf(math) ?? math.textContent);
  for (const gutter of holder.querySelectorAll(".gutter")) gutter.remove();
  // Rendered outside the page, so that blocks keep their line breaks.
  holder.className = "visually-hidden";
  document.body.append(holder);
  const text = holder.innerText;
  holder.remove();
  return text;
}

document.addEventListener("copy", (event) => {
  const selection = document.getSelection();
  if (!selection?.rangeCount || selection.isCollapsed || event.target.closest?.("input, textarea")) return;
  const range = widen(selection.getRangeAt(0).cloneRange());
  if (!range.cloneContents().querySelector("math")) return;
  event.clipboardData.setData("text/plain", textOf(range).trim());
  event.preventDefault();
});
