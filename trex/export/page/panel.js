// The selected layer: every column with its unit and its meaning.
function makePanel(app, model) {
  const panel = byId("panel");
  function show(layer) {
    const row = model.rowOf.get(layer);
    panel.hidden = row === undefined;
    if (row === undefined) return;
    const close = make("button", "×", {type: "button", className: "close", onclick: () => app.hub.select(-1)});
    close.setAttribute("aria-label", "Close");
    const list = make("dl");
    for (const column of model.columns) {
      if (column.name === "Name" || column.read(row) === null || column.read(row) === "") continue;
      list.append(make("dt", column.name, {title: column.meaning, onclick: () => app.glossary.show(column.name)}), make("dd", withUnit(column, row)));
    }
    const name = model.by("Name")?.text(row) ?? `layer ${layer}`, tools = make("div", undefined, {className: "row"});
    const copy = make("button", "Copy name", {type: "button", onclick: () => navigator.clipboard?.writeText(model.by("Name")?.read(row) ?? "")});
    tools.append(copy, ...leads());
    panel.replaceChildren(close, make("h2", name), tools, list);
    byId("status").textContent = `selected ${name.slice(0, 200)}`;
  }
  const withUnit = (column, row) => column.isNumber && column.unit && column.unit !== "bytes" ? `${column.text(row)} ${column.unit}` : column.text(row);
  app.hub.listen(["panel", show]);
}
