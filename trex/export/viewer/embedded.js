// Inside a report: selections go to the page and come from it; other messages are ignored.
function embedded(app) {
  if (window.parent === window) return;
  const {layers} = app.base, layerAt = row => row < 0 ? -1 : layers.index[row];
  const rowOf = new Map(Array.from(layers.index, (layer, row) => [layer, row]).reverse());
  byId("theme").hidden = true;  // the report's own button speaks for both
  paired(app);
  let last = -1;
  app.tellSelected = () => {
    const layer = layerAt(app.selectedLayer());
    if (layer === last) return;
    last = layer;
    window.parent.postMessage({trex: "selected", layer}, "*");
  };
  addEventListener("message", event => {
    if (event.source !== window.parent || !event.data) return;
    const {trex, layer, theme} = event.data;
    if (trex === "theme" && (theme === "dark" || theme === "light")) setTheme(app, theme);
    if (trex === "mode" && app.base.colorings.some(each => each.name === event.data.mode)) setMode(app, event.data.mode);
    if (trex === "seat" && typeof event.data.isSmall === "boolean") {
      // A small frame has little room for tools and none for facts, which the page shows.
      document.documentElement.dataset.seat = event.data.isSmall ? "paired" : "";
      app.windowSize = "";
      resizeNow(app);
    }
    if (trex === "matched" && Array.isArray(event.data.layers)) {
      app.matched = event.data.layers.map(each => rowOf.get(each)).filter(row => row !== undefined);
      app.redraw();
    }
    if (trex !== "select" || !Number.isInteger(layer) || layer === last) return;
    last = layer;
    const row = layer < 0 ? undefined : rowOf.get(layer);
    if (row !== undefined) selectRow(app, row, true);
    else select(app, -1, true);
  });
  window.parent.postMessage({trex: "ready"}, "*");
}

// Next to another engine's graph: both have the same colors, and facts where they are asked for.
function paired(app) {
  const root = document.documentElement, button = byId("show-facts");
  if (root.dataset.seat !== "paired") return;
  app.tellMode = mode => window.parent.postMessage({trex: "mode", mode}, "*");
  button.hidden = false;
  button.onclick = () => {
    button.setAttribute("aria-pressed", root.toggleAttribute("data-facts"));
    resizeNow(app);
  };
}
