// Search: layers whose name, type, tactic or origin a regular expression finds, and the steps from one to the next.
function search(app, text) {
  const {layers, types, rows} = app.base, output = byId("hits"), query = byId("query");
  app.hits = [];
  app.hit = -1;
  app.searched = text;
  app.searching = false;
  output.className = "";
  query.removeAttribute("aria-invalid");
  output.value = "";
  schedule(app);
  if (!text) return;
  const complaint = complaintOf(text);
  if (complaint) {
    query.setAttribute("aria-invalid", "true");
    output.className = "bad";
    output.value = complaint;
    return;
  }
  app.find ??= makeFinder(() => rows.map(i => [layers.name[i], types[layers.type[i]][0], layers.tactic[i], ...layers.origins(i)]));
  app.searching = true;
  app.stepLater = 0;
  app.find(text, (found, stopped) => {
    if (app.searched !== text) return;
    app.searching = false;
    app.hits = found.map(k => rows[k]);
    app.stopped = stopped;
    count(app);
    schedule(app);
    if (app.stepLater) step(app, app.stepLater);
  });
}

function count(app) {
  const total = grouping(app.hits.length) + (app.stopped ? "+" : "");
  byId("hits").value = !app.hits.length ? (app.stopped ? "stopped: takes too long" : "no hit") : app.hit < 0 ? `${total} hit${app.hits.length === 1 ? "" : "s"}` : `${grouping(app.hit + 1)} / ${total}`;
}

function step(app, by) {
  const n = app.hits.length;
  if (app.searching) app.stepLater = by;
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
