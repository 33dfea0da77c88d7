// Search in the reply, and the place of a part's evidence: ranges highlighted by the browser, so that the text and its
// offsets stay as they are. Where it cannot highlight, the hit is selected instead.

const reply = document.getElementById("reply-text");
const canHighlight = "highlights" in CSS;

// All places of `words` in the reply as ranges; white space counts as one blank and case does not matter.
function findAll(words) {
  const wanted = words.replace(/\s+/g, " ").trim().toLowerCase();
  if (!wanted || !reply) return [];
  const nodes = [];
  let text = "";
  const walker = document.createTreeWalker(reply, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest("annotation")) continue;
    nodes.push([text.length, node]);
    text += node.data.replace(/\s/g, " ").toLowerCase();
  }
  const pattern = new RegExp(wanted.split(" ").map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(" +"), "gu");
  const place = (offset, isEnd) => {
    let index = nodes.length - 1;
    while (index > 0 && (isEnd ? nodes[index][0] >= offset : nodes[index][0] > offset)) index -= 1;
    return [nodes[index][1], Math.min(offset - nodes[index][0], nodes[index][1].length)];
  };
  return [...text.matchAll(pattern)].map((match) => {
    const range = new Range();
    range.setStart(...place(match.index, false));
    range.setEnd(...place(match.index + match[0].length, true));
    return range;
  });
}

function paint(name, ranges) {
  if (!canHighlight) return;
  if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
  else CSS.highlights.delete(name);
}

const scrollTo = (range) => range?.startContainer.parentElement.scrollIntoView({ block: "center" });

export function showEvidence(words) {
  paint("reply-evidence", findAll(words).slice(0, 1));
}

export function searchReply() {
  const form = document.querySelector(".review-search");
  if (!form) return;
  form.hidden = false;
  const field = form.querySelector("input");
  const count = form.querySelector("output");
  let hits = [];
  let here = 0;

  function show(step) {
    here = hits.length ? (here + step + hits.length) % hits.length : 0;
    paint("reply-hit", hits);
    paint("reply-here", hits.slice(here, here + 1));
    count.textContent = field.value.trim() ? `${hits.length ? here + 1 : 0} / ${hits.length}` : "";
    if (!hits.length) return;
    scrollTo(hits[here]);
    if (!canHighlight) document.getSelection().setBaseAndExtent(hits[here].startContainer, hits[here].startOffset, hits[here].endContainer, hits[here].endOffset);
  }

  field.addEventListener("input", () => { hits = findAll(field.value); here = 0; show(0); });
  form.addEventListener("submit", (event) => { event.preventDefault(); show(1); });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); show(-1); }
  });
}
