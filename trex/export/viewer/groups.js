// Frames → groups: a tree with sums of what lies in each, and which of them are closed.
function readFrames(F, runs, boxes, strings) {
  const frames = {
    n: F.title.length, title: F.title.map(place => strings[place]), kind: F.kind.map(place => strings[place]),
    x: F.x, y: F.y, w: F.width, h: F.height, titleX: column(F.titleX), parent: column(F.parent), shown: Array.from(F.title, (_, i) => i),
  };
  boxes.frame = new Int32Array(boxes.n).fill(-1);
  for (let k = 0, at = 0; k < runs.length; at += runs[k], k += 2) boxes.frame.fill(runs[k + 1], at, at + runs[k]);
  return frames;
}

// Apart from the model's boxes 0 … n - 1, a group f has the number n + f where a box is meant.
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
  const boxesIn = frame => {
    const frames = [frame], all = [];
    // Those added on the way are visited too.
    for (const each of frames) {
      for (const box of own[each]) all.push(box);
      for (const child of children[each]) frames.push(child);
    }
    return all.sort((a, b) => a - b);
  };
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
  const {closed, depth} = groups;
  if (!closed.size) return "";
  const from = [...closed].reduce((least, f) => Math.min(least, depth[f]), Infinity);
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
  if (text === "none") return [];
  const closed = [], from = text === "all" ? 0 : /^depth(\d+)$/.exec(text)?.[1];
  if (from !== undefined) return Array.from(depth, (_, f) => f).filter(f => depth[f] >= from);
  for (const range of text.split(",")) {
    const [first, last] = range.split("-").map(Number);
    for (let f = first; f <= Math.min(last ?? first, n - 1); f++) if (f >= 0) closed.push(f);
  }
  return closed;
}
