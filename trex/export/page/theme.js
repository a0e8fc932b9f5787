// Dark or light: the system's choice until you choose; charts take their colors from it.
function makeTheme(app) {
  const root = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
  const set = theme => {
    root.dataset.theme = theme;
    byId("theme").setAttribute("aria-pressed", theme === "dark");
    app.theme = theme;
    app.charts?.dress();
    app.graph?.dress(theme);
  };
  app.setTheme = set;
  set(system.matches ? "dark" : "light");
  system.addEventListener("change", event => set(event.matches ? "dark" : "light"));
  byId("theme").onclick = () => set(app.theme === "dark" ? "light" : "dark");
}
