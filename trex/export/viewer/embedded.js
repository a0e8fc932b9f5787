// Inside a report: what is selected here is told around, and the other way; nothing else is heard.
function embedded(app) {
  if (window.parent === window) return;
  const layerAt = row => row < 0 ? -1 : app.base.layers.index[row];
  byId("theme").hidden = true;  // the report's own button speaks for both
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
    if (trex !== "select" || !Number.isInteger(layer) || layer === last) return;
    last = layer;
    const row = layer < 0 ? -1 : app.base.layers.index.indexOf(layer);
    if (row >= 0) selectRow(app, row, true);
    else select(app, -1, true);
  });
  window.parent.postMessage({trex: "ready"}, "*");
}
