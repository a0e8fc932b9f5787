// Coloring → legend: what each color means, how much there is of it, and a click to see only that.
const DATA = [
  ["input", "input of the engine"], ["output", "output of the engine"], ["constant", "constant"], ["merge", "one of several writers"],
  ["region", "memory region"], ["dangling", "read, no writer reported"], ["from", "from a layer not shown"], ["to", "to layers not shown"],
];

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
  const legend = byId("legend"), {model, coloring} = app, at = legend.scrollTop;
  legend.replaceChildren(make("h2", coloring.title));
  for (const k of coloring.ranked) {
    const button = make("button", undefined, {type: "button", title: `${printable(k.text)}: ${grouping(k.count)} ${k.count === 1 ? coloring.unit.replace(/e?s$/, "") : coloring.unit}, ${classTime(k)}\nClick to see only these`, onclick: () => {
      if (!app.focus.delete(k.id)) app.focus.add(k.id);
      for (const [other, b] of app.legendButtons) b.setAttribute("aria-pressed", app.focus.has(other));
      legend.classList.toggle("focused", app.focus.size > 0);
      app.table.fill();
      paintMap(app);
      schedule(app);
    }});
    button.setAttribute("aria-pressed", app.focus.has(k.id));
    button.append(swatch(k.color, "swatch"), make("span", printable(k.text), {className: "text"}), make("span", classWords(app, k), {className: "count"}));
    legend.append(button);
    k.button = button;
  }
  app.legendButtons = coloring.ranked.map(k => [k.id, k.button]);
  legend.classList.toggle("focused", app.focus.size > 0);
  const entry = (mark, text) => {
    const row = make("div", undefined, {className: "entry"});
    row.append(mark, make("span", text, {className: "text"}));
    legend.append(row);
  };
  const kinds = new Set(Object.values(model.boxes.memory));
  if (kinds.size) legend.append(make("h2", "Data"));
  const color = app.theme.dark ? MEMORY_DARK : MEMORY;
  for (const [kind, text] of DATA) if (kinds.has(kind)) entry(swatch(kind === "dangling" && !app.theme.dark ? DANGLING : color, "swatch"), text);
  const used = new Set(app.base.wires.tensor.filter(t => t >= 0).map(t => model.tensors.precision[t]));
  if (used.size) {
    legend.append(make("h2", "Tensors by precision"));
    for (const p of used) entry(swatch(app.theme.dark ? lightened(model.precisions[p][1]) : model.precisions[p][2], "swatch wire"), model.precisions[p][0]);
    for (const text of model.data.dashes) entry(make("span", undefined, {className: "swatch dash"}), printable(text));
  }
  for (const [mark, text] of timeMarks(app)) {
    if (mark === "bar") legend.append(make("h2", "Time"));
    entry(swatch(mark === "bar" ? "" : HOT, mark === "bar" ? "swatch wire meter" : "swatch wire hot"), text);
  }
  legend.scrollTop = at;
}

// What marks time in the graph: the bar in a box, the path.
function timeMarks(app) {
  const {model} = app, marks = [];
  if (model.boxes.hasTimes) marks.push(["bar", model.frames.closed.length ? "against the slowest box" : "against the slowest layer"]);
  if (model.boxes.hasTimes && hotWords(app)) marks.push(["path", hotWords(app)]);
  return marks;
}

// A class of the legend in words: its part of the time, or how many there are.
function classWords(app, k) {
  const {total} = app.base, share = 100 * k.ms / total;
  if (!app.model.boxes.hasTimes || !(total > 0)) return grouping(k.count);
  return `${grouping(k.count)} · ${k.timed ? `${share.toFixed(share < 10 ? 1 : 0)}%` : "–"}`;
}

function classTime(k) {
  if (!k.timed) return "without a time";
  return `${milliseconds(k.ms)} ms${k.timed < k.count ? `, ${grouping(k.count - k.timed)} without a time` : ""}`;
}

function swatch(color, className) {
  const mark = make("span", undefined, {className});
  mark.style.background = color || "var(--bar)";
  return mark;
}
