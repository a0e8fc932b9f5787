// Model and closed groups → arrangement: a model in which one box stands for each closed group, laid out without holes.
// Rows and their order are those of the whole graph's layout, so what opens stays between its neighbors.
const GROUP_WIDTH = 250, GROUP_LEAST = 130, GROUP_HEIGHT = 58;
const FRAME_TOP = 46, FRAME_BOTTOM = 24, FRAME_SIDE = 18, LEAST_GAP = 34, MOST_GAP = 90, BETWEEN = 30;

function arrange(base, groups) {
  if (!groups.closed.size) return base;
  const {boxes, frames} = base, outer = groups.outermost(), n = boxes.n;
  const open = frames.shown.filter(f => outer[f] < 0), closed = frames.shown.filter(f => outer[f] === f);
  const standIn = Int32Array.from({length: n + frames.n}, (_, box) => {
    const f = box < n ? boxes.frame[box] : box - n;
    return f >= 0 && outer[f] >= 0 ? n + outer[f] : box;
  });
  const shown = Array.from({length: n}, (_, box) => box).filter(box => standIn[box] === box).concat(closed.map(f => n + f));
  const w = boxes.w.slice(), h = boxes.h.slice();
  for (const f of closed) { w[n + f] = Math.max(GROUP_LEAST, Math.min(GROUP_WIDTH, frames.w[f])); h[n + f] = GROUP_HEIGHT; }
  const nest = makeNest(base, outer, closed, shown, w, h);
  const routes = cutRoutes(base, standIn);
  for (const route of routes) nest.connect(route);
  nest.layOut();
  const x = boxes.x.slice(), y = boxes.y.slice(), fx = frames.x.slice(), fy = frames.y.slice(), fw = frames.w.slice(), fh = frames.h.slice();
  for (const box of shown) { x[box] = Math.round(nest.x[box]); y[box] = Math.round(nest.y[box]); }
  for (const f of open) { fx[f] = nest.x[n + f]; fy[f] = nest.y[n + f]; fw[f] = nest.w[n + f]; fh[f] = nest.h[n + f]; }
  const moved = {...boxes, x, y, w, h, shown};
  const model = {
    ...base, standIn, boxes: moved, boxOf: base.boxOf.map(box => box < 0 ? box : standIn[box]),
    data: {...base.data, width: Math.ceil(nest.width), height: Math.ceil(nest.height)},
    frames: {...frames, shown: open, closed, x: fx, y: fy, w: fw, h: fh, titleX: frames.titleX.map((at, f) => nest.isWhole(f) ? at : 0)},
    wires: drawnRoutes(base, routes, nest),
    captions: base.captions.filter(caption => caption.box >= 0 && standIn[caption.box] === caption.box)
      .map(caption => ({...caption, x: caption.x + x[caption.box] - boxes.x[caption.box], y: caption.y + y[caption.box] - boxes.y[caption.box]})),
    slowest: shown.reduce((most, box) => Math.max(most, (box < n ? base.msOf(box) : groups.ms(box - n)) || 0), 0),
  };
  joinWires(model);
  return model;
}

// Wires that are still seen. Those between the same two boxes become one where one of them is a group, dashed only if
// all of them are.
function cutRoutes(base, standIn) {
  const {wires, boxes} = base, n = boxes.n, routes = [], known = new Set();
  const take = wire => {
    const source = standIn[wires.source[wire]], target = standIn[wires.target[wire]];
    if (source === target && source >= n) return;
    if (source >= n || target >= n) {
      const key = source * standIn.length + target;
      if (known.has(key)) return;
      known.add(key);
    }
    routes.push({wire, source, target, isBack: wires.dashed.has(wire), parts: []});
  };
  for (let wire = 0; wire < wires.n; wire++) if (!wires.dashed.has(wire)) take(wire);
  wires.dashed.forEach(take);
  return routes;
}

// The levels that change: the whole graph, and open groups in which some group is closed. Items of a level are boxes and
// groups, which have numbers from n on; a group in which nothing is closed keeps its inside as it was.
function makeNest(base, outer, closed, shown, w, h) {
  const {boxes, frames} = base, n = boxes.n, changed = new Set([-1]), levels = new Map();
  const around = item => item < n ? boxes.frame[item] : frames.parent[item - n];
  for (const f of closed) for (let p = frames.parent[f]; p >= 0 && !changed.has(p); p = frames.parent[p]) changed.add(p);
  const isWhole = f => !changed.has(f) && outer[f] < 0;
  // The outermost group that keeps its inside, of those around an item, or the item itself.
  const block = new Int32Array(n + frames.n).fill(-1);
  const blockOf = item => {
    if (block[item] >= 0) return block[item];
    const up = around(item);
    return block[item] = up < 0 || changed.has(up) ? item : blockOf(n + up);
  };
  const sizeW = Float64Array.from(w), sizeH = Float64Array.from(h);
  frames.shown.forEach(f => { if (isWhole(f)) { sizeW[n + f] = frames.w[f]; sizeH[n + f] = frames.h[f]; } });
  for (const f of changed) levels.set(f, makeLevel(base, f));
  for (const item of [...shown, ...frames.shown.filter(f => outer[f] < 0).map(f => n + f)]) {
    if (blockOf(item) === item) levels.get(around(item)).add(item);
  }
  const depth = f => { let count = 0; for (; f >= 0; f = frames.parent[f]) count++; return count; };
  const inward = [...changed].sort((a, b) => depth(b) - depth(a));
  const nest = {
    x: new Float64Array(n + frames.n), y: new Float64Array(n + frames.n), w: sizeW, h: sizeH, width: 0, height: 0, isWhole, blockOf, levels, depth,
    connect: route => connect(base, nest, route, around),
    layOut: () => {
      for (const f of inward) {
        const size = levels.get(f).layOut(nest);
        if (f >= 0) [sizeW[n + f], sizeH[n + f]] = size; else [nest.width, nest.height] = size;
      }
      for (const f of inward.reverse()) levels.get(f).settle(nest, f < 0 ? 0 : nest.x[n + f], f < 0 ? 0 : nest.y[n + f]);
      for (const item of [...shown, ...frames.shown.filter(isWhole).map(f => n + f)]) {
        const whole = blockOf(item);
        if (whole === item) continue;
        const [left, top] = item < n ? [boxes.x[item], boxes.y[item]] : [frames.x[item - n], frames.y[item - n]];
        nest.x[item] = nest.x[whole] + left - frames.x[whole - n];
        nest.y[item] = nest.y[whole] + top - frames.y[whole - n];
      }
    },
  };
  return nest;
}

// A wire's parts in the levels it runs through, from its source outwards and inwards again to its target.
function connect(base, nest, route, around) {
  const {frames, boxes: {n}, wires} = base, path = route.path = pathOf(wires, route.wire);
  let from = nest.blockOf(route.source), to = nest.blockOf(route.target), key = `${from} ${path[0][0]}`;
  if (from === to) return;
  // Inside of a group that stays as it was, the wire is as it was up to its border.
  const isOpen = item => item >= n && nest.isWhole(item - n);
  route.head = isOpen(from) ? pathAbove(path, frames.y[from - n] + frames.h[from - n]) : null;
  route.tail = isOpen(to) ? pathBelow(path, frames.y[to - n]) : null;
  route.first = from;
  route.last = to;
  const start = [isOpen(from) ? endOf(route.head)[0] - frames.x[from - n] : from < n ? path[0][0] - base.boxes.x[from] : null];
  const end = [isOpen(to) ? route.tail[0][0] - frames.x[to - n] : to < n ? endOf(path)[0] - base.boxes.x[to] : null];
  const up = [], down = [];
  let a = around(from), b = around(to), da = nest.depth(a), db = nest.depth(b);
  const part = (level, ...rest) => ({level: nest.levels.get(level), part: nest.levels.get(level).part(...rest)});
  while (a !== b) {
    if (da >= db) { up.push(part(a, from, -1, key, route, start, null)); from = n + a; a = frames.parent[a]; da--; }
    else { down.push(part(b, -1, to, key, route, null, end)); to = n + b; b = frames.parent[b]; db--; }
  }
  const chain = [...up, part(a, from, to, key, route, start, end), ...down.reverse()];
  route.parts = chain.map(each => each.part);
  route.levels = chain.map(each => each.level);
  // Where a wire ends at a group that changed is where its part inside begins.
  for (let k = 1; k < chain.length; k++) {
    if (k <= up.length) route.parts[k].before = route.parts[k - 1]; else route.parts[k - 1].after = route.parts[k];
  }
}
