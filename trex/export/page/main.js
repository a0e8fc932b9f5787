// The page: its parts in the order in which people see them; a small page has few of them.
async function start() {
  const app = window.trex = {hub: makeHub(), ready: false};
  makeTheme(app);
  if (typeof makeTabs === "function") app.tabs = makeTabs(app);
  if (typeof makeGraph === "function") app.graph = makeGraph(app);
  if (typeof makeCharts === "function") app.charts = makeCharts(app);
  makePaper(app);
  const model = app.model = typeof readTable === "function" ? readTable(JSON.parse(await unpacked("data-table-0"))) : {columns: []};
  if (typeof makeGlossary === "function") app.glossary = makeGlossary(model);
  if (typeof makePanel === "function") makePanel(app, model);
  app.address = makeAddress(app, model);
  if (typeof makeDetails === "function") makeDetails(app);
  if (typeof makeLists === "function") app.lists = makeLists(app);
  if (typeof makeBrowser === "function") app.layers = makeBrowser(app, model);
  if (typeof makeShares === "function") app.shares = makeShares(app);
  makeKeys(app);
  makeCopyButtons();
  // A menu chooses which of several graphs and tables are shown.
  const menu = byId("choose");
  if (menu) menu.onchange = () => {
    app.hub.select(-1);
    return Promise.all([app.graph?.open(Number(menu.value)), app.layers?.open(Number(menu.value))]);
  };
  app.address.apply();
  app.readyAfter = performance.now();
  app.ready = true;
}

function makeCopyButtons() {
  for (const command of document.querySelectorAll("pre.command")) {
    const words = command.innerText, button = make("button", "Copy", {type: "button", className: "copy"});
    button.onclick = () => {
      navigator.clipboard?.writeText(words).catch(() => {});
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    };
    command.append(button);
  }
}

start();
