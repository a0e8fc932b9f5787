// JSON → model: arrays by layer, box and wire, unpacked from the columns of the page's data.
function readModel(text) {
  const data = JSON.parse(text);
  const strings = unshare(data.strings);
  const L = data.layers, B = data.boxes, W = data.wires;
  const refs = column => column.map(place => strings[place]);
  const layers = {
    name: unshare(L.name), index: sums(column(L.index)), type: column(L.type), precision: column(L.precision),
    subtype: refs(L.subtype), evidence: refs(L.evidence), average: column(L.average), median: column(L.median),
    stream: column(L.stream), module: refs(L.module), tactic: refs(L.tactic), stored: column(L.stored),
    origins: ragged({count: column(L.origins.count).map(n => Math.min(n, L.origins.most)), flat: refs(sums(L.origins.flat))}),
    originCount: column(L.origins.count), words: ragged({count: L.words.count, flat: refs(L.words.flat)}),
    inputs: ragged({count: L.inputs.count, flat: sums(L.inputs.flat)}),
    outputs: ragged({count: L.outputs.count, flat: sums(L.outputs.flat)}),
    attributes: column(L.attributes),
  };
  layers.shown = L.shown.length === 0 ? layers.average : column(L.shown);
  const count = layers.name.length;
  const attributePairs = column(data.attributes.count).map(n => 2 * n);
  const tensors = {
    name: refs(data.tensors.name), words: refs(data.tensors.words), size: column(data.tensors.size),
    precision: column(data.tensors.precision),
  };
  // Behind the boxes there is room for those of closed groups.
  const places = numbers => Int32Array.from({length: numbers.length + data.frames.title.length}, (_, i) => numbers[i] ?? 0);
  const boxes = {
    n: B.x.length, layer: column(B.layer).map((shift, i) => shift === -1 - i ? -1 : shift + i), memory: B.memory,
    x: places(sums(column(B.x))), y: places(sums(column(B.y))), w: places(column(B.width)), h: places(column(B.height)),
    shown: Array.from(B.x, (_, i) => i), kind: refs(B.kind).concat(refs(data.frames.title)), badge: refs(B.badge), tip: refs(B.tip), hasTimes: B.hasTimes, marked: new Set(B.marked),
  };
  const boxOf = new Int32Array(count).fill(-1);
  boxes.layer.forEach((layer, box) => { if (layer >= 0) boxOf[layer] = box; });
  boxes.lines = readLines(B, boxes, layers, strings);
  const members = readMembers(data.members, layers, strings, boxOf);
  const model = {
    data, count, layers, tensors, boxes, ...members, frames: {...readFrames(data.frames, B.frame, boxes, strings), closed: []}, types: data.types, precisions: data.precisions,
    colorings: data.colorings.map(each => ({...each, of: column(each.of)})),
    attributes: ragged({count: attributePairs, flat: refs(data.attributes.flat)}),
    total: data.totalMs || 0, wires: readWires(W, boxes), captions: readCaptions(W, strings),
    standIn: Int32Array.from({length: boxes.x.length}, (_, i) => i),
    msOf: box => boxes.layer[box] >= 0 && boxes.hasTimes ? layers.shown[boxes.layer[box]] : null,
  };
  model.slowest = boxes.shown.reduce((most, box) => Math.max(most, model.msOf(box) || 0), 0);
  joinWires(model);
  return model;
}

function column(packed) {
  return Array.isArray(packed) ? packed : new Array(packed.n).fill(packed.all);
}

function sums(differences) {
  let sum = 0;
  return differences.map(difference => (sum += difference));
}

function unshare(packed) {
  let previous = "";
  return packed.rest.map((rest, i) => (previous = previous.slice(0, packed.shared[i]) + rest));
}

function ragged(packed) {
  const starts = [0];
  for (const n of column(packed.count)) starts.push(starts[starts.length - 1] + n);
  return i => packed.flat.slice(starts[i], starts[i + 1]);
}

// A box's lines, each [role, text]; most are parts of the layer's name. Unpacked when first asked for.
function readLines(B, boxes, layers, strings) {
  const starts = new Int32Array(boxes.n + 1), texts = new Int32Array(boxes.n + 1);
  const counts = column(B.lines.count), flat = B.lines.flat;
  let at = 0, text = 0;
  for (let box = 0; box < boxes.n; box++) {
    starts[box] = at; texts[box] = text;
    for (let i = 0; i < counts[box]; i++) {
      if (flat[at] >= 4) at += 3; else { at += 1; text += 1; }
    }
  }
  const known = new Map();
  return box => {
    let lines = known.get(box);
    if (lines) return lines;
    lines = [];
    let at = starts[box], text = texts[box], place = 0;
    // Positions count characters; some take two units of a string.
    const name = boxes.layer[box] >= 0 ? layers.name[boxes.layer[box]] : "";
    const characters = /[\ud800-\udfff]/.test(name) ? Array.from(name) : name;
    for (let i = 0; i < counts[box]; i++) {
      if (flat[at] >= 4) {
        place += flat[at + 1];
        const part = characters.slice(place, place + flat[at + 2]);
        lines.push([flat[at] - 4, typeof part === "string" ? part : part.join("")]);
        place += flat[at + 2];
        at += 3;
      } else {
        lines.push([flat[at], strings[B.lines.text[text++]]]);
        at += 1;
      }
    }
    if (known.size > 5000) known.clear();
    known.set(box, lines);
    return lines;
  };
}

// Wires as absolute coordinates in one array: number of segments, x, y, then 1 x y (line) or 2 and six (curve).
function readWires(W, boxes) {
  const source = Int32Array.from(sums(column(W.source)));
  const targetShift = column(W.target), n = source.length;
  const target = Int32Array.from(source, (box, i) => box - targetShift[i]);
  const points = [], start = new Int32Array(n + 1), bounds = new Int32Array(4 * n);
  const path = W.path;
  let at = 0;
  for (let i = 0; i < n; i++) {
    start[i] = points.length;
    let x = boxes.x[source[i]] + path[at], y = boxes.y[source[i]] + path[at + 1];
    const segments = path[at + 2];
    at += 3;
    points.push(segments, x, y);
    let left = x, right = x, top = y, bottom = y;
    const reach = (px, py) => {
      if (px < left) left = px; if (px > right) right = px;
      if (py < top) top = py; if (py > bottom) bottom = py;
    };
    for (let s = 0; s < segments; s++) {
      const code = path[at++];
      if (code === 0) { y += path[at++]; points.push(1, x, y); reach(x, y); }
      else if (code === 1) { x += path[at++]; y += path[at++]; points.push(1, x, y); reach(x, y); }
      else {
        points.push(2);
        let px = x, py = y;
        for (let k = 0; k < 3; k++) { px = x + path[at++]; py = y + path[at++]; points.push(px, py); reach(px, py); }
        x = px; y = py;
      }
    }
    bounds.set([left, top, right, bottom], 4 * i);
  }
  start[n] = points.length;
  return {n, source, target, tensor: sums(column(W.tensor)), dashed: new Set(W.dashed), points: Int32Array.from(points), start, bounds};
}

function readCaptions(W, strings) {
  const captions = [], boxes = sums(W.captionBox);
  let x = 0, y = 0;
  W.captionText.forEach((place, i) => {
    x += W.caption[3 * i]; y += W.caption[3 * i + 1];
    captions.push({x, y, left: W.caption[3 * i + 2] === 1, text: strings[place], box: boxes[i] ?? -1});
  });
  return captions;
}

// Wires by the box they leave and by the box they enter.
function joinWires(model) {
  const {wires, boxes} = model;
  const list = ends => {
    const starts = new Int32Array(boxes.x.length + 2);
    for (const box of ends) starts[box + 2]++;
    for (let i = 2; i < starts.length; i++) starts[i] += starts[i - 1];
    const flat = new Int32Array(ends.length);
    ends.forEach((box, wire) => { flat[starts[box + 1]++] = wire; });
    return box => flat.subarray(starts[box], starts[box + 1]);
  };
  model.leaving = list(wires.source);
  model.entering = list(wires.target);
}
