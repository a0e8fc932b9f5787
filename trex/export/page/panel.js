// The selected layer: every column with its unit and its meaning.
function makePanel(app, model) {
  const panel = byId("panel");
  let touched = null;
  addEventListener("pointerdown", event => { touched = event.target; }, true);
  function show(layer) {
    const row = model.rowOf.get(layer);
    panel.hidden = row === undefined;
    document.body.classList.toggle("has-panel", !panel.hidden);
    if (row === undefined) return;
    const close = make("button", "×", {type: "button", className: "close", onclick: () => app.hub.select(-1)});
    close.setAttribute("aria-label", "Close");
    const list = make("dl");
    for (const column of model.columns) {
      if (column.name === "Name" || column.read(row) === null || column.read(row) === "") continue;
      const term = make("dt"), why = make("button", column.title, {type: "button", title: column.hint, onclick: () => app.glossary.show(column.name)});
      term.append(why);
      list.append(term, make("dd", withUnit(column, row)));
    }
    const name = model.by("Name")?.text(row) ?? `layer ${layer}`, tools = make("div", undefined, {className: "row"});
    const copy = make("button", "Copy name", {type: "button", onclick: () => navigator.clipboard?.writeText(model.by("Name")?.read(row) ?? "").catch(() => {})});
    tools.append(copy, make("button", "Copy link", {type: "button", title: "The address of this layer (c)", onclick: app.copyLink}), ...leads());
    panel.replaceChildren(close, make("h2", name), tools, list);
    byId("status").textContent = `selected ${name.slice(0, 200)}`;
    requestAnimationFrame(uncover);
  }
  // A sheet at the bottom never covers what was clicked; a table may have made the clicked row anew.
  function uncover() {
    const seen = touched?.isConnected ? touched : document.querySelector('#table [aria-selected="true"]'), {top, left} = panel.getBoundingClientRect();
    const bottom = seen?.getBoundingClientRect().bottom ?? 0;
    if (left === 0 && bottom > top - 8 && !panel.contains(seen)) scrollBy({top: bottom - top + 24, behavior: "instant"});
  }
  const withUnit = (column, row) => column.isNumber && column.unit && column.unit !== "bytes" ? `${column.text(row)} ${column.unit}` : column.text(row);
  app.hub.listen(["panel", show]);
}
