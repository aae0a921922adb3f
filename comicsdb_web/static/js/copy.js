// Buttons that copy a number or a token; without JavaScript they are hidden, and the text is in the page.
import { announce } from "./announce.js";

const SHOWN_MS = 2000;
const BUTTONS = "button[data-copy], button[data-copy-from]";

export function offerCopying(root) {
  const buttons = root.querySelectorAll(BUTTONS);
  for (const button of root.matches?.(BUTTONS) ? [root, ...buttons] : buttons) {
    if (!button.hidden) continue;
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}

async function copy(button) {
  const field = document.getElementById(button.dataset.copyFrom);
  try {
    await navigator.clipboard.writeText(field ? field.value : button.dataset.copy);
  } catch {
    // Refused or not available: select the text, so that it can be copied by hand.
    if (field) field.select();
    else getSelection().selectAllChildren(button.previousElementSibling);
    return;
  }
  const words = button.querySelector("span");
  const before = (button.dataset.words ??= words.textContent);
  button.classList.add("copied");
  words.textContent = button.dataset.copied;
  announce(button.dataset.copied);
  clearTimeout(button.timer);
  button.timer = setTimeout(() => {
    button.classList.remove("copied");
    words.textContent = before;
  }, SHOWN_MS);
}
