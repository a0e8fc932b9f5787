// Tabs: one panel at a time; the first shows graphs and tables to browse, too. Arrows, Home and End go from tab to tab.
function makeTabs(app) {
  const list = document.querySelector("[role=tablist]"), tabs = [...list.children], tops = new Map();
  const nameOf = tab => tab.id.slice("tab-".length), names = tabs.map(nameOf), panels = names.map(name => byId(`panel-${name}`));
  let current = "";

  function show(name) {
    if (!names.includes(name) || name === current) return;
    tops.set(current, scrollY);
    current = document.body.dataset.tab = name;
    for (const [at, tab] of tabs.entries()) {
      const isHere = names[at] === name, isShown = isHere || (name === names[0] && "first" in panels[at].dataset);
      tab.setAttribute("aria-selected", isHere);
      tab.tabIndex = isHere ? 0 : -1;
      // Found by the browser's own search, which then opens the tab.
      if (isShown) panels[at].removeAttribute("hidden"); else panels[at].setAttribute("hidden", "until-found");
    }
    const tab = tabs[names.indexOf(name)];
    list.scrollLeft = tab.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2;
    scrollTo({top: tops.get(name) ?? 0, behavior: "instant"});
  }

  const choose = name => {
    show(name);
    app.address.write({tab: name, chart: "", finding: ""});
  };
  list.addEventListener("click", event => { if (event.target.role === "tab") choose(nameOf(event.target)); });
  list.addEventListener("keydown", event => {
    const here = names.indexOf(current), to = {ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: names.length - 1}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const at = (to + names.length) % names.length;
    choose(names[at]);
    tabs[at].focus();
  });
  // Something in a hidden panel was found by the browser's search, or is the target of the address.
  for (const panel of panels) panel.addEventListener("beforematch", () => {
    const name = names[panels.indexOf(panel)];
    show(name);
    if (!byId(location.hash.slice(1))) app.address?.write({tab: name}, true);
  });
  return {
    names, choose, show, current: () => current,
    showFor: element => { const panel = element.closest("[role=tabpanel]"); if (panel?.hidden) show(names[panels.indexOf(panel)]); },
  };
}
