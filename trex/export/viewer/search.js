// Search: layers whose name, type, tactic or origin a regular expression finds, and the steps from one to the next.
const SEARCH_MS = 1500;

function search(app, text) {
  const {layers, types, rows} = app.base, output = byId("hits"), query = byId("query");
  app.hits = [];
  app.hit = -1;
  output.className = "";
  query.removeAttribute("aria-invalid");
  output.value = "";
  schedule(app);
  if (!text) return;
  let pattern;
  try {
    pattern = new RegExp(text, "i");
  } catch (error) {
    query.setAttribute("aria-invalid", "true");
    output.className = "bad";
    output.value = String(error.message);
    return;
  }
  const until = performance.now() + SEARCH_MS;
  let stopped = false;
  for (let k = 0; k < rows.length && !stopped; k++) {
    const i = rows[k];
    if (pattern.test(layers.name[i]) || pattern.test(types[layers.type[i]][0]) || pattern.test(layers.tactic[i]) || layers.origins(i).some(origin => pattern.test(origin))) app.hits.push(i);
    stopped = (k & 63) === 0 && performance.now() > until;
  }
  app.stopped = stopped;
  count(app);
}

function count(app) {
  const total = grouping(app.hits.length) + (app.stopped ? "+" : "");
  byId("hits").value = !app.hits.length ? "no hit" : app.hit < 0 ? `${total} hit${app.hits.length === 1 ? "" : "s"}` : `${grouping(app.hit + 1)} / ${total}`;
}

function step(app, by) {
  const n = app.hits.length;
  if (!n) return;
  app.hit = app.hit < 0 ? (by > 0 ? 0 : n - 1) : (app.hit + by + n) % n;
  count(app);
  selectRow(app, app.hits[app.hit]);
}

// The layer that is executed before or after the selected one and is drawn.
function stepInOrder(app, by) {
  const {rows, boxOf} = app.base, n = rows.length;
  let place = rows.indexOf(app.selectedLayer());
  if (place < 0 && app.selected >= 0) place = rows.findIndex(row => boxOf[row] === app.selected);
  place = place < 0 ? (by > 0 ? 0 : n - 1) : place + by;
  while (place >= 0 && place < n && boxOf[rows[place]] < 0) place += by;
  if (place >= 0 && place < n) selectRow(app, rows[place]);
}
