// Messages can be closed; good news disappear by themselves unless somebody is reading them.
const SHOWN_MS = 5000;

export function fadeMessages() {
  for (const message of document.querySelectorAll("[data-message]")) {
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
