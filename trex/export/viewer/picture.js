// The visible part → an SVG document as text.
function visibleSvg(app) {
  const {model, view, theme, grid} = app, z = view.zoom, out = [];
  const n = value => String(Math.round(value * 10) / 10);
  out.push(`<svg xmlns="http://www.w3.org/2000/svg" width="${app.width}" height="${app.height}" viewBox="0 0 ${app.width} ${app.height}" font-family="Helvetica, Arial, sans-serif">`);
  out.push(`<title>${xmlText(model.data.title)}</title>`);
  if (model.data.synthetic) out.push("<desc>synthetic data: made by a script, not measured</desc>");
  out.push(`<rect width="100%" height="100%" fill="${theme.ground}"/>`);
  visibleParts(app).forEach((part, i) => {
    const c = part.column, {x, y, w, h} = model.boxes;
    out.push(`<clipPath id="c${i}"><rect x="${n(c.x0)}" y="${n(c.y0)}" width="${n(c.x1 - c.x0)}" height="${n(c.y1 - c.y0)}"/></clipPath>`);
    out.push(`<g transform="translate(${n(view.x + c.dx * z)} ${n(view.y + c.dy * z)}) scale(${z})"><g clip-path="url(#c${i})">`);
    for (const wire of grid.wires(part.left, part.top, part.right, part.bottom)) {
      const dash = model.wires.dashed.has(wire) ? ' stroke-dasharray="6 4"' : "";
      const color = wireColor(app, wire), points = model.wires.points, end = model.wires.start[wire + 1];
      const tipX = points[end - 2], tipY = points[end - 1];
      out.push(`<path d="${pathText(model.wires, wire)}" fill="none" stroke="${color}" stroke-width="2"${dash}/>`);
      if (z >= SEE_PARTS) out.push(`<path d="M${tipX - 4} ${tipY - 7}h8l-4 8z" fill="${color}"/>`);
    }
    if (z >= SEE_WORDS) for (const at of grid.captions(part.left, part.top, part.right, part.bottom)) {
      const caption = model.captions[at];
      out.push(`<text x="${caption.x}" y="${caption.y}" font-size="10" fill="${theme.soft}"${caption.left ? ' text-anchor="end"' : ""}>${xmlText(caption.text)}</text>`);
    }
    for (const box of grid.boxes(part.left, part.top, part.right, part.bottom)) {
      const color = boxColor(app, box), ink = inkFor(color), layer = model.boxes.layer[box];
      out.push(`<g${isFaint(app, box) ? ' opacity="0.13"' : ""}><title>${xmlText(layer >= 0 ? model.layers.name[layer] : model.boxes.tip[box])}</title>`);
      out.push(`<rect x="${x[box]}" y="${y[box]}" width="${w[box]}" height="${h[box]}" rx="4" fill="${theme.paper}" stroke="${theme.edge}"/>`);
      out.push(`<rect x="${x[box]}" y="${y[box]}" width="${w[box]}" height="${z < SEE_PARTS ? h[box] : HEAD}" rx="4" fill="${color}"/>`);
      const heat = heatOf(model, box);
      if (heat > 0) out.push(`<rect x="${x[box] + 2}" y="${y[box] + h[box] - BAR - 1}" width="${n(Math.max(1, heat * (w[box] - 4)))}" height="${BAR}" fill="${theme.bar}"/>`);
      if (z >= SEE_HEADS) {
        const badge = badgeOf(model, box);
        out.push(`<text x="${x[box] + PAD}" y="${y[box] + 15}" font-size="12" font-weight="bold" fill="${ink}">${xmlText(model.boxes.kind[box])}</text>`);
        if (badge) out.push(`<text x="${x[box] + w[box] - PAD}" y="${y[box] + 15}" font-size="11" text-anchor="end" fill="${ink}">${xmlText(badge)}</text>`);
        let at = y[box] + HEAD + 3;
        for (const [role, text] of z >= SEE_WORDS ? model.boxes.lines(box) : []) {
          at += LINE;
          out.push(`<text x="${x[box] + PAD}" y="${at - 3}" font-size="11" fill="${role === 1 ? theme.reason : role === 2 ? theme.soft : theme.ink}">${xmlText(text)}</text>`);
        }
      }
      out.push("</g>");
    }
    out.push("</g></g>");
  });
  out.push("</svg>\n");
  return out.join("\n");
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
