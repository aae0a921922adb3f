// Opens links to a picture in a dialog.
import { load } from "./fragments.js";

export function enlargeInDialog() {
  const dialog = document.getElementById("dialog");
  let opener = null;

  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-dialog]");
    if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (await load(link.href)) {
      opener = link;
      dialog.showModal();
    }
  });
  // A click hits the dialog itself only outside of its content.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    document.getElementById("dialog-body").replaceChildren();
    opener?.focus();
    opener = null;
  });
}
