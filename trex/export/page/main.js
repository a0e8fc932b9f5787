// The page: its parts in the order in which people see them; a small page has few of them.
async function start() {
  const app = window.trex = {hub: makeHub(), ready: false};
  makeTheme(app);
  if (typeof makeGraph === "function") app.graph = makeGraph(app);
  if (typeof makeCharts === "function") app.charts = makeCharts(app);
  const model = app.model = typeof readTable === "function" ? readTable(JSON.parse(await unpacked("data-table-0"))) : {columns: []};
  if (typeof makeGlossary === "function") app.glossary = makeGlossary(model);
  if (typeof makePanel === "function") makePanel(app, model);
  if (typeof makeDetails === "function") makeDetails(app);
  if (typeof makeLists === "function") app.lists = makeLists(app);
  if (typeof makeBrowser === "function") app.layers = makeBrowser(app, model);
  makeAddress(app, model);
  makeKeys(app);
  // A menu chooses which of several graphs and tables are shown.
  const menu = byId("choose");
  if (menu) menu.onchange = () => {
    app.hub.select(-1);
    return Promise.all([app.graph?.open(Number(menu.value)), app.layers?.open(Number(menu.value))]);
  };
  // A link to a folded section, or to a chart in it, opens it.
  const unfold = () => {
    const target = location.hash && byId(location.hash.slice(1)), folded = target?.closest?.("section.folded")?.querySelector("details");
    if (!folded || folded.open) return;
    folded.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  unfold();
  // All sections are open on paper. All charts are drawn first; the browser's own menu prints those that have been in view.
  let opened = [];
  const unfoldAll = () => { for (const folded of document.querySelectorAll("main > section.folded > details:not([open])")) { folded.open = true; opened.push(folded); } };
  app.print = () => { unfoldAll(); return Promise.resolve(app.charts?.drawAll()).then(() => print()); };
  if (byId("print")) byId("print").onclick = app.print;
  addEventListener("beforeprint", () => { unfoldAll(); app.charts?.toPaper(); });
  addEventListener("afterprint", () => { for (const folded of opened) folded.open = false; opened = []; app.charts?.toWindow(); });
  app.readyAfter = performance.now();
  app.ready = true;
}

// The address names the selected layer, so that links, the back button and a reload find it; a number where names repeat.
function makeAddress(app, model) {
  const MARK = "#layer=", named = new Map(), name = row => model.by("Name")?.read(row), isHere = () => location.hash.startsWith(MARK);
  for (const [layer, row] of model.rowOf ?? []) named.set(name(row), named.has(name(row)) ? null : layer);
  const read = () => {
    let words = location.hash.slice(MARK.length);
    try { words = decodeURIComponent(words); } catch { return -1; }
    return named.get(words) ?? (/^\d+$/.test(words) && model.rowOf?.has(Number(words)) ? Number(words) : -1);
  };
  app.hub.listen(["address", layer => {
    const row = model.rowOf?.get(layer);
    if (row === undefined) { if (isHere() && location.hash !== MARK) location.hash = MARK; }
    else if (!isHere() || read() !== layer) location.hash = MARK + encodeURIComponent(named.get(name(row)) === layer ? name(row) : layer);
  }]);
  addEventListener("hashchange", () => { if (isHere() || !location.hash) app.hub.select(isHere() ? read() : -1); });
  app.copyLink = () => {
    navigator.clipboard?.writeText(location.href);
    byId("status").textContent = "copied the link";
  };
  if (isHere()) app.hub.select(read());
}

start();
