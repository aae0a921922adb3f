// Closes messages; messages of success disappear automatically unless they have focus or the pointer.
const SHOWN_MS = 5000;
const MESSAGES = "[data-message]";

export function offerClosing(root) {
  const messages = root.querySelectorAll(MESSAGES);
  for (const message of root.matches?.(MESSAGES) ? [root, ...messages] : messages) {
    const close = document.createElement("button");
    close.type = "button";
    close.className = "message-close";
    close.textContent = "×";
    close.setAttribute("aria-label", document.getElementById("messages").dataset.close);
    close.addEventListener("click", () => message.remove());
    message.append(close);
    if (!["success", "info"].includes(message.dataset.message)) continue;
    let timer = setTimeout(() => message.remove(), SHOWN_MS);
    for (const kind of ["pointerenter", "focusin"]) {
      message.addEventListener(kind, () => clearTimeout(timer));
    }
    for (const kind of ["pointerleave", "focusout"]) {
      message.addEventListener(kind, () => {
        timer = setTimeout(() => message.remove(), SHOWN_MS);
      });
    }
  }
}
