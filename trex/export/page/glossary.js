// What every figure means: columns of the table, and charts.
function makeGlossary(model) {
  const dialog = byId("glossary"), button = byId("explain");
  const list = make("dl"), terms = new Map();
  for (const column of model.columns) {
    const term = make("dt", column.heading);
    if (column.title !== column.name) term.append(" ", make("code", column.name));
    terms.set(column.name, term);
    list.append(term, make("dd", column.meaning));
  }
  for (const caption of document.querySelectorAll("figcaption")) list.append(make("dt", caption.querySelector("h3").textContent), make("dd", caption.querySelector("p").textContent));
  const close = make("button", "Close", {type: "button", onclick: () => dialog.close()});
  dialog.append(close, make("h2", "What every figure means"), list);
  dialog.addEventListener("close", () => button.setAttribute("aria-expanded", "false"));
  const show = name => {
    if (!dialog.open) dialog.showModal();
    button.setAttribute("aria-expanded", "true");
    dialog.scrollTop = 0;
    terms.get(name)?.scrollIntoView({block: "center"});
  };
  button.onclick = () => show();
  return {show};
}
