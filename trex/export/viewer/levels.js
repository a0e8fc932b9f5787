// One level of groups: rows of items and of passages, where wires go by → places and paths.
const PASSAGE = 5, PASSAGE_GAP = 12, LANE_GAP = 9, PORT_MARGIN = 14, LONGEST_THROUGH = 60, LEAST_ROW = 1000, MOST_PASSAGES = 20;

function makeLevel(base, frame) {
  const {boxes, frames} = base, n = boxes.n, items = [], parts = [];
  const top = item => item < n ? boxes.y[item] : frames.y[item - n], left = item => item < n ? boxes.x[item] : frames.x[item - n];
  const high = item => item < n ? boxes.h[item] : frames.h[item - n], wide = item => item < n ? boxes.w[item] : frames.w[item - n];
  const isRoot = frame < 0, side = isRoot ? 4 : FRAME_SIDE;
  let rows = [], rowTop = [], rowBottom = [], least = 0, shiftX = 0, shiftY = 0, places = new Map();

  // Rows are those of the whole graph, whose boxes have one lower edge; a row too wide for any screen becomes several.
  function makeRows(nest) {
    const sorted = items.slice().sort((a, b) => top(a) + high(a) - top(b) - high(b) || left(a) - left(b)), found = [];
    let bottom = -Infinity;
    const area = items.reduce((sum, item) => sum + (nest.w[item] + BETWEEN) * (nest.h[item] + MOST_GAP), 0), widest = Math.max(LEAST_ROW, 1.3 * Math.sqrt(area));
    for (const item of sorted) {
      if (top(item) + high(item) > bottom + 2) found.push([]);
      bottom = top(item) + high(item);
      found[found.length - 1].push(item);
    }
    rows = found.flatMap(row => {
      const total = row.reduce((sum, item) => sum + nest.w[item] + BETWEEN, 0), count = Math.min(row.length, Math.ceil(total / widest));
      const size = Math.ceil(row.length / count);
      return Array.from({length: Math.ceil(row.length / size)}, (_, k) => row.slice(k * size, (k + 1) * size).sort((a, b) => left(a) - left(b)));
    }).map(row => {
      const own = row.map(item => ({item, at: left(item) + wide(item) / 2, x: 0, half: nest.w[item] / 2, weight: item < n && boxes.layer[item] < 0 ? 4 : 100, up: [], down: []}));
      for (const entry of own) places.set(entry.item, entry);
      return own;
    });
    rows.forEach((row, r) => row.forEach(entry => { entry.row = r; }));
  }

  function makePassages() {
    const passages = new Map();
    let budget = MOST_PASSAGES * items.length + 2000;
    for (const part of parts) {
      const first = part.from < 0 ? 0 : places.get(part.from).row + 1, end = part.to < 0 ? rows.length : places.get(part.to).row;
      part.entries = [];
      part.first = first;
      part.isLane = part.from >= 0 && part.to >= 0 && (end < first || end - first > LONGEST_THROUGH && end - first > budget);
      if (part.isLane) continue;
      for (let r = first; r < end; r++) {
        const key = `${part.from < 0 ? "in" : ""}${part.key} ${r}`;
        let passage = passages.get(key);
        if (!passage) {
          const {item} = rows[r].find(entry => entry.item >= 0);
          passages.set(key, passage = {item: -1, row: r, at: pathX(part.route.path, top(item) + high(item) / 2), x: 0, half: PASSAGE, weight: 1, up: [], down: []});
          rows[r].push(passage);
          budget--;
        }
        part.entries.push(passage);
      }
    }
    for (const row of rows) row.sort((a, b) => a.at - b.at);
  }

  // Where on an item a wire ends, from its middle: as in the whole graph, or in the middle of a closed group.
  const startOf = (part, nest) => part.before ? part.before.exit - nest.w[part.from] / 2 : part.start[0] === null ? 0 : part.start[0] - nest.w[part.from] / 2;
  const endOfPart = (part, nest) => part.after ? part.after.entry - nest.w[part.to] / 2 : part.end[0] === null ? 0 : part.end[0] - nest.w[part.to] / 2;

  function place(nest) {
    for (const part of parts) {
      if (part.isLane) continue;
      const chain = [...part.from < 0 ? [] : [places.get(part.from)], ...part.entries, ...part.to < 0 ? [] : [places.get(part.to)]];
      for (let k = 1; k < chain.length; k++) {
        const a = chain[k - 1], b = chain[k], shift = (a.item >= 0 ? startOf(part, nest) : 0) - (b.item >= 0 ? endOfPart(part, nest) : 0);
        if (a.item < 0 && b.item < 0 && a.down.length) continue;
        a.down.push([b, -shift]);
        b.up.push([a, shift]);
      }
    }
    sweep(rows, entry => entry.up);
    sweep(rows.slice().reverse(), entry => entry.down);
    sweep(rows, entry => [...entry.up, ...entry.down]);
    sweep(rows.slice().reverse(), entry => entry.item < 0 ? entry.down : [...entry.up, ...entry.down]);
    sweep(rows, entry => entry.item < 0 ? [...entry.up, ...entry.down] : entry.up.length ? entry.up : entry.down);
  }

  function stack(nest) {
    let y = isRoot ? 10 : FRAME_TOP, before = -Infinity;
    rowTop = []; rowBottom = [];
    rows.forEach((row, r) => {
      const own = row.filter(entry => entry.item >= 0), above = Math.min(...own.map(entry => top(entry.item)));
      if (r) y += Math.max(LEAST_GAP, Math.min(MOST_GAP, above - before));
      rowTop.push(y);
      y += Math.max(...own.map(entry => nest.h[entry.item]));
      rowBottom.push(y);
      before = own.every(entry => entry.item >= n && !nest.isWhole(entry.item - n)) ? Infinity : top(own[0].item) + high(own[0].item);
    });
    return y + (isRoot ? 10 : FRAME_BOTTOM);
  }

  // Closed groups' wires end next to one another, as near to where they come from as fits.
  function spreadPorts(nest) {
    const leaving = new Map(), entering = new Map();
    const gather = (map, part, other) => { const list = map.get(other[0]) ?? []; map.set(other[0], list); list.push([part, other[1]]); };
    for (const part of parts) {
      const from = places.get(part.from), to = places.get(part.to), first = part.entries[0], last = part.entries[part.entries.length - 1];
      part.startX = from && from.x + startOf(part, nest);
      part.endX = to && to.x + endOfPart(part, nest);
      if (from && !part.before && part.start[0] === null) gather(leaving, part, [from, part.isLane ? from.x + from.half : first ? first.x : part.endX ?? from.x]);
      if (to && !part.after && part.end[0] === null) gather(entering, part, [to, part.isLane ? to.x + to.half : last ? last.x : part.startX ?? to.x]);
    }
    for (const [map, which] of [[leaving, "startX"], [entering, "endX"]]) for (const [entry, list] of map) {
      const found = ports(list.map(each => each[1]), entry.x - entry.half + PORT_MARGIN, entry.x + entry.half - PORT_MARGIN);
      list.forEach(([part], i) => { part[which] = found[i]; });
    }
  }

  function layOut(nest) {
    makeRows(nest);
    makePassages();
    place(nest);
    spreadPorts(nest);
    least = Infinity;
    let most = -Infinity;
    for (const row of rows) for (const entry of row) { least = Math.min(least, entry.x - entry.half); most = Math.max(most, entry.x + entry.half); }
    const lanes = [];
    for (const part of parts) {
      if (!part.isLane) continue;
      const rowsOf = [places.get(part.from).row, places.get(part.to).row], low = Math.min(...rowsOf), high = Math.max(...rowsOf);
      let lane = lanes.findIndex(taken => taken.every(([a, b]) => high < a || low > b));
      if (lane < 0) lane = lanes.push([]) - 1;
      lanes[lane].push([low, high]);
      part.laneX = most + 16 + lane * LANE_GAP;
    }
    if (lanes.length) most += 16 + lanes.length * LANE_GAP;
    for (const part of parts) {
      const start = part.entries.length ? part.entries[0].x : part.endX, end = part.entries.length ? part.entries[part.entries.length - 1].x : part.startX;
      if (part.from < 0) part.entry = start - least + side;
      if (part.to < 0) part.exit = end - least + side;
    }
    const title = isRoot ? 0 : Math.min(260, 60 + 8 * ownTitle(frames, frame, frames.parent[frame]).length);
    const width = Math.max(most - least + 2 * side, title);
    return [width, stack(nest)];
  }

  function settle(nest, x, y) {
    shiftX = x + side - least;
    shiftY = y;
    for (const row of rows) for (const entry of row) {
      if (entry.item < 0) continue;
      nest.x[entry.item] = entry.x - entry.half + shiftX;
      nest.y[entry.item] = rowBottom[entry.row] - nest.h[entry.item] + shiftY;
    }
  }

  // The path of a wire's part; pen: {x, y, lineTo, curveTo}, which is where the part begins.
  function trace(part, pen, nest) {
    const down = (x, y) => { if (Math.abs(x - pen.x) < 1) pen.lineTo(pen.x, y); else pen.curveTo(pen.x, (pen.y + y) / 2, x, (pen.y + y) / 2, x, y); };
    const to = places.get(part.to), targetTop = to && rowBottom[to.row] - nest.h[part.to] + shiftY;
    if (part.isLane) {
      const x = part.laneX + shiftX, back = targetTop < pen.y, reach = LEAST_GAP - 6, first = back ? pen.y : pen.y + reach, last = back ? targetTop : targetTop - reach;
      pen.curveTo(pen.x, pen.y + reach, x, back ? pen.y + reach : pen.y, x, first);
      pen.lineTo(x, last);
      pen.curveTo(x, back ? targetTop - reach : targetTop, part.endX + shiftX, targetTop - reach, part.endX + shiftX, targetTop);
      return;
    }
    for (const passage of part.entries) {
      down(passage.x + shiftX, rowTop[passage.row] + shiftY);
      pen.lineTo(pen.x, rowBottom[passage.row] + shiftY);
    }
    if (!to) { pen.lineTo(pen.x, frameEnd(nest)); return; }
    down(part.endX + shiftX, rowTop[to.row] + shiftY);
    pen.lineTo(pen.x, targetTop);
  }
  const frameEnd = nest => shiftY + nest.h[n + frame];

  return {
    add: item => { items.push(item); },
    part: (from, to, key, route, start, end) => { const part = {from, to, key, route, start: [...start ?? []], end: [...end ?? []]}; parts.push(part); return part; },
    layOut, settle, trace, startX: part => part.startX + shiftX,
  };
}

// Items as near to what they are joined with as their neighbors on the row allow.
function sweep(rows, near) {
  for (const row of rows) {
    const wishes = row.map(entry => {
      let sum = 0, total = 0;
      for (const [other, shift] of near(entry)) { sum += other.weight * (other.x + shift); total += other.weight; }
      return total ? sum / total : entry.x;
    });
    const gaps = row.slice(1).map((entry, k) => row[k].half + entry.half + (row[k].item >= 0 && entry.item >= 0 ? BETWEEN : PASSAGE_GAP));
    const found = settled(wishes, row.map(entry => entry.weight), gaps);
    row.forEach((entry, k) => { entry.x = found[k]; });
  }
}

// The places nearest to the wishes (weighted least squares) at which neighbors keep their gaps: pooling adjacent
// violators, as Barlow, Bartholomew, Bremner and Brunk describe it (1972).
function settled(wishes, weights, gaps) {
  const pools = [], offsets = [0];
  for (const gap of gaps) offsets.push(offsets[offsets.length - 1] + gap);
  wishes.forEach((wish, i) => {
    let mean = wish - offsets[i], total = weights[i], size = 1;
    while (pools.length && pools[pools.length - 1][0] > mean) {
      const [other, weight, count] = pools.pop();
      mean = (mean * total + other * weight) / (total + weight);
      total += weight;
      size += count;
    }
    pools.push([mean, total, size]);
  });
  return pools.flatMap(([mean, , size]) => Array(size).fill(mean)).map((mean, i) => mean + offsets[i]);
}

// Where a path is at a height; its start's place where it never is.
function pathX(path, y) {
  for (let k = 1; k < path.length; k++) {
    const [x0, y0] = path[k - 1].slice(-2), [x1, y1] = path[k].slice(-2);
    if (Math.min(y0, y1) <= y && y <= Math.max(y0, y1)) return y1 === y0 ? x0 : x0 + (x1 - x0) * (y - y0) / (y1 - y0);
  }
  return path[0][0];
}

// Routes → arrays of wires, as the model has them.
function drawnRoutes(base, routes, nest) {
  const {wires, boxes, frames} = base, n = boxes.n, points = [], start = new Int32Array(routes.length + 1), bounds = new Int32Array(4 * routes.length), dashed = new Set();
  routes.forEach((route, i) => {
    const pen = makePen(points), {parts} = route, path = route.path;
    const moved = (item, pieces) => {
      const dx = nest.x[item] - (item < n ? boxes.x[item] : frames.x[item - n]), dy = nest.y[item] - (item < n ? boxes.y[item] : frames.y[item - n]);
      for (const piece of pieces) pen.piece(piece, dx, dy);
    };
    start[i] = points.length;
    if (!parts.length) {
      const block = nest.blockOf(route.source);
      pen.begin(path[0][0] + nest.x[block] - (block < n ? boxes.x[block] : frames.x[block - n]), path[0][1] + nest.y[block] - (block < n ? boxes.y[block] : frames.y[block - n]));
      moved(block, path.slice(1));
    } else {
      const first = route.levels[0], bottom = nest.y[route.first] + nest.h[route.first];
      if (route.head) {
        pen.begin(route.head[0][0] + nest.x[route.first] - frames.x[route.first - n], route.head[0][1] + nest.y[route.first] - frames.y[route.first - n]);
        moved(route.first, route.head.slice(1));
      } else pen.begin(first.startX(parts[0]), bottom);
      parts.forEach((part, k) => route.levels[k].trace(part, pen, nest));
      if (route.tail) moved(route.last, route.tail.slice(1));
    }
    points[start[i]] = pen.segments;
    measurePath(points, start[i], bounds, 4 * i);
    if (wires.dashed.has(route.wire)) dashed.add(i);
  });
  start[routes.length] = points.length;
  return {
    n: routes.length, source: Int32Array.from(routes, route => route.source), target: Int32Array.from(routes, route => route.target),
    of: Int32Array.from(routes, route => route.wire), tensor: routes.map(route => wires.tensor[route.wire]), dashed, points: Int32Array.from(points, Math.round), start, bounds,
  };
}

// Writes a path; a line that goes on straight down is one line.
function makePen(points) {
  let line = -1;
  const pen = {x: 0, y: 0, segments: 0};
  const at = (x, y) => { pen.x = x; pen.y = y; };
  pen.begin = (x, y) => { points.push(0, x, y); at(x, y); };
  pen.lineTo = (x, y) => {
    if (Math.abs(x - pen.x) < 0.5 && Math.abs(y - pen.y) < 0.5) return;
    if (line >= 0 && line === points.length - 3 && Math.abs(x - pen.x) < 0.5 && Math.abs(points[line + 1] - x) < 0.5 && pen.down === y > pen.y) points[line + 2] = y;
    else { line = points.length; points.push(1, x, y); pen.segments++; pen.down = y > pen.y; pen.isUpright = Math.abs(x - pen.x) < 0.5; if (!pen.isUpright) line = -1; }
    at(x, y);
  };
  pen.curveTo = (...six) => { points.push(2, ...six); pen.segments++; at(six[4], six[5]); };
  pen.piece = (piece, dx, dy) => {
    const own = piece.map((value, k) => value + (k % 2 ? dy : dx));
    if (own.length === 2) pen.lineTo(...own); else pen.curveTo(...own);
  };
  return pen;
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
