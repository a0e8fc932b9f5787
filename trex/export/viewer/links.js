// Selection and closed groups ↔ the page's address: #layer=…&closed=…
function writeLink(app) {
  const {layers} = app.base, layer = app.selectedLayer(), parts = [];
  if (layer >= 0) {
    const name = layers.name[layer], same = app.base.rows.reduce((count, row) => count + (layers.name[row] === name ? 1 : 0), 0);
    const alone = name.length <= 200 && name !== "" && same === 1;
    parts.push(`layer=${alone && !/^\d+$/.test(name) ? encodeURIComponent(name) : layers.index[layer]}`);
  }
  const closed = app.groups.closed.size ? closedText(app.groups) : "none";
  if (app.groups.n && closed && closed !== (app.startsClosed || "none")) parts.push(`closed=${closed}`);
  const link = parts.length ? `#${parts.join("&")}` : "";
  try {
    history.replaceState(null, "", link || location.pathname + location.search);
  } catch (refused) {
    app.link = link; // a page inside another page may not change its address
  }
}

function followLink(app) {
  const {layers, rows} = app.base, hash = location.hash, closed = /(?:^#|&)closed=(all|none|depth\d+|[\d,-]+)$/.exec(hash);
  if (closed && app.groups.n) {
    const wanted = closedFrom(closed[1], app.groups);
    rearrange(app, groups => { groups.closed.clear(); wanted.forEach(frame => groups.closed.add(frame)); });
  }
  const found = /^#layer=(.*)$/s.exec(closed ? hash.slice(0, closed.index) : hash);
  if (!found) return;
  let word = found[1];
  try { word = decodeURIComponent(word); } catch (malformed) { /* taken as it is */ }
  // Digits are an index first, as they were written.
  let row = /^\d+$/.test(word) ? rows.find(i => layers.index[i] === Number(word)) : undefined;
  row ??= rows.find(i => layers.name[i] === word);
  if (row !== undefined && app.base.boxOf[row] >= 0) selectRow(app, row, true);
  else byId("said").textContent = "the layer of the link is not in this engine";
}
