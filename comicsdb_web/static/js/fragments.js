// Parts of pages: the same address and fields as without scripts, asked for with `X-Fragment: 1`.
import { announceFailure } from "./announce.js";
import { offerCopying } from "./copy.js";

/**
 * Fetch a fragment and put it in its places.
 * Returns the elements that were added, by the id of their target; null where nothing was.
 */
export async function load(address, options = {}) {
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
    const here = encodeURIComponent(location.pathname + location.search);
    location.assign(`${response.headers.get("X-Location")}?next=${here}`);
    return null;
  }
  const added = place(await response.text());
  if (!response.ok) announceFailure();
  return response.ok ? added : null;
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
