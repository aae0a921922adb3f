// Menus are <details>, which open without JavaScript; this closes them on Escape, on a click elsewhere, and on leaving.
export function closeMenus() {
  const open = () => document.querySelectorAll("details[data-menu][open]");

  document.addEventListener("click", (event) => {
    for (const menu of open()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of open()) {
      const inside = menu.contains(document.activeElement);
      menu.open = false;
      if (inside) menu.querySelector("summary").focus();
    }
  });
  document.addEventListener("focusin", (event) => {
    for (const menu of open()) if (!menu.contains(event.target)) menu.open = false;
  });
}
