// "More" links add their rows to the page instead of opening another one.
import { announce } from "./announce.js";
import { isModified, load } from "./fragments.js";

export function followMoreLinks() {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-fragment]");
    if (!link || isModified(event)) return;
    event.preventDefault();
    if (link.getAttribute("aria-busy") === "true") return;
    link.setAttribute("aria-busy", "true");
    const list = link.parentElement.id.replace(/-more$/, "");
    const added = await load(link.href);
    link.removeAttribute("aria-busy");
    const first = added?.get(list)?.[0];
    if (!first) return;
    const target = first.querySelector("a[href]") ?? first;
    target.focus({ preventScroll: true });
    announce(document.getElementById("announcer").dataset.more);
  });
}
