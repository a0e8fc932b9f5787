// The selected box → its facts. Everything from the engine is set as text, never as markup.
const MOST_NEIGHBORS = 40, MOST_LETTERS = 400;

function showPanel(app) {
  const panel = app.panel, box = app.selected, {base} = app;
  panel.replaceChildren();
  panel.hidden = box < 0;
  if (box < 0) return;
  panel.scrollTop = 0;
  if (box >= base.boxes.n) { groupPanel(app, panel, box - base.boxes.n); return; }
  const node = base.boxes.layer[box], layer = app.row >= 0 ? app.row : node;
  heading(app, panel, layer >= 0 ? base.layers.name[layer] : base.boxes.kind[box], box);
  const isClosed = base.closedNodes.has(node), rows = layer >= 0 ? base.rowsOf(node) : [];
  for (const sentence of sentencesOf(base, box, isClosed)) panel.append(make("p", printable(sentence)));
  if (isClosed) byType(app, panel, rows, base.msOf(box));
  if (base.members.has(node)) layerList(app, panel, rows, `The ${grouping(rows.length)} layers`, true);
  if (base.members.has(node) && !isClosed) panel.append(make("h3", app.row < 0 ? "The first of them" : "This one"));
  if (layer >= 0 && !(isClosed && app.row < 0)) layerFacts(app, panel, layer);
  groupLinks(app, panel, box);
  neighbors(app, panel, "Comes from", base.entering(box), base.wires.source);
  neighbors(app, panel, "Goes to", base.leaving(box), base.wires.target);
}

// Data, and nodes that stand for several layers, have facts as sentences; not those that lists say better.
function sentencesOf(base, box, isClosed) {
  const sentences = base.boxes.tip[box] ? base.boxes.tip[box].split("\n") : [];
  if (isClosed) return sentences.slice(1).filter(sentence => !/^(has|within): /.test(sentence));
  const first = base.boxes.layer[box] < 0 ? -1 : sentences.indexOf("the first:");
  return first < 0 ? sentences : sentences.slice(0, first);
}

function heading(app, panel, name, box, ...buttons) {
  const title = make("h2", printable(name) || "(no name)"), row = make("div", undefined, {className: "row"});
  row.append(
    make("button", "Copy name", {id: "copy", type: "button", onclick: event => copyText(name, event.target)}),
    make("button", "Show", {type: "button", title: "Bring it into view", onclick: () => app.bring(box)}),
    ...buttons,
    make("button", "Close", {type: "button", title: "Close these facts (Esc)", onclick: () => { app.select(-1); app.canvas.focus(); }}),
  );
  panel.append(title, row);
}

function layerFacts(app, panel, i) {
  const model = app.base, L = model.layers, type = model.types[L.type[i]][0];
  // Of a layer in a node that was closed when the page was made, subtype, tensors and attributes are not known here.
  const isMember = i >= model.count, isInside = isMember && model.closedNodes.has(model.nodeOf(i)), shared = isMember ? " (of the first)" : "";
  const facts = make("dl");
  const fact = (label, text) => { if (text !== "") facts.append(make("dt", label), make("dd", printable(String(text)))); };
  const subtype = !isInside && L.subtype[i] !== type ? L.subtype[i] : "";
  fact("type", type + (subtype && ` (${subtype})`));
  fact("layer", `${grouping(L.index[i])} in order of execution`);
  const precision = model.precisions[L.precision[i]][0];
  const evidence = isInside ? "" : ` (${L.evidence[i]})`;
  fact("precision", precision === "Unknown" ? "not reported" : precision + evidence);
  fact("time", timeWords(model, i));
  fact("tactic", L.tactic[i] || "not reported");
  if (!isInside && L.stored[i] !== 0) fact("stored", byteSize(L.stored[i]));
  if (L.stream[i] !== null) fact("stream", L.stream[i]);
  fact("module", L.module[i]);
  panel.append(facts);
  for (const words of isInside ? [] : L.words(i)) panel.append(make("p", printable(words)));
  if (!isInside) tensorList(model, panel, `Inputs${shared}`, L.inputs(i));
  if (!isInside) tensorList(model, panel, `Outputs${shared}`, L.outputs(i));
  const origins = L.origins(i);
  if (origins.length) {
    panel.append(make("h3", `Made from ${L.originCount[i]} ONNX node${L.originCount[i] === 1 ? "" : "s"}`));
    const list = make("ul");
    for (const origin of origins) list.append(make("li", printable(origin)));
    if (L.originCount[i] > origins.length) list.append(make("li", `and ${L.originCount[i] - origins.length} more`));
    panel.append(list);
  }
  const pairs = isInside ? [] : model.attributes(L.attributes[i]);
  if (pairs.length) {
    panel.append(make("h3", `Attributes${shared}`));
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
    const isBox = i < model.count && model.members.has(i), rivals = (isBox ? model.nodes : model.rows).filter(other => L.shown[other] !== null);
    const slower = rivals.reduce((count, other) => count + (L.shown[other] > ms ? 1 : 0), 0);
    parts.push(`place ${grouping(slower + 1)} of ${grouping(rivals.length)}${isBox ? " boxes" : ""}`);
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

function neighbors(app, panel, title, wires, ends) {
  const model = app.base, boxes = [...new Set(Array.from(wires, wire => ends[wire]))];
  if (!boxes.length) return;
  panel.append(make("h3", title));
  const list = make("ul");
  for (const box of boxes.slice(0, MOST_NEIGHBORS)) {
    const layer = box < model.boxes.n ? model.boxes.layer[box] : -1, item = make("li");
    const lines = layer >= 0 || box >= model.boxes.n ? [] : model.boxes.lines(box).map(([, text]) => text);
    const words = layer >= 0 ? model.layers.name[layer] : `${model.boxes.kind[box]} ${lines[0] || ""}`.slice(0, MOST_LETTERS);
    item.append(make("button", printable(words), {type: "button", className: "link", onclick: () => { app.select(box); app.bring(box); }}));
    if (layer >= 0) item.append(make("small", model.types[model.layers.type[layer]][0] + (model.layers.shown[layer] === null ? "" : ` · ${milliseconds(model.layers.shown[layer])} ms`)));
    list.append(item);
  }
  if (boxes.length > MOST_NEIGHBORS) list.append(make("li", `and ${boxes.length - MOST_NEIGHBORS} more`));
  panel.append(list);
}
