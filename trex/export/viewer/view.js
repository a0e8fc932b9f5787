// View: which part of the sheet is seen, how large, and what of it is where on the screen.
const MOST_ZOOM = 4;

function newSheet(app) {
  return makeSheet(app.model, app.width - 40, app.height - 40, app.folded);
}

function fit(app) {
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
  const {view, fitView} = app;
  return Boolean(fitView) && ["x", "y", "zoom"].every(key => view[key] === fitView[key]);
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
