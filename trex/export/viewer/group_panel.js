// A group → its facts: sums, time by type, what goes in and out, its layers. Also the list of a folded node's layers.
const MOST_LISTED = 400, MOST_KINDS = 12;

function groupPanel(app, panel, frame) {
  const {base, groups} = app, box = base.boxes.n + frame, closed = groups.closed.has(frame);
  const toggle = make("button", closed ? "Open" : "Close up", {type: "button", id: "toggle", title: "Open or close the group (Enter)", onclick: () => { toggleGroup(app, frame); document.querySelector("#toggle")?.focus(); }});
  toggle.setAttribute("aria-expanded", !closed);
  heading(app, panel, base.frames.title[frame], box, toggle);
  const rows = groups.rowsIn(frame), ms = groups.ms(frame), facts = make("dl");
  const fact = (label, text) => facts.append(make("dt", label), make("dd", text));
  fact("group", `${KINDS[base.frames.kind[frame]] ?? printable(base.frames.kind[frame])}, ${closed ? "closed" : "open"}`);
  fact("layers", groupWords(app, frame));
  fact("time", ms === null ? "not measured" : `${milliseconds(ms)} ms` + (base.total > 0 ? `, ${(100 * ms / base.total).toFixed(2)} % of the layers' sum` : ""));
  panel.append(facts);
  groupLinks(app, panel, box);
  byType(app, panel, rows, ms);
  const inner = groups.children[frame];
  if (inner.length) {
    panel.append(make("h3", "Groups in it"));
    const list = make("ul");
    for (const child of inner.slice(0, MOST_NEIGHBORS)) list.append(groupItem(app, child));
    if (inner.length > MOST_NEIGHBORS) list.append(make("li", `and ${inner.length - MOST_NEIGHBORS} more`));
    panel.append(list);
  }
  crossing(app, panel, frame);
  layerList(app, panel, rows, "Layers");
}

const KINDS = {module: "module of the network", block: "repeated block", region: "region of Myelin"};

function groupItem(app, frame) {
  const {base, groups} = app, item = make("li"), box = base.boxes.n + frame;
  item.append(
    make("button", printable(base.frames.title[frame]).slice(0, MOST_LETTERS) || "(no name)", {type: "button", className: "link", onclick: () => { app.select(box); app.bring(box); }}),
    make("small", [groupWords(app, frame), shareWords(app, groups.ms(frame))].filter(Boolean).join(" · ")),
  );
  return item;
}

function groupLinks(app, panel, box) {
  const around = app.groups.around(box);
  if (!around.length) return;
  panel.append(make("h3", around.length > 1 ? "In the groups" : "In the group"));
  const list = make("ul");
  for (const frame of around) list.append(groupItem(app, frame));
  panel.append(list);
}

// A bar for each type of layer, by time; by number where no time is known.
function byType(app, panel, rows, ms) {
  const {layers, types} = app.base, parts = new Map();
  for (const i of rows) {
    const part = parts.get(layers.type[i]) || {count: 0, timed: 0, ms: 0};
    part.count++;
    if (layers.shown[i] !== null) { part.timed++; part.ms += layers.shown[i]; }
    parts.set(layers.type[i], part);
  }
  const measured = ms > 0, weight = part => measured ? part.ms / ms : part.count / rows.length;
  const sorted = [...parts].sort((a, b) => weight(b[1]) - weight(a[1]));
  if (!sorted.length) return;
  panel.append(make("h3", measured ? "Time by type" : "Layers by type"));
  const list = make("ul", undefined, {className: "bars"});
  for (const [type, part] of sorted.slice(0, MOST_KINDS)) {
    const share = `${(100 * weight(part)).toFixed(1)}%`, facts = !measured ? share : part.timed ? `${milliseconds(part.ms)} ms · ${share}` : "–";
    const item = barItem(printable(types[type][0]), `${grouping(part.count)} · ${facts}`, weight(part));
    item.style.setProperty("--fill", types[type][1]);
    list.append(item);
  }
  if (sorted.length > MOST_KINDS) list.append(make("li", `and ${sorted.length - MOST_KINDS} more`));
  panel.append(list);
}

function barItem(words, numbers, part) {
  const item = make("li");
  item.append(typeof words === "string" ? make("span", words, {className: "text"}) : words, make("span", numbers, {className: "count"}));
  item.style.setProperty("--part", `${Math.max(0, Math.min(100, 100 * part)).toFixed(1)}%`);
  return item;
}

// The tensors that cross the group's border.
function crossing(app, panel, frame) {
  const {base, groups} = app, {wires} = base, inside = new Set(groups.boxesIn(frame));
  const way = (title, read, ends) => {
    const tensors = new Set();
    for (const box of inside) for (const wire of read(box)) if (!inside.has(ends[wire]) && wires.tensor[wire] >= 0) tensors.add(wires.tensor[wire]);
    const some = [...tensors];
    tensorList(base, panel, some.length > MOST_NEIGHBORS ? `${title}: ${MOST_NEIGHBORS} of ${grouping(some.length)}` : title, some.slice(0, MOST_NEIGHBORS));
  };
  way("Goes in", base.entering, wires.source);
  way("Comes out", base.leaving, wires.target);
}

// Layers with their times as bars, against the slowest of them; a click selects one.
function layerList(app, panel, rows, title, isShort) {
  const {base} = app, L = base.layers, of = spread(base, rows);
  if (!rows.length) return;
  panel.append(make("h3", title));
  if (of && of.n > 1) {
    const missing = rows.length - of.n ? `, ${grouping(rows.length - of.n)} without a time` : "";
    panel.append(make("p", `least ${milliseconds(of.least)}, median ${milliseconds(of.middle)}, most ${milliseconds(of.most)} ms${missing}`));
  }
  const list = make("ul", undefined, {className: isShort ? "bars short" : "bars"});
  for (const i of rows.slice(0, MOST_LISTED)) {
    const name = make("button", printable(L.name[i]).slice(0, MOST_LETTERS) || "(no name)", {type: "button", className: "link", title: printable(L.name[i]).slice(0, MOST_LETTERS), onclick: () => app.selectRow(i)});
    const item = barItem(name, L.shown[i] === null ? "–" : `${milliseconds(L.shown[i])} ms`, of && of.most > 0 ? (L.shown[i] || 0) / of.most : 0);
    if (i === app.row) item.setAttribute("aria-current", "true");
    list.append(item);
  }
  if (rows.length > MOST_LISTED) list.append(make("li", `and ${grouping(rows.length - MOST_LISTED)} more: in the table`));
  panel.append(list);
}
