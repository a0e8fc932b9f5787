// View: which part of the sheet is seen, how large, and what of it is where on the screen.
const MOST_ZOOM = 4;
// Letters of 11 pixels are 8 high then.
const READABLE = 0.72;
// Of a box and what is around it, in square pixels: with more than fit, no arrangement needs to be tried.
const LEAST_ROOM = 9000;

function newSheet(app) {
  return makeSheet(app.model, app.width - 40, app.height - 40, app.folded, app.isReading ? READABLE : 0);
}

function fit(app) {
  app.isReading = false;
  app.sheet = newSheet(app);
  const zoom = Math.min((app.width - 40) / app.sheet.width, (app.height - 40) / Math.max(1, app.sheet.height), 1.25);
  // A strip that is drawn whole would be a hair: it starts at its top, readable.
  const strip = !app.folded && zoom < 0.02;
  const z = strip ? Math.min(1, (app.width - 40) / app.sheet.width) : zoom;
  app.view = {zoom: z, x: (app.width - app.sheet.width * z) / 2, y: strip ? 20 : Math.max(20, (app.height - app.sheet.height * z) / 2)};
  app.fitZoom = Math.min(zoom, z);
  app.fitView = {...app.view};
  paintMap(app);
  schedule(app);
}

function isFit(app) {
  return isView(app, app.fitView);
}

function isView({view}, other) {
  return Boolean(other) && ["x", "y", "zoom"].every(key => view[key] === other[key]);
}

// Everything, or its beginning where everything would be too small to be read.
function home(app) {
  fit(app);
  app.homeView = app.fitView;
  if (app.view.zoom >= READABLE || !app.model.boxes.shown.length) return;
  app.isReading = true;
  app.sheet = newSheet(app);
  paintMap(app);
  const {boxes} = app.model, first = boxes.shown.reduce((best, box) => boxes.y[box] < boxes.y[best] ? box : best), c = app.sheet.columnAt(boxes.y[first]);
  const width = (c.x1 - c.x0) * READABLE, middle = boxes.x[first] + boxes.w[first] / 2 + c.dx;
  const x = width < app.width ? Math.max(20, (app.width - app.sheet.width * READABLE) / 2) - (c.x0 + c.dx) * READABLE : app.width / 2 - middle * READABLE;
  app.view = {zoom: READABLE, x, y: 20 + Math.min(0, 30 * READABLE - (boxes.y[first] + c.dy) * READABLE + 30)};
  app.homeView = {...app.view};
}

// Closes as many levels of groups as it takes for what is left to be read in one view, all if nothing is enough.
function closeToRead(app) {
  const {groups, base} = app, deepest = groups.depth.reduce((most, depth) => Math.max(most, depth), -1);
  for (let from = deepest + 1; from >= 0 && groups.n; from--) {
    groups.openAll();
    groups.depth.forEach((depth, f) => { if (depth >= from) groups.closed.add(f); });
    const outer = groups.outermost(), hides = box => { const f = base.boxes.frame[box]; return f >= 0 && outer[f] >= 0; };
    let left = outer.reduce((sum, closed, f) => sum + (closed === f ? 1 : 0), 0);
    for (let box = 0; box < base.boxes.n; box++) if (!hides(box)) left++;
    if (from && left * LEAST_ROOM * READABLE * READABLE > app.width * app.height) continue;
    app.model = arrange(base, groups);
    const sheet = newSheet(app);
    if (Math.min((app.width - 40) / sheet.width, (app.height - 40) / sheet.height) >= READABLE) return;
  }
}

function zoomAt(app, factor, x = app.width / 2, y = app.height / 2) {
  const view = app.view, zoom = Math.max(Math.min(0.5, app.fitZoom * 0.5), Math.min(MOST_ZOOM, view.zoom * factor));
  view.x = x - (x - view.x) * zoom / view.zoom;
  view.y = y - (y - view.y) * zoom / view.zoom;
  view.zoom = zoom;
  schedule(app);
}

function pan(app, dx, dy) {
  app.view.x += dx;
  app.view.y += dy;
  // Something always stays in view.
  const {view, sheet} = app, edge = 60;
  view.x = Math.min(app.width - edge, Math.max(edge - sheet.width * view.zoom, view.x));
  view.y = Math.min(app.height - edge, Math.max(edge - sheet.height * view.zoom, view.y));
  schedule(app);
}

// Brings a box into the middle of the view, at a size to be read; opens what is closed around it.
function bring(app, box) {
  if (box < 0) return;
  reveal(app, box);
  const {model, view} = app, {boxes} = model, [left, top] = placeIn(model, box), c = app.sheet.columnAt(top);
  const isFrame = box >= boxes.n && !model.frames.closed.includes(box - boxes.n);
  const w = isFrame ? model.frames.w[box - boxes.n] : boxes.w[box], h = isFrame ? 200 : boxes.h[box];
  view.zoom = Math.max(view.zoom, 0.7);
  view.x = app.width / 2 - (left + w / 2 + c.dx) * view.zoom;
  view.y = app.height / 2 - (top + h / 2 + c.dy) * view.zoom;
  schedule(app);
}

function boxAt(app, x, y) {
  const {view, sheet, grid} = app;
  const place = sheet.toGraph((x - view.x) / view.zoom, (y - view.y) / view.zoom);
  if (!place) return -1;
  const slack = view.zoom < 0.2 ? 1.5 / view.zoom : 0;
  const found = grid.boxes(place[0] - slack, place[1] - slack, place[0] + slack, place[1] + slack);
  return found.length ? found[found.length - 1] : -1;
}
