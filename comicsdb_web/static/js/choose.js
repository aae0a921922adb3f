// Selects many items without a page load, and shows their number.
export function chooseMany() {
  const form = document.querySelector("form[data-choose]");
  if (!form) return;
  const link = form.querySelector("[data-choose-all]");
  const words = { some: link.dataset.some, none: link.dataset.none };
  const count = form.querySelector("[data-count]");
  const boxes = () => [...form.elements].filter((each) => each.type === "checkbox");
  const chosen = () => boxes().filter((each) => each.checked).length;

  function tell() {
    const number = chosen();
    count.textContent = number ? count.dataset.count.replace("{n}", number) : "";
    link.querySelector("span").textContent = number === boxes().length ? words.none : words.some;
  }

  link.setAttribute("role", "button");
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const all = chosen() < boxes().length;
    for (const box of boxes()) box.checked = all;
    tell();
  });
  link.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    link.click();
  });
  document.addEventListener("change", (event) => {
    if (event.target.form === form) tell();
  });
  if (chosen()) tell();
}
