// Pointing at a quote, or focusing it, lights the place in the reply; pointing at the place lights its criterion.

function light(link, on) {
  const id = decodeURIComponent(link.hash.slice(1));
  document.getElementById(id)?.classList.toggle("lit", on);
}

const LINKS = "a.citation[href^='#'], a.place[href^='#'], a.gutter[href^='#']";
for (const [start, end] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
  for (const [name, on] of [[start, true], [end, false]]) {
    document.addEventListener(name, (event) => {
      const link = event.target.closest?.(LINKS);
      if (link) light(link, on);
    });
  }
}
