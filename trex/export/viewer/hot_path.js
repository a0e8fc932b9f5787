// Model → its hottest path: the way along the data on which the layers take most time, from box to box.
const HOT = "#ff7a1a";
const paths = new WeakMap();

function hotPath(app) {
  const {model, groups, base} = app;
  let found = paths.get(model);
  if (found) return found;
  const {boxes, wires} = model, size = boxes.x.length, waits = new Int32Array(size), best = new Float64Array(size), via = new Int32Array(size).fill(-1);
  const ms = box => (box < boxes.n ? base.msOf(box) : groups.ms(box - boxes.n)) || 0;
  for (let i = 0; i < wires.n; i++) if (!wires.dashed.has(i)) waits[wires.target[i]]++;
  const free = boxes.shown.filter(box => !waits[box]);
  for (const box of boxes.shown) best[box] = ms(box);
  let last = -1;
  while (free.length) {
    const box = free.pop();
    if (last < 0 || best[box] > best[last]) last = box;
    for (const wire of model.leaving(box)) {
      if (wires.dashed.has(wire)) continue;
      const next = wires.target[wire];
      if (best[box] + ms(next) > best[next]) { best[next] = best[box] + ms(next); via[next] = wire; }
      if (!--waits[next]) free.push(next);
    }
  }
  found = {ms: last < 0 ? 0 : best[last], boxes: [], wires: []};
  for (let box = found.ms > 0 ? last : -1; box >= 0; box = via[box] < 0 ? -1 : wires.source[via[box]]) {
    found.boxes.push(box);
    if (via[box] >= 0) found.wires.push(via[box]);
  }
  found.onIt = new Set(found.wires);
  paths.set(model, found);
  return found;
}

function hotWords(app) {
  const {ms} = hotPath(app);
  return ms > 0 && app.base.total > 0 ? `hottest path: ${Math.round(100 * ms / app.base.total)} % of the time` : "";
}

// Under the wires, so that their colors stay.
function paintHotPath(app, list) {
  const {context: g, model, view} = app, {onIt} = hotPath(app), some = list.filter(wire => onIt.has(wire));
  if (!some.length) return;
  g.strokeStyle = HOT;
  g.globalAlpha = 0.45;
  g.lineWidth = Math.max(9, 3.5 / view.zoom);
  g.lineCap = "round";
  g.setLineDash([]);
  g.beginPath();
  for (const wire of some) trace(g, model.wires, wire);
  g.stroke();
  g.lineCap = "butt";
  g.globalAlpha = 1;
}
