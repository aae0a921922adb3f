// Links that show one picture open it in a dialog.
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
  // The dialog itself is only hit where nothing of its content is.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    document.getElementById("dialog-body").replaceChildren();
    opener?.focus();
    opener = null;
  });
}
