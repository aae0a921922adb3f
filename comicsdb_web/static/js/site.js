// The site's only script: every module enhances links and forms that work without it.
import { followMoreLinks } from "./more.js";
import { closeMenus } from "./menus.js";
import { chooseMany } from "./choose.js";
import { enlargeInDialog } from "./dialog.js";
import { offerCopying } from "./copy.js";
import { unmarkWhatIsCorrected } from "./corrected.js";
import { switchThemeInPlace } from "./theme.js";
import { offerClosing } from "./messages.js";
import { offerPasskeys } from "./passkeys.js";
import { sendFormsInPlace, swapInPlace } from "./posts.js";
import { suggestWhileTyping } from "./suggest.js";
import { showLocalTimes } from "./times.js";
import { tellTimezone } from "./timezone.js";

closeMenus();
chooseMany();
followMoreLinks();
enlargeInDialog();
offerCopying(document);
offerPasskeys();
switchThemeInPlace();
offerClosing(document);
sendFormsInPlace();
swapInPlace();
suggestWhileTyping();
tellTimezone();
showLocalTimes();
unmarkWhatIsCorrected();

// A changed choice submits its form; the button is for pages without JavaScript.
for (const select of document.querySelectorAll("select[data-submit]")) {
  const button = select.form.querySelector("button[type=submit]");
  if (button) button.hidden = true;
  select.addEventListener("change", () => select.form.requestSubmit());
}

// Opening a mailed link is meant to press its button; programs that look at mails only open links.
for (const form of document.querySelectorAll("form[data-press]")) form.requestSubmit();

// Scrolls the current tab into view.
for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const row = tab.closest(".tabs");
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}

// Omits empty fields from the URL.
for (const form of document.querySelectorAll("form[data-lean]")) {
  form.addEventListener("formdata", ({ formData }) => {
    for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
  });
}

// Selects a token as a whole on focus.
for (const field of document.querySelectorAll("input[data-select]")) {
  field.addEventListener("focus", () => field.select());
}
