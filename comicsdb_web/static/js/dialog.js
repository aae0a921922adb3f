// Opens links to a picture in a dialog.
import { isModified, load } from "./fragments.js";

export function enlargeInDialog() {
  const dialog = document.getElementById("dialog");
  let opener = null;

  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-dialog]");
    if (!link || isModified(event)) return;
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
