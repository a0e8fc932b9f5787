// Frames → groups: a tree with sums of what lies in each, and which of them are closed.
function readFrames(F, runs, boxes, strings) {
  const frames = {
    n: F.title.length, title: F.title.map(place => strings[place]), kind: F.kind.map(place => strings[place]),
    x: F.x, y: F.y, w: F.width, h: F.height, parent: column(F.parent), shown: Array.from(F.title, (_, i) => i),
  };
  boxes.frame = new Int32Array(boxes.n).fill(-1);
  for (let k = 0, at = 0; k < runs.length; at += runs[k], k += 2) boxes.frame.fill(runs[k + 1], at, at + runs[k]);
  return frames;
}

// Beside the model's boxes 0 … n - 1, a group f has the number n + f where a box is meant.
function makeGroups(model) {
  const {frames, boxes, layers} = model, n = frames.n;
  const count = new Int32Array(n), timed = new Int32Array(n), sum = new Float64Array(n), own = frames.shown.map(() => []);
  const children = frames.shown.map(() => []), depth = new Int32Array(n), closed = new Set();
  for (let box = 0; box < boxes.n; box++) {
    const frame = boxes.frame[box];
    if (frame < 0) continue;
    own[frame].push(box);
    if (boxes.layer[box] < 0) continue;
    for (const i of model.rowsOf(boxes.layer[box])) {
      count[frame]++;
      if (layers.shown[i] !== null) { timed[frame]++; sum[frame] += layers.shown[i]; }
    }
  }
  frames.parent.forEach((parent, frame) => { if (parent >= 0) { children[parent].push(frame); depth[frame] = depth[parent] + 1; } });
  for (let frame = n - 1; frame >= 0; frame--) {
    const parent = frames.parent[frame];
    if (parent < 0) continue;
    count[parent] += count[frame]; timed[parent] += timed[frame]; sum[parent] += sum[frame];
  }
  const boxesIn = frame => children[frame].reduce((all, child) => all.concat(boxesIn(child)), own[frame]).sort((a, b) => a - b);
  const around = box => {
    const found = [];
    for (let f = box < boxes.n ? boxes.frame[box] : frames.parent[box - boxes.n]; f >= 0; f = frames.parent[f]) found.push(f);
    return found;
  };
  // For each frame the closed one that hides it: itself or the outermost around it; -1 where all are open.
  const outermost = () => {
    const outer = new Int32Array(n);
    for (let f = 0; f < n; f++) {
      const above = frames.parent[f] < 0 ? -1 : outer[frames.parent[f]];
      outer[f] = above >= 0 ? above : closed.has(f) ? f : -1;
    }
    return outer;
  };
  return {
    n, count, closed, children, depth, boxesIn, around, outermost,
    ms: frame => timed[frame] && boxes.hasTimes ? sum[frame] : null, unknown: frame => count[frame] - timed[frame],
    // Every box of a layer that stands in a group, in order of execution.
    rowsIn: frame => boxesIn(frame).flatMap(box => boxes.layer[box] < 0 ? [] : model.rowsOf(boxes.layer[box])).sort((a, b) => layers.index[a] - layers.index[b]),
    closeAll: () => { for (let f = 0; f < n; f++) closed.add(f); },
    openAll: () => closed.clear(),
    openLevel: () => { const outer = outermost(); for (let f = 0; f < n; f++) if (outer[f] === f) closed.delete(f); },
    toggle: frame => closed.delete(frame) || closed.add(frame),
    // Opens what is closed around a box; whether anything was.
    open: box => around(box).reduce((opened, f) => closed.delete(f) || opened, false),
  };
}

function groupWords(app, frame) {
  const {groups} = app, unknown = groups.unknown(frame);
  const layers = `${grouping(groups.count[frame])} layer${groups.count[frame] === 1 ? "" : "s"}`;
  return layers + (unknown && groups.ms(frame) !== null ? `, ${grouping(unknown)} without a time` : "");
}

function shareWords(app, ms) {
  if (ms === null) return "";
  return `${milliseconds(ms)} ms` + (app.base.total > 0 ? ` · ${(100 * ms / app.base.total).toFixed(1)}%` : "");
}

// The closed groups as a depth from which on all are, or as ranges: 0-23,30; "" when there is no end of these.
function closedText(groups) {
  const {closed, depth} = groups, from = [...closed].reduce((least, f) => Math.min(least, depth[f]), Infinity);
  if (closed.size === depth.reduce((count, d) => count + (d >= from ? 1 : 0), 0)) return from ? `depth${from}` : "all";
  const ranges = [], sorted = [...groups.closed].sort((a, b) => a - b);
  for (const f of sorted) {
    const last = ranges[ranges.length - 1];
    if (last && last[1] === f - 1) last[1] = f; else ranges.push([f, f]);
  }
  const text = ranges.map(([a, b]) => a === b ? a : `${a}-${b}`).join(",");
  return text.length <= 1500 ? text : "";
}

function closedFrom(text, {n, depth}) {
  const closed = [], from = text === "all" ? 0 : /^depth(\d+)$/.exec(text)?.[1];
  if (from !== undefined) return Array.from(depth, (_, f) => f).filter(f => depth[f] >= from);
  for (const range of text.split(",")) {
    const [first, last] = range.split("-").map(Number);
    for (let f = first; f <= Math.min(last ?? first, n - 1); f++) if (f >= 0) closed.push(f);
  }
  return closed;
}

// ------------------------------------------------------------------------------------------------------------- changes

// After groups were opened or closed: everything in its new place, and what is looked at, still there.
function rearrange(app, change, anchor = inTheMiddle(app)) {
  const wasFit = app.isFit(), before = {model: app.model, sheet: app.sheet};
  change(app.groups);
  app.model = arrange(app.base, app.groups);
  app.grid = makeGrid(app.model);
  byId("said").textContent = app.groups.closed.size ? `${grouping(app.model.frames.closed.length)} groups closed` : "all groups open";
  if (wasFit) app.fit();
  else {
    app.sheet = app.newSheet();
    if (anchor >= 0) stayAt(app, before, anchor);
    paintMap(app);
  }
  showLegend(app);
  if (app.selected >= app.base.boxes.n) showPanel(app);
  writeLink(app);
  app.redraw();
}

function stayAt(app, before, anchor) {
  const {view, width, height} = app, box = app.model.standIn[anchor];
  const top = model => placeIn(model, model.standIn[anchor]);
  const [, oldY] = top(before.model), [, newY] = top(app.model);
  const old = before.sheet.columnAt(oldY), now = app.sheet.columnAt(newY);
  const y = Math.max(40, Math.min(height - 140, view.y + (oldY + old.dy) * view.zoom));
  view.y = y - (newY + now.dy) * view.zoom;
  view.x += (old.dx - now.dx) * view.zoom;
  const middle = view.x + (app.model.boxes.x[box] + app.model.boxes.w[box] / 2 + now.dx) * view.zoom;
  view.x += Math.max(60, Math.min(width - 60, middle)) - middle;
  app.pan(0, 0);
}

function placeIn(model, box) {
  const {boxes, frames} = model, f = box - boxes.n;
  return f >= 0 && !frames.closed.includes(f) ? [frames.x[f], frames.y[f]] : [boxes.x[box], boxes.y[box]];
}

// The box that stands nearest to the middle of the view.
function inTheMiddle(app) {
  let best = -1, least = Infinity;
  for (const part of visibleParts(app)) for (const box of app.grid.boxes(part.left, part.top, part.right, part.bottom)) {
    const [x, y, w, h] = placeOf(app, box), far = Math.hypot(x + w / 2 - app.width / 2, y + h / 2 - app.height / 2);
    if (far < least) { least = far; best = box; }
  }
  return best < app.base.boxes.n ? best : app.groups.boxesIn(best - app.base.boxes.n)[0] ?? -1;
}

function toggleGroup(app, frame) {
  rearrange(app, groups => groups.toggle(frame), app.groups.boxesIn(frame)[0] ?? -1);
}

// What is around a box is opened, so that it is seen.
function reveal(app, box) {
  if (box >= 0 && app.groups.around(box).some(f => app.groups.closed.has(f))) rearrange(app, groups => groups.open(box), -1);
}

function groupControls(app) {
  const controls = {closeAll: "closeAll", openLevel: "openLevel", openAll: "openAll"};
  for (const [id, way] of Object.entries(controls)) {
    app[way] = () => rearrange(app, groups => groups[way]());
    byId(id).addEventListener("click", app[way]);
  }
  app.toggle = frame => toggleGroup(app, frame);
  byId("groups").hidden = app.groups.n === 0;
}
