// Buttons and keys → what they do.
const KEYS = [
  ["/", "search"], ["n  p", "next, previous hit"], [".  ,", "next, previous layer"], ["f", "fit everything"], ["+  −", "zoom"], ["← ↑ → ↓", "move"],
  ["g", "close all groups", true], ["o", "open one level of groups", true], ["a", "open all groups", true], ["Enter", "open or close the group", true],
  ["c", "columns on and off"], ["t", "table"], ["d", "dark or light"], ["Esc", "clear"],
];

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
  byId("mode").addEventListener("change", event => { setMode(app, event.target.value); app.tellMode?.(event.target.value); });
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

// Where the arrows scroll or choose, they do not move the graph.
const OWN_ARROWS = "aside, #legend, #drawer, #help";

function keyboard(app) {
  const actions = {
    "/": () => { byId("query").focus(); byId("query").select(); }, f: () => fit(app), "+": () => zoomAt(app, 1.25), "=": () => zoomAt(app, 1.25),
    "-": () => zoomAt(app, 0.8), n: () => step(app, 1), p: () => step(app, -1), t: () => toggleTable(app), c: () => fold(app),
    d: () => toggleTheme(app), "?": () => toggleHelp(), Escape: () => clear(app), ".": () => stepInOrder(app, 1), ",": () => stepInOrder(app, -1),
    ArrowLeft: () => pan(app, 80, 0), ArrowRight: () => pan(app, -80, 0), ArrowUp: () => pan(app, 0, 80), ArrowDown: () => pan(app, 0, -80),
  };
  if (app.groups.n) Object.assign(actions, {g: app.closeAll, o: app.openLevel, a: app.openAll, Enter: () => toggleAtSelection(app)});
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest("input, select, textarea");
    if (field && event.key !== "Escape") return;
    if (event.key.startsWith("Arrow") && event.target.closest(OWN_ARROWS)) return;
    if (event.key === "Enter" && event.target.closest("button, a, aside, #drawer")) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

// Opens or closes the selected group, or closes the one around the selected box.
function toggleAtSelection(app) {
  if (app.selected < 0) return;
  const shown = app.model.standIn[app.selected], n = app.base.boxes.n;
  const frame = shown >= n ? shown - n : app.groups.around(shown)[0] ?? -1;
  if (frame >= 0) toggleGroup(app, frame);
}
