// Changes the theme in place; the server stores the choice.
import { load } from "./fragments.js";

export function switchThemeInPlace() {
  for (const form of document.querySelectorAll("form[data-theme-form]")) {
    form.addEventListener("submit", (event) => {
      const chosen = event.submitter?.value;
      if (!chosen) return;
      event.preventDefault();
      document.documentElement.dataset.theme = chosen;
      for (const button of document.querySelectorAll("form[data-theme-form] button")) {
        button.setAttribute("aria-pressed", String(button.value === chosen));
      }
      const fields = new URLSearchParams(new FormData(form));
      fields.set("theme", chosen);
      load(form.action, { method: "POST", body: fields }).then(() => {
        // The response has replaced the buttons: restore the focus.
        form.querySelector(`button[value="${chosen}"]`)?.focus();
      });
    });
  }
}
