// The page: state, what the user does, and what is then drawn anew.
const byId = id => document.getElementById(id);
const KEYS = [
  ["/", "search"], ["n  p", "next, previous hit"], ["f", "fit everything"], ["+  −", "zoom"], ["← ↑ → ↓", "move"],
  ["c", "columns on and off"], ["t", "table"], ["d", "dark or light"], ["Esc", "clear"],
];
const DATA = [
  ["input", "input of the engine"], ["output", "output of the engine"], ["constant", "constant"], ["merge", "one of several writers"],
  ["region", "memory region"], ["dangling", "read, no writer reported"], ["from", "from a layer not shown"], ["to", "to layers not shown"],
];
const MOST_ZOOM = 4, SEARCH_MS = 1500;

function start() {
  const model = readModel(byId("data").textContent);
  const canvas = byId("graph");
  const app = {
    model, canvas, context: canvas.getContext("2d", {alpha: false}), map: byId("map"), panel: byId("panel"), drawer: byId("drawer"),
    grid: makeGrid(model), sheet: null, coloring: null, theme: null, view: {x: 0, y: 0, zoom: 1}, width: 0, height: 0, ratio: 1,
    focus: new Set(), hits: [], hit: -1, selected: -1, folded: true, frames: 0, ready: false,
  };
  window.trex = app;
  words(app);
  setTheme(app, matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  resize(app);
  app.select = (box, quiet) => select(app, box, quiet);
  app.bring = box => bring(app, box);
  app.selectedLayer = () => app.selected < 0 ? -1 : model.boxes.layer[app.selected];
  app.fit = () => fit(app);
  app.search = text => search(app, text);
  app.svg = () => visibleSvg(app);
  app.badge = box => badgeOf(model, box);
  app.redraw = () => schedule(app);
  setMode(app, model.colorings.some(each => each.name === model.data.colorBy) ? model.data.colorBy : model.colorings[0].name);
  app.table = makeTable(app, byId("table"), byId("filter"), byId("rows"));
  app.table.fill();
  fit(app);
  paint(app);
  paintMapFrame(app);
  app.firstPaint = performance.now();
  app.ready = true;
  controls(app);
  pointers(app);
  keyboard(app);
  followLink(app);
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
  app.canvas.width = Math.round(app.width * app.ratio);
  app.canvas.height = Math.round(app.height * app.ratio);
}

function fit(app) {
  app.sheet = makeSheet(app.model, app.width - 40, app.height - 40, app.folded);
  const zoom = Math.min((app.width - 40) / app.sheet.width, (app.height - 40) / Math.max(1, app.sheet.height), 1.25);
  // A strip that is drawn whole would be a hair: it starts at its top, readable.
  const strip = !app.folded && zoom < 0.02;
  const z = strip ? Math.min(1, (app.width - 40) / app.sheet.width) : zoom;
  app.view = {zoom: z, x: (app.width - app.sheet.width * z) / 2, y: strip ? 20 : Math.max(20, (app.height - app.sheet.height * z) / 2)};
  app.fitZoom = Math.min(zoom, z);
  paintMap(app);
  schedule(app);
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

function bring(app, box) {
  if (box < 0) return;
  const {boxes} = app.model, c = app.sheet.columnAt(boxes.y[box]), view = app.view;
  view.zoom = Math.max(view.zoom, 0.7);
  view.x = app.width / 2 - (boxes.x[box] + boxes.w[box] / 2 + c.dx) * view.zoom;
  view.y = app.height / 2 - (boxes.y[box] + boxes.h[box] / 2 + c.dy) * view.zoom;
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

// -------------------------------------------------------------------------------------------------------------- state

function words(app) {
  const {data} = app.model;
  byId("title").textContent = printable(data.title);
  byId("title").title = printable(data.title);
  byId("synthetic").hidden = !data.synthetic;
  byId("facts").textContent = data.facts.filter(fact => fact !== "synthetic data").map(printable).join(" · ");
  byId("nothing").hidden = app.model.boxes.n > 0;
  app.canvas.setAttribute("aria-label", `Graph of ${app.model.count} layers. The table lists the same layers for screen readers: press t.`);
  for (const each of app.model.colorings) byId("mode").append(make("option", coloringTitle(each), {value: each.name}));
  for (const [key, meaning] of KEYS) byId("help").append(make("dt", key), make("dd", meaning));
}

function setTheme(app, theme) {
  document.documentElement.dataset.theme = theme;
  app.theme = themeColors();
  if (!app.sheet) return;
  app.coloring = makeColoring(app.model, app.coloring.mode, app.theme.dark);
  showLegend(app);
  paintMap(app);
  schedule(app);
}

function setMode(app, mode) {
  app.coloring = makeColoring(app.model, mode, app.theme.dark);
  app.focus.clear();
  byId("mode").value = mode;
  showLegend(app);
  if (!app.sheet) return;
  app.table.fill();
  paintMap(app);
  schedule(app);
}

function showLegend(app) {
  const legend = byId("legend"), {model, coloring} = app;
  legend.replaceChildren(make("h2", coloring.title));
  for (const k of coloring.ranked) {
    const button = make("button", undefined, {type: "button", title: `${printable(k.text)}: ${grouping(k.count)} layers, ${milliseconds(k.ms)} ms\nClick to see only these`, onclick: () => {
      if (!app.focus.delete(k.id)) app.focus.add(k.id);
      for (const [other, b] of app.legendButtons) b.setAttribute("aria-pressed", app.focus.has(other));
      legend.classList.toggle("focused", app.focus.size > 0);
      app.table.fill();
      paintMap(app);
      schedule(app);
    }});
    button.setAttribute("aria-pressed", app.focus.has(k.id));
    button.append(swatch(k.color, "swatch"), make("span", printable(k.text), {className: "text"}), make("span", grouping(k.count), {className: "count"}));
    legend.append(button);
    k.button = button;
  }
  app.legendButtons = coloring.ranked.map(k => [k.id, k.button]);
  legend.classList.toggle("focused", app.focus.size > 0);
  const entry = (mark, text) => {
    const row = make("div", undefined, {className: "entry"});
    row.append(mark, make("span", text, {className: "text", title: text}));
    legend.append(row);
  };
  const kinds = new Set(Object.values(model.boxes.memory));
  if (kinds.size) legend.append(make("h2", "Data"));
  const color = app.theme.dark ? MEMORY_DARK : MEMORY;
  for (const [kind, text] of DATA) if (kinds.has(kind)) entry(swatch(kind === "dangling" && !app.theme.dark ? DANGLING : color, "swatch"), text);
  const used = new Set(app.model.wires.tensor.filter(t => t >= 0).map(t => model.tensors.precision[t]));
  if (used.size) {
    legend.append(make("h2", "Tensors by precision"));
    for (const p of used) entry(swatch(app.theme.dark ? lightened(model.precisions[p][1]) : model.precisions[p][2], "swatch wire"), model.precisions[p][0]);
    for (const text of model.data.dashes) entry(make("span", undefined, {className: "swatch dash"}), printable(text));
  }
  if (model.boxes.hasTimes) {
    legend.append(make("h2", "In a box"));
    entry(swatch("", "swatch wire meter"), "time, against the slowest layer");
  }
}

function swatch(color, className) {
  const mark = make("span", undefined, {className});
  mark.style.background = color || "var(--bar)";
  return mark;
}

function select(app, box, quiet) {
  app.selected = box;
  showPanel(app);
  resizeNow(app);
  app.table.reveal();
  const layer = app.selectedLayer();
  byId("said").textContent = layer >= 0 ? `selected ${printable(app.model.layers.name[layer]).slice(0, 200)}` : "";
  if (!quiet) writeLink(app, layer);
  schedule(app);
}

// ---------------------------------------------------------------------------------------------------------- deep links

function writeLink(app, layer) {
  let link = "";
  if (layer >= 0) {
    const name = app.model.layers.name[layer];
    const alone = name.length <= 200 && name !== "" && app.model.layers.name.indexOf(name) === app.model.layers.name.lastIndexOf(name);
    link = `#layer=${alone && !/^\d+$/.test(name) ? encodeURIComponent(name) : app.model.layers.index[layer]}`;
  }
  try {
    history.replaceState(null, "", link || location.pathname + location.search);
  } catch (refused) {
    app.link = link; // a page inside another page may not change its address
  }
}

function followLink(app) {
  const found = /^#layer=(.*)$/s.exec(location.hash);
  if (!found) return;
  let word = found[1];
  try { word = decodeURIComponent(word); } catch (malformed) { /* taken as it is */ }
  const {layers, boxOf} = app.model;
  let layer = layers.name.indexOf(word);
  if (layer < 0 && /^\d+$/.test(word)) layer = layers.index.indexOf(Number(word));
  if (layer >= 0 && boxOf[layer] >= 0) { select(app, boxOf[layer], true); bring(app, boxOf[layer]); }
  else byId("said").textContent = "the layer of the link is not in this engine";
}

// -------------------------------------------------------------------------------------------------------------- search

function search(app, text) {
  const {layers, types} = app.model, output = byId("hits"), query = byId("query");
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
  for (let i = 0; i < app.model.count && !stopped; i++) {
    if (pattern.test(layers.name[i]) || pattern.test(types[layers.type[i]][0]) || pattern.test(layers.tactic[i]) || layers.origins(i).some(origin => pattern.test(origin))) app.hits.push(i);
    stopped = (i & 63) === 0 && performance.now() > until;
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
  const box = app.model.boxOf[app.hits[app.hit]];
  count(app);
  select(app, box);
  bring(app, box);
}

// ------------------------------------------------------------------------------------------------------------ controls

function resizeNow(app) {
  const stage = byId("stage");
  if (app.width === stage.clientWidth && app.height === stage.clientHeight) return;
  resize(app);
  paint(app);
}

function controls(app) {
  const click = (id, action) => { byId(id).addEventListener("click", action); };
  click("in", () => zoomAt(app, 1.4));
  click("out", () => zoomAt(app, 1 / 1.4));
  click("fit", () => fit(app));
  click("fold", () => fold(app));
  click("list", () => toggleTable(app));
  click("theme", () => toggleTheme(app));
  click("keys", () => toggleHelp());
  click("next", () => step(app, 1));
  click("previous", () => step(app, -1));
  click("save", () => {
    const address = URL.createObjectURL(new Blob([visibleSvg(app)], {type: "image/svg+xml"}));
    make("a", undefined, {href: address, download: `${app.model.data.title.replace(/[^\w.-]+/g, "_").slice(0, 80) || "engine"}.svg`}).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  });
  byId("mode").addEventListener("change", event => setMode(app, event.target.value));
  byId("query").addEventListener("input", event => search(app, event.target.value));
  byId("search").addEventListener("submit", event => event.preventDefault());
  byId("query").addEventListener("keydown", event => {
    if (event.key === "Enter") { event.preventDefault(); step(app, event.shiftKey ? -1 : 1); }
    if (event.key === "Escape") { clear(app); app.canvas.focus(); }
    event.stopPropagation();
  });
  window.addEventListener("hashchange", () => followLink(app));
  new ResizeObserver(() => { resizeNow(app); app.table.draw(); }).observe(byId("stage"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", event => setTheme(app, event.matches ? "dark" : "light"));
  let before = "";
  window.addEventListener("beforeprint", () => { before = document.documentElement.dataset.theme; setTheme(app, "light"); paint(app); });
  window.addEventListener("afterprint", () => setTheme(app, before || "light"));
}

function fold(app) {
  app.folded = !app.folded;
  byId("fold").setAttribute("aria-pressed", app.folded);
  fit(app);
  if (app.selected >= 0) bring(app, app.selected);
}

function toggleTable(app) {
  app.drawer.hidden = !app.drawer.hidden;
  byId("list").setAttribute("aria-pressed", !app.drawer.hidden);
  resizeNow(app);
  app.table.reveal();
}

function toggleTheme(app) {
  setTheme(app, app.theme.dark ? "light" : "dark");
}

function toggleHelp() {
  byId("help").hidden = !byId("help").hidden;
  byId("keys").setAttribute("aria-expanded", !byId("help").hidden);
}

function clear(app) {
  byId("query").value = "";
  search(app, "");
  if (app.focus.size) setMode(app, app.coloring.mode);
  byId("help").hidden = true;
  byId("keys").setAttribute("aria-expanded", "false");
  select(app, -1);
}

function keyboard(app) {
  const actions = {
    "/": () => { byId("query").focus(); byId("query").select(); }, f: () => fit(app), "+": () => zoomAt(app, 1.25), "=": () => zoomAt(app, 1.25),
    "-": () => zoomAt(app, 0.8), n: () => step(app, 1), p: () => step(app, -1), t: () => toggleTable(app), c: () => fold(app),
    d: () => toggleTheme(app), "?": () => toggleHelp(), Escape: () => clear(app),
    ArrowLeft: () => pan(app, 80, 0), ArrowRight: () => pan(app, -80, 0), ArrowUp: () => pan(app, 0, 80), ArrowDown: () => pan(app, 0, -80),
  };
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest("input, select, textarea");
    if (field && event.key !== "Escape") return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function pointers(app) {
  const canvas = app.canvas, down = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", event => {
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, [event.offsetX, event.offsetY]);
    if (down.size === 1) moved = 0;
    byId("hover").hidden = true;
  });
  canvas.addEventListener("pointermove", event => {
    const last = down.get(event.pointerId), x = event.offsetX, y = event.offsetY;
    if (!last) { hover(app, x, y); return; }
    if (down.size === 2) {
      const other = [...down].find(([id]) => id !== event.pointerId)[1];
      const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
      zoomAt(app, apart([x, y], other) / apart(last, other), other[0], other[1]);
      moved = 99;
    } else {
      moved += Math.abs(x - last[0]) + Math.abs(y - last[1]);
      if (moved > 3) { canvas.classList.add("moving"); pan(app, x - last[0], y - last[1]); }
    }
    down.set(event.pointerId, [x, y]);
  });
  const up = event => {
    if (!down.delete(event.pointerId)) return;
    canvas.classList.remove("moving");
    if (event.type === "pointerup" && moved <= 3) select(app, boxAt(app, event.offsetX, event.offsetY));
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => { byId("hover").hidden = true; });
  canvas.addEventListener("dblclick", event => zoomAt(app, 2, event.offsetX, event.offsetY));
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    byId("hover").hidden = true;
    if (event.shiftKey) { pan(app, -(event.deltaX || event.deltaY), 0); return; }
    const lines = event.deltaMode === 1 ? 30 : 1;
    zoomAt(app, Math.exp(-Math.max(-300, Math.min(300, event.deltaY * lines)) * 0.0016), event.offsetX, event.offsetY);
  }, {passive: false});
  const go = event => {
    const x = (event.offsetX - app.mapX) / app.mapZoom, y = (event.offsetY - app.mapY) / app.mapZoom;
    app.view.x = app.width / 2 - x * app.view.zoom;
    app.view.y = app.height / 2 - y * app.view.zoom;
    pan(app, 0, 0);
  };
  app.map.addEventListener("pointerdown", event => { app.map.setPointerCapture(event.pointerId); go(event); });
  app.map.addEventListener("pointermove", event => { if (event.buttons) go(event); });
}

function hover(app, x, y) {
  const tip = byId("hover"), box = boxAt(app, x, y);
  app.canvas.classList.toggle("over", box >= 0);
  tip.hidden = box < 0;
  if (box < 0) return;
  const {model} = app, layer = model.boxes.layer[box];
  const text = layer < 0 ? model.boxes.tip[box] : [model.layers.name[layer], `${model.types[model.layers.type[layer]][0]} · ${model.precisions[model.layers.precision[layer]][0]}`, badgeOf(model, box)].filter(Boolean).map(printable).join("\n");
  tip.textContent = text.length > 400 ? `${text.slice(0, 400)}…` : text;
  tip.style.left = `${Math.min(x + 14, app.width - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(y + 16, app.height - tip.offsetHeight - 8)}px`;
}

start();
