// The address names what is shown, so that links, the back button and a reload find it: #tab=layers&filter=type=Pooling&layer=conv1
// show: the number of the graphs and the table that the menu chose.
function makeAddress(app, model) {
  const PARTS = ["tab", "show", "filter", "layer", "chart", "finding"], nameOf = row => model.by?.("Name")?.read(row);
  let named = new Map(), rows;

  // Layers by their names, null where names repeat, of the table that is shown.
  function layersByName() {
    if (rows === model.rowOf) return named;
    rows = model.rowOf;
    named = new Map();
    for (const [layer, row] of rows ?? []) {
      const name = nameOf(row);
      if (name !== undefined) named.set(name, named.has(name) ? null : layer);
    }
    return named;
  }

  function read() {
    const parts = {};
    for (const part of location.hash.slice(1).split("&")) {
      const [name, ...rest] = part.split("=");
      if (!PARTS.includes(name)) continue;
      try { parts[name] = decodeURIComponent(rest.join("=")); } catch { /* no address of ours */ }
    }
    return parts;
  }

  // changes: parts by name, "" for none. isTyped: no step of the back button.
  function write(changes, isTyped = false) {
    const parts = {...read(), ...changes};
    if (parts.tab === app.tabs?.names[0]) delete parts.tab;
    const words = PARTS.filter(name => parts[name]).map(name => `${name}=${encodeURIComponent(parts[name]).replaceAll("%3D", "=")}`).join("&");
    if (`#${words}` === (location.hash || "#")) return;
    try {
      history[isTyped ? "replaceState" : "pushState"](null, "", words ? `#${words}` : location.href.split("#")[0]);
    } catch { /* in a frame that has no address of its own */ }
  }

  // A number where names repeat or are digits.
  const layerOf = words => words === undefined ? -1 : /^\d+$/.test(words) && model.rowOf?.has(Number(words)) ? Number(words) : layersByName().get(words) ?? -1;
  function wordsOf(layer) {
    const row = model.rowOf?.get(layer), name = row === undefined ? "" : nameOf(row);
    return row === undefined || (layersByName().get(name) === layer && !/^\d+$/.test(name)) ? name : String(layer);
  }

  // Opens the tab and the folded section of an element, and brings it into view.
  function reveal(element) {
    app.tabs?.showFor(element);
    const folded = element.closest("section.folded")?.querySelector("details");
    if (folded) folded.open = true;
    element.scrollIntoView({block: element.matches("figure, li") ? "center" : "start"});
  }

  async function apply() {
    const parts = read();
    if (app.choose && !await app.choose(parts.show)) return;
    const target = parts.chart ? byId(`chart-${parts.chart}`) : parts.finding ? byId(`finding-${parts.finding}`) : null;
    const anchor = target ?? (Object.keys(parts).length ? null : location.hash.length > 1 ? byId(location.hash.slice(1)) : null);
    for (const old of document.querySelectorAll(".target")) old.classList.remove("target");
    app.tabs?.show(parts.tab && app.tabs.names.includes(parts.tab) ? parts.tab : anchor ? app.tabs.current() : app.tabs.names[0]);
    app.layers?.filter(parts.filter ?? "");
    app.hub.select(layerOf(parts.layer));
    if (parts.finding && target) app.hub.mark(target.dataset.layers.split(",").filter(Boolean).map(Number));
    if (!anchor) return;
    reveal(anchor);
    if (!target) return;
    target.classList.add("target");
    target.tabIndex = -1;
    target.focus({preventScroll: true});
  }

  app.hub.listen(["address", layer => write({layer: wordsOf(layer)})]);
  addEventListener("hashchange", apply);
  // The link of what has the focus or is under the pointer, else of all that is shown.
  app.copyLink = () => {
    const near = document.querySelector("main figure:hover, main .findings li:hover") ?? document.activeElement.closest("main figure, main .findings li");
    const [kind, ...name] = (near?.id ?? "").split("-");
    const link = kind === "chart" || kind === "finding" ? `${location.href.split("#")[0]}#${kind}=${encodeURIComponent(name.join("-"))}` : location.href;
    navigator.clipboard?.writeText(link).catch(() => {});  // refused: the page has no focus
    byId("status").textContent = "copied the link";
    byId("copied").hidden = false;
    setTimeout(() => { byId("copied").hidden = true; }, 1500);
    return link;
  };
  return {apply, read, write};
}
