// Runs before the first paint, so that a chosen theme never flashes and what needs script never jumps in. Without a choice the system decides.
(() => {
  document.documentElement.dataset.js = "";
  try {
    const theme = localStorage.getItem("budgeteer.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    if (localStorage.getItem("budgeteer.keys") === "off") document.documentElement.dataset.keys = "off";
  } catch {
    // Storage is refused (private window): the system's theme stands.
  }
})();
