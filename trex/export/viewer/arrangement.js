// Model and closed groups → arrangement: a model in which one box stands for each closed group, and no hole is left.
const GROUP_WIDTH = 250, GROUP_LEAST = 110, GROUP_HEIGHT = 58, GROUP_GAP = 18, AROUND = 30, TITLE_BAND = 22;
const PORT_MARGIN = 14;

function arrange(base, groups) {
  if (!groups.closed.size) return base;
  const {boxes, frames} = base, outer = groups.outermost(), n = boxes.n;
  const open = frames.shown.filter(f => outer[f] < 0), closed = frames.shown.filter(f => outer[f] === f);
  const standIn = Int32Array.from({length: n + frames.n}, (_, box) => {
    const f = box < n ? boxes.frame[box] : box - n;
    return f >= 0 && outer[f] >= 0 ? n + outer[f] : box;
  });
  const shown = [], kept = [];
  for (let box = 0; box < n; box++) {
    if (standIn[box] !== box) continue;
    shown.push(box);
    kept.push([boxes.y[box] - AROUND, boxes.y[box] + boxes.h[box] + AROUND]);
  }
  for (const f of open) kept.push([frames.y[f], frames.y[f] + TITLE_BAND], [frames.y[f] + frames.h[f] - 8, frames.y[f] + frames.h[f]]);
  const place = makeBands(kept, closed.map(f => [frames.y[f], frames.y[f] + frames.h[f], GROUP_HEIGHT + 2 * GROUP_GAP]));
  const x = boxes.x.slice(), y = boxes.y.slice(), w = boxes.w.slice(), h = boxes.h.slice();
  for (const box of shown) y[box] = Math.round(place(boxes.y[box]));
  const routes = cutRoutes(base, standIn);
  const wishes = new Map(closed.map(f => [f, []]));
  for (const route of routes) {
    if (route.from >= 0) wishes.get(route.from).push(route.path[0][0]);
    if (route.to >= 0) wishes.get(route.to).push(endOf(route.path)[0]);
  }
  for (const f of closed) {
    const box = n + f, some = wishes.get(f).sort((a, b) => a - b), middle = some.length ? some[some.length >> 1] : frames.x[f] + frames.w[f] / 2;
    w[box] = Math.max(GROUP_LEAST, Math.min(GROUP_WIDTH, frames.w[f]));
    h[box] = GROUP_HEIGHT;
    x[box] = Math.round(Math.max(frames.x[f], Math.min(frames.x[f] + frames.w[f] - w[box], middle - w[box] / 2)));
    y[box] = Math.round((place(frames.y[f]) + place(frames.y[f] + frames.h[f]) - h[box]) / 2);
    shown.push(box);
  }
  const moved = {...boxes, x, y, w, h, shown};
  const model = {
    ...base, standIn, boxes: moved, boxOf: base.boxOf.map(box => box < 0 ? box : standIn[box]),
    data: {...base.data, height: Math.ceil(place(base.data.height))},
    frames: {...frames, shown: open, closed, y: frames.y.map(place), h: frames.h.map((height, f) => place(frames.y[f] + height) - place(frames.y[f]))},
    wires: drawnRoutes(base, routes, moved, place),
    captions: base.captions.filter(caption => caption.box < 0 || standIn[caption.box] === caption.box)
      .map(caption => ({...caption, y: caption.y + (caption.box < 0 ? 0 : y[caption.box] - boxes.y[caption.box])})),
    slowest: shown.reduce((most, box) => Math.max(most, (box < n ? base.msOf(box) : groups.ms(box - n)) || 0), 0),
  };
  joinWires(model);
  return model;
}

// Wires that are still seen: their ends, and their paths as far as they are outside of closed groups. Those between the
// same two boxes become one, dashed only if all of them are.
function cutRoutes(base, standIn) {
  const {wires, boxes, frames} = base, n = boxes.n, routes = [], known = new Set();
  const take = wire => {
    const source = standIn[wires.source[wire]], target = standIn[wires.target[wire]];
    const from = source < n ? -1 : source - n, to = target < n ? -1 : target - n;
    if (source === target && from >= 0) return;
    if (from >= 0 || to >= 0) {
      const key = source * standIn.length + target;
      if (known.has(key)) return;
      known.add(key);
    }
    let path = null;
    if (from >= 0 || to >= 0) {
      path = pathOf(wires, wire);
      if (from >= 0) path = pathBelow(path, frames.y[from] + frames.h[from]);
      if (to >= 0) path = pathAbove(path, frames.y[to]);
    }
    routes.push({wire, source, target, from, to, path});
  };
  for (let wire = 0; wire < wires.n; wire++) if (!wires.dashed.has(wire)) take(wire);
  wires.dashed.forEach(take);
  return routes;
}

function drawnRoutes(base, routes, boxes, place) {
  const {wires} = base, n = base.boxes.n, inTo = new Map(), outOf = new Map();
  const gather = (map, box, entry) => { if (map.has(box)) map.get(box).push(entry); else map.set(box, [entry]); };
  for (const route of routes) {
    if (route.to >= 0) gather(inTo, n + route.to, [route, "entry", endOf(route.path)[0]]);
    if (route.from >= 0) gather(outOf, n + route.from, [route, "exit", route.path[0][0]]);
  }
  for (const map of [inTo, outOf]) for (const [box, entries] of map) {
    const places = ports(entries.map(entry => entry[2]), boxes.x[box] + PORT_MARGIN, boxes.x[box] + boxes.w[box] - PORT_MARGIN);
    entries.forEach(([route, end], i) => { route[end] = places[i]; });
  }
  const points = [], start = new Int32Array(routes.length + 1), bounds = new Int32Array(4 * routes.length), dashed = new Set();
  routes.forEach((route, i) => {
    start[i] = points.length;
    points.push(0);
    const count = route.path ? joinedPath(points, route, boxes, n, place) : copiedPath(points, wires, route.wire, place);
    points[start[i]] = count;
    measurePath(points, start[i], bounds, 4 * i);
    if (wires.dashed.has(route.wire)) dashed.add(i);
  });
  start[routes.length] = points.length;
  return {
    n: routes.length, source: Int32Array.from(routes, route => route.source), target: Int32Array.from(routes, route => route.target),
    tensor: routes.map(route => wires.tensor[route.wire]), dashed, points: Int32Array.from(points, Math.round), start, bounds,
  };
}

function copiedPath(points, wires, wire, place) {
  const p = wires.points, segments = p[wires.start[wire]];
  let at = wires.start[wire] + 1;
  points.push(p[at], place(p[at + 1]));
  at += 2;
  for (let s = 0; s < segments; s++) {
    const numbers = p[at] === 1 ? 1 : 3;
    points.push(p[at++]);
    for (let k = 0; k < numbers; k++) { points.push(p[at], place(p[at + 1])); at += 2; }
  }
  return segments;
}

function joinedPath(points, route, boxes, n, place) {
  let [x, y] = route.path[0], segments = 0;
  y = place(y);
  const join = (toX, toY) => {
    const middle = (y + toY) / 2;
    if (Math.abs(toX - x) < 1) points.push(1, toX, toY); else points.push(2, x, middle, toX, middle, toX, toY);
    x = toX; y = toY;
    segments++;
  };
  const first = [x, y];
  if (route.from >= 0) { x = route.exit; y = boxes.y[n + route.from] + boxes.h[n + route.from]; }
  points.push(x, y);
  if (route.from >= 0) join(...first);
  for (const piece of route.path.slice(1)) {
    points.push(piece.length === 2 ? 1 : 2);
    for (let k = 0; k < piece.length; k += 2) points.push(x = piece[k], y = place(piece[k + 1]));
    segments++;
  }
  if (route.to >= 0) join(route.entry, boxes.y[n + route.to]);
  return segments;
}

function measurePath(points, from, bounds, at) {
  let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity, k = from + 1, pairs = 1;
  for (let s = points[from]; s >= 0; s--) {
    for (; pairs > 0; pairs--) {
      const x = points[k++], y = points[k++];
      if (x < left) left = x; if (x > right) right = x;
      if (y < top) top = y; if (y > bottom) bottom = y;
    }
    pairs = points[k++] === 1 ? 1 : 3;
  }
  bounds[at] = left; bounds[at + 1] = top; bounds[at + 2] = right; bounds[at + 3] = bottom;
}
