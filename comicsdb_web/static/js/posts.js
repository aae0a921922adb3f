// Forms and links that change a part of the page in place, with the same URLs and fields as without JavaScript.
import { announce } from "./announce.js";
import { isModified, load } from "./fragments.js";

export function sendFormsInPlace() {
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-fragment]");
    if (!form) return;
    event.preventDefault();
    const button = event.submitter;
    // One form may have buttons all over the page, which do not wait for one another.
    const busy = button && !form.contains(button) ? button : form;
    if (busy.getAttribute("aria-busy") === "true") return;
    busy.setAttribute("aria-busy", "true");
    const action = button?.getAttribute("formaction") ?? form.getAttribute("action");
    const added = await load(action, { method: "POST", body: new URLSearchParams(new FormData(form, button)) });
    busy.removeAttribute("aria-busy");
    if (!added) return;
    const elements = [...added.values()].flat();
    const find = (selector) =>
      elements.map((each) => (each.matches(selector) ? each : each.querySelector(selector))).find(Boolean);
    // The pressed button may have been replaced: focus its replacement.
    if (!form.isConnected || (button && !button.isConnected)) {
      const { name, value } = button ?? {};
      const named = name ? `button[name="${CSS.escape(name)}"]` : null;
      const same = named && (find(`${named}[value="${CSS.escape(value)}"]`) ?? find(named));
      const next = same ?? find("[data-focus]") ?? find("button, a[href]");
      const menu = next?.closest("details:not([open])");
      (menu?.querySelector("summary") ?? next)?.focus({ preventScroll: true });
    }
    const said = find("[data-say]")?.dataset.say;
    if (said) announce(said);
  });
}

/** Links that replace a value by the form to change it, and back. */
export function swapInPlace() {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-swap]");
    if (!link || isModified(event)) return;
    event.preventDefault();
    const added = await load(link.href);
    const elements = [...(added?.values() ?? [])].flat();
    const focus = elements.map((each) => (each.matches("[data-focus]") ? each : each.querySelector("[data-focus]")));
    focus.find(Boolean)?.focus();
  });
}
