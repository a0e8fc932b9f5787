// The selected box → its facts. Everything from the engine is set as text, never as markup.
const MOST_NEIGHBOURS = 40;

function make(tag, text, options) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  return Object.assign(element, options);
}

function showPanel(app) {
  const panel = app.panel, box = app.selected;
  panel.replaceChildren();
  panel.hidden = box < 0;
  if (box < 0) return;
  panel.scrollTop = 0;
  const {model} = app, layer = model.boxes.layer[box];
  const name = layer >= 0 ? model.layers.name[layer] : model.boxes.kind[box];
  panel.append(make("h2", printable(name) || "(no name)"));
  const row = make("div", undefined, {className: "row"});
  row.append(
    make("button", "Copy name", {id: "copy", type: "button", onclick: event => copyText(name, event.target)}),
    make("button", "Show", {type: "button", title: "Bring it into view", onclick: () => app.bring(box)}),
    make("button", "Close", {type: "button", title: "Close (Esc)", onclick: () => app.select(-1)}),
  );
  panel.append(row);
  // Data, and blocks folded into one, have their facts as sentences.
  const sentences = model.boxes.tip[box] ? model.boxes.tip[box].split("\n") : [];
  const first = layer >= 0 ? sentences.indexOf("the first:") : -1;
  for (const sentence of first < 0 ? sentences : sentences.slice(0, first + 1)) panel.append(make("p", printable(sentence)));
  if (layer >= 0) layerFacts(app, panel, layer);
  neighbours(app, panel, "Comes from", model.entering(box), model.wires.source);
  neighbours(app, panel, "Goes to", model.leaving(box), model.wires.target);
}

function layerFacts(app, panel, i) {
  const {model} = app, L = model.layers, type = model.types[L.type[i]][0];
  const facts = make("dl");
  const fact = (label, text) => { if (text !== "") facts.append(make("dt", label), make("dd", printable(String(text)))); };
  fact("type", type + (L.subtype[i] && L.subtype[i] !== type ? ` (${L.subtype[i]})` : ""));
  fact("layer", `${grouping(L.index[i])} in order of execution`);
  const precision = model.precisions[L.precision[i]][0];
  fact("precision", precision === "Unknown" ? "not reported" : `${precision} (${L.evidence[i]})`);
  fact("time", timeWords(model, i));
  fact("tactic", L.tactic[i] || "not reported");
  if (L.stored[i] !== 0) fact("stored", byteSize(L.stored[i]));
  if (L.stream[i] !== null) fact("stream", L.stream[i]);
  fact("module", L.module[i]);
  panel.append(facts);
  for (const words of L.words(i)) panel.append(make("p", printable(words)));
  tensorList(model, panel, "Inputs", L.inputs(i));
  tensorList(model, panel, "Outputs", L.outputs(i));
  const origins = L.origins(i);
  if (origins.length) {
    panel.append(make("h3", `Made from ${L.originCount[i]} ONNX node${L.originCount[i] === 1 ? "" : "s"}`));
    const list = make("ul");
    for (const origin of origins) list.append(make("li", printable(origin)));
    if (L.originCount[i] > origins.length) list.append(make("li", `and ${L.originCount[i] - origins.length} more`));
    panel.append(list);
  }
  const pairs = model.attributes(L.attributes[i]);
  if (pairs.length) {
    panel.append(make("h3", "Attributes"));
    const attributes = make("dl");
    for (let k = 0; k < pairs.length; k += 2) attributes.append(make("dt", printable(pairs[k])), make("dd", printable(pairs[k + 1])));
    panel.append(attributes);
  }
}

function timeWords(model, i) {
  const L = model.layers, parts = [];
  if (L.average[i] !== null) parts.push(`average ${milliseconds(L.average[i])} ms`);
  if (L.median[i] !== null) parts.push(`median ${milliseconds(L.median[i])} ms`);
  if (!parts.length) return "not measured";
  const ms = L.shown[i];
  if (L.average[i] !== ms && L.median[i] !== ms && ms !== null) parts.push(`in all ${milliseconds(ms)} ms`);
  if (ms !== null && model.total > 0) parts.push(`${(100 * ms / model.total).toFixed(2)} % of the layers' sum`);
  if (ms !== null) {
    const slower = L.shown.reduce((count, other) => count + (other !== null && other > ms ? 1 : 0), 0);
    parts.push(`place ${grouping(slower + 1)} of ${grouping(model.count)}`);
  }
  return parts.join(", ");
}

function tensorList(model, panel, title, tensors) {
  if (!tensors.length) return;
  panel.append(make("h3", title));
  const list = make("ul");
  for (const tensor of tensors) {
    const item = make("li", printable(model.tensors.name[tensor]));
    item.append(make("small", `${model.tensors.words[tensor]} · ${byteSize(model.tensors.size[tensor])}`));
    list.append(item);
  }
  panel.append(list);
}

function neighbours(app, panel, title, wires, ends) {
  const {model} = app, boxes = [...new Set(Array.from(wires, wire => ends[wire]))];
  if (!boxes.length) return;
  panel.append(make("h3", title));
  const list = make("ul");
  for (const box of boxes.slice(0, MOST_NEIGHBOURS)) {
    const layer = model.boxes.layer[box], item = make("li");
    const lines = layer >= 0 ? [] : model.boxes.lines(box).map(([, text]) => text);
    const words = layer >= 0 ? model.layers.name[layer] : `${model.boxes.kind[box]} ${lines[0] || ""}`;
    item.append(make("button", printable(words), {type: "button", className: "link", onclick: () => { app.select(box); app.bring(box); }}));
    if (layer >= 0) item.append(make("small", model.types[model.layers.type[layer]][0] + (model.layers.shown[layer] === null ? "" : ` · ${milliseconds(model.layers.shown[layer])} ms`)));
    list.append(item);
  }
  if (boxes.length > MOST_NEIGHBOURS) list.append(make("li", `and ${boxes.length - MOST_NEIGHBOURS} more`));
  panel.append(list);
}

// Control characters as their pictures; what turns text around is shown as what it is.
function printable(text) {
  return String(text).replace(/[\u0000-\u001f]/g, c => String.fromCharCode(0x2400 + c.charCodeAt(0))).replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

async function copyText(text, button) {
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch (refused) {
    const area = make("textarea", undefined, {value: text});
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  button.textContent = done ? "Copied" : "Not allowed";
  setTimeout(() => { button.textContent = "Copy name"; }, 1200);
}
