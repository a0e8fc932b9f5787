// Heights that only closed groups' contents take up → a map of heights that takes them away, never turning two around.
const SLIM = 4;

// kept: [top, bottom] of what is seen; closed: [top, bottom, least height] of what vanishes. Sorts both.
function makeBands(kept, closed) {
  const seen = [];
  for (const [top, bottom] of kept.sort((a, b) => a[0] - b[0])) {
    const last = seen[seen.length - 1];
    if (last && top <= last[1]) last[1] = Math.max(last[1], bottom); else seen.push([top, bottom]);
  }
  const marks = Float64Array.from(new Set([...seen, ...closed].flatMap(([top, bottom]) => [top, bottom]))).sort();
  const n = marks.length - 1, lengths = new Float64Array(Math.max(0, n)), free = new Uint8Array(Math.max(0, n)), covered = new Int32Array(n + 2);
  const at = new Map(Array.from(marks, (mark, k) => [mark, k]));
  for (const [top, bottom] of closed) { covered[at.get(top)]++; covered[at.get(bottom)]--; }
  for (let k = 0, over = 0, s = 0; k < n; k++) {
    over += covered[k];
    while (s < seen.length && seen[s][1] <= marks[k]) s++;
    lengths[k] = marks[k + 1] - marks[k];
    free[k] = over > 0 && !(s < seen.length && seen[s][0] <= marks[k]) ? 1 : 0;
    if (free[k]) lengths[k] = Math.min(lengths[k], SLIM);
  }
  // Room for the box of a group; where a neighbor keeps the height, that is room enough.
  for (const [top, bottom, least] of closed.sort((a, b) => a[1] - a[0] - b[1] + b[0])) {
    const first = at.get(top), end = at.get(bottom);
    let sum = 0, open = 0;
    for (let k = first; k < end; k++) { sum += lengths[k]; open += free[k]; }
    if (sum < least && open) for (let k = first; k < end; k++) if (free[k]) lengths[k] += (least - sum) / open;
  }
  const places = new Float64Array(marks.length);
  for (let k = 0; k < n; k++) places[k + 1] = places[k] + lengths[k];
  if (n >= 0) for (let k = marks.length - 1; k >= 0; k--) places[k] += marks[0];
  let last = 0;
  return y => {
    if (n < 1 || y <= marks[0]) return y;
    if (y >= marks[n]) return y - marks[n] + places[n];
    // What is asked for next is mostly near.
    if (y < marks[last] || y >= marks[last + 1]) {
      let low = 0, high = n - 1;
      while (low < high) { const middle = (low + high + 1) >> 1; if (marks[middle] <= y) low = middle; else high = middle - 1; }
      last = low;
    }
    return places[last] + (y - marks[last]) * lengths[last] / (marks[last + 1] - marks[last]);
  };
}
