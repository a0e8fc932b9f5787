// Model and mode → coloring: the class of each layer, and a colour, words and a number for each class.
const HEAT = ["#fff0c2", "#ffdd8c", "#fdbb57", "#f8923c", "#e8622c", "#c8371d", "#8c1313"];
// On dark ground, what is cold is dim.
const HEAT_DARK = ["#33475b", "#4f4a63", "#7a4a55", "#a85545", "#d4702f", "#f3992c", "#ffd54f"];
const UNKNOWN = "#9aa3ad", MEMORY = "#eef1f4", MEMORY_DARK = "#39434f", DANGLING = "#fbf3e0", MOST_CLASSES = 24;

const MODES = {
  type: {title: "Type", make: model => ({of: model.layers.type, classes: model.types.map(([text, color]) => ({text, color}))})},
  precision: {
    title: "Precision",
    make: model => ({of: model.layers.precision, classes: model.precisions.map(([text, color]) => ({text, color}))}),
  },
  heat: {title: "Latency", make: heatColoring},
  module: {title: "Module", make: moduleColoring},
  stream: {title: "Stream", make: streamColoring},
};

function makeColoring(model, mode, dark) {
  const {of, classes} = MODES[mode].make(model, dark);
  const counts = classes.map(() => 0), ms = classes.map(() => 0);
  of.forEach((k, i) => { counts[k]++; ms[k] += model.layers.shown[i] || 0; });
  classes.forEach((k, i) => { k.count = counts[i]; k.ms = ms[i]; k.id = i; k.ink = inkOn(k.color); });
  const used = classes.filter(k => k.count);
  const ranked = mode === "heat" || mode === "stream" ? used : used.sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));
  return {mode, title: MODES[mode].title, of, classes, ranked};
}

// Each step is half of the one above it, down from the slowest layer.
function heatColoring(model, dark) {
  const steps = HEAT.length, top = model.hottest;
  const classes = (dark ? HEAT_DARK : HEAT).map((color, i) => {
    const high = top / 2 ** (steps - 1 - i);
    return {color, text: i === 0 ? `up to ${milliseconds(high)} ms` : `${milliseconds(high / 2)} – ${milliseconds(high)} ms`};
  }).reverse();
  classes.push({color: UNKNOWN, text: "not measured"});
  const of = model.layers.shown.map(ms => {
    if (ms === null) return steps;
    if (top <= 0 || ms <= 0) return steps - 1;
    return Math.min(steps - 1, Math.max(0, Math.floor(Math.log2(top / ms))));
  });
  return {of, classes};
}

// Modules are told apart at the depth that gives the most groups a legend can show.
function moduleColoring(model) {
  const split = model.layers.module.map(module => module.split("/").filter(Boolean));
  const at = depth => split.map(parts => parts.slice(0, depth).join("/"));
  let depth = 1;
  for (let d = 1; d <= 8; d++) {
    const groups = new Set(at(d)).size;
    if (groups > MOST_CLASSES) break;
    if (groups > new Set(at(depth)).size) depth = d;
  }
  return grouped(at(depth), key => key ? `/${key}` : "no module reported", model);
}

function streamColoring(model) {
  return grouped(model.layers.stream.map(stream => stream === null ? "" : String(stream)), key => key === "" ? "not reported" : `stream ${key}`, model);
}

function grouped(keys, words, model) {
  const counts = new Map();
  for (const key of keys) counts.set(key, (counts.get(key) || 0) + 1);
  const ranked = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || (a < b ? -1 : 1));
  const shown = ranked.slice(0, MOST_CLASSES);
  const inOrder = [...counts.keys()].filter(key => shown.includes(key));
  const classes = inOrder.map((key, i) => ({text: words(key), color: key === "" ? UNKNOWN : model.series[i % model.series.length]}));
  const place = new Map(inOrder.map((key, i) => [key, i]));
  if (ranked.length > shown.length) classes.push({text: `${ranked.length - shown.length} more`, color: UNKNOWN});
  return {of: keys.map(key => place.has(key) ? place.get(key) : classes.length - 1), classes};
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

// A colour that a thin line can have on a dark ground.
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
