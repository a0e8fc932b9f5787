// Dark or light: what the system asks for, until someone chooses; charts take their ink from it.
function makeTheme(app) {
  const root = document.documentElement;
  const set = theme => {
    root.dataset.theme = theme;
    byId("theme").setAttribute("aria-pressed", theme === "dark");
    app.theme = theme;
    app.charts?.dress();
    app.graph?.dress(theme);
  };
  set(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", event => set(event.matches ? "dark" : "light"));
  byId("theme").onclick = () => set(app.theme === "dark" ? "light" : "dark");
}
