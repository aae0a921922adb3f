// The site's only script: every module enhances links and forms that work without it.
import { followMoreLinks } from "./more.js";
import { closeMenus } from "./menus.js";
import { chooseMany } from "./choose.js";
import { enlargeInDialog } from "./dialog.js";
import { offerCopying } from "./copy.js";
import { unmarkWhatIsCorrected } from "./corrected.js";
import { switchThemeInPlace } from "./theme.js";
import { fadeMessages } from "./messages.js";
import { offerPasskeys } from "./passkeys.js";
import { sendFormsInPlace, swapInPlace } from "./posts.js";
import { suggestWhileTyping } from "./suggest.js";
import { tellTimezone } from "./timezone.js";

closeMenus();
chooseMany();
followMoreLinks();
enlargeInDialog();
offerCopying(document);
offerPasskeys();
switchThemeInPlace();
fadeMessages();
sendFormsInPlace();
swapInPlace();
suggestWhileTyping();
tellTimezone();
unmarkWhatIsCorrected();

// A choice that is made sends its form; the button is for those without this script.
for (const select of document.querySelectorAll("select[data-submit]")) {
  const button = select.form.querySelector("button[type=submit]");
  if (button) button.hidden = true;
  select.addEventListener("change", () => select.form.requestSubmit());
}

// Where tabs are swiped along, the present one is in sight.
for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const row = tab.closest(".tabs");
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}

// What was left empty need not stand in the address.
for (const form of document.querySelectorAll("form[data-lean]")) {
  form.addEventListener("formdata", ({ formData }) => {
    for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
  });
}

// A token is selected as a whole when it is touched.
for (const field of document.querySelectorAll("input[data-select]")) {
  field.addEventListener("focus", () => field.select());
}
