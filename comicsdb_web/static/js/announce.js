// Announces changes without a page load to screen readers.
const announcer = () => document.getElementById("announcer");

/** Announce a text. */
export function announce(text) {
  announcer().textContent = "";
  // Screen readers only repeat a text if it was removed in between.
  setTimeout(() => {
    announcer().textContent = text;
  }, 50);
}

/** Announce a failure. */
export function announceFailure() {
  announce(announcer().dataset.failed);
}
