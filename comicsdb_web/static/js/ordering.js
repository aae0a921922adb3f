// Ordering of a list: grips and arrows change the numbers in the form, which is saved as without JavaScript.
import { announce } from "./announce.js";

const EDGE = 72; // pixels from the edge of the window where dragging scrolls
const SPEED = 12; // pixels a frame

const list = document.getElementById("order-rows");
if (list) orderInPlace();

function orderInPlace() {
  const first = Number(list.querySelector("input[type=hidden]").value);
  const rows = () => [...list.children];
  const number = (row) => row.querySelector(".order-number");

  for (const row of rows()) {
    const grip = document.createElement("button");
    grip.type = "button";
    grip.className = "grip";
    grip.title = list.dataset.grip;
    grip.setAttribute("aria-label", `${list.dataset.grip}: ${row.querySelector(".item-label").textContent}`);
    grip.textContent = "⠿";
    row.prepend(grip);
    grip.addEventListener("pointerdown", (event) => drag(row, grip, event));
    grip.addEventListener("keydown", (event) => {
      const target = neighbour(row, event.key);
      if (!target) return;
      event.preventDefault();
      place(row, target, event.key === "ArrowDown" || event.key === "End");
      renumber(row);
      row.scrollIntoView({ block: "nearest" });
    });
  }

  /** The row that a key moves another one past. */
  function neighbour(row, key) {
    const others = rows().filter((each) => each !== row);
    switch (key) {
      case "ArrowUp":
        return row.previousElementSibling;
      case "ArrowDown":
        return row.nextElementSibling;
      case "Home":
        return others[0];
      case "End":
        return others.at(-1);
      default:
        return null;
    }
  }

  /** Put a row before or after another one. The others move, as what moves loses focus and pointer. */
  function place(row, other, below) {
    const all = rows();
    const from = all.indexOf(row);
    const to = all.indexOf(other) + (below ? 1 : 0);
    if (to > from) row.before(...all.slice(from + 1, to));
    else row.after(...all.slice(to, from));
  }

  /** Follow a mouse, finger or pen until it is lifted. */
  function drag(row, grip, begin) {
    if (begin.button) return;
    begin.preventDefault(); // selects no text
    grip.focus({ preventScroll: true });
    grip.setPointerCapture(begin.pointerId);
    row.classList.add("dragged");
    const before = rows();
    let y = begin.clientY;
    let frame = requestAnimationFrame(scroll);

    function follow() {
      const over = rows().find((each) => {
        const box = each.getBoundingClientRect();
        return each !== row && y >= box.top && y < box.bottom;
      });
      if (!over) return;
      const box = over.getBoundingClientRect();
      place(row, over, y > box.top + box.height / 2);
    }

    function scroll() {
      const by = y < EDGE ? -SPEED : y > innerHeight - EDGE ? SPEED : 0;
      if (by) {
        scrollBy(0, by);
        follow();
      }
      frame = requestAnimationFrame(scroll);
    }

    function move(event) {
      y = event.clientY;
      follow();
    }

    function end(event) {
      cancelAnimationFrame(frame);
      row.classList.remove("dragged");
      grip.removeEventListener("pointermove", move);
      grip.removeEventListener("pointerup", end);
      grip.removeEventListener("pointercancel", end);
      if (event.type === "pointercancel") before.forEach((each) => list.append(each));
      else if (rows().some((each, index) => each !== before[index])) renumber(row);
    }

    grip.addEventListener("pointermove", move);
    grip.addEventListener("pointerup", end);
    grip.addEventListener("pointercancel", end);
  }

  list.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=up], button[name=down]");
    if (!button) return;
    const row = button.closest(".order-row");
    const other = button.name === "up" ? row.previousElementSibling : row.nextElementSibling;
    if (!other) return; // it leaves this page: the server moves it
    event.preventDefault();
    place(row, other, button.name === "down");
    renumber(row);
    const same = row.querySelector(`button[name=${button.name}]`);
    (same.disabled ? row.querySelector("button[name]:enabled") : same).focus();
    row.scrollIntoView({ block: "nearest" });
  });

  // Each row contains its position; the first and the last row of the whole list have one arrow less.
  function renumber(moved) {
    const before = rows().map((row) => row.querySelectorAll("button:disabled"));
    const ends = [...before.flatMap((each) => [...each])].map((each) => each.name);
    rows().forEach((row, index) => {
      number(row).value = first + index;
      row.querySelector("button[name=up]").disabled = ends.includes("up") && index === 0;
      row.querySelector("button[name=down]").disabled = ends.includes("down") && index === rows().length - 1;
    });
    list.dispatchEvent(new CustomEvent("editing:changed", { bubbles: true }));
    const text = moved.querySelector(".item-label").textContent;
    announce(list.dataset.moved.replace("{text}", text).replace("{n}", number(moved).value));
  }
}
