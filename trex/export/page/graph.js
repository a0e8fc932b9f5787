// The graph: a page of its own in a frame that sees nothing of this one; the two tell one another what is selected.
function makeGraph(app) {
  const seat = byId("graph-frame");
  if (!seat) return null;
  let frame = null;
  const tell = message => frame?.contentWindow?.postMessage(message, "*");

  async function open() {
    if (frame) return;
    frame = make("iframe", undefined, {title: "Engine graph", sandbox: "allow-scripts allow-downloads", srcdoc: await unpacked("data-graph")});
    seat.append(frame);
  }

  addEventListener("message", event => {
    if (!frame || event.source !== frame.contentWindow) return;
    const said = event.data;
    if (said?.trex === "ready") {
      tell({trex: "theme", theme: app.theme});
      tell({trex: "select", layer: app.hub.layer});
      app.graph.isReady = true;
    } else if (said?.trex === "selected" && Number.isInteger(said.layer)) {
      app.hub.select(said.layer, "graph");
    }
  });
  new IntersectionObserver((entries, watcher) => {
    if (!entries.some(each => each.isIntersecting)) return;
    watcher.disconnect();
    open();
  }, {rootMargin: "400px"}).observe(seat);
  byId("larger").onclick = event => {
    const is = seat.classList.toggle("larger");
    event.target.setAttribute("aria-pressed", is);
  };
  app.hub.listen(["graph", layer => tell({trex: "select", layer})]);
  return {open, dress: theme => tell({trex: "theme", theme}), isReady: false};
}
