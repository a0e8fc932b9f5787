// Layers that share a node → rows of their own: those of a folded or closed node come after all nodes.
function readMembers(M, layers, strings, boxOf) {
  const nodes = layers.name.length, node = sums(column(M.node)), names = unshare(M.name), count = names.length;
  const average = column(M.average), most = M.origins.most, places = sums(M.origins.flat).map(place => strings[place]);
  const origins = ragged({count: column(M.origins.count).map(n => Math.min(n, most)), flat: places});
  const shifted = key => column(M[key]).map((shift, k) => layers[key][node[k]] + shift);
  const own = {
    name: names, index: sums(column(M.index)), average, median: column(M.median), shown: M.shown.length === 0 ? average : column(M.shown),
    stream: column(M.stream), module: sums(M.module).map(place => strings[place]), tactic: sums(M.tactic).map(place => strings[place]),
    originCount: column(M.origins.count), type: shifted("type"), precision: shifted("precision"),
  };
  const members = new Map(), rows = [];
  node.forEach((place, k) => { if (members.has(place)) members.get(place).push(nodes + k); else members.set(place, [nodes + k]); });
  // What no column has is the node's.
  for (const [key, values] of Object.entries(layers)) {
    if (Array.isArray(values)) layers[key] = count ? values.concat(own[key] ?? node.map(place => values[place])) : values;
  }
  for (const key of ["words", "inputs", "outputs"]) {
    const read = layers[key];
    layers[key] = i => read(i < nodes ? i : node[i - nodes]);
  }
  const readOrigins = layers.origins;
  layers.origins = i => i < nodes ? readOrigins(i) : origins(i - nodes);
  for (let i = 0; i < nodes; i++) if (!members.has(i)) rows.push(i);
  for (let k = 0; k < count; k++) rows.push(nodes + k);
  if (count) rows.sort((a, b) => layers.index[a] - layers.index[b]);
  return {
    rows, members, nodes: Array.from({length: nodes}, (_, i) => i), closedNodes: new Set(M.closed), nodeOf: i => i < nodes ? i : node[i - nodes], rowsOf: i => members.get(i) ?? [i],
    boxOf: Int32Array.from({length: nodes + count}, (_, i) => boxOf[i < nodes ? i : node[i - nodes]]),
  };
}

// Least, median, greatest of what is known.
function spread(model, rows) {
  const known = rows.map(i => model.layers.shown[i]).filter(ms => ms !== null).sort((a, b) => a - b), n = known.length;
  return n ? {n, least: known[0], middle: n % 2 ? known[n >> 1] : (known[n / 2 - 1] + known[n / 2]) / 2, most: known[n - 1]} : null;
}
