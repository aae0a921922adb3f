// Renews a part of the page while it is visible, until the server answers that there is nothing more to wait for.
import { load } from "./fragments.js";

const part = document.querySelector("[data-poll]");

async function renew() {
  if (document.visibilityState === "visible") {
    const added = await load(location.href);
    if (added && !added.size) return location.reload();
  }
  setTimeout(renew, part.dataset.poll * 1000);
}

if (part) setTimeout(renew, part.dataset.poll * 1000);
