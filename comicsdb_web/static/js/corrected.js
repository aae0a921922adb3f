// Marks a field as invalid only while it contains the rejected value: another value may be valid.
const ENTRIES = "input:not([type=hidden]), select, textarea";

export function unmarkWhatIsCorrected() {
  for (const field of document.querySelectorAll(".field-wrong")) watch(field);
}

function watch(field) {
  const invalid = [field, ...field.querySelectorAll("[aria-invalid]")].filter((each) => each.ariaInvalid);
  const errors = [...field.querySelectorAll(".field-error")].map((error) => [error, new Comment()]);
  const refused = entered(field);
  let marked = true;

  const judge = () => {
    const wrong = entered(field) === refused;
    if (wrong === marked) return;
    marked = wrong;
    field.classList.toggle("field-wrong", wrong);
    for (const each of invalid) each.ariaInvalid = wrong ? "true" : null;
    for (const [error, gap] of errors) wrong ? gap.replaceWith(error) : error.replaceWith(gap);
  };
  for (const event of ["input", "change", "editing:changed"]) field.addEventListener(event, judge);
}

/** The value of a field as a string, without text that is only a search. */
function entered(field) {
  const entries = [...field.querySelectorAll(ENTRIES)].filter((each) => !each.closest(".finder"));
  return JSON.stringify(entries.map((each) => [each.name, each.value, each.checked]));
}
