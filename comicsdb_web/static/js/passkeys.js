// Forms that create a passkey or authenticate with one; shown only if the browser supports passkeys.
import { announce } from "./announce.js";

export function offerPasskeys() {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) return;
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      if (answerOf(form).value) return;
      event.preventDefault();
      ask(form);
    });
  }
}

function answerOf(form) {
  return form.querySelector("[data-passkey-answer]");
}

async function ask(form) {
  const button = form.querySelector("button[type=submit]");
  button.disabled = true;
  try {
    const response = await fetch(form.dataset.passkey, { headers: { Accept: "application/json" } });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const options = await response.json();
    const credential =
      form.dataset.passkeyAct === "create"
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
    answerOf(form).value = JSON.stringify(credential.toJSON());
    form.submit();
  } catch {
    // Cancelled, no such passkey, or refused by the browser: indistinguishable on purpose.
    button.disabled = false;
    tell(form);
  }
}

function tell(form) {
  let line = form.querySelector(".field-error");
  if (!line) {
    line = document.createElement("p");
    line.className = "field-error";
    form.append(line);
  }
  line.textContent = form.dataset.failed;
  announce(form.dataset.failed);
}
