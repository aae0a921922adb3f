// Fetches parts of pages: the same URLs and fields as without JavaScript, with the header `X-Fragment: 1`.
import { announceFailure } from "./announce.js";
import { offerCopying } from "./copy.js";
import { offerClosing } from "./messages.js";

/** Whether a click on a link is more than a plain one, which browsers answer with another tab or the like. */
export const isModified = (event) =>
  event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;

/** Whether a key belongs to an input method; in Safari, which ends the composition first, only the code tells. */
export const isComposing = (event) => event.isComposing || event.keyCode === 229;

/**
 * Fetch a fragment and insert it into its targets.
 * Returns the added elements by the id of their target, or null.
 * `button` does the same without JavaScript: it submits its form if the session has ended.
 */
export async function load(address, options = {}, button = null) {
  let response;
  try {
    response = await fetch(address, { ...options, headers: { ...options.headers, "X-Fragment": "1" } });
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

/** Go to the log-in page; a form submitted by a button is restored after log-in. */
export function logIn(address, button) {
  if (button?.form) button.form.requestSubmit(button);
  else location.assign(`${address}?next=${encodeURIComponent(location.pathname + location.search)}`);
}

/** Insert the templates of a fragment into their targets. */
export function place(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const added = new Map();
  for (const template of parsed.querySelectorAll("template[data-target]")) {
    const name = template.dataset.target;
    // By id, or by `data-part` where the same part may be on the page several times.
    const targets = document.querySelectorAll(`#${CSS.escape(name)}, [data-part="${CSS.escape(name)}"]`);
    const all = [];
    for (const target of targets) {
      const content = document.importNode(template.content, true);
      const elements = [...content.children];
      if (template.dataset.mode === "append") target.append(content);
      else target.replaceChildren(content);
      for (const element of elements) {
        offerCopying(element);
        offerClosing(element);
      }
      all.push(...elements);
    }
    if (targets.length) added.set(name, all);
  }
  return added;
}
