// Ordering of a list: arrows and dragging change the numbers in the form, which is saved as without JavaScript.
import { announce } from "./announce.js";

const list = document.getElementById("order-rows");
if (list) orderInPlace();

function orderInPlace() {
  const first = Number(list.querySelector("input[type=hidden]").value);
  const rows = () => [...list.children];
  const number = (row) => row.querySelector(".order-number");
  let dragged = null;

  for (const row of rows()) {
    const grip = document.createElement("span");
    grip.className = "grip";
    grip.draggable = true;
    grip.title = list.dataset.grip;
    grip.setAttribute("aria-hidden", "true");
    grip.textContent = "⠿";
    row.prepend(grip);
    grip.addEventListener("dragstart", (event) => {
      dragged = row;
      row.classList.add("dragged");
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setDragImage(row, 0, 0);
    });
    grip.addEventListener("dragend", () => {
      row.classList.remove("dragged");
      if (dragged) renumber(row);
      dragged = null;
    });
  }

  list.addEventListener("dragover", (event) => {
    const over = event.target.closest(".order-row");
    if (!dragged || !over || over === dragged) return;
    event.preventDefault();
    const box = over.getBoundingClientRect();
    const below = event.clientY > box.top + box.height / 2;
    if (below) over.after(dragged);
    else over.before(dragged);
  });
  list.addEventListener("drop", (event) => event.preventDefault());

  list.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=up], button[name=down]");
    if (!button) return;
    const row = button.closest(".order-row");
    const other = button.name === "up" ? row.previousElementSibling : row.nextElementSibling;
    if (!other) return; // it leaves this page: the server moves it
    event.preventDefault();
    if (button.name === "up") other.before(row);
    else other.after(row);
    renumber(row);
    const same = row.querySelector(`button[name=${button.name}]`);
    (same.disabled ? row.querySelector("button:enabled") : same).focus();
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
