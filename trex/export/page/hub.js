// The selected layer, and its listeners: charts, graph, table and panel.
function makeHub() {
  const listeners = [];
  const hub = {
    layer: -1,
    listen: listener => listeners.push(listener),
    // layer: its number, -1 for none. from: the listener that chose it, which is not called.
    select(layer, from) {
      if (layer === hub.layer) return;
      hub.layer = layer;
      for (const [name, listener] of listeners) if (name !== from) listener(layer);
    },
  };
  return hub;
}
