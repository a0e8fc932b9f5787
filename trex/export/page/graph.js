// The engines' graphs: each is a page in a frame that sees nothing of this one; they exchange what is selected. With
// one graph the hub's number is a layer's index; with two it is the number of a group of matched layers.
function makeGraph(app) {
  const seat = byId("graphs");
  if (!seat) return null;
  const boxes = [...seat.querySelectorAll(".view")], isPair = boxes.length > 1, ready = new Set();
  let frames = [], groups = [], groupOf = [], origin = -1, mode = "", scene = 0, openings = 0;
  const send = (view, message) => { if (ready.has(view)) frames[view].contentWindow?.postMessage(message, "*"); };
  const layersOf = (view, number) => number < 0 ? [] : isPair ? groups[number]?.[view] ?? [] : [number];
  const numberOf = (view, layer) => layer < 0 ? -1 : isPair ? groupOf[view].get(layer) ?? -1 : layer;

  // Marks a view's selected layers and brings the first into view, unless it was clicked there.
  function show(view, number) {
    const layers = layersOf(view, number);
    if (isPair) send(view, {trex: "matched", layers});
    else send(view, {trex: "matched", layers: [...app.hub.marked]});
    if (view !== origin) send(view, {trex: "select", layer: layers[0] ?? -1});
  }

  async function open() {
    const opening = ++openings;
    for (const frame of frames) frame.remove();
    frames = [];
    ready.clear();
    graph.isReady = false;
    graph.isOpen = true;
    const ids = boxes.map((_, view) => `data-scene-${scene}-${view}`);
    const [matches, ...pages] = await Promise.all([isPair ? unpacked(`data-matches-${scene}`) : "[]", ...ids.map(unpacked)]);
    if (opening !== openings) return;  // the menu chose others since
    groups = JSON.parse(matches);
    groupOf = boxes.map((_, view) => new Map(groups.flatMap((group, number) => group[view].map(layer => [layer, number]))));
    frames = boxes.map((box, view) => make("iframe", undefined, {title: box.getAttribute("aria-label"), sandbox: "allow-scripts allow-downloads", srcdoc: pages[view]}));
    for (const [view, frame] of frames.entries()) boxes[view].append(frame);
  }

  // number: which of the document's graphs the menu chose.
  function choose(number) {
    scene = number;
    return graph.isOpen ? open() : undefined;
  }

  // A small frame shows fewer tools, and no facts: the page has them.
  const SMALL = 800;
  let wasSmall = null;
  const seatAll = () => {
    const isSmall = boxes[0].clientWidth < SMALL;
    if (isPair || !boxes[0].clientWidth || isSmall === wasSmall) return;
    wasSmall = isSmall;
    send(0, {trex: "seat", isSmall});
  };
  new ResizeObserver(seatAll).observe(boxes[0]);

  function receive(view, message) {
    if (message?.trex === "ready") {
      ready.add(view);
      wasSmall = null;
      seatAll();
      send(view, {trex: "theme", theme: app.theme});
      if (mode) send(view, {trex: "mode", mode});
      if (app.hub.layer >= 0 || app.hub.marked.size) show(view, app.hub.layer);
      graph.isReady = ready.size === boxes.length;
    } else if (message?.trex === "selected" && Number.isInteger(message.layer)) {
      const number = numberOf(view, message.layer);
      origin = view;
      // Another layer of the same group: the other graph stays where it is.
      if (number === app.hub.layer) show(view, number); else app.hub.select(number);
      origin = -1;
    } else if (message?.trex === "mode" && typeof message.mode === "string") {
      mode = message.mode;
      for (const other of ready) if (other !== view) send(other, {trex: "mode", mode});
    }
  }

  addEventListener("message", event => {
    for (const [view, frame] of frames.entries()) if (event.source === frame.contentWindow) receive(view, event.data);
  });
  new IntersectionObserver((entries, watcher) => {
    if (!entries.some(entry => entry.isIntersecting)) return;
    watcher.disconnect();
    if (!graph.isOpen) open();
  }, {rootMargin: "400px"}).observe(seat);
  byId("larger").onclick = event => {
    const isLarge = seat.classList.toggle("larger");
    event.target.setAttribute("aria-pressed", isLarge);
    document.body.classList.toggle("large-graph", isLarge);
    seat.scrollIntoView();
  };
  app.hub.listen(["graph", number => { for (const view of boxes.keys()) show(view, number); }]);
  const graph = {open, choose, dress: theme => { for (const view of ready) send(view, {trex: "theme", theme}); }, isReady: false, isOpen: false};
  return graph;
}
