// The time zone of a member who has not chosen one: the browser knows it, and the account keeps it.
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
