// Frames, their titles and the boxes of closed groups → pixels. What was drawn of titles can be clicked.
const STRIP = 7, CARD = 3, SEE_TITLES = 0.42, SEE_DETAILS = 0.6, TITLE_HEIGHT = 17, TITLE_PIXELS = 9, TITLE_LEAST = 34, LEAST_FRAME = 4;

function paintFrames(app, part) {
  const {context: g, view, theme, groups, model: {frames}} = app, z = view.zoom, round = z >= SEE_PARTS ? 8 : 0, levels = [];
  for (const f of part.column.frames) {
    const x = frames.x[f], y = frames.y[f], w = frames.w[f], h = frames.h[f];
    if (x > part.right || y > part.bottom || x + w < part.left || y + h < part.top || Math.min(w, h) * z < (z < SEE_WIRES ? 4 : 1) * LEAST_FRAME) continue;
    (levels[groups.depth[f]] ??= []).push(f);
  }
  const trace = list => {
    g.beginPath();
    for (const f of list) if (round) g.roundRect(frames.x[f], frames.y[f], frames.w[f], frames.h[f], round); else g.rect(frames.x[f], frames.y[f], frames.w[f], frames.h[f]);
  };
  g.lineWidth = Math.max(1.2, 1 / z);
  for (const level of levels) {
    if (!level) continue;
    trace(level);
    g.fillStyle = theme.frameFill;
    g.fill();
    g.strokeStyle = theme.frame;
    for (const dashed of [false, true]) {
      const some = level.filter(f => (frames.kind[f] === "region") === dashed);
      if (!some.length) continue;
      g.setLineDash(dashed && round ? [7, 5] : []);
      trace(some);
      g.stroke();
    }
  }
  g.setLineDash([]);
  const chosen = app.selected - app.base.boxes.n;
  if (chosen < 0 || !part.column.frames.includes(chosen)) return;
  trace([chosen]);
  g.strokeStyle = theme.accent;
  g.lineWidth = Math.max(2, 2.5 / z);
  g.stroke();
}

// Titles keep a readable size; one whose frame began further up stays at the edge of the view. Screen coordinates.
function paintTitles(app, part) {
  const {context: g, view, theme, ratio, groups, model: {frames}} = app, z = view.zoom, c = part.column, placed = new Map();
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  const size = z >= 1 ? Math.min(18, 12 * z) : z >= SEE_WORDS ? Math.max(10, 12 * z) : 11, height = TITLE_HEIGHT * size / 12;
  g.textBaseline = "middle";
  for (const f of c.frames) {
    if (frames.w[f] * z < 36 || frames.h[f] * z < height + 2) continue;
    const left = Math.max(0, view.x + (frames.x[f] + c.dx) * z), right = Math.min(app.width, view.x + (frames.x[f] + frames.w[f] + c.dx) * z);
    const top = view.y + (Math.max(frames.y[f], part.top) + c.dy) * z, bottom = view.y + (Math.min(frames.y[f] + frames.h[f], part.bottom) + c.dy) * z;
    if (right - left < 36 || bottom - top < height + 2 || frames.y[f] > part.bottom) continue;
    const above = groups.around(app.base.boxes.n + f).map(parent => placed.get(parent)).filter(Boolean);
    const y = top + 1;
    // Where it can be read, it stands next to the wires that come in.
    const isAtTop = z >= SEE_WORDS && frames.y[f] >= part.top, wiresEnd = isAtTop ? view.x + (frames.x[f] + frames.titleX[f] + c.dx) * z - height : 0;
    let x = Math.max(left + 2, wiresEnd + TITLE_LEAST < right ? wiresEnd : 0);
    // Next to the titles of the frames around it, never on them.
    for (const other of above.reverse()) if (y < other.y + other.h && other.y < y + height && x < other.x + other.w + 3) x = other.x + other.w + 3;
    const room = right - x - 3;
    if (room < TITLE_LEAST) continue;
    const font = `${above.length ? "" : "bold "}${size}px ${FONT}`, around = groups.around(app.base.boxes.n + f).find(parent => placed.has(parent));
    g.font = font;
    const space = room - height - 8, full = printable(frames.title[f]);
    const title = fitted(g, g.measureText(full).width > space ? printable(ownTitle(frames, f, around)) : full, space);
    const wide = g.measureText(title).width;
    g.font = `${size * 0.92}px ${FONT}`;
    const details = z >= SEE_DETAILS ? ["", groupWords(app, f), shareWords(app, groups.ms(f))].filter((each, i) => !i || each).join("  ") : "";
    const more = details && height + wide + g.measureText(details).width + 10 < room ? details : "";
    const w = Math.min(room, height + wide + (more ? g.measureText(more).width : 0) + (title ? 7 : 0));
    const spot = {frame: f, x, y, w, h: height, size, title, more};
    placed.set(f, spot);
    app.titles.push(spot);
    g.globalAlpha = 0.92;
    g.fillStyle = app.overTitle === f ? theme.accentSoft : theme.raised;
    g.beginPath();
    g.roundRect(x, y, w, height, 4);
    g.fill();
    g.globalAlpha = 1;
    g.strokeStyle = theme.frame;
    g.lineWidth = 1;
    g.stroke();
    paintSign(g, x + height / 2, y + height / 2, size * 0.34, theme.soft, false);
    g.fillStyle = theme.ink;
    g.font = font;
    g.fillText(title, x + height, y + height / 2 + 0.5);
    if (!more) continue;
    g.fillStyle = theme.soft;
    g.font = `${size * 0.92}px ${FONT}`;
    g.fillText(more, x + height + wide, y + height / 2 + 0.5);
  }
  g.textBaseline = "alphabetic";
}

// What a title says beyond that of a frame around it.
function ownTitle(frames, frame, outer) {
  const title = frames.title[frame], around = frames.title[outer]?.replace(COUNTED, "");
  return around && title.length > around.length + 1 && title.startsWith(around) && /[/.]/.test(title[around.length]) ? title.slice(around.length + 1) : title;
}

function paintSign(g, x, y, half, color, plus) {
  g.strokeStyle = color;
  g.lineWidth = Math.max(1, half / 2.6);
  g.beginPath();
  g.moveTo(x - half, y);
  g.lineTo(x + half, y);
  if (plus) { g.moveTo(x, y - half); g.lineTo(x, y + half); }
  g.stroke();
}

// The box of a closed group: cards behind it, its title, its sums, and what it is made of as a strip.
function paintGroup(app, box) {
  const {context: g, model, view, theme, groups} = app, {boxes} = model, z = view.zoom, f = box - boxes.n;
  const x = boxes.x[box], y = boxes.y[box], w = boxes.w[box], h = boxes.h[box];
  if (z < SEE_PARTS) { paintStrip(app, f, x, y, w, h); return; }
  g.strokeStyle = theme.edge;
  g.lineWidth = Math.max(1, 0.6 / z);
  for (const shift of [2 * CARD, CARD, 0]) {
    g.fillStyle = shift ? theme.group : theme.paper;
    g.beginPath();
    g.roundRect(x + shift, y + shift, w, h, 4);
    g.fill();
    g.stroke();
  }
  // From afar the title takes the room of the words.
  const isFar = z < SEE_TITLES, head = isFar ? h - BAR - STRIP - 5 : HEAD;
  g.fillStyle = theme.group;
  g.beginPath();
  g.roundRect(x, y, w, head, [4, 4, 0, 0]);
  g.fill();
  paintStrip(app, f, x + 2, y + h - BAR - STRIP - 3, w - 4, STRIP);
  const heat = heatOf(model, box, groups);
  if (heat > 0) {
    g.fillStyle = theme.bar;
    g.fillRect(x + 2, y + h - BAR - 1, Math.max(1, heat * (w - 4)), BAR);
  }
  g.beginPath();
  g.roundRect(x, y, w, h, 4);
  g.stroke();
  const size = Math.max(12, Math.min(isFar ? 40 : 18, TITLE_PIXELS / z)), {title, line, share} = groupLines(app, g, box, size);
  paintSign(g, x + size, y + head / 2, size / 3, theme.ink, true);
  g.fillStyle = theme.ink;
  g.font = `bold ${size}px ${FONT}`;
  g.fillText(title, x + 1.8 * size, y + head / 2 + 0.36 * size);
  if (z < SEE_WORDS) return;
  g.font = `11px ${FONT}`;
  g.fillStyle = theme.soft;
  g.fillText(line, x + PAD, y + HEAD + 14);
  g.textAlign = "right";
  g.fillStyle = theme.ink;
  g.fillText(share, x + w - PAD, y + HEAD + 14);
  g.textAlign = "left";
}

function groupLines(app, g, box, size = 12) {
  const f = box - app.base.boxes.n, w = app.model.boxes.w[box];
  g.font = `bold ${size}px ${FONT}`;
  const title = fitted(g, printable(app.base.frames.title[f]), w - 1.8 * size - PAD / 2);
  g.font = `11px ${FONT}`;
  const share = fitted(g, shareWords(app, app.groups.ms(f)), w - 2 * PAD);
  return {title, share, line: fitted(g, groupWords(app, f), w - 2 * PAD - g.measureText(share).width - 6)};
}

function paintStrip(app, frame, x, y, w, h) {
  const {context: g} = app, alpha = g.globalAlpha;
  let at = x;
  for (const [k, part] of mixOf(app, frame)) {
    g.fillStyle = k.color;
    g.globalAlpha = app.focus.size && !app.focus.has(k.id) ? 0.13 : 1;
    g.fillRect(at, y, part * w, h);
    at += part * w;
  }
  g.globalAlpha = alpha;
}

// A text as far as there is room for it: a path loses its first steps, then the middle of what is left; what counts
// stays. Never starts with the end of a word; "" where not even three letters fit.
const fits = new Map(), COUNTED = /( ×[\d,]+| · \d+ of \d+| \(\d+ of \d+\))+$/;
function fitted(g, text, room) {
  if (room <= 0) return "";
  const short = text.length > 400 ? `${text.slice(0, 200)}…${text.slice(-199)}` : text, key = `${g.font}|${Math.round(room)}|${short}`;
  let found = fits.get(key);
  if (found !== undefined) return found;
  const fitsIn = some => g.measureText(some).width <= room;
  found = short;
  if (!fitsIn(short)) {
    const end = COUNTED.exec(short)?.[0] ?? "", steps = short.slice(0, short.length - end.length).split("/");
    let from = 0;
    while (from < steps.length - 1 && !(steps[from] !== "" && fitsIn(steps.slice(from).join("/") + end))) from++;
    found = steps.slice(from).join("/") + end;
    const letters = Array.from(steps[from]), cut = n => `${letters.slice(0, Math.ceil(n * 2 / 3)).join("")}…${letters.slice(letters.length - Math.floor(n / 3)).join("")}${end}`;
    if (!fitsIn(found)) {
      let low = 0, high = letters.length - 1;
      while (low < high) { const middle = (low + high + 1) >> 1; if (fitsIn(cut(middle))) low = middle; else high = middle - 1; }
      found = low >= 4 || low >= 2 && end ? cut(low) : end && fitsIn(end.trim()) ? end.trim() : "";
    }
  }
  if (fits.size > 4000) fits.clear();
  fits.set(key, found);
  return found;
}

// The frame whose title, or the closed group whose box, is at a place on the screen; -1 where there is none.
function handleAt(app, x, y) {
  for (const spot of app.titles.slice().reverse()) if (x >= spot.x && x <= spot.x + spot.w && y >= spot.y && y <= spot.y + spot.h) return spot.frame;
  return Math.max(-1, boxAt(app, x, y) - app.base.boxes.n);
}
