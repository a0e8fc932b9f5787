// The page: what it knows, and how what is drawn follows from it.
const byId = id => document.getElementById(id);

function start() {
  const base = readModel(byId("data").textContent);
  const canvas = byId("graph");
  // base: all as it was read. model: the same while no group is closed, else its arrangement.
  const app = {
    base, model: base, groups: makeGroups(base), canvas, context: canvas.getContext("2d", {alpha: false}), map: byId("map"), panel: byId("panel"),
    drawer: byId("drawer"), grid: makeGrid(base), sheet: null, coloring: null, theme: null, view: {x: 0, y: 0, zoom: 1}, width: 0, height: 0,
    ratio: 1, focus: new Set(), matched: [], hits: [], hit: -1, selected: -1, row: -1, folded: true, frames: 0, titles: [], overTitle: -1, ready: false,
  };
  window.trex = app;
  words(app);
  setTheme(app, matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  resize(app);
  offer(app);
  groupControls(app);
  setMode(app, base.colorings.some(each => each.name === base.data.colorBy) ? base.data.colorBy : base.colorings[0].name);
  app.table = makeTable(app, byId("table"), byId("filter"), byId("rows"));
  app.table.fill();
  resize(app);  // what the legend has to say may have taken room
  closeToRead(app);
  app.startsClosed = closedText(app.groups);
  app.model = arrange(base, app.groups);
  app.grid = makeGrid(app.model);
  showLegend(app);
  home(app);
  paint(app);
  paintMapFrame(app);
  app.firstPaint = performance.now();
  app.ready = true;
  controls(app);
  pointers(app);
  keyboard(app);
  printing(app);
  followLink(app);
  embedded(app);
}

// What the parts of the page ask of one another.
function offer(app) {
  const boxesOf = rows => new Set(rows.map(row => app.model.boxOf[row]).filter(box => box >= 0));
  Object.assign(app, {
    select: (box, quiet) => select(app, box, quiet), selectRow: row => selectRow(app, row), bring: box => bring(app, box),
    selectedLayer: () => app.row >= 0 ? app.row : app.selected < 0 ? -1 : app.base.boxes.layer[app.selected] ?? -1,
    fit: () => fit(app), isFit: () => isFit(app), newSheet: () => newSheet(app), hotPath: () => hotPath(app), pan: (dx, dy) => pan(app, dx, dy),
    search: text => search(app, text), svg: () => visibleSvg(app), badge: box => badgeOf(app, box), redraw: () => schedule(app),
    hitBoxes: () => boxesOf(app.hits), matchedBoxes: () => boxesOf(app.matched),
  });
}

function words(app) {
  const {data} = app.base;
  byId("title").textContent = printable(data.title);
  byId("title").title = printable(data.title);
  byId("synthetic").hidden = !data.statement;
  byId("synthetic").textContent = printable(data.statement);
  byId("facts").textContent = data.facts.filter(fact => !data.statement || (fact !== "synthetic data" && fact !== "simulated")).map(printable).join(" · ");
  byId("nothing").hidden = app.base.boxes.n > 0;
  app.canvas.setAttribute("aria-label", `Graph of ${grouping(app.base.rows.length)} layers. Arrows move it; full stop and comma go from layer to layer; the table, key t, lists the same layers.`);
  for (const each of app.base.colorings) byId("mode").append(make("option", coloringTitle(each), {value: each.name}));
  for (const [key, meaning, forGroups] of KEYS) if (!forGroups || app.groups.n) byId("help").append(make("dt", key), make("dd", meaning));
}

// ------------------------------------------------------------------------------------------------------------ drawing

function schedule(app) {
  if (app.pending) return;
  app.pending = requestAnimationFrame(() => {
    app.pending = 0;
    paint(app);
    paintMapFrame(app);
    app.frames++;
  });
}

function resize(app) {
  const stage = byId("stage");
  app.width = Math.max(1, stage.clientWidth);
  app.height = Math.max(1, stage.clientHeight);
  app.ratio = Math.min(3, window.devicePixelRatio || 1);
  app.windowSize = `${innerWidth} ${innerHeight}`;
  app.canvas.width = Math.round(app.width * app.ratio);
  app.canvas.height = Math.round(app.height * app.ratio);
}

function resizeNow(app) {
  const stage = byId("stage");
  if (app.width === stage.clientWidth && app.height === stage.clientHeight) return;
  const wasHidden = app.width < 2 || app.height < 2, wasHome = isView(app, app.homeView), wasFit = isFit(app);
  const {width, height} = app, isNewWindow = app.windowSize !== `${innerWidth} ${innerHeight}`;
  resize(app);
  // A frame outside of what a notebook shows has no size when its script runs.
  if (wasHidden) {
    home(app);
    bring(app, app.selected);
  } else if (isNewWindow && (wasHome || wasFit)) {
    if (wasHome) home(app); else fit(app);
  } else if (isNewWindow) pan(app, (app.width - width) / 2, (app.height - height) / 2);
  paint(app);
}

// ---------------------------------------------------------------------------------------------------------- selection

// box: a layer's, data's or a group's, -1 for none; what is closed around it is opened. quiet: leaves the address.
function select(app, box, quiet, row = -1) {
  app.selected = box;
  app.row = row;
  reveal(app, box);
  showPanel(app);
  resizeNow(app);
  app.table.reveal();
  const layer = app.selectedLayer(), group = box - app.base.boxes.n;
  const name = layer >= 0 ? app.base.layers.name[layer] : group >= 0 ? app.base.frames.title[group] : "";
  byId("said").textContent = box >= 0 && (layer >= 0 || group >= 0) ? `selected ${printable(name).slice(0, 200)}` : "";
  if (!quiet) writeLink(app);
  app.tellSelected?.();
  schedule(app);
}

// row: one layer, also of several that share a box.
function selectRow(app, row, quiet) {
  const box = app.base.boxOf[row];
  if (box < 0) return;
  select(app, box, quiet, app.base.members.size && row >= app.base.count ? row : -1);
  bring(app, box);
}

start();
