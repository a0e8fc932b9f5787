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
  if (byId("choose")) app.choose = makeMenu(app, byId("choose"));
  await app.address.apply();
  app.readyAfter = performance.now();
  app.ready = true;
}

// The menu that chooses which of several graphs and tables are shown.
function makeMenu(app, menu) {
  const [first] = menu.options;
  let chosen = first.value, opening = null, calls = 0;
  menu.onchange = () => {
    app.address.write({show: menu.value === first.value ? "" : menu.value, layer: ""});
    return choose(menu.value);
  };

  // Shows the value's, or the first where it has none; false if others were chosen before they were there.
  async function choose(value) {
    const call = ++calls, {value: known} = [...menu.options].find(option => option.value === value) ?? first;
    if (known !== chosen) {
      menu.value = chosen = known;
      app.hub.select(-1, "address");
      opening = Promise.all([app.graph?.choose(Number(known)), app.layers?.open(Number(known))]);
    }
    await opening;
    return call === calls;
  }
  return choose;
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
