// Keys: tabs or sections with j and k, filter with /, theme with d, metrics with ?, no selection with Escape, print with Ctrl P, a link with c.
function makeKeys(app) {
  const sections = [...document.querySelectorAll("main > section")];
  const links = new Map([...document.querySelectorAll("nav a")].map(link => [link.hash.slice(1), link]));
  const go = step => {
    if (app.tabs) {
      const {names} = app.tabs, at = names.indexOf(app.tabs.current()) + step;
      if (names[at]) app.tabs.choose(names[at]);
      return;
    }
    const here = sections.findLastIndex(section => section.getBoundingClientRect().top < 90);
    sections[Math.max(0, Math.min(sections.length - 1, here + step))]?.scrollIntoView();
  };
  // The selected layer first, then what is marked.
  function clear() {
    if (app.hub.layer >= 0) { app.hub.select(-1); return; }
    app.layers?.filter("");
    app.hub.mark([]);
    app.address.write({filter: "", finding: "", chart: ""});
    for (const old of document.querySelectorAll(".target")) old.classList.remove("target");
  }
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
    const action = {
      j: () => go(1), k: () => go(-1), d: () => byId("theme").click(), "?": () => app.glossary?.show(), Escape: clear, c: app.copyLink,
      "/": () => { if (!byId("filter")) return; app.tabs?.showFor(byId("filter")); byId("filter").focus(); byId("filter").closest("section").scrollIntoView(); },
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  const watcher = new IntersectionObserver(() => {
    const here = sections.findLast(section => section.getBoundingClientRect().top < 120 && links.has(section.id)) ?? sections[0];
    for (const [id, link] of links) id === here?.id ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
  }, {threshold: [0, 0.1, 0.5, 1]});
  for (const section of sections) watcher.observe(section);
}
