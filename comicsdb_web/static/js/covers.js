// Pictures by drop and paste, with a preview; the file goes into the field of the form.
import { announce } from "./announce.js";

const WIDTH = 192;
const images = (transfer) => [...(transfer?.files ?? [])].filter((each) => each.type.startsWith("image/"));

export function takePictures() {
  const form = document.querySelector("form.edit");
  if (!form?.querySelector(".picture")) return;
  for (const [event, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
    form.addEventListener(event, (drag) => {
      const field = drag.target.closest(".picture");
      if (!field || !drag.dataTransfer?.types.includes("Files")) return;
      drag.preventDefault();
      field.classList.toggle("picture-over", over);
      if (event === "drop") choose(field, images(drag.dataTransfer)[0]);
    });
  }
  document.addEventListener("paste", (event) => {
    const [file] = images(event.clipboardData);
    // Text from a spreadsheet or a word processor is accompanied by a picture of it.
    if (!file || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    choose(document.activeElement.closest(".picture") ?? form.querySelector(".picture"), file);
  });
  form.addEventListener("change", ({ target }) => {
    if (target.type !== "file" || !target.files.length) return;
    const field = target.closest(".picture");
    for (const other of field.querySelectorAll("[type=file]")) if (other !== target) other.value = "";
    preview(field, target.files[0]);
  });
}

function choose(field, file) {
  if (!file) return;
  const input = field.querySelector("[type=file]");
  const transfer = new DataTransfer();
  transfer.items.add(file);
  input.files = transfer.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Draw the picture: the Content Security Policy loads none from memory. */
async function preview(field, file) {
  let picture;
  try {
    picture = await createImageBitmap(file);
  } catch {
    field.querySelector("canvas")?.remove(); // the server tells what is wrong with it
    return;
  }
  const canvas = field.querySelector("canvas") ?? document.createElement("canvas");
  const text = field.dataset.chosen.replace("{name}", file.name);
  canvas.width = WIDTH;
  canvas.height = Math.round((WIDTH * picture.height) / picture.width);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", text);
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  const image = field.querySelector("img");
  if (image) image.hidden = true;
  if (!canvas.isConnected) field.prepend(canvas);
  announce(text);
}
