// What happens without a new page is said to screen readers.
const announcer = () => document.getElementById("announcer");

/** Say something. */
export function announce(text) {
  announcer().textContent = "";
  // A repeated text is only read again when it was gone for a moment.
  setTimeout(() => {
    announcer().textContent = text;
  }, 50);
}

/** Say that something did not work. */
export function announceFailure() {
  announce(announcer().dataset.failed);
}
