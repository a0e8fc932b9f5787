// Mouse, pen and fingers → moving, choosing, and words next to the pointer.
function pointers(app) {
  const canvas = app.canvas, down = new Map();
  let moved = 0, toggled = -Infinity;
  canvas.addEventListener("pointerdown", event => {
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, [event.offsetX, event.offsetY]);
    if (down.size === 1) moved = 0;
    byId("hover").hidden = true;
  });
  canvas.addEventListener("pointermove", event => {
    const last = down.get(event.pointerId), x = event.offsetX, y = event.offsetY;
    if (!last) { hover(app, x, y); return; }
    if (down.size === 2) {
      const other = [...down].find(([id]) => id !== event.pointerId)[1];
      const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
      // What is between the fingers stays there.
      zoomAt(app, apart([x, y], other) / apart(last, other), (last[0] + other[0]) / 2, (last[1] + other[1]) / 2);
      pan(app, (x - last[0]) / 2, (y - last[1]) / 2);
      moved = 99;
    } else {
      moved += Math.abs(x - last[0]) + Math.abs(y - last[1]);
      if (moved > (event.pointerType === "touch" ? 12 : 3)) { canvas.classList.add("moving"); pan(app, x - last[0], y - last[1]); }
    }
    down.set(event.pointerId, [x, y]);
  });
  const up = event => {
    if (!down.delete(event.pointerId)) return;
    canvas.classList.remove("moving");
    // A finger is less steady than a mouse.
    if (event.type !== "pointerup" || moved > (event.pointerType === "touch" ? 12 : 3)) return;
    const frame = handleAt(app, event.offsetX, event.offsetY);
    if (frame < 0) { select(app, boxAt(app, event.offsetX, event.offsetY)); return; }
    toggled = event.timeStamp;
    const opens = app.groups.closed.has(frame);
    toggleGroup(app, frame);
    // On a small screen the panel would cover what was opened.
    if (opens && event.pointerType === "mouse") select(app, app.base.boxes.n + frame);
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => { byId("hover").hidden = true; });
  canvas.addEventListener("dblclick", event => {
    if (event.timeStamp - toggled < 800) return;
    zoomAt(app, 2, event.offsetX, event.offsetY);
  });
  canvas.addEventListener("wheel", event => {
    // In a notebook's cell the wheel is the notebook's, until the graph is clicked.
    if (window !== window.parent && !document.hasFocus() && !event.ctrlKey) return;
    event.preventDefault();
    byId("hover").hidden = true;
    if (event.shiftKey) { pan(app, -(event.deltaX || event.deltaY), 0); return; }
    const lines = event.deltaMode === 1 ? 30 : 1;
    zoomAt(app, Math.exp(-Math.max(-300, Math.min(300, event.deltaY * lines)) * 0.0016), event.offsetX, event.offsetY);
  }, {passive: false});
  const go = event => {
    const x = (event.offsetX - app.mapX) / app.mapZoom, y = (event.offsetY - app.mapY) / app.mapZoom;
    app.view.x = app.width / 2 - x * app.view.zoom;
    app.view.y = app.height / 2 - y * app.view.zoom;
    pan(app, 0, 0);
  };
  app.map.addEventListener("pointerdown", event => { app.map.setPointerCapture(event.pointerId); go(event); });
  app.map.addEventListener("pointermove", event => { if (event.buttons) go(event); });
}

function hover(app, x, y) {
  const tip = byId("hover"), handle = handleAt(app, x, y), box = handle < 0 ? boxAt(app, x, y) : -1;
  const title = app.titles.some(spot => spot.frame === handle) ? handle : -1;
  if (title !== app.overTitle) { app.overTitle = title; schedule(app); }
  app.canvas.classList.toggle("over", box >= 0 || handle >= 0);
  const text = handle >= 0 ? groupTip(app, handle) : box >= 0 ? boxTip(app, box) : "";
  tip.hidden = text === "";
  if (!text) return;
  tip.textContent = text.length > 400 ? `${text.slice(0, 400)}…` : text;
  tip.style.left = `${Math.min(x + 14, app.width - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(y + 16, app.height - tip.offsetHeight - 8)}px`;
}

function boxTip(app, box) {
  const {base} = app, layer = base.boxes.layer[box], L = base.layers;
  if (box >= base.boxes.n) return groupTip(app, box - base.boxes.n);
  if (layer < 0) return base.boxes.tip[box];
  return [L.name[layer], `${base.types[L.type[layer]][0]} · ${base.precisions[L.precision[layer]][0]}`, badgeOf(app, box)].filter(Boolean).map(printable).join("\n");
}

function groupTip(app, frame) {
  const title = printable(app.base.frames.title[frame]), most = mostOf(app, frame);
  const part = most && `most of it ${printable(most[0].text)}: ${Math.round(100 * most[1])} %`;
  return [title.length > 200 ? `${title.slice(0, 200)}…` : title, groupWords(app, frame), shareWords(app, app.groups.ms(frame)), part, app.groups.closed.has(frame) ? "click opens it" : "click closes it"].filter(Boolean).join("\n");
}
