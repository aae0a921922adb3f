// The forms of the catalogue: every module enhances what works without it.
import { pickWhileTyping } from "./picker.js";
import { addRowsInPlace } from "./rows.js";
import { warnBeforeLeaving } from "./guard.js";

pickWhileTyping(document);
addRowsInPlace();
warnBeforeLeaving();
