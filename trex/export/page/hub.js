// The selected layer, and who wants to know: charts, graph, table and panel.
function makeHub() {
  const listeners = [];
  const hub = {
    layer: -1,
    listen: each => listeners.push(each),
    // layer: its layer.index, -1 for none. from: who chose it, so that nobody is told what it just said.
    select(layer, from) {
      if (layer === hub.layer) return;
      hub.layer = layer;
      for (const [name, heard] of listeners) if (name !== from) heard(layer);
    },
  };
  return hub;
}
