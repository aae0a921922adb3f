// Finds objects while typing (the combobox pattern); it checks the boxes of the form itself.
import { announce } from "./announce.js";
import { isComposing, logIn } from "./fragments.js";

const SHORTEST = 3;
const PAUSE_MS = 220;

const words = () => document.getElementById("picker-words").dataset;

export function pickWhileTyping(root) {
  const fields = root.querySelectorAll("[data-pick]");
  for (const field of root.matches?.("[data-pick]") ? [root, ...fields] : fields) new Picker(field);
}

class Picker {
  constructor(field) {
    this.field = field;
    this.input = field.querySelector(".finder input");
    this.picked = field.querySelector("[data-picked]");
    this.options = [];
    this.active = -1;
    this.asked = 0;
    this.waiting = false; // for what the present text finds
    this.enters = false; // Enter was pressed meanwhile
    field.querySelector(".finder button").hidden = true;
    this.list = document.createElement("ul");
    this.list.id = `${this.input.id}-list`;
    this.list.className = "found";
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", field.querySelector("legend").textContent.trim());
    this.list.hidden = true;
    this.note = document.createElement("p");
    this.note.className = "found-note";
    this.note.hidden = true;
    this.input.after(this.list, this.note);
    for (const [name, value] of [
      ["role", "combobox"],
      ["aria-autocomplete", "list"],
      ["aria-expanded", "false"],
      ["aria-controls", this.list.id],
    ]) {
      this.input.setAttribute(name, value);
    }
    this.input.addEventListener("input", () => this.later());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => this.close());
    // Otherwise the text field would lose the focus, which closes the list.
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.choose(this.options.findIndex((each) => each.element === option));
    });
  }

  later() {
    this.forget();
    const text = this.input.value.trim();
    if (this.isShort(text)) {
      this.close();
      return;
    }
    this.waiting = true;
    this.timer = setTimeout(() => this.ask(text), PAUSE_MS);
  }

  /** Whether a text finds too much while typing. */
  isShort(text) {
    const marked = this.field.dataset.mark && text.includes(this.field.dataset.mark);
    return text.length < SHORTEST && !marked;
  }

  forget() {
    clearTimeout(this.timer);
    this.asked += 1; // an answer on its way comes too late
    this.waiting = this.enters = false;
  }

  async ask(text) {
    const number = this.asked;
    let response, answer;
    try {
      response = await fetch(`${this.field.dataset.pick}?q=${encodeURIComponent(text)}`, {
        headers: { "X-Fragment": "1" },
      });
      if (response.status === 204) {
        logIn(response.headers.get("X-Location"), this.field.querySelector(".finder button"));
        return;
      }
      answer = response.ok ? await response.json() : null;
    } catch {
      answer = null;
    }
    if (number !== this.asked) return;
    if (answer) this.show(answer, text);
    else this.say(words().wait);
  }

  show({ results, total }, text) {
    const found = results.length;
    const isThere = results.some((each) => each.text.toLowerCase() === text.toLowerCase());
    if ("new" in this.field.dataset && !isThere) {
      results = [...results, { id: `new:${text}`, text, note: this.field.dataset.new }];
    }
    this.options = results.map((item, index) => ({ ...item, element: option(item, text, `${this.list.id}-${index}`) }));
    this.list.replaceChildren(...this.options.map((each) => each.element));
    this.active = -1;
    this.input.removeAttribute("aria-activedescendant");
    const some = results.length > 0;
    this.list.hidden = !some;
    this.input.setAttribute("aria-expanded", String(some));
    const cut = words().some.replace("{n}", found).replace("{total}", total);
    this.note.textContent = found ? (total > found ? cut : "") : words().none;
    this.note.hidden = !this.note.textContent;
    this.waiting = false;
    if (this.enters && found) this.choose(0);
    else announce(found ? words().count.replace("{n}", total) : words().none);
  }

  say(text) {
    this.close();
    this.note.textContent = text;
    this.note.hidden = false;
    announce(text);
  }

  close() {
    this.forget();
    this.list.hidden = this.note.hidden = true;
    this.active = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  key(event) {
    if (isComposing(event)) return;
    const open = !this.list.hidden;
    if (event.key === "Enter") {
      event.preventDefault(); // here it chooses; in any other field it saves
      const text = this.input.value.trim();
      // Names of one or two characters are found as without JavaScript.
      if (text && this.isShort(text)) this.field.querySelector(".finder button").click();
      else if (this.waiting) this.enters = true;
      else if (open) this.choose(Math.max(0, this.active));
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      this.close();
    } else if (open && ["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) {
      const last = this.options.length - 1;
      if (["Home", "End"].includes(event.key) && this.active < 0) return;
      event.preventDefault();
      const way = { ArrowDown: this.active + 1, ArrowUp: this.active < 0 ? last : this.active - 1, Home: 0, End: last };
      const next = way[event.key];
      this.point(next > last ? 0 : next < 0 ? last : next);
    } else if (event.key === "ArrowDown" && this.options.length && this.input.value.trim()) {
      event.preventDefault();
      this.later();
    }
  }

  point(index) {
    this.options[this.active]?.element.setAttribute("aria-selected", "false");
    this.active = index;
    const element = this.options[index].element;
    element.setAttribute("aria-selected", "true");
    element.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", element.id);
  }

  choose(index) {
    const item = this.options[index];
    if (!item) return;
    const { name } = this.field.dataset;
    const many = "many" in this.field.dataset;
    const boxes = [...this.picked.querySelectorAll("input")];
    let box = boxes.find((each) => each.value === String(item.id));
    if (!box) {
      if (!many) for (const each of boxes) if (each.value) each.closest("label").remove();
      const label = document.createElement("label");
      label.className = "check";
      box = document.createElement("input");
      Object.assign(box, { type: many ? "checkbox" : "radio", name, value: item.id });
      const text = document.createElement("span");
      text.append(item.text);
      if (item.note) text.append(" ", small(item.note));
      label.append(box, text);
      this.picked.insertBefore(label, many ? null : this.picked.firstChild);
    }
    box.checked = true;
    this.input.value = "";
    this.options = [];
    this.close();
    this.field.dispatchEvent(new CustomEvent("editing:changed", { bubbles: true }));
    announce(words().added.replace("{text}", item.text));
  }
}

function option(item, query, id) {
  const element = document.createElement("li");
  element.id = id;
  element.setAttribute("role", "option");
  element.setAttribute("aria-selected", "false");
  element.append(...highlighted(item.text, query));
  if (item.note) element.append(" ", small(item.note));
  return element;
}

function small(text) {
  const element = document.createElement("small");
  element.textContent = text;
  return element;
}

/** The text as nodes, with the words of the query marked, ignoring case. */
function highlighted(text, query) {
  const parts = query.split(/[\s#()]+/).filter(Boolean).map((each) => each.replace(/[.*+?^${}|[\]\\]/g, "\\$&"));
  if (!parts.length) return [text];
  return text
    .split(new RegExp(`(${parts.join("|")})`, "i"))
    .filter(Boolean)
    .map((piece) => {
      if (!parts.some((each) => new RegExp(`^${each}$`, "i").test(piece))) return piece;
      const mark = document.createElement("mark");
      mark.textContent = piece;
      return mark;
    });
}
