// Model → sheet: the long graph cut between rows into columns side by side, and a grid in which to look things up.
const COLUMN_GAP = 70, CELL_WIDTH = 1024, CELL_HEIGHT = 1024, MOST_CELLS = 48;
// Width of a letter of the words next to wires, rather too much than too little.
const LETTER = 5.6;
// How full a column is at least, as a part of the height it is to have.
const LEAST_FILL = 0.7;
// Of few boxes, all numbers of columns are tried; a narrow view has one column.
const FEW = 400, MOST_TRIED = 12, NARROW = 600;
// From this zoom on, fewer columns are better than larger ones.
const COMFORTABLE = 0.85;

// readZoom: how large it is to be read, where it does not have to fit into the view; 0 where it does.
function makeSheet(model, viewWidth, viewHeight, folded, readZoom) {
  const {width, height} = model.data;
  const cuts = rowGaps(model);
  let columns = [{y0: -40, y1: height + 40}];
  measure(model, columns);
  if (folded && height > 0) {
    // The cuts that show it largest; more columns only where that is worth it.
    const zoom = some => Math.min(viewWidth / some.reduce((sum, c) => sum + c.x1 - c.x0 + COLUMN_GAP, -COLUMN_GAP), viewHeight / Math.max(...some.map(c => c.y1 - c.y0)), 1);
    const cut = target => {
      const some = cutColumns(cuts, height, target);
      measure(model, some);
      return some;
    };
    if (readZoom) columns = viewWidth < NARROW ? columns : cut((viewHeight - 30) / readZoom);
    else {
      let best = zoom(columns);
      const take = some => { if (zoom(some) > best * (best < COMFORTABLE ? 1.03 : 1.4)) { best = zoom(some); columns = some; } };
      if (model.boxes.shown.length < FEW) {
        for (let count = 2; count <= MOST_TRIED; count++) { take(cut(height / count)); take(cut(1.12 * height / count)); }
      } else {
        for (let round = 0, typical = width; round < 2; round++) {
          const some = cut(columnHeight(typical, height, viewWidth, viewHeight));
          typical = some.reduce((sum, c) => sum + c.x1 - c.x0, 0) / some.length;
          take(some);
        }
      }
    }
  }
  shareFrames(model.frames, columns);
  const sheet = {columns, width: 0, height: 0};
  let x = 0;
  for (const c of columns) {
    c.dx = x - c.x0;
    c.dy = -c.y0;
    x += c.x1 - c.x0 + COLUMN_GAP;
    sheet.height = Math.max(sheet.height, c.y1 - c.y0);
  }
  sheet.width = Math.max(1, x - COLUMN_GAP);
  sheet.columnAt = y => columns[columnOf(columns, y)];
  // A place on the sheet as one in the graph, null between columns.
  sheet.toGraph = (sx, sy) => {
    for (const c of columns) if (sx >= c.x0 + c.dx && sx < c.x1 + c.dx && sy >= 0 && sy < c.y1 - c.y0) return [sx - c.dx, sy - c.dy];
    return null;
  };
  return sheet;
}

// The heights between rows, where no box stands, each with the number of frames there.
function rowGaps(model) {
  const {boxes, frames} = model;
  const order = boxes.shown.slice().sort((a, b) => boxes.y[a] - boxes.y[b]);
  const gaps = [];
  let end = -Infinity;
  for (const box of order) {
    if (boxes.y[box] > end && end > -Infinity) gaps.push({from: end, to: boxes.y[box], y: 0, frames: 0});
    end = Math.max(end, boxes.y[box] + boxes.h[box]);
  }
  const first = y => {
    let low = 0, high = gaps.length;
    while (low < high) { const middle = (low + high) >> 1; if (gaps[middle].to < y) low = middle + 1; else high = middle; }
    return low;
  };
  // Where frames end and others begin, the place between them.
  for (const f of frames.shown) {
    const bottom = frames.y[f] + frames.h[f], ends = gaps[first(bottom)], begins = gaps[first(frames.y[f])];
    if (ends && bottom > ends.from) ends.after = Math.max(ends.after ?? bottom, bottom);
    if (begins && frames.y[f] > begins.from) begins.before = Math.min(begins.before ?? frames.y[f], frames.y[f]);
  }
  for (const gap of gaps) {
    const {after = gap.from, before = gap.to} = gap;
    gap.y = after < before ? (after + before) / 2 : (gap.from + gap.to) / 2;
  }
  const from = y => {
    const gap = first(y);
    return gap < gaps.length && gaps[gap].y < y ? gap + 1 : gap;
  };
  const steps = new Int32Array(gaps.length + 1);
  for (const f of frames.shown) { steps[from(frames.y[f])]++; steps[from(frames.y[f] + frames.h[f])]--; }
  let over = 0;
  gaps.forEach((gap, i) => { over += steps[i]; gap.frames = over; });
  return gaps;
}

// How high columns are to be so that all of them are as large as can be in the view.
function columnHeight(width, height, viewWidth, viewHeight) {
  const zoom = n => Math.min(viewWidth / (n * (width + COLUMN_GAP)), viewHeight / (height / n + 120), 1);
  let best = 1;
  const most = Math.min(2000, Math.ceil(height / 400));
  for (let n = 2; n <= most; n++) if (zoom(n) > zoom(best) * 1.02) best = n;
  return height / best;
}

// Of the cuts that make a column about as high as it is to be, the last of those that cut the fewest frames.
function cutColumns(cuts, height, target) {
  const columns = [];
  let y0 = -40, best = null;
  for (const cut of cuts) {
    if (best && cut.y - y0 > target * 1.02) {
      columns.push({y0, y1: best.y});
      y0 = best.y;
      best = null;
    }
    if (!best || best.y - y0 < target * LEAST_FILL || cut.frames <= best.frames) best = cut;
  }
  columns.push({y0, y1: height + 40});
  return columns;
}

// How wide each column's part of the graph is.
function measure(model, columns) {
  const {boxes, wires, frames, captions} = model;
  for (const c of columns) { c.x0 = Infinity; c.x1 = -Infinity; }
  const spread = (left, right, top, bottom) => {
    for (let i = columnOf(columns, top); i < columns.length && columns[i].y0 <= bottom; i++) {
      const c = columns[i];
      if (left < c.x0) c.x0 = left;
      if (right > c.x1) c.x1 = right;
    }
  };
  for (const i of boxes.shown) spread(boxes.x[i], boxes.x[i] + boxes.w[i], boxes.y[i], boxes.y[i] + boxes.h[i]);
  for (const i of frames.shown) spread(frames.x[i], frames.x[i] + frames.w[i], frames.y[i], frames.y[i] + frames.h[i]);
  for (let i = 0; i < wires.n; i++) spread(wires.bounds[4 * i], wires.bounds[4 * i + 2], wires.bounds[4 * i + 1], wires.bounds[4 * i + 3]);
  for (const {x, y, left, text} of captions) spread(left ? x - LETTER * text.length : x, left ? x : x + LETTER * text.length, y - 10, y);
  for (const c of columns) {
    if (c.x0 === Infinity) { c.x0 = 0; c.x1 = 100; }
    c.x0 -= 20;
    c.x1 += 20;
  }
}

// Which frames reach into which column.
function shareFrames(frames, columns) {
  for (const c of columns) c.frames = [];
  for (const f of frames.shown) {
    const top = frames.y[f], bottom = top + frames.h[f];
    for (let i = columnOf(columns, top); i < columns.length && columns[i].y0 <= bottom; i++) columns[i].frames.push(f);
  }
}

// Position of the column that a height is in.
function columnOf(columns, y) {
  let low = 0, high = columns.length - 1;
  while (low < high) { const middle = (low + high) >> 1; if (columns[middle].y1 <= y) low = middle + 1; else high = middle; }
  return low;
}

// Boxes, wires and captions by the cells of a grid they touch; what touches very many is always looked at.
function makeGrid(model) {
  const {boxes, wires, captions} = model;
  const across = Math.max(1, Math.ceil((model.data.width + 200) / CELL_WIDTH));
  const cellX = x => Math.max(0, Math.min(across - 1, Math.floor(x / CELL_WIDTH)));
  const cellY = y => Math.max(0, Math.floor(y / CELL_HEIGHT));
  const layer = (things, bounds) => {
    const cells = new Map(), everywhere = [], seen = new Int32Array(boxes.x.length + Math.max(wires.n, captions.length));
    let stamp = 0;
    for (const i of things) {
      const [left, top, right, bottom] = bounds(i);
      const x0 = cellX(left), x1 = cellX(right), y0 = cellY(top), y1 = cellY(bottom);
      if ((x1 - x0 + 1) * (y1 - y0 + 1) > MOST_CELLS) { everywhere.push(i); continue; }
      for (let y = y0; y <= y1; y++) for (let x = x0; x <= x1; x++) {
        const key = y * across + x;
        const cell = cells.get(key);
        if (cell) cell.push(i); else cells.set(key, [i]);
      }
    }
    return (left, top, right, bottom) => {
      const found = [];
      stamp++;
      const take = i => {
        if (seen[i] === stamp) return;
        seen[i] = stamp;
        const b = bounds(i);
        if (b[2] >= left && b[0] <= right && b[3] >= top && b[1] <= bottom) found.push(i);
      };
      everywhere.forEach(take);
      const x1 = cellX(right), y1 = cellY(bottom);
      for (let y = cellY(top); y <= y1; y++) for (let x = cellX(left); x <= x1; x++) {
        const cell = cells.get(y * across + x);
        if (cell) for (let k = 0; k < cell.length; k++) take(cell[k]);
      }
      return found;
    };
  };
  return {
    boxes: layer(boxes.shown, i => [boxes.x[i], boxes.y[i], boxes.x[i] + boxes.w[i], boxes.y[i] + boxes.h[i]]),
    wires: layer(Array(wires.n).keys(), i => [wires.bounds[4 * i], wires.bounds[4 * i + 1], wires.bounds[4 * i + 2], wires.bounds[4 * i + 3]]),
    captions: layer(captions.keys(), i => [captions[i].x - (captions[i].left ? 240 : 0), captions[i].y - 12, captions[i].x + (captions[i].left ? 0 : 240), captions[i].y + 4]),
  };
}
