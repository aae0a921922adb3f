// "Add" buttons add a row without a page load, the same that their form would show.
import { announce } from "./announce.js";
import { load } from "./fragments.js";
import { pickWhileTyping } from "./picker.js";

export function addRowsInPlace() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-add]");
    if (!button) return;
    event.preventDefault();
    if (button.getAttribute("aria-busy") === "true") return; // one at a time: the next index depends on it
    button.setAttribute("aria-busy", "true");
    const rows = document.getElementById(`${button.dataset.kind}-rows`);
    const indices = [...rows.querySelectorAll("[data-row]")].map((row) => Number(row.dataset.row));
    const added = await load(`${button.dataset.add}?form_idx=${Math.max(-1, ...indices) + 1}`, {}, button);
    button.removeAttribute("aria-busy");
    const row = added?.get(rows.id)?.[0];
    if (!row) return;
    row.querySelector("legend").textContent = row
      .querySelector("legend")
      .textContent.replace(/\d+/, rows.children.length);
    const currency = document.getElementsByName("price_currency")[0];
    for (const select of row.querySelectorAll("select[name$=_currency]")) select.value = currency.value;
    pickWhileTyping(row);
    row.querySelector("input:not([type=hidden], [type=checkbox]), select")?.focus();
    announce(document.getElementById("picker-words").dataset.addedRow);
  });
}
