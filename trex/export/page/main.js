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
  addEventListener("beforeprint", () => app.charts.drawAll());
  app.readyAfter = performance.now();
  app.ready = true;
}

start();
