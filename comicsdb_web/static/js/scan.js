// The scanner: a running list of barcodes from camera, USB scanner and keyboard, which survives without a connection.
import { announce } from "./announce.js";
import { readCamera } from "./camera.js";
import { logIn } from "./fragments.js";
import { beep } from "./sound.js";

const RETRY = 10_000; // milliseconds between attempts to look up what waits for a connection
const CODE_MAX = 21; // characters; the server cuts longer codes, which are no barcodes

const form = document.getElementById("scan");
const list = document.getElementById("scan-rows");
const field = form.elements.codes;
const words = form.dataset;
const page = new URL(form.action).pathname;
const offline = !words.account; // the page that the service worker shows
if (!offline) localStorage.setItem("scan.account", words.account);
const key = `scan.${words.account ?? localStorage.getItem("scan.account")}`;

// `codes`: what was scanned, oldest first, with the choice made for each (`pick`), once there is one.
// `sent`: the codes of the form sent last, by the name `list`.
const state = { codes: [], sent: [], list: "", ...JSON.parse(localStorage.getItem(key) ?? "{}") };

const save = () => localStorage.setItem(key, JSON.stringify(state));
const rowOf = (code) => list.querySelector(`[data-code="${CSS.escape(code)}"]`);
const find = (code) => state.codes.find((each) => each.code === code);
const fill = (text, code) => text.replace("{code}", code);

function tell(text) {
  document.querySelector("[data-scan-state]").textContent = text;
}

function showCount() {
  document.querySelector("[data-scan-list]").hidden = !list.children.length;
  document.querySelector("[data-scan-count]").textContent = list.children.length;
  const add = document.querySelector("[data-scan-add]");
  if (add) add.disabled = !list.querySelector("[data-scan-title]");
}

function put(row) {
  const present = rowOf(row.dataset.code);
  if (present) present.replaceWith(row);
  else list.prepend(row);
  row.querySelector("[data-scan-remove]").hidden = false;
  showCount();
}

function putWaiting(code) {
  const row = document.getElementById("scan-waiting").content.firstElementChild.cloneNode(true);
  row.dataset.code = code;
  row.querySelector("code").textContent = code;
  row.querySelector("[data-scan-remove] .sr-only").textContent += code;
  put(row);
}

function drop(code) {
  state.codes = state.codes.filter((each) => each.code !== code);
  save();
  rowOf(code)?.remove();
  showCount();
}

/** Put codes on the list, which are looked up together. */
function take(codes) {
  const added = [];
  for (const code of codes) {
    if (find(code)) {
      beep("again");
      tell(fill(words.again, code));
    } else if (state.codes.length >= Number(words.most)) {
      beep("unknown");
      tell(words.full);
    } else {
      added.push({ code });
      state.codes.push(added.at(-1));
      putWaiting(code);
    }
  }
  save();
  if (added.length) lookUp(added);
}

/** Ask what codes stand for, and show it; without a connection they stay as they are. */
async function lookUp(entries) {
  if (offline) return beep("found");
  const sent = new URLSearchParams({ csrf_token: form.elements.csrf_token.value });
  for (const { code, pick } of entries) {
    sent.append(pick === undefined ? "codes" : "barcode", code);
    if (pick !== undefined) sent.append(`pick-${code}`, pick);
  }
  let response;
  try {
    response = await fetch(page, { method: "POST", body: sent, headers: { "X-Fragment": "1" } });
  } catch {
    return beep("found");
  }
  if (response.status === 204 && response.headers.has("X-Location")) return logIn(response.headers.get("X-Location"));
  const token = form.elements.csrf_token.value;
  if (response.status === 400 && sessionStorage.getItem("scan.token") !== token) {
    sessionStorage.setItem("scan.token", token); // the session has changed in another tab: a new page has its token
    return location.reload();
  }
  if (!response.ok) return null;
  const answer = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const row of answer.querySelector("template").content.querySelectorAll("[data-code]")) {
    if (find(row.dataset.code)) show(document.importNode(row, true));
  }
  return null;
}

function show(row) {
  put(row);
  remember(row);
  const { code, found } = row.dataset;
  const title = row.querySelector("[data-scan-title]")?.textContent;
  const variant = row.querySelector("[data-scan-variant]")?.textContent;
  beep(found === "0" ? "unknown" : "found");
  if (found === "0") tell(fill(words.unknown, code));
  else if (found === "1") tell([title, variant].filter(Boolean).join(" · "));
  else tell(words.several);
}

/** Keep the choice of a row. */
function remember(row) {
  const entry = find(row.dataset.code);
  if (!entry || row.dataset.found === undefined) return;
  entry.pick = row.querySelector("[name^=pick-]:checked")?.value ?? "";
  save();
}

const waiting = () => state.codes.filter(({ code }) => !rowOf(code) || rowOf(code).matches(".scan-waiting"));

async function retry() {
  if (!waiting().length) return;
  if (!offline) await lookUp(waiting());
  else await fetch(page, { method: "HEAD" }).then(() => location.reload(), () => null);
}

/** What came back from the server: after "Add all", what was sent leaves the list. */
function restore() {
  const added = new URLSearchParams(location.search).get("added");
  if (added) {
    if (added === state.list) state.codes = state.codes.filter(({ code }) => !state.sent.includes(code));
    history.replaceState(null, "", page);
    save();
  }
  for (const row of list.querySelectorAll("[data-code]")) {
    if (!find(row.dataset.code)) state.codes.push({ code: row.dataset.code });
    row.querySelector("[data-scan-remove]").hidden = false;
    remember(row);
  }
  const missing = waiting();
  missing.forEach(({ code }) => putWaiting(code));
  if (missing.length) lookUp(missing);
  showCount();
}

/** A code as the server spells it in its answers: only letters and digits, and not too many of them. */
const normal = (text) => text.normalize("NFKC").replace(/[^0-9a-z]/gi, "").toUpperCase().slice(0, CODE_MAX);

function takeTyped() {
  const codes = field.value.split(/[\n,;\t]+/).map(normal);
  field.value = "";
  take(codes.filter(Boolean));
}

form.addEventListener("submit", (event) => {
  if (event.submitter?.matches("[data-scan-add]") && !field.value.trim()) {
    state.sent = [...list.querySelectorAll("[name=barcode]")].map((each) => each.value);
    state.list = crypto.getRandomValues(new Uint32Array(2)).join("");
    form.elements.list.value = state.list;
    save();
    return;
  }
  event.preventDefault();
  takeTyped();
});

// A USB scanner types the digits and presses Enter.
field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  takeTyped();
});

list.addEventListener("click", (event) => {
  const button = event.target.closest("[data-scan-remove]");
  if (!button) return;
  drop(button.closest("[data-code]").dataset.code);
  field.focus();
});

list.addEventListener("change", (event) => {
  const row = event.target.closest("[data-code]");
  if (!event.target.matches("[data-scan-supplement]")) remember(row);
});

function complete(input) {
  const { code } = input.closest("[data-code]").dataset;
  drop(code);
  take([code + input.value]);
}

list.addEventListener("input", (event) => {
  if (event.target.matches("[data-scan-supplement]") && /^\d{5}$/.test(event.target.value)) complete(event.target);
});

list.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("[data-scan-supplement]")) return;
  event.preventDefault();
  if (/^(\d{2}|\d{5})$/.test(event.target.value)) complete(event.target);
});

restore();
addEventListener("online", retry);
setInterval(retry, RETRY);
readCamera(form, (code) => take([code]), (text) => {
  tell(text);
  announce(text);
});
navigator.serviceWorker?.register(words.worker);
