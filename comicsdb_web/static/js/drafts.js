// Stores a form on the server in pauses of typing, as its button "Save draft" does.
const PAUSE_MS = 2000;

export function storeDrafts() {
  const form = document.querySelector("form[data-draft]");
  if (!form) return;
  const state = document.getElementById("draft-state");
  let timer = null;
  let running = null;
  let changed = false;

  const store = async (keepalive = false) => {
    clearTimeout(timer);
    changed = false;
    const fields = new FormData(form);
    for (const [name, value] of [...fields]) if (value instanceof File) fields.delete(name);
    fields.set("save_draft", "1");
    running = new AbortController();
    try {
      const response = await fetch(location.pathname, {
        method: "POST",
        body: fields,
        credentials: "same-origin",
        headers: { "X-Fragment": "1" },
        keepalive,
        signal: running.signal,
      });
      if (response.headers.has("X-Location")) state.textContent = state.dataset.ended;
      else if (response.status === 413) state.textContent = state.dataset.large;
      else if (response.ok) {
        const time = new Date().toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" });
        state.textContent = state.dataset.saved.replace("{time}", time);
      }
    } catch {
      changed = true; // it is stored after the next pause
    }
  };
  const later = () => {
    changed = true;
    clearTimeout(timer);
    timer = setTimeout(store, PAUSE_MS);
  };
  for (const event of ["input", "change", "editing:changed"]) form.addEventListener(event, later);
  // What is stored after the form was saved would come back as a draft.
  form.addEventListener("submit", () => {
    clearTimeout(timer);
    changed = false;
    running?.abort();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden" && changed) store(true);
  });
}
