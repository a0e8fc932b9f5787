// Model and mode → coloring: the class of each layer, and a color, words and a number for each class.
// On dark ground the steps of a scale glow instead: what is cold is dim.
const DARK_SCALE = ["#ffd54f", "#f3992c", "#d4702f", "#a85545", "#7a4a55", "#4f4a63", "#33475b"];
const UNKNOWN = "#808080", MEMORY = "#eef1f4", MEMORY_DARK = "#39434f", DANGLING = "#fbf3e0";

function coloringTitle(coloring) {
  const title = coloring.title.replace(/^Layers by /, "");
  return title.charAt(0).toUpperCase() + title.slice(1);
}

function makeColoring(model, mode, dark) {
  const chosen = model.colorings.find(each => each.name === mode), of = chosen.of;
  const classes = chosen.classes.map(([color, text, rank, onDark], id) => ({id, color: dark && onDark || color, text, rank, count: 0, timed: 0, ms: 0}));
  const isScale = classes.filter(k => k.rank).length > 2 && !chosen.classes.some(k => k[3]);
  // Where a color is of all layers of a box together, boxes are counted.
  const counted = chosen.ofBoxes ? model.nodes : model.rows, unit = counted.length < model.rows.length ? "boxes" : "layers";
  for (const i of counted) {
    const k = classes[of[model.nodeOf(i)]], ms = model.layers.shown[i];
    k.count++;
    if (ms !== null) { k.timed++; k.ms += ms; }
  }
  for (const k of classes) {
    if (dark && isScale && k.color !== UNKNOWN) k.color = DARK_SCALE[Math.min(DARK_SCALE.length, k.rank) - 1];
  }
  const ranked = [...classes].sort((a, b) => a.rank - b.rank || b.count - a.count || (a.text < b.text ? -1 : 1));
  return {mode, title: chosen.title, unit, of, classes, ranked, mixes: new Map()};
}

// What a group is made of: its classes in the legend's order, each with its part of the time, of the number where no
// time is known. Reckoned when first asked for.
function mixOf(app, frame) {
  const {coloring, base, groups} = app, known = coloring.mixes.get(frame);
  if (known) return known;
  const parts = new Map(), total = groups.ms(frame);
  for (const box of groups.boxesIn(frame)) {
    const layer = base.boxes.layer[box];
    if (layer < 0) continue;
    const k = coloring.of[layer], part = total > 0 ? (base.layers.shown[layer] || 0) / total : base.rowsOf(layer).length / groups.count[frame];
    parts.set(k, (parts.get(k) || 0) + part);
  }
  const mix = coloring.ranked.filter(k => parts.has(k.id)).map(k => [k, parts.get(k.id)]);
  coloring.mixes.set(frame, mix);
  return mix;
}

// The class that most of a group's time goes to; none in a group without layers.
function mostOf(app, frame) {
  return mixOf(app, frame).reduce((most, part) => !most || part[1] > most[1] ? part : most, null);
}

function channels(color) {
  return [1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16));
}

function luminance(color) {
  const [r, g, b] = channels(color).map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function inkOn(color) {
  const light = luminance(color);
  return (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) ? "#000000" : "#ffffff";
}

// A color that a thin line can have on a dark ground.
function lightened(color) {
  let parts = channels(color);
  for (let i = 0; i < 20 && luminance(hex(parts)) < 0.16; i++) parts = parts.map(v => Math.min(255, v + 10));
  return hex(parts);
}

function hex(parts) {
  return "#" + parts.map(v => Math.round(v).toString(16).padStart(2, "0")).join("");
}

function milliseconds(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return Math.abs(value) < 10 ? value.toFixed(4) : grouping(value.toFixed(3));
}

function grouping(text) {
  const [whole, rest] = String(text).split(".");
  const split = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return rest === undefined ? split : `${split}.${rest}`;
}

function byteSize(value) {
  if (value === null || value === undefined) return "size not reported";
  let unit = 0;
  while (value >= 1024 && unit < 4) { value /= 1024; unit++; }
  return unit ? `${value.toFixed(1)} ${["B", "KiB", "MiB", "GiB", "TiB"][unit]}` : `${grouping(value)} B`;
}
