// Stacked bars: a click on a part filters the table, and marks its layers in the graph and the charts; a second click clears it.
function makeShares(app) {
  const parts = [...document.querySelectorAll("[data-filter]")];
  for (const part of parts) part.onclick = () => {
    const filter = app.layers.filtered() === part.dataset.filter ? "" : part.dataset.filter;
    app.layers.filter(filter);
    app.address.write({filter});
  };
  const show = () => {
    const filter = app.layers.filtered(), isOne = parts.some(part => part.dataset.filter === filter);
    for (const part of parts) {
      const isHere = part.dataset.filter === filter;
      if (part.matches("button")) part.setAttribute("aria-pressed", isHere);
      part.classList.toggle("faded", isOne && !isHere);
    }
  };
  app.hub.listen(["shares", show]);
  return {show};
}
