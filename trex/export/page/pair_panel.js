// The selected group of layers: base, new and cause.
function makePanel(app, model) {
  const panel = byId("panel"), read = (name, row) => model.by(name)?.read(row) ?? "";
  panel.className = "sheet";

  function show(group) {
    panel.hidden = group < 0 || group >= model.count;
    document.body.classList.toggle("has-sheet", !panel.hidden);
    if (panel.hidden) { byId("status").textContent = ""; return; }
    const name = printable(read("Name", group)), head = make("div", undefined, {className: "row"});
    const close = make("button", "×", {type: "button", className: "close", onclick: () => app.hub.select(-1)});
    close.setAttribute("aria-label", "Close");
    head.append(make("h2", name), make("span", printable(read("change", group)), {className: "badge"}));
    head.append(...leads());
    panel.replaceChildren(close, head, make("p", sentence(group)), sides(group), origins(group));
    panel.scrollTop = 0;
    byId("status").textContent = `selected ${name.slice(0, 200)}: ${read("change", group)}`;
  }

  function sentence(group) {
    const ms = name => model.by(name).text(group), known = read("difference", group) !== null && read("difference", group) !== "";
    const speedup = model.by("speedup").read(group), factor = speedup === null ? "" : `, speed-up ${speedup.toPrecision(3)}`;
    const times = known ? `${ms("base")} → ${ms("new")} ms (${read("difference", group) > 0 ? "+" : ""}${ms("difference")}${factor})` : "time unknown";
    return printable(`${times}: ${read("cause", group)}. ${read("words", group)}`);
  }

  // A column for each engine, a row for each fact about the layers.
  function sides(group) {
    const table = make("table"), top = make("tr");
    top.append(make("td"), make("th", "base", {scope: "col"}), make("th", "new", {scope: "col"}));
    table.append(top);
    for (const [name, title] of [["layers", "layers"], ["types", "types"], ["precisions", "precision"], ["formats", "formats"], ["tactics", "kernels"]]) {
      const row = make("tr"), [base, now] = [read(`base_${name}`, group), read(`new_${name}`, group)];
      if (!base && !now) continue;
      row.append(make("th", title, {scope: "row"}), cell(base, false), cell(now, base && now && base !== now && name !== "layers"));
      table.append(row);
    }
    return table;
  }

  function cell(words, differs) {
    const box = make("td", undefined, {className: differs ? "differs" : ""});
    const lines = words.split("\n").filter(Boolean);
    for (const line of lines.slice(0, 40)) box.append(make("div", printable(line)));
    if (lines.length > 40) box.append(make("div", `and ${lines.length - 40} more`));
    if (!lines.length) box.append(make("div", "–"));
    return box;
  }

  function origins(group) {
    const nodes = read("origins", group).split("\n").filter(Boolean);
    const list = nodes.length ? `: ${nodes.slice(0, 12).join(", ")}${nodes.length > 12 ? ` and ${nodes.length - 12} more` : ""}` : "";
    const only = {new: "no layer of the base does the same work", gone: "no layer of the new engine does the same work"}[read("change", group)];
    return make("p", only ?? printable(`matched by ${read("matched_by", group)}${list}`), {className: "soft"});
  }

  app.hub.listen(["panel", show]);
}
