// Model and mode → coloring: the class of each layer, and a colour, words and a number for each class.
// On dark ground the steps of a scale glow instead: what is cold is dim.
const DARK_SCALE = ["#ffd54f", "#f3992c", "#d4702f", "#a85545", "#7a4a55", "#4f4a63", "#33475b"];
const UNKNOWN = "#808080", MEMORY = "#eef1f4", MEMORY_DARK = "#39434f", DANGLING = "#fbf3e0";

function coloringTitle(coloring) {
  const title = coloring.title.replace(/^Layers by /, "");
  return title.charAt(0).toUpperCase() + title.slice(1);
}

function makeColoring(model, mode, dark) {
  const chosen = model.colorings.find(each => each.name === mode), of = chosen.of;
  const classes = chosen.classes.map(([color, text, rank], id) => ({id, color, text, rank, count: 0, ms: 0}));
  const isScale = classes.filter(k => k.rank).length > 2;
  of.forEach((k, i) => { classes[k].count++; classes[k].ms += model.layers.shown[i] || 0; });
  for (const k of classes) {
    if (dark && isScale && k.color !== UNKNOWN) k.color = DARK_SCALE[Math.min(DARK_SCALE.length, k.rank) - 1];
  }
  const ranked = [...classes].sort((a, b) => a.rank - b.rank || b.count - a.count || (a.text < b.text ? -1 : 1));
  return {mode, title: chosen.title, of, classes, ranked};
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
