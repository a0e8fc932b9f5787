// Model → its hottest path: the way along the data on which the layers take most time, from box to box.
const HOT = "#ff7a1a";
const paths = new WeakMap();

// The path of the whole graph, and what stands for its boxes and wires while groups are closed.
function hotPath(app) {
  const {model, base} = app, {wires, standIn} = model, n = base.boxes.n;
  const known = paths.get(model);
  if (known) return known;
  const path = longestPath(base), ends = (source, target) => source * standIn.length + target;
  const steps = new Set(path.wires), pairs = new Set(path.wires.map(wire => ends(standIn[base.wires.source[wire]], standIn[base.wires.target[wire]])));
  const onIt = new Set();
  for (let i = 0; i < wires.n; i++) {
    const source = wires.source[i], target = wires.target[i];
    if (source >= n || target >= n ? pairs.has(ends(source, target)) : steps.has(wires.of?.[i] ?? i)) onIt.add(i);
  }
  const result = {ms: path.ms, boxes: [...new Set(path.boxes.map(box => standIn[box]))], onIt};
  paths.set(model, result);
  return result;
}

function longestPath({boxes, wires, leaving, msOf}) {
  const size = boxes.n, waits = new Int32Array(size), best = new Float64Array(size), via = new Int32Array(size).fill(-1);
  const ms = box => msOf(box) || 0;
  for (let i = 0; i < wires.n; i++) if (!wires.dashed.has(i)) waits[wires.target[i]]++;
  const free = boxes.shown.filter(box => !waits[box]);
  for (const box of boxes.shown) best[box] = ms(box);
  let last = -1;
  while (free.length) {
    const box = free.pop();
    if (last < 0 || best[box] > best[last]) last = box;
    for (const wire of leaving(box)) {
      if (wires.dashed.has(wire)) continue;
      const next = wires.target[wire];
      if (best[box] + ms(next) > best[next]) { best[next] = best[box] + ms(next); via[next] = wire; }
      if (!--waits[next]) free.push(next);
    }
  }
  const path = {ms: last < 0 ? 0 : best[last], boxes: [], wires: []};
  for (let box = path.ms > 0 ? last : -1; box >= 0; box = via[box] < 0 ? -1 : wires.source[via[box]]) {
    path.boxes.push(box);
    if (via[box] >= 0) path.wires.push(via[box]);
  }
  return path;
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
