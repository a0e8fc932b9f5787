// A wire's points → its path in pieces, and what of it is above or below a height.
const PORT_GAP = 14;

// The first element is the start, then ends of lines, [x, y], and curves, [x1, y1, x2, y2, x, y].
function pathOf(wires, wire) {
  const p = wires.points, path = [];
  let at = wires.start[wire];
  const segments = p[at];
  path.push([p[at + 1], p[at + 2]]);
  at += 3;
  for (let s = 0; s < segments; s++) {
    const length = p[at] === 1 ? 2 : 6;
    path.push(Array.from(p.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
  return path;
}

function endOf(path) {
  return path[path.length - 1].slice(-2);
}

// The path up to where it last comes down to a height; only its start where it never does.
function pathAbove(path, y) {
  for (let k = path.length - 1; k > 0; k--) {
    const start = path[k - 1].slice(-2);
    if (start[1] <= y && path[k][path[k].length - 1] > y) return [...path.slice(0, k), splitPiece(start, path[k], y)[0]];
  }
  return [path[0]];
}

// The path from where it first comes down to a height; only its end where it never does.
function pathBelow(path, y) {
  for (let k = 1; k < path.length; k++) {
    const start = path[k - 1].slice(-2);
    if (start[1] < y && path[k][path[k].length - 1] >= y) {
      const [first, second] = splitPiece(start, path[k], y);
      return [first.slice(-2), second, ...path.slice(k + 1)];
    }
  }
  return [endOf(path)];
}

// A line or curve that comes down, in two at a height (a curve by de Casteljau's construction).
function splitPiece(start, piece, y) {
  const between = (a, b, t) => a + (b - a) * t;
  if (piece.length === 2) {
    const t = (y - start[1]) / (piece[1] - start[1]);
    return [[between(start[0], piece[0], t), y], piece];
  }
  const [x1, y1, x2, y2, x3, y3] = piece;
  const cut = t => {
    const a = [between(start[0], x1, t), between(start[1], y1, t)], b = [between(x1, x2, t), between(y1, y2, t)], c = [between(x2, x3, t), between(y2, y3, t)];
    const d = [between(a[0], b[0], t), between(a[1], b[1], t)], e = [between(b[0], c[0], t), between(b[1], c[1], t)];
    return [[...a, ...d, between(d[0], e[0], t), between(d[1], e[1], t)], [...e, ...c, x3, y3]];
  };
  let low = 0, high = 1;
  for (let round = 0; round < 14; round++) { const t = (low + high) / 2; if (cut(t)[0][5] < y) low = t; else high = t; }
  return cut(high);
}

// Places on an edge of a box, as near to what is wished for as fits next to one another.
function ports(wishes, left, right) {
  const order = wishes.map((_, i) => i).sort((a, b) => wishes[a] - wishes[b]);
  const gap = Math.min(PORT_GAP, (right - left) / Math.max(1, wishes.length - 1)), places = [];
  let next = left;
  for (const i of order) next = (places[i] = Math.max(next, Math.min(right, wishes[i]))) + gap;
  let most = right;
  for (const i of order.reverse()) most = (places[i] = Math.min(most, places[i])) - gap;
  return places;
}
