// Model, sheet and view → pixels. What is too small to be read is not drawn; only what is in view is looked at.
const HEAD = 21, LINE = 14, PAD = 8, BAR = 4;
const FONT = 'Helvetica, Arial, "Liberation Sans", sans-serif';
// Zooms from which wires, body and head, the head's words, all words are drawn.
const SEE_WIRES = 0.07, SEE_PARTS = 0.2, SEE_HEADS = 0.34, SEE_WORDS = 0.46;

function themeColors() {
  const style = getComputedStyle(document.documentElement);
  const read = name => style.getPropertyValue(`--${name}`).trim();
  return {
    ground: read("ground"), paper: read("paper"), ink: read("ink"), soft: read("soft"), line: read("line"), edge: read("edge"),
    raised: read("raised"), accentSoft: read("accent-soft"), frame: read("frame"), frameFill: read("frame-fill"), group: read("group"),
    accent: read("accent"), hit: read("hit"), bar: read("bar"), reason: read("reason"),
    dark: document.documentElement.dataset.theme === "dark",
  };
}

function boxColor(app, box) {
  const layer = app.model.boxes.layer[box];
  if (layer >= 0) return app.coloring.classes[app.coloring.of[layer]].color;
  if (box >= app.model.boxes.n) return mostOf(app, box - app.model.boxes.n)?.[0].color ?? app.theme.group;
  if (app.model.boxes.memory[box] === "dangling" && !app.theme.dark) return DANGLING;
  return app.theme.dark ? MEMORY_DARK : MEMORY;
}

function wireColor(app, wire) {
  const tensor = app.model.wires.tensor[wire];
  if (tensor < 0) return UNKNOWN;
  const [, color, onWhite] = app.model.precisions[app.model.tensors.precision[tensor]];
  return app.theme.dark ? lightened(color) : onWhite;
}

// The columns in view, each with the part of the graph that is seen of it.
function visibleParts(app) {
  const {sheet, view} = app, parts = [];
  const left = -view.x / view.zoom, right = (app.width - view.x) / view.zoom;
  const top = -view.y / view.zoom, bottom = (app.height - view.y) / view.zoom;
  for (const c of sheet.columns) {
    const x0 = Math.max(left, c.x0 + c.dx), x1 = Math.min(right, c.x1 + c.dx);
    const y0 = Math.max(top, 0), y1 = Math.min(bottom, c.y1 - c.y0);
    if (x0 < x1 && y0 < y1) parts.push({column: c, left: x0 - c.dx, top: y0 - c.dy, right: x1 - c.dx, bottom: y1 - c.dy});
  }
  return parts;
}

function paint(app) {
  const {context: g, view, model, grid, theme} = app, z = view.zoom, ratio = app.ratio;
  g.setTransform(1, 0, 0, 1, 0, 0);
  g.fillStyle = theme.ground;
  g.fillRect(0, 0, app.canvas.width, app.canvas.height);
  const parts = visibleParts(app);
  app.drawn = 0;
  app.titles = [];
  for (const part of parts) {
    const c = part.column;
    const boxes = grid.boxes(part.left, part.top, part.right, part.bottom);
    app.drawn += boxes.length;
    g.setTransform(z * ratio, 0, 0, z * ratio, (view.x + c.dx * z) * ratio, (view.y + c.dy * z) * ratio);
    g.save();
    g.beginPath();
    g.rect(c.x0, c.y0, c.x1 - c.x0, c.y1 - c.y0);
    g.clip();
    if (model.frames.shown.length) paintFrames(app, part);
    if (z < SEE_WIRES) {
      g.restore();
      paintSpecks(app, c, boxes);
      if (model.frames.shown.length) paintTitles(app, part);
      continue;
    }
    const wires = grid.wires(part.left, part.top, part.right, part.bottom);
    paintHotPath(app, wires);
    paintWires(app, wires);
    if (z >= SEE_WORDS) paintCaptions(app, grid.captions(part.left, part.top, part.right, part.bottom));
    paintBoxes(app, boxes);
    g.restore();
    if (app.sheet.columns.length > 1 && z >= 0.12) paintBreaks(app, c);
    if (model.frames.shown.length) paintTitles(app, part);
  }
  g.setTransform(1, 0, 0, 1, 0, 0);
  paintMarks(app);
}

// Boxes as small rectangles, color by color.
function paintSpecks(app, c, boxes) {
  const {context: g, view, model, ratio} = app, z = view.zoom * ratio, byColor = new Map();
  for (const box of boxes) {
    const color = boxColor(app, box), faint = isFaint(app, box), key = faint ? color + "f" : color;
    const list = byColor.get(key);
    if (list) list.push(box); else byColor.set(key, [box]);
  }
  const dx = (view.x + c.dx * view.zoom) * ratio, dy = (view.y + c.dy * view.zoom) * ratio;
  const {x, y, w, h} = model.boxes;
  const solid = Math.max(1, 0.6 * ratio);
  g.setTransform(1, 0, 0, 1, 0, 0);
  for (const [key, list] of byColor) {
    g.fillStyle = key.slice(0, 7);
    g.globalAlpha = key.length > 7 ? 0.12 : 1;
    for (const box of list) g.fillRect(dx + x[box] * z, dy + y[box] * z, Math.max(solid, w[box] * z), Math.max(solid, h[box] * z));
  }
  g.globalAlpha = 1;
}

function isFaint(app, box) {
  if (!app.focus.size) return false;
  const layer = app.model.boxes.layer[box], n = app.model.boxes.n;
  if (box >= n) return !mixOf(app, box - n).some(([k]) => app.focus.has(k.id));
  return layer < 0 || !app.focus.has(app.coloring.of[layer]);
}

function trace(g, wires, wire) {
  const p = wires.points;
  let at = wires.start[wire];
  const segments = p[at];
  g.moveTo(p[at + 1], p[at + 2]);
  at += 3;
  for (let s = 0; s < segments; s++) {
    if (p[at] === 1) { g.lineTo(p[at + 1], p[at + 2]); at += 3; }
    else { g.bezierCurveTo(p[at + 1], p[at + 2], p[at + 3], p[at + 4], p[at + 5], p[at + 6]); at += 7; }
  }
}

function paintWires(app, list) {
  const {context: g, model, view} = app, wires = model.wires, z = view.zoom;
  const byLook = new Map();
  for (const wire of list) {
    const faint = app.focus.size && isFaint(app, wires.source[wire]) && isFaint(app, wires.target[wire]);
    const key = `${wireColor(app, wire)}${wires.dashed.has(wire) ? "d" : "-"}${faint ? "f" : "-"}`;
    const others = byLook.get(key);
    if (others) others.push(wire); else byLook.set(key, [wire]);
  }
  for (const [key, some] of byLook) {
    g.strokeStyle = g.fillStyle = key.slice(0, 7);
    g.globalAlpha = key[8] === "f" ? 0.15 : 1;
    g.lineWidth = Math.max(2, 0.75 / z);
    g.setLineDash(key[7] === "d" ? [6, 4] : []);
    g.beginPath();
    for (const wire of some) trace(g, wires, wire);
    g.stroke();
    if (z < SEE_PARTS) continue;
    g.beginPath();
    for (const wire of some) {
      const end = wires.start[wire + 1], x = wires.points[end - 2], y = wires.points[end - 1];
      g.moveTo(x - 4, y - 7);
      g.lineTo(x + 4, y - 7);
      g.lineTo(x, y + 1);
    }
    g.fill();
  }
  g.globalAlpha = 1;
  g.setLineDash([]);
}

function paintCaptions(app, list) {
  const {context: g, model, theme} = app;
  g.font = `10px ${FONT}`;
  g.fillStyle = theme.soft;
  g.globalAlpha = app.focus.size ? 0.4 : 1;
  for (const i of list) {
    const caption = model.captions[i];
    g.textAlign = caption.left ? "right" : "left";
    g.fillText(caption.text, caption.x, caption.y);
  }
  g.textAlign = "left";
  g.globalAlpha = 1;
}

function paintBoxes(app, list) {
  const {context: g, model, view, theme} = app, {x, y, w, h} = model.boxes, z = view.zoom;
  const parts = z >= SEE_PARTS, round = z >= SEE_HEADS;
  g.textBaseline = "alphabetic";
  for (const box of list) {
    const color = boxColor(app, box);
    g.globalAlpha = isFaint(app, box) ? 0.13 : 1;
    if (box >= model.boxes.n) { paintGroup(app, box); continue; }
    if (!parts) {
      g.fillStyle = color;
      g.fillRect(x[box], y[box], w[box], h[box]);
      continue;
    }
    if (round) {
      g.beginPath();
      g.roundRect(x[box], y[box], w[box], h[box], 4);
      g.fillStyle = theme.paper;
      g.fill();
      g.beginPath();
      g.roundRect(x[box], y[box], w[box], HEAD, h[box] > HEAD + 3 ? [4, 4, 0, 0] : 4);
      g.fillStyle = color;
      g.fill();
      g.beginPath();
      g.roundRect(x[box], y[box], w[box], h[box], 4);
    } else {
      g.fillStyle = theme.paper;
      g.fillRect(x[box], y[box], w[box], h[box]);
      g.fillStyle = color;
      g.fillRect(x[box], y[box], w[box], HEAD);
      g.beginPath();
      g.rect(x[box], y[box], w[box], h[box]);
    }
    g.strokeStyle = theme.edge;
    g.lineWidth = Math.max(1, 0.6 / z);
    g.stroke();
    const heat = heatOf(model, box, app.groups);
    if (heat > 0) {
      g.fillStyle = theme.bar;
      g.fillRect(x[box] + 2, y[box] + h[box] - BAR - 1, Math.max(1, heat * (w[box] - 4)), BAR);
    }
    if (z >= SEE_HEADS) paintWords(app, box, color, z >= SEE_WORDS);
  }
  g.globalAlpha = 1;
}

function paintWords(app, box, color, all) {
  const {context: g, model, theme} = app, {x, y, w} = model.boxes;
  g.fillStyle = inkFor(color);
  g.font = `bold 12px ${FONT}`;
  // Letters of another font may be wider than those that the box was made for: they are drawn closer.
  const badge = badgeOf(app, box), room = w[box] - 2 * PAD, kind = g.measureText(model.boxes.kind[box]).width;
  g.font = `11px ${FONT}`;
  const needed = kind + (badge ? g.measureText(badge).width + 6 : 0), scale = Math.min(1, room / needed);
  if (badge) {
    g.textAlign = "right";
    g.fillText(badge, x[box] + w[box] - PAD, y[box] + 15, scale * (needed - kind - 6) || 1);
    g.textAlign = "left";
  }
  g.font = `bold 12px ${FONT}`;
  g.fillText(model.boxes.kind[box], x[box] + PAD, y[box] + 15, scale * kind || 1);
  g.font = `11px ${FONT}`;
  if (!all) return;
  let at = y[box] + HEAD + 3;
  for (const [role, text] of model.boxes.lines(box)) {
    at += LINE;
    g.fillStyle = role === 1 ? theme.reason : role === 2 ? theme.soft : theme.ink;
    g.fillText(text, x[box] + PAD, at - 3, room);
  }
}

const inks = new Map();
function inkFor(color) {
  let ink = inks.get(color);
  if (!ink) inks.set(color, ink = inkOn(color));
  return ink;
}

function heatOf(model, box, groups) {
  const ms = box < model.boxes.n ? model.msOf(box) : groups.ms(box - model.boxes.n);
  return ms === null || model.slowest <= 0 ? 0 : ms / model.slowest;
}

function badgeOf(app, box) {
  const {base} = app, layer = base.boxes.layer[box];
  if (box >= base.boxes.n) return shareWords(app, app.groups.ms(box - base.boxes.n));
  return layer < 0 || base.boxes.badge[box] ? base.boxes.badge[box] : shareWords(app, base.msOf(box));
}

// Where a column ends and the graph goes on in the next one.
function paintBreaks(app, c) {
  const {context: g, view, theme, sheet} = app;
  g.strokeStyle = theme.edge;
  g.fillStyle = theme.soft;
  g.lineWidth = 1 / view.zoom;
  g.setLineDash([5 / view.zoom, 5 / view.zoom]);
  const mark = (y, words) => {
    g.beginPath();
    g.moveTo(c.x0, y);
    g.lineTo(c.x1, y);
    g.stroke();
    if (view.zoom >= 0.3) {
      g.font = `italic ${Math.min(16, 11 / view.zoom)}px ${FONT}`;
      g.fillText(words, c.x0 + 4, y === c.y0 ? y - 5 : y + Math.min(16, 11 / view.zoom) + 2);
    }
  };
  if (c !== sheet.columns[sheet.columns.length - 1]) mark(c.y1, "goes on in the next column →");
  if (c !== sheet.columns[0]) mark(c.y0, "← from the column before");
  g.setLineDash([]);
}

// Screen rectangle of a box, or of the box that stands for it.
function placeOf(app, any) {
  const {view, model: {boxes, standIn}} = app, box = standIn[any], c = app.sheet.columnAt(boxes.y[box]);
  return [view.x + (boxes.x[box] + c.dx) * view.zoom, view.y + (boxes.y[box] + c.dy) * view.zoom, boxes.w[box] * view.zoom, boxes.h[box] * view.zoom];
}

// Search hits, layers marked by the style, the selected box and its wires: to be seen at any zoom.
function paintMarks(app) {
  const {context: g, model, ratio, theme, view} = app;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  const frame = (box, color, line, least) => {
    let [x, y, w, h] = placeOf(app, box);
    if (x > app.width || y > app.height || x + w < 0 || y + h < 0) return;
    const grow = Math.max(line, (least - Math.min(w, h)) / 2);
    g.strokeStyle = color;
    g.lineWidth = line;
    g.beginPath();
    g.roundRect(x - grow, y - grow, w + 2 * grow, h + 2 * grow, 5);
    g.stroke();
  };
  for (const box of model.boxes.marked) frame(box, "#d6009a", 3, 8);
  for (const box of app.hitBoxes()) frame(box, theme.hit, 2, 5);
  for (const box of app.matchedBoxes()) frame(box, theme.accent, 2, 8);
  const selected = app.selected < 0 ? -1 : model.standIn[app.selected];
  // An open group is marked as a frame.
  if (selected < 0 || selected >= model.boxes.n && !model.frames.closed.includes(selected - model.boxes.n)) return;
  if (view.zoom >= SEE_WIRES) {
    const around = [...model.entering(selected), ...model.leaving(selected)].slice(0, 400);
    for (const part of visibleParts(app)) {
      const c = part.column, z = view.zoom * ratio;
      g.setTransform(z, 0, 0, z, (view.x + c.dx * view.zoom) * ratio, (view.y + c.dy * view.zoom) * ratio);
      g.save();
      g.beginPath();
      g.rect(c.x0, c.y0, c.x1 - c.x0, c.y1 - c.y0);
      g.clip();
      g.strokeStyle = theme.accent;
      g.lineWidth = Math.max(3, 2 / view.zoom);
      g.beginPath();
      for (const wire of around) trace(g, model.wires, wire);
      g.stroke();
      g.restore();
    }
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
  }
  frame(selected, theme.accent, 3, 14);
}
