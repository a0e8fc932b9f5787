// Keys: parts with j and k, filter with /, theme with d, metrics with ?, nothing selected with Escape, paper with Ctrl P.
function makeKeys(app) {
  const parts = [...document.querySelectorAll("main > section")];
  const links = new Map([...document.querySelectorAll("nav a")].map(link => [link.hash.slice(1), link]));
  const go = step => {
    const here = parts.findLastIndex(part => part.getBoundingClientRect().top < 90);
    parts[Math.max(0, Math.min(parts.length - 1, here + step))]?.scrollIntoView();
  };
  addEventListener("keydown", event => {
    if ((event.ctrlKey || event.metaKey) && event.key === "p") {
      event.preventDefault();
      app.print();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || byId("glossary").open) return;
    if (event.target.matches("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const done = {
      j: () => go(1), k: () => go(-1), d: () => byId("theme").click(), "?": () => app.glossary.show(), Escape: () => app.hub.select(-1),
      "/": () => { byId("filter")?.focus(); byId("filter")?.closest("section").scrollIntoView(); },
    }[event.key];
    if (!done) return;
    event.preventDefault();
    done();
  });
  const watcher = new IntersectionObserver(() => {
    const here = parts.findLast(part => part.getBoundingClientRect().top < 120) ?? parts[0];
    for (const [id, link] of links) id === here?.id ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
  }, {threshold: [0, 0.1, 0.5, 1]});
  for (const part of parts) watcher.observe(part);
}
