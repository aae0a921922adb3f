// Fills in a new issue from the series as soon as that is chosen, or at the press of the button.
import { announce } from "./announce.js";

export function proposeFromSeries() {
  const button = document.querySelector("button[data-propose]");
  if (!button) return;
  const field = button.closest("[data-pick]");
  const chosen = () => field.querySelector("[data-picked] input:checked")?.value;
  const propose = async () => {
    const address = `${button.dataset.propose}?series=${encodeURIComponent(chosen())}`;
    const response = await fetch(address, { headers: { "X-Fragment": "1" } });
    if (response.status !== 200) return;
    const filled = Object.entries(await response.json()).filter(([name, value]) => fill(name, value));
    if (!filled.length) return;
    const labels = filled.map(([name]) => document.querySelector(`label[for="${name}"]`).firstChild.textContent.trim());
    announce(document.getElementById("picker-words").dataset.proposed.replace("{fields}", labels.join(", ")));
  };
  field.addEventListener("editing:changed", propose);
  button.addEventListener("click", (event) => {
    if (!chosen()) return;
    event.preventDefault();
    propose();
  });
}

/** Fill in a field if it is blank; an amount comes with its currency, which may come alone. */
function fill(name, value) {
  const [text, currency] = [value].flat();
  const input = document.getElementById(name);
  const blank = input?.tagName === "SELECT" ? input.options[0].value : "";
  if (!input || input.value !== blank) return false;
  if (currency) document.getElementsByName(`${name}_currency`)[0].value = currency;
  if (!text || text === blank) return false;
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  return true;
}
