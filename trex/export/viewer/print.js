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
