"""What narrows the list of a collection: parameters of the address, judged and shown."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from comicsdb.catalog import search
from comicsdb.i18n import translate
from comicsdb.library.collection.filters import Wanted
from comicsdb.models import Imprint, Publisher, Series
from comicsdb.models.choices import GRADES, STARS, BookFormat, GradingCompany
from comicsdb.values import whole_number
from comicsdb_web.lists.catalogue_filters import series_types
from comicsdb_web.lists.filters import NOT_OFFERED, Chip, without
from comicsdb_web.rendering.locales import _

TEXTS = {
    "q": _("Words"),
    "series_name": _("Series"),
    "issue_number": _("Number"),
    "publisher_name": _("Publisher"),
    "imprint_name": _("Imprint"),
    "storage_location": _("Storage location"),
    "purchase_store": _("Bought at"),
}
ENTITIES = {
    "series_id": (_("Series"), Series),
    "publisher_id": (_("Publisher"), Publisher),
    "imprint_id": (_("Imprint"), Imprint),
}
CHOICES = {
    "series_type": _("Type of series"),
    "book_format": _("Format"),
    "is_read": _("Read"),
    "grade": _("Grade"),
    "grading_company": _("Graded by"),
    "rating": _("Stars"),
}
LABELS = TEXTS | {name: label for name, (label, _model) in ENTITIES.items()} | CHOICES
READ = {"yes": _("Read"), "no": _("Not read")}
FORMATS = {BookFormat.PRINT: _("Print"), BookFormat.DIGITAL: _("Digital"), BookFormat.BOTH: _("Both")}


@dataclass(frozen=True)
class Narrowing:
    """What is asked of the items, what was typed, and what is wrong with it, in the reader's language."""

    wanted: Wanted
    typed: dict[str, str]
    errors: dict[str, str]
    chips: list[Chip]
    options: dict[str, list[tuple[str, str]]]


def narrowing(request) -> Narrowing:
    """The filters of the address; what makes no sense is left out and has an error.

    One statement for the types of series, one more for each object that is named by its id.
    """
    typed = {name: search.cleaned(request.GET.get(name, "")) for name in LABELS}
    options = choices(request)
    wanted, shown, errors = {}, {}, {}
    for name, text in typed.items():
        if not text:
            continue
        if name in TEXTS:
            wanted[name], shown[name] = text, text
        elif name in ENTITIES:
            found = _entity(request, ENTITIES[name][1], text)
            if found is not None:
                wanted[name], shown[name] = found.id, found.name
        else:
            value, words = _chosen(name, text), dict(options[name])
            if value is not None and text in words:
                wanted[name], shown[name] = value, words[text]
        if name not in wanted:
            errors[name] = translate(request.localizer, NOT_OFFERED)
    say = request.localizer.translate
    chips = [Chip(say(LABELS[name]), value, without(request, name)) for name, value in shown.items()]
    return Narrowing(Wanted(**wanted), typed, errors, chips, options)


def choices(request) -> dict[str, list[tuple[str, str]]]:
    """The values that the filters with few values offer: pairs of value and words, by filter."""
    say = request.localizer.translate
    return {
        "series_type": series_types(request),
        "book_format": [(str(code), say(words)) for code, words in FORMATS.items()],
        "is_read": [(value, say(words)) for value, words in READ.items()],
        "grade": grades(),
        "grading_company": [(str(company), str(company)) for company in GradingCompany],
        "rating": [(str(stars), "★" * stars) for stars in range(STARS[1], STARS[0] - 1, -1)],
    }


def grades() -> list[tuple[str, str]]:
    """The scale of grades, best first."""
    return [(str(grade), f"{grade} {words}") for grade, words in GRADES.items()]


def _chosen(name: str, text: str):
    """The value that a choice stands for, None where it is none."""
    if name == "is_read":
        return {"yes": True, "no": False}.get(text)
    if name == "grade":
        try:
            return Decimal(text)
        except InvalidOperation:
            return None
    if name in ("series_type", "rating"):
        return whole_number(text)
    return text


def _entity(request, model, text: str):
    """The object of an id, None where there is none."""
    number = whole_number(text)
    return request.dbsession.get(model, number) if number else None
