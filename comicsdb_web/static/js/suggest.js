// Suggestions below the search field of every page while typing: the first results of its URL.
import { announce } from "./announce.js";
import { place } from "./fragments.js";

const SHORTEST = 3;
const PAUSE_MS = 250;

export function suggestWhileTyping() {
  const input = document.getElementById("quick-q");
  const found = document.getElementById("quick-found");
  const links = () => [...found.querySelectorAll("a")];
  let timer;
  let asked = 0;

  const close = () => {
    clearTimeout(timer);
    asked += 1; // an answer on its way comes too late
    found.hidden = true;
  };

  const ask = async (text) => {
    const number = asked;
    const address = `${input.form.action}?${new URLSearchParams({ q: text })}`;
    const options = { credentials: "same-origin", headers: { "X-Fragment": "1" } };
    const response = await fetch(address, options).catch(() => null);
    if (!response?.ok) return; // the form itself still works, and says what is wrong
    const html = await response.text();
    if (number !== asked) return;
    place(html);
    found.hidden = !links().length;
    announce(found.dataset.count.replace("{n}", links().length));
  };

  input.addEventListener("input", () => {
    close();
    const text = input.value.trim();
    if (text.length >= SHORTEST) timer = setTimeout(() => ask(text), PAUSE_MS);
  });
  input.form.addEventListener("keydown", (event) => {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (found.hidden || !(way || event.key === "Escape")) return;
    event.preventDefault();
    const stops = [input, ...links()];
    const next = way ? stops.indexOf(document.activeElement) + way + stops.length : 0;
    stops[next % stops.length].focus();
    if (!way) close();
  });
  input.form.addEventListener("focusout", (event) => {
    if (!input.form.contains(event.relatedTarget)) close();
  });
  // In some browsers, the search field would lose the focus, which closes the links.
  found.addEventListener("mousedown", (event) => event.preventDefault());
}
