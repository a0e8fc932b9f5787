// The selected layer and the marked ones, and their listeners: charts, graph, table and panel.
function makeHub() {
  const listeners = [];
  const hub = {
    layer: -1, marked: new Set(),
    listen: listener => listeners.push(listener),
    // layer: its number, -1 for none. from: the listener that chose it, which is not called.
    select(layer, from) {
      if (layer === hub.layer) return;
      hub.layer = layer;
      notify(from);
    },
    // layers: those that a filter or a finding is about, none for all.
    mark(layers) {
      if (!layers.length && !hub.marked.size) return;
      hub.marked = new Set(layers);
      notify("address", "panel");
    },
  };
  const notify = (...but) => { for (const [name, listener] of listeners) if (!but.includes(name)) listener(hub.layer); };
  return hub;
}
