// Buttons that copy a number; without scripts they are not shown, and the number stands in the page.
const SHOWN_MS = 2000;

export function offerCopying(root) {
  const buttons = root.querySelectorAll("button[data-copy]");
  for (const button of root.matches?.("button[data-copy]") ? [root, ...buttons] : buttons) {
    if (!button.hidden) continue;
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}

async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    // Refused or not available: select the text, so that it can be copied by hand.
    getSelection().selectAllChildren(button.previousElementSibling);
    return;
  }
  const words = button.querySelector(".sr-only");
  const before = words.textContent;
  button.classList.add("copied");
  words.textContent = button.dataset.copied;
  setTimeout(() => {
    button.classList.remove("copied");
    words.textContent = before;
  }, SHOWN_MS);
}
