// The view on paper: the same part of the graph as lines and text, light, as large as the page.
function printing(app) {
  let theme = "";
  window.addEventListener("beforeprint", () => {
    theme = document.documentElement.dataset.theme;
    setTheme(app, "light");
    const ground = app.theme.ground;
    app.theme.ground = "#ffffff";
    const picture = new DOMParser().parseFromString(visibleSvg(app), "image/svg+xml").documentElement;
    app.theme.ground = ground;
    picture.id = "paper";
    // What is filled, and the legend below the view.
    const [left, top, width, height] = filled(app), bottom = Number(picture.getAttribute("height"));
    picture.setAttribute("viewBox", [Math.min(0, left), top, Math.max(app.width, left + width) - Math.min(0, left), Math.max(bottom, top + height) - top].join(" "));
    picture.removeAttribute("width");
    picture.removeAttribute("height");
    document.querySelector("#paper")?.remove();
    byId("stage").append(document.adoptNode(picture));
  });
  window.addEventListener("afterprint", () => {
    document.querySelector("#paper")?.remove();
    setTheme(app, theme || "light");
  });
}

// The part of the view in which something is: x, y, width, height.
function filled(app) {
  const {view} = app, z = view.zoom, parts = visibleParts(app);
  if (!parts.length) return [0, 0, app.width, app.height];
  const edge = (way, pick) => Math[way](...parts.map(pick));
  const left = edge("min", part => view.x + (part.left + part.column.dx) * z), right = edge("max", part => view.x + (part.right + part.column.dx) * z);
  const top = edge("min", part => view.y + (part.top + part.column.dy) * z), bottom = edge("max", part => view.y + (part.bottom + part.column.dy) * z);
  return [left, top, Math.max(1, right - left), Math.max(1, bottom - top)];
}
