// The page: what it holds, in the order in which people see it.
async function start() {
  const app = window.trex = {hub: makeHub(), ready: false};
  makeTheme(app);
  app.graph = makeGraph(app);
  app.charts = makeCharts(app);
  const model = readLayers(JSON.parse(await unpacked("data-layers")));
  app.model = model;
  app.glossary = makeGlossary(model);
  makePanel(app, model);
  app.layers = makeLayers(app, model);
  makeKeys(app);
  // All charts are drawn before; the browser's own menu prints those that have been in sight.
  app.print = () => app.charts.drawAll().then(() => print());
  byId("print").onclick = app.print;
  addEventListener("beforeprint", () => app.charts.toPaper());
  addEventListener("afterprint", () => app.charts.toWindow());
  app.readyAfter = performance.now();
  app.ready = true;
}

start();
