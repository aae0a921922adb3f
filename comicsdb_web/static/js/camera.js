// Reads barcodes with their supplements from the camera.
const PAUSE = 120; // milliseconds between two pictures
const BARE = 8; // pictures without a supplement before a code is taken without one
const RECENT = 4_000; // milliseconds in which a code that is still in the picture does not count again
const FORMATS = { formats: ["EAN13", "UPCA"], eanAddOnSymbol: "Read", maxNumberOfSymbols: 1 };

/** Show the camera's part of the page; `take` gets each code, `tell` what went wrong. */
export function readCamera(form, take, tell) {
  const part = document.querySelector("[data-scan-camera]");
  if (!navigator.mediaDevices?.getUserMedia) return;
  part.hidden = false;
  const video = part.querySelector("video");
  const view = part.querySelector(".scan-view");
  const [start, stop] = [part.querySelector("[data-scan-start]"), part.querySelector("[data-scan-stop]")];
  let stream = null;

  const end = () => {
    stream?.getTracks().forEach((track) => track.stop());
    stream = null;
    video.srcObject = null;
    start.hidden = false;
    view.hidden = stop.hidden = true;
  };

  start.addEventListener("click", async () => {
    start.disabled = true;
    const size = { width: { ideal: 1280 }, height: { ideal: 720 } };
    try {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment", ...size } });
      video.srcObject = stream;
      await video.play();
    } catch {
      end();
      tell(form.dataset.refused);
      return;
    } finally {
      start.disabled = false;
    }
    start.hidden = true;
    view.hidden = stop.hidden = false;
    stop.focus();
    const read = await reader(form.dataset);
    if (!read) {
      end();
      tell(form.dataset.unreadable);
      return;
    }
    const note = settled(take);
    while (stream) {
      note(await read(video));
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  });
  stop.addEventListener("click", () => {
    end();
    start.focus();
  });
  addEventListener("pagehide", end);
}

/**
 * A function that reads the code in the picture of a video, "" if there is none.
 * The browser's own detector finds codes with less work, but knows no supplements: these are read by ours.
 */
async function reader({ decoder, wasm }) {
  const own = await detector();
  const decode = await loadDecoder(decoder, wasm).catch(() => null);
  if (!own && !decode) return null;
  return async (video) => {
    if (!video.videoWidth) return "";
    const [seen] = own ? await own.detect(video).catch(() => []) : [{ rawValue: "" }];
    if (!seen) return "";
    return (decode && (await decode(video))) || seen.rawValue;
  };
}

async function detector() {
  const formats = (await window.BarcodeDetector?.getSupportedFormats().catch(() => null)) ?? [];
  const wanted = ["ean_13", "upc_a"].filter((each) => formats.includes(each));
  return wanted.length ? new window.BarcodeDetector({ formats: wanted }) : null;
}

async function loadDecoder(decoder, wasm) {
  const { prepareZXingModule, readBarcodes } = await import(decoder);
  await prepareZXingModule({ overrides: { locateFile: () => wasm }, fireImmediately: true });
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  return async (video) => {
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    context.drawImage(video, 0, 0);
    const [found] = await readBarcodes(context.getImageData(0, 0, canvas.width, canvas.height), FORMATS);
    return found?.text.replace(/\D/g, "") ?? "";
  };
}

/** Pass on codes that were read twice in a row, those without a supplement only if none appears. */
function settled(take) {
  let [last, times, taken, moment] = ["", 0, "", 0];
  return (code) => {
    if (!code) return;
    times = code === last ? times + 1 : 1;
    last = code;
    const now = performance.now();
    if (taken.startsWith(code) && now - moment < RECENT) {
      moment = now;
      return;
    }
    if (times < (code.length > 13 ? 2 : BARE)) return;
    [taken, moment] = [code, now];
    take(code);
  };
}
