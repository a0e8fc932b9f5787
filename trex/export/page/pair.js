// Both engines' graphs: a page of its own each, in frames that see nothing of this one. What is selected in one is
// matched in the other; the hub's number is that of the group of matched layers.
const SIDES = ["base", "new"];

function makeGraph(app) {
  const seat = byId("pair");
  if (!seat) return null;
  const frames = new Map(), ready = new Set(), groupOf = {};
  let groups = [], origin = "", mode = "", ending = "";
  const tell = (side, message) => { if (ready.has(side)) frames.get(side).contentWindow?.postMessage(message, "*"); };

  // What a side has of a group: its layers are marked, the first of them brought into view unless it was clicked there.
  function show(side, group) {
    const layers = group < 0 ? [] : groups[group]?.[SIDES.indexOf(side)] ?? [];
    tell(side, {trex: "alike", layers});
    if (side !== origin) tell(side, {trex: "select", layer: layers[0] ?? -1});
  }

  async function open() {
    if (frames.size) return;
    for (const side of SIDES) frames.set(side, make("iframe", undefined, {title: `Graph of the ${side} engine`, sandbox: "allow-scripts allow-downloads"}));
    groups = JSON.parse(await unpacked(`data-pairs${ending}`));
    SIDES.forEach((side, k) => { groupOf[side] = new Map(groups.flatMap((group, at) => group[k].map(layer => [layer, at]))); });
    for (const [side, frame] of frames) {
      frame.srcdoc = await unpacked(`data-${side}${ending}`);
      byId(`side-${side}`).append(frame);
    }
  }

  function heard(side, said) {
    if (said?.trex === "ready") {
      ready.add(side);
      tell(side, {trex: "theme", theme: app.theme});
      if (mode) tell(side, {trex: "mode", mode});
      if (app.hub.layer >= 0) show(side, app.hub.layer);
      graph.isReady = ready.size === SIDES.length;
    } else if (said?.trex === "selected" && Number.isInteger(said.layer)) {
      const group = said.layer < 0 ? -1 : groupOf[side].get(said.layer) ?? -1;
      origin = side;
      // Another layer of the same group: the other side stands as it is.
      if (group === app.hub.layer) show(side, group); else app.hub.select(group);
      origin = "";
    } else if (said?.trex === "mode" && typeof said.mode === "string") {
      mode = said.mode;
      for (const other of SIDES) if (other !== side) tell(other, {trex: "mode", mode});
    }
  }

  addEventListener("message", event => {
    for (const [side, frame] of frames) if (event.source === frame.contentWindow) heard(side, event.data);
  });
  new IntersectionObserver((entries, watcher) => {
    if (!entries.some(each => each.isIntersecting)) return;
    watcher.disconnect();
    open();
  }, {rootMargin: "400px"}).observe(seat);
  byId("larger").onclick = event => {
    const is = seat.classList.toggle("larger");
    event.target.setAttribute("aria-pressed", is);
    seat.scrollIntoView();
  };
  // Another engine beside the base: other graphs, other groups in the same table.
  const choose = byId("choose");
  if (choose) choose.onchange = async () => {
    app.hub.select(-1);
    ending = choose.value === "0" ? "" : `-${choose.value}`;
    for (const frame of frames.values()) frame.remove();
    frames.clear();
    ready.clear();
    graph.isReady = false;
    await Promise.all([open(), unpacked(`data-layers${ending}`).then(text => replaceLayers(app.model, JSON.parse(text)))]);
    app.layers.refresh();
  };
  app.hub.listen(["pair", group => { for (const side of SIDES) show(side, group); }]);
  const graph = {open, dress: theme => { for (const side of SIDES) tell(side, {trex: "theme", theme}); }, isReady: false, frames};
  return graph;
}
