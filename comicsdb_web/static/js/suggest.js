// Suggestions below the search field of every page while typing (the combobox pattern): the first results of
// its URL. The best one is chosen already, so Enter opens it; "/" and Ctrl-K lead to the field.
import { announce } from "./announce.js";
import { isComposing, place } from "./fragments.js";

const SHORTEST = 2;
const PAUSE_MS = 120;

export function suggestWhileTyping() {
  const input = document.getElementById("quick-q");
  const found = document.getElementById("quick-found");
  let options = [];
  let active = -1;
  let timer;
  let asked = 0;
  let waiting = false; // for what the present text finds
  let enters = false; // Enter was pressed meanwhile

  for (const [name, value] of [
    ["role", "combobox"],
    ["aria-autocomplete", "list"],
    ["aria-expanded", "false"],
    ["aria-controls", found.id],
  ]) {
    input.setAttribute(name, value);
  }

  const close = () => {
    clearTimeout(timer);
    asked += 1; // an answer on its way comes too late
    waiting = enters = false;
    options = [];
    found.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const point = (index) => {
    options[active]?.setAttribute("aria-selected", "false");
    active = index;
    options[active].setAttribute("aria-selected", "true");
    options[active].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", options[active].id);
  };

  const show = (html) => {
    place(html);
    options = [...found.querySelectorAll("[role=option]")];
    options.forEach((each, index) => { each.id = `quick-option-${index}`; });
    found.hidden = !options.length;
    input.setAttribute("aria-expanded", String(options.length > 0));
    active = -1;
    if (options.length) point(0);
    announce(found.dataset.count.replace("{n}", Math.max(0, options.length - 1)));
  };

  const ask = async () => {
    clearTimeout(timer);
    const number = asked;
    const address = `${input.form.action}?${new URLSearchParams({ q: input.value.trim() })}`;
    const response = await fetch(address, { headers: { "X-Fragment": "1" } }).catch(() => null);
    const html = response?.ok ? await response.text() : "";
    if (number !== asked) return;
    waiting = false;
    if (html) show(html);
    if (enters && options.length) options[active].click();
    else if (enters) input.form.submit(); // the page says what is wrong, or that nothing is found
  };

  input.addEventListener("input", () => {
    close();
    if (input.value.trim().length < SHORTEST) return;
    waiting = true;
    timer = setTimeout(ask, PAUSE_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (isComposing(event)) return;
    const last = options.length - 1;
    const way = { ArrowDown: active >= last ? 0 : active + 1, ArrowUp: active <= 0 ? last : active - 1 }[event.key];
    if (event.key === "Enter" && waiting) {
      event.preventDefault();
      if (!enters) ask();
      enters = true;
    } else if (found.hidden) {
      return;
    } else if (event.key === "Enter") {
      event.preventDefault();
      options[active].click();
    } else if (event.key === "Escape") {
      event.preventDefault();
      close();
    } else if (way !== undefined) {
      event.preventDefault();
      point(way);
    }
  });
  input.addEventListener("blur", close);
  // Otherwise the search field would lose the focus, which closes the list.
  found.addEventListener("mousedown", (event) => event.preventDefault());

  document.addEventListener("keydown", (event) => {
    const slash = event.key === "/" && !event.ctrlKey && !event.altKey && !event.metaKey;
    const letter = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k";
    if (!letter && (!slash || event.target.closest("input, textarea, select, [contenteditable]"))) return;
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}
