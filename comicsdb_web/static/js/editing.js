// The forms of the catalog: every module enhances what works without it.
import { pickWhileTyping } from "./picker.js";
import { addRowsInPlace } from "./rows.js";
import { takePictures } from "./covers.js";
import { storeDrafts } from "./drafts.js";
import { warnBeforeLeaving } from "./guard.js";
import { proposeFromSeries } from "./proposals.js";

pickWhileTyping(document);
addRowsInPlace();
warnBeforeLeaving();
proposeFromSeries();
storeDrafts();
takePictures();
