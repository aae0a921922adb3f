// Asks for confirmation before leaving a form with unsaved changes.
export function warnBeforeLeaving() {
  const form = document.querySelector("form[data-guard]");
  if (!form) return;
  let touched = form.hasAttribute("data-touched");
  const touch = (event) => {
    if (!event.target.closest(".finder")) touched = true;
  };
  form.addEventListener("input", touch);
  form.addEventListener("change", touch);
  form.addEventListener("editing:changed", () => {
    touched = true;
  });
  form.addEventListener("submit", () => {
    touched = false;
  });
  addEventListener("beforeunload", (event) => {
    if (touched) event.preventDefault();
  });
}
