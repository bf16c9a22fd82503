// Runs before the first paint, so that a chosen theme never flashes. Without a choice the system decides.
(() => {
  try {
    const theme = localStorage.getItem("budgeteer.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    if (localStorage.getItem("budgeteer.keys") === "off") document.documentElement.dataset.keys = "off";
  } catch {
    // Storage is refused (private window): the system's theme stands.
  }
})();
