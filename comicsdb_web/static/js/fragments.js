// Parts of pages: the same address and fields as without scripts, asked for with `X-Fragment: 1`.
import { announceFailure } from "./announce.js";
import { offerCopying } from "./copy.js";

/**
 * Fetch a fragment and put it in its places.
 * Returns the elements that were added, by the id of their target; null where nothing was.
 * `button` does the same without scripts: it sends its form if the session has ended.
 */
export async function load(address, options = {}, button = null) {
  let response;
  try {
    response = await fetch(address, {
      credentials: "same-origin",
      ...options,
      headers: { ...options.headers, "X-Fragment": "1" },
    });
  } catch {
    announceFailure();
    return null;
  }
  if (response.status === 204 && response.headers.has("X-Location")) {
    logIn(response.headers.get("X-Location"), button);
    return null;
  }
  const added = place(await response.text());
  if (!response.ok) announceFailure();
  return response.ok ? added : null;
}

/** Go to the log-in page; a form that is sent by a button comes back after it with what was typed. */
export function logIn(address, button) {
  if (button?.form) button.form.requestSubmit(button);
  else location.assign(`${address}?next=${encodeURIComponent(location.pathname + location.search)}`);
}

/** Put the templates of a fragment in their targets. */
export function place(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const added = new Map();
  for (const template of parsed.querySelectorAll("template[data-target]")) {
    const target = document.getElementById(template.dataset.target);
    if (!target) continue;
    const content = document.importNode(template.content, true);
    const elements = [...content.children];
    if (template.dataset.mode === "append") target.append(content);
    else target.replaceChildren(content);
    elements.forEach((element) => offerCopying(element));
    added.set(template.dataset.target, elements);
  }
  return added;
}
