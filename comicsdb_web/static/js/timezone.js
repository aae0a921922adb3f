// Sends the browser's time zone once for members who have not chosen one; the account stores it.
const TOLD = "timezone-told";

export function tellTimezone() {
  const form = document.querySelector("form[data-timezone]");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!form || !zone) return;
  try {
    if (sessionStorage.getItem(TOLD)) return; // one that the site does not know
    sessionStorage.setItem(TOLD, zone);
  } catch {
    return; // a browser that keeps nothing would tell on every page
  }
  form.elements.timezone.value = zone;
  fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), keepalive: true }).catch(() => {});
}
