"""The forms of a collection: the fields of one item, and those that add a whole series."""

from comicsdb.i18n import translate
from comicsdb.models.choices import BookFormat, GradingCompany
from comicsdb.schemas.collection import CollectionAddSchema, CollectionItemSchema
from comicsdb_web.forms.fields import (
    Checkbox,
    Choice,
    EntityForm,
    Line,
    ModelSelect,
    Money,
    Paragraphs,
    Section,
    day,
    whole_number,
)
from comicsdb_web.pages.library.collection_filters import FORMATS, grades
from comicsdb_web.rendering.locales import _

RANGES = {"all": _("All issues"), "range": _("From one number to another")}


def _formats(request, _value):
    return [(str(code), translate(request.localizer, words)) for code, words in FORMATS.items()]


def _grades(request, _value):
    return [("", translate(request.localizer, _("Not graded"))), *grades()]


def _companies(request, _value):
    owner = ("", translate(request.localizer, _("Myself")))
    return [owner, *((company.value, company.label) for company in GradingCompany)]


def _ranges(request, _value):
    return [(value, translate(request.localizer, words)) for value, words in RANGES.items()]


ISSUE = ModelSelect(
    "issue_id",
    _("Issue"),
    _("Type words of the series, or its number too: Lamplight #3"),
    of="issue",
    required=True,
)
FORMAT = Choice("book_format", _("Format"), initial=BookFormat.PRINT.value, options=_formats)
READ = Checkbox("is_read", _("I have read it"), _("Without another date, now counts as the time of reading."))

COPY = (
    whole_number("quantity", _("Copies"), initial="1"),
    FORMAT,
    Choice("grade", _("Grade"), options=_grades),
    Choice("grading_company", _("Graded by"), options=_companies),
    READ,
)
PURCHASE = (
    day("purchase_date", _("Bought on")),
    Money("purchase_price", _("Price paid"), apart=True),
    Line("purchase_store", _("Bought at"), longest=255),
)
PLACE = (Line("storage_location", _("Storage location"), longest=255), Paragraphs("notes", _("Notes")))

SECTIONS = (
    Section("copy", _("Your copy"), COPY),
    Section("purchase", _("Purchase"), PURCHASE),
    Section("place", _("Place and notes"), PLACE),
)
ITEM_FORM = EntityForm(CollectionItemSchema, SECTIONS)  # the issue of an item never changes
ADD_FORM = EntityForm(CollectionAddSchema, (Section("issue", _("Issue"), (ISSUE,)), *SECTIONS))

SERIES_FORM = EntityForm(
    CollectionItemSchema,
    (
        Section(
            "series",
            _("Which issues"),
            (
                ModelSelect("series", _("Series"), of="series", required=True),
                Choice("what", _("Issues"), initial="all", options=_ranges),
                Line("first", _("First number"), _("Empty: from the beginning."), longest=25),
                Line("last", _("Last number"), _("Empty: to the end."), longest=25),
            ),
        ),
        Section(
            "copies",
            _("Your copies"),
            (FORMAT, Checkbox("is_read", _("Mark them as read"), _("As read just now."))),
        ),
    ),
)
