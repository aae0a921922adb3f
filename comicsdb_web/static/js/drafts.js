// Stores a form on the server in pauses of typing, as its button "Save draft" does.
const PAUSE_MS = 2000;
const RETRY_MS = 30000; // after a failure

export function storeDrafts() {
  const form = document.querySelector("form[data-draft]");
  if (!form) return;
  const state = document.getElementById("draft-state");
  let timer = null;
  let running = null;
  let changed = false;

  const storeIn = (pause) => {
    changed = true;
    clearTimeout(timer);
    timer = setTimeout(store, pause);
  };
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
        headers: { "X-Fragment": "1" },
        keepalive,
        signal: running.signal,
      });
      // 400: the form has the token of an earlier session.
      if (response.headers.has("X-Location") || response.status === 400) state.textContent = state.dataset.ended;
      else if (response.status === 413) state.textContent = state.dataset.large;
      else if (response.headers.has("X-Draft-Key")) {
        // The key was used when the form was saved, and the browser's Back shows the form again.
        form.elements.draft_key.value = response.headers.get("X-Draft-Key");
        storeIn(0);
      } else if (response.ok) {
        const time = new Date().toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" });
        state.textContent = state.dataset.saved.replace("{time}", time);
      } else if (response.status === 429 || response.status >= 500) storeIn(RETRY_MS);
    } catch (error) {
      if (error.name !== "AbortError") storeIn(RETRY_MS);
    }
  };
  for (const event of ["input", "change", "editing:changed"])
    form.addEventListener(event, () => storeIn(PAUSE_MS));
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
