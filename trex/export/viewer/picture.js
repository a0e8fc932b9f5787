// The visible part → an SVG document as text. It can be enlarged, so it says more than the screen does.
const MORE = 2;

function visibleSvg(app) {
  const {model, view, theme, grid} = app, z = view.zoom, see = MORE * z, out = [], n = tenths;
  const legend = legendSvg(app), height = app.height + legend.height;
  out.push(`<svg xmlns="http://www.w3.org/2000/svg" width="${app.width}" height="${height}" viewBox="0 0 ${app.width} ${height}" font-family="Helvetica, Arial, sans-serif">`);
  out.push(`<title>${xmlText(model.data.title)}</title>`);
  if (model.data.statement) out.push(`<desc>${xmlText(model.data.statement)}</desc>`);
  out.push(`<rect width="100%" height="100%" fill="${theme.ground}"/>`);
  out.push(`<clipPath id="view"><rect width="${app.width}" height="${app.height}"/></clipPath><g clip-path="url(#view)">`);
  visibleParts(app).forEach((part, i) => {
    const c = part.column;
    out.push(`<clipPath id="c${i}"><rect x="${n(c.x0)}" y="${n(c.y0)}" width="${n(c.x1 - c.x0)}" height="${n(c.y1 - c.y0)}"/></clipPath>`);
    out.push(`<g transform="translate(${n(view.x + c.dx * z)} ${n(view.y + c.dy * z)}) scale(${z})"><g clip-path="url(#c${i})">`);
    for (const f of c.frames) out.push(frameSvg(app, f, part));
    const {onIt} = hotPath(app);
    for (const wire of see < SEE_WIRES || !onIt.size ? [] : grid.wires(part.left, part.top, part.right, part.bottom)) {
      if (onIt.has(wire)) out.push(`<path d="${pathText(model.wires, wire)}" fill="none" stroke="${HOT}" stroke-opacity="0.45" stroke-width="9"/>`);
    }
    for (const wire of see < SEE_WIRES ? [] : grid.wires(part.left, part.top, part.right, part.bottom)) {
      const dash = model.wires.dashed.has(wire) ? ' stroke-dasharray="6 4"' : "";
      const color = wireColor(app, wire), points = model.wires.points, end = model.wires.start[wire + 1];
      const tipX = points[end - 2], tipY = points[end - 1];
      out.push(`<path d="${pathText(model.wires, wire)}" fill="none" stroke="${color}" stroke-width="2"${dash}/>`);
      if (see >= SEE_PARTS) out.push(`<path d="M${tipX - 4} ${tipY - 7}h8l-4 8z" fill="${color}"/>`);
    }
    if (see >= SEE_WORDS) for (const at of grid.captions(part.left, part.top, part.right, part.bottom)) {
      const caption = model.captions[at];
      out.push(`<text x="${caption.x}" y="${caption.y}" font-size="10" fill="${theme.soft}"${caption.left ? ' text-anchor="end"' : ""}>${xmlText(caption.text)}</text>`);
    }
    for (const box of grid.boxes(part.left, part.top, part.right, part.bottom)) out.push(box < model.boxes.n ? boxSvg(app, box) : groupSvg(app, box));
    out.push("</g></g>");
  });
  // Where the graph can be read, titles are as large as its words; else as on the screen.
  if (see < SEE_WORDS) for (const spot of app.titles) if (spot.title) out.push(titleSvg(app, spot));
  out.push(`</g>${legend.text}</svg>\n`);
  return out.join("\n");
}

// The legend below the picture, as many entries on a line as fit.
function legendSvg(app) {
  const {theme, context: g, coloring, base, model} = app, out = [], precisions = new Set(base.wires.tensor.filter(t => t >= 0).map(t => model.tensors.precision[t]));
  const entries = [
    ...coloring.ranked.map(k => [k.color, 12, `${printable(k.text)} (${classWords(app, k)})`]),
    ...[...precisions].map(p => [theme.dark ? lightened(model.precisions[p][1]) : model.precisions[p][2], 3, model.precisions[p][0]]),
    ...timeMarks(app).map(([mark, text]) => mark === "bar" ? [theme.bar, 4, `time, ${text}`] : [HOT, 6, text]),
  ];
  let x = 12, y = app.height + 20;
  g.font = `11px ${FONT}`;
  for (const [color, thick, words] of entries) {
    const text = fitted(g, words, app.width - 60), wide = 44 + g.measureText(text).width * 1.05;
    if (x > 12 && x + wide > app.width) { x = 12; y += 18; }
    out.push(`<rect x="${x}" y="${y - 4 - thick / 2}" width="18" height="${thick}" rx="${thick > 6 ? 2 : 0}" fill="${color}"/><text x="${x + 24}" y="${y}" font-size="11" fill="${theme.ink}">${xmlText(text)}</text>`);
    x += wide;
  }
  return {text: `<g id="legend">${out.join("")}</g>`, height: y - app.height + 12};
}

function tenths(value) {
  return String(Math.round(value * 10) / 10);
}

function boxSvg(app, box) {
  const {model, theme, view} = app, z = MORE * view.zoom, out = [], color = boxColor(app, box), ink = inkFor(color), layer = model.boxes.layer[box];
  const x = model.boxes.x[box], y = model.boxes.y[box], w = model.boxes.w[box], h = model.boxes.h[box];
  out.push(`<g${isFaint(app, box) ? ' opacity="0.13"' : ""}><title>${xmlText(layer >= 0 ? model.layers.name[layer] : model.boxes.tip[box])}</title>`);
  if (z >= SEE_PARTS) out.push(`<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="4" fill="${theme.paper}" stroke="${theme.edge}"/>`);
  out.push(`<rect x="${x}" y="${y}" width="${w}" height="${z < SEE_PARTS ? h : HEAD}" rx="4" fill="${color}"/>`);
  const heat = z < SEE_PARTS ? 0 : heatOf(model, box, app.groups);
  if (heat > 0) out.push(`<rect x="${x + 2}" y="${y + h - BAR - 1}" width="${tenths(Math.max(1, heat * (w - 4)))}" height="${BAR}" fill="${theme.bar}"/>`);
  if (z >= SEE_HEADS) {
    const badge = badgeOf(app, box);
    out.push(`<text x="${x + PAD}" y="${y + 15}" font-size="12" font-weight="bold" fill="${ink}">${xmlText(model.boxes.kind[box])}</text>`);
    if (badge) out.push(`<text x="${x + w - PAD}" y="${y + 15}" font-size="11" text-anchor="end" fill="${ink}">${xmlText(badge)}</text>`);
    let at = y + HEAD + 3;
    for (const [role, text] of z >= SEE_WORDS ? model.boxes.lines(box) : []) {
      at += LINE;
      out.push(`<text x="${x + PAD}" y="${at - 3}" font-size="11" fill="${role === 1 ? theme.reason : role === 2 ? theme.soft : theme.ink}">${xmlText(text)}</text>`);
    }
  }
  return `${out.join("")}</g>`;
}

function frameSvg(app, f, part) {
  const {theme, model: {frames}} = app, x = frames.x[f], y = frames.y[f], w = frames.w[f], h = frames.h[f];
  if (x > part.right || y > part.bottom || x + w < part.left || y + h < part.top) return "";
  const dash = frames.kind[f] === "region" ? ' stroke-dasharray="7 5"' : "";
  const rect = `<rect x="${tenths(x)}" y="${tenths(y)}" width="${tenths(w)}" height="${tenths(h)}" rx="8" fill="${theme.frameFill}" stroke="${theme.frame}"${dash}><title>${xmlText(frames.title[f])}</title></rect>`;
  if (MORE * app.view.zoom < SEE_WORDS || y < part.top && app.groups.depth[f] > 0) return rect;
  app.context.font = `bold 12px ${FONT}`;
  const shift = Math.max(6, y < part.top ? 0 : frames.titleX[f]), title = fitted(app.context, printable(frames.title[f]), w - shift - 6);
  return `${rect}<text x="${tenths(x + shift)}" y="${tenths(Math.max(y, part.top) + 14)}" font-size="12" font-weight="bold" fill="${theme.ink}" stroke="${theme.ground}" stroke-width="3" stroke-linejoin="round" paint-order="stroke">${xmlText(title)}</text>`;
}

function titleSvg(app, {x, y, w, h, size, title, more}) {
  const {theme} = app;
  return `<rect x="${tenths(x)}" y="${tenths(y)}" width="${tenths(w)}" height="${tenths(h)}" rx="4" fill="${theme.raised}" stroke="${theme.frame}"/>` +
    `<text x="${tenths(x + 5)}" y="${tenths(y + h * 0.74)}" font-size="${tenths(size)}" fill="${theme.ink}"><tspan font-weight="bold">${xmlText(title)}</tspan><tspan fill="${theme.soft}">${xmlText(more)}</tspan></text>`;
}

function groupSvg(app, box) {
  const {theme, model, base, view} = app, f = box - model.boxes.n, out = [], z = MORE * view.zoom;
  const x = model.boxes.x[box], y = model.boxes.y[box], w = model.boxes.w[box], h = model.boxes.h[box];
  const strip = (left, top, width, height) => {
    let at = left;
    for (const [k, share] of mixOf(app, f)) {
      const faint = app.focus.size && !app.focus.has(k.id) ? ' opacity="0.13"' : "";
      out.push(`<rect x="${tenths(at)}" y="${top}" width="${tenths(share * width)}" height="${height}" fill="${k.color}"${faint}/>`);
      at += share * width;
    }
  };
  out.push(`<g class="group"${isFaint(app, box) ? ' opacity="0.13"' : ""}><title>${xmlText(`${base.frames.title[f]}\n${groupWords(app, f)}`)}</title>`);
  if (z < SEE_PARTS) {
    strip(x, y, w, h);
    return `${out.join("")}</g>`;
  }
  for (const shift of [2 * CARD, CARD, 0]) out.push(`<rect x="${x + shift}" y="${y + shift}" width="${w}" height="${h}" rx="4" fill="${shift ? theme.group : theme.paper}" stroke="${theme.edge}"/>`);
  out.push(`<rect x="${x}" y="${y}" width="${w}" height="${HEAD}" rx="4" fill="${theme.group}"/>`);
  strip(x + 2, y + h - BAR - STRIP - 3, w - 4, STRIP);
  const heat = heatOf(model, box, app.groups);
  if (heat > 0) out.push(`<rect x="${x + 2}" y="${y + h - BAR - 1}" width="${tenths(Math.max(1, heat * (w - 4)))}" height="${BAR}" fill="${theme.bar}"/>`);
  if (z >= SEE_HEADS) {
    const {title, line, share} = groupLines(app, app.context, box);
    out.push(`<text x="${x + PAD}" y="${y + 15}" font-size="12" font-weight="bold" fill="${theme.ink}">${xmlText(`+ ${title}`)}</text>`);
    if (z >= SEE_WORDS) {
      out.push(`<text x="${x + PAD}" y="${y + HEAD + 14}" font-size="11" fill="${theme.soft}">${xmlText(line)}</text>`);
      out.push(`<text x="${x + w - PAD}" y="${y + HEAD + 14}" font-size="11" text-anchor="end" fill="${theme.ink}">${xmlText(share)}</text>`);
    }
  }
  return `${out.join("")}</g>`;
}

function pathText(wires, wire) {
  const p = wires.points;
  let at = wires.start[wire], text = `M${p[at + 1]} ${p[at + 2]}`;
  const segments = p[at];
  at += 3;
  for (let s = 0; s < segments; s++) {
    if (p[at] === 1) { text += `L${p[at + 1]} ${p[at + 2]}`; at += 3; }
    else { text += `C${p.slice(at + 1, at + 7).join(" ")}`; at += 7; }
  }
  return text;
}

// What XML cannot hold becomes the picture of a control character, or U+FFFD.
function xmlText(text) {
  const entities = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"};
  return String(text).replace(/[&<>"']/g, c => entities[c])
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, c => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/[\u007f-\u009f\ufdd0-\ufdef\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
