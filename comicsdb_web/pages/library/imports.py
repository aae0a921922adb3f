"""Libraries as files: export of a reader's library, and import of files after a review."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from pyramid.httpexceptions import HTTPBadRequest, HTTPSeeOther
from pyramid.renderers import render_to_response
from pyramid.response import Response
from sqlalchemy.orm import Session

from comicsdb.catalog import InvalidError
from comicsdb.http import READ_METHODS
from comicsdb.i18n import translate
from comicsdb.library.collection.filters import CollectionFilters
from comicsdb.library.transfer import background, cbl, imports, review, writing
from comicsdb.library.transfer.foreign_tables import FIELDS
from comicsdb.library.transfer.format import (
    BYTES_SETTING,
    CBL,
    CBL_FILES,
    COLLECTION,
    FORMS,
    ITEMS,
    LISTS,
    LISTS_MAX,
    PULL,
    RATINGS,
    READS,
    ROWS_SETTING,
    WISHES,
)
from comicsdb.library.transfer.mappings import remember_mapping
from comicsdb.library.transfer.matching import REASONS, UNKNOWN
from comicsdb.library.transfer.reading import TOO_MANY_LISTS, pack_lists
from comicsdb.library.transfer.review import Choices
from comicsdb.library.transfer.tables import EXTRA, csv_text
from comicsdb.models import Series
from comicsdb.models.base import BIG_MAX
from comicsdb.models.choices import EXTERNAL_SOURCES
from comicsdb.models.currencies import Currency
from comicsdb.schemas import IssueSchema
from comicsdb.schemas.types import REQUIRED
from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_web.forms import form_state
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.fields import EntityForm, ModelSelect, Section
from comicsdb_web.http.fragments import fragment
from comicsdb_web.lists.filters import parse_filters
from comicsdb_web.pages.library.collection import FILTERS, private
from comicsdb_web.pages.reading_lists import ListViewsBase
from comicsdb_web.rendering.locales import _, ngettext

FORMATS = ("csv", "json")
NOT_A_FORMAT = _("The format must be json or csv.")
DISCARDED = _("The import was discarded; nothing was changed.")
REMOVED = _("The import was removed from the list; your library stays as it is.")
NOTHING_NEW = _("Nothing to change: your library already has all of it.")
SEVERAL = _("${name} and ${n} more")
TAKE_FILE = "file"  # value of the field that says whose values count
READ_AGAIN = _("The file was read again.")
MAPPED_SOURCES = ("comicvine", "gcd", "metron", "locg")
REFRESH = 4  # seconds between requests for the progress
PART_WORDS = {
    COLLECTION: _("Collection"),
    PULL: _("Pull list"),
    WISHES: _("Wish list"),
    RATINGS: _("Ratings"),
    READS: _("Reading dates"),
    ITEMS: _("Reading lists"),
}
FIELD_WORDS = {
    "series": _("Series"),
    "number": _("Number"),
    "title": _("Title"),
    "volume": _("Volume"),
    "series_volume": _("Volume"),
    "year": _("First year of the series"),
    "series_year": _("Year"),
    "published": _("Year"),
    "publisher": _("Publisher"),
    "cover_date": _("Cover date"),
    "release_date": _("Release date"),
    "month": _("Month"),
    "day": _("Day"),
    "upc": _("UPC"),
    "isbn": _("ISBN"),
    "web": _("Address of a page"),
    **{
        f"{source}_issue": _("${source} ID", mapping={"source": rules.label})
        for source, rules in EXTERNAL_SOURCES.items()
    },
    **{
        f"{source}_series": _("${source} ID of the series", mapping={"source": rules.label})
        for source, rules in EXTERNAL_SOURCES.items()
    },
    EXTRA: _("Cells beyond the last column"),
    "copy": _("Copy"),
    "variant": _("Variant"),
    "variant_id": _("Variant"),
    "quantity": _("Copies"),
    "book_format": _("Format"),
    "grade": _("Grade"),
    "desired_grade": _("Lowest grade"),
    "grading_company": _("Graded by"),
    "purchase_date": _("Bought on"),
    "purchase_price": _("Price paid"),
    "purchase_currency": _("Currency"),
    "max_price": _("Highest price"),
    "max_currency": _("Currency"),
    "purchase_store": _("Bought at"),
    "storage_location": _("Storage location"),
    "tags": _("Tags"),
    "notes": _("Notes"),
    "is_read": _("Read"),
    "read_dates": _("Read on"),
    "read_on": _("Read on"),
    "rating": _("Stars"),
    "added": _("Added on"),
    "priority": _("Priority"),
    "status": _("Status"),
    "state": _("Status"),
    "owned": _("Owned"),
    "wished": _("On wish list"),
    "issue_type": _("Type"),
}
# The fields to which columns can be mapped; ids of other sources are rare in tables.
MAPPED = (
    (
        _("Which issue it is"),
        (
            *("series", "number", "title", "volume", "year", "published", "month", "day", "cover_date"),
            *("release_date", "publisher", "upc", "isbn", "web"),
            *(f"{source}_{kind}" for kind in ("issue", "series") for source in MAPPED_SOURCES),
        ),
    ),
    (
        _("In your library"),
        (
            *("quantity", "book_format", "variant", "grade", "grading_company", "purchase_price"),
            *("purchase_currency", "purchase_date", "purchase_store", "storage_location", "tags", "notes"),
            *("is_read", "read_on", "rating", "added", "state", "owned", "wished"),
        ),
    ),
)
NUMBER = 0  # to be replaced by a count
# What an import changed, by the name of its count.
CHANGES = {
    "collection_added": ngettext(
        "${n} issue was added to your collection.", "${n} issues were added to your collection.", NUMBER
    ),
    "collection_changed": ngettext(
        "${n} item in your collection was changed.", "${n} items in your collection were changed.", NUMBER
    ),
    "pull_list_added": ngettext("You follow ${n} more series.", "You follow ${n} more series.", NUMBER),
    "pull_list_changed": ngettext(
        "${n} pull list entry was changed.", "${n} pull list entries were changed.", NUMBER
    ),
    "wish_list_added": ngettext("${n} wish was added.", "${n} wishes were added.", NUMBER),
    "wish_list_changed": ngettext("${n} wish was changed.", "${n} wishes were changed.", NUMBER),
    "ratings_added": ngettext("${n} issue was rated.", "${n} issues were rated.", NUMBER),
    "ratings_changed": ngettext(
        "Your rating of ${n} issue changed.", "Your ratings of ${n} issues changed.", NUMBER
    ),
    f"{LISTS}_added": ngettext("${n} reading list was created.", "${n} reading lists were created.", NUMBER),
    f"{LISTS}_changed": ngettext(
        "${n} reading list was changed.", "${n} reading lists were changed.", NUMBER
    ),
    f"{ITEMS}_added": ngettext(
        "${n} issue was added to reading lists.", "${n} issues were added to reading lists.", NUMBER
    ),
}
NOTES = {
    "gone": ngettext(
        "${n} row was skipped: it is no longer in the catalog.",
        "${n} rows were skipped: they are no longer in the catalog.",
        NUMBER,
    ),
    f"{ITEMS}_pending": ngettext(
        "${n} entry is not certainly in the catalog, and stays in its list until it is.",
        "${n} entries are not certainly in the catalog, and stay in their lists until they are.",
        NUMBER,
    ),
    f"{ITEMS}_repeated": ngettext(
        "${n} entry is repeated in the file, and is in its list once.",
        "${n} entries are repeated in the file, and are in their lists once.",
        NUMBER,
    ),
}
_CHOICE = re.compile(r"choose-(\d{1,6})", re.A)
FINDER = EntityForm(
    IssueSchema,
    (Section("series", _("Series"), (ModelSelect("series", _("Series"), source="series", required=True),)),),
)
MISSING_SHOWN = 10  # rows that are named after a series was chosen for them


# Export.


def export_collection(request):
    """Export the items of the collection that match the filters of its list."""
    form = _format(request)
    user_id = request.identity.user_id
    conditions = CollectionFilters(**parse_filters(request, FILTERS).values).conditions(user_id)
    parts = writing.collection_rows(request.dbsession, user_id, conditions)
    if form == "csv":
        return file_response(writing.as_csv(COLLECTION, parts[COLLECTION]), "text/csv", "collection.csv")
    return file_response(writing.as_json(parts), "application/json", "collection.json")


def export_library(request):
    """Export everything in the library, as one JSON document or an archive of CSV files."""
    form = _format(request)
    parts = writing.library(request.dbsession, request.identity.user_id)
    if form == "csv":
        return file_response(writing.as_archive(parts), "application/zip", "library.zip")
    return file_response(writing.as_json(parts), "application/json", "library.json")


def export_list(request):
    """Export a reading list as CBL, for everybody who may see it."""
    found = ListViewsBase(request).visible_list()
    return file_response(cbl.write_cbl(request.dbsession, found), cbl.CONTENT_TYPE, f"{found.slug}.cbl")


def _format(request) -> str:
    form = request.GET.get("format", FORMATS[0])
    if form not in FORMATS:
        raise HTTPBadRequest(NOT_A_FORMAT)
    return form


def file_response(content: bytes, content_type: str, name: str) -> Response:
    """A response that browsers store as a file with a name."""
    charset = {"charset": "utf-8"} if content_type.startswith("text/") else {}
    response = Response(content, content_type=content_type, **charset)
    response.content_disposition = f'attachment; filename="comicsdb-{name}"'
    return response


# Import.


class ImportViews:
    """Upload, review and confirmation of a file; `area` is the prefix of the routes."""

    area = "collection"

    def __init__(self, request):
        self.request = request
        self.session: Session = request.dbsession
        self.user_id = request.identity.user_id
        self.settings = request.registry.settings

    def upload_form(self):
        """The upload form, with the pending imports, and its submission."""
        if self.request.method == "POST":
            return self._upload()
        return self._page(form_state.Form({"currency": Currency.USD.value}))

    def _upload(self):
        """Read and match a file, and store it for the review; the library does not change."""
        fields = form_state.text_fields(self.request)
        sent = [file for file in self.request.POST.getall("file") if hasattr(file, "file")]
        files = [(file.filename, file.file.read()) for file in sent]
        try:
            name, data = self._file(files)
            made = imports.upload(
                self.session,
                self.user_id,
                name,
                data,
                currency=fields.get("currency", Currency.USD.value),
                rows=self.settings["comicsdb.imports.rows"],
                megabytes=self.settings["comicsdb.imports.megabytes"],
                is_private="private" in fields,
            )
        except InvalidError as error:
            return self._page(form_state.with_errors(self.request, error, fields), again=bool(sent))
        return HTTPSeeOther(self._path("review", made.id))

    def _file(self, files: list[tuple[str, bytes]]) -> tuple[str, bytes]:
        """The name and content of the file, or of an archive of several reading lists."""
        if len(files) < 2:
            return files[0] if files else ("", b"")
        if len(files) > LISTS_MAX:
            raise InvalidError({"file": [TOO_MANY_LISTS % {"most": LISTS_MAX}]})
        first = files[0][0]
        name = translate(self.request.localizer, SEVERAL % {"name": first, "n": len(files) - 1})
        return name, pack_lists(files)

    def _page(self, form, *, again=False):
        return {
            "form": form,
            "area": self.area,
            "again": again,
            "waiting": imports.pending_imports(self.session, self.user_id),
            "is_being_stored": imports.is_being_stored,
            "forms_known": FORMS,
            "most_lists": LISTS_MAX,
            "most_rows": self.settings["comicsdb.imports.rows"],
            "most_books": min(self.settings["comicsdb.imports.rows"], cbl.BOOKS_MAX),
            "most_megabytes": self.settings["comicsdb.imports.megabytes"],
        }

    def review(self):
        """The review of an import, its progress or its result; submitting its form saves choices."""
        found = self._pending()
        if self.request.method == "POST":
            return self._save(found)
        return self._review_page(found, form_state.Form(self._list_values(found)))

    def _save(self, found):
        """Save the choices on a page, and import or show another page as the pressed button says."""
        fields = form_state.text_fields(self.request)
        choices = self._choices(found, fields)
        page = whole_number(fields.get("page"))
        try:
            if page is None and self._named is None:
                official, today = self.settings["comicsdb.official_account"], self.request.today
                found = imports.confirm(
                    self.session, self.request.identity, official, found.id, choices, today
                )
            else:
                imports.save(self.session, self.user_id, found.id, choices)
        except InvalidError as error:
            return self._review_page(found, form_state.with_errors(self.request, error, fields))
        review_path = self._path("review", found.id)
        if found.state == background.REVIEW:
            return HTTPSeeOther(f"{review_path}?page={page}" if page else review_path)
        if found.state != background.DONE:
            return HTTPSeeOther(review_path)
        for kind, text in self._result_messages(Counter(found.counted)):
            self.request.messages.add(kind, text)
        to_lists = found.counted.get(f"{LISTS}_added") and found.payload["form"] in {CBL, CBL_FILES}
        return HTTPSeeOther(self.request.route_path("reading_list.mine" if to_lists else f"{self.area}.list"))

    def _choices(self, found, fields) -> Choices:
        """The choices in a form: `named-N` is a series as the file names it, `series-N` the chosen one."""
        rows = {
            int(index[1]): number
            for name, value in fields.items()
            if (index := _CHOICE.fullmatch(name)) and (number := whole_number(value)) is not None
        }
        series = {
            fields[name]: whole_number(fields.get(name.replace("named", "series")))
            for name in fields
            if name.startswith("named-")
        }
        return Choices(
            rows=rows,
            series=series,
            shown={whole_number(word) for word in fields.get("shown", "").split()} - {None},
            left_out={whole_number(word) for word in self.request.POST.getall("leave")} - {None},
            take_file=fields["values"] == TAKE_FILE if "values" in fields else None,
            list_values=self._list_options(found, fields),
        )

    @property
    def _named(self) -> str | None:
        """The series whose rows are chosen one by one."""
        return self.request.GET.get("series")

    def _review_page(self, found, form):
        """An import in its state: its progress, the review, or the result."""
        say = self.request.localizer
        values = {
            "form": form,
            "area": self.area,
            "found": found,
            "forms_known": FORMS,
            "refresh": REFRESH,
            "reasons": {key: translate(say, text) for key, text in REASONS.items()},
        }
        if self.request.is_fragment:
            is_running = found.state in background.IN_PROGRESS
            return fragment(self.request, "import_progress", values) if is_running else Response(status=204)
        if found.state != background.REVIEW:
            values["page"] = review.load_figures(self.session, found)
            values["outcome"] = [text for _kind, text in self._result_messages(Counter(found.counted))]
            return render_to_response("import/state.jinja2", values, request=self.request)
        number = whole_number(self.request.GET.get("page")) or 1
        page = review.load_page(self.session, found, number, named=self._named)
        return values | {
            "page": page,
            "number": number,
            "named": self._named,
            "decisions": review.decisions(found, page.groups),
            "entries_only": page.parts == {ITEMS},
            "has_entries": ITEMS in page.parts,
            "lists": found.payload["lists"],
            "lists_there": imports.existing_list_names(self.session, found),
            "proposable": bool(page.counts[UNKNOWN]) and self.request.has_permission(Permission.EDIT),
            "part_words": PART_WORDS,
            "field_words": FIELD_WORDS,
            "field_label": partial(_field_label, say),
            "mapped_fields": [(translate(say, title), names) for title, names in MAPPED],
        }

    def map_columns(self):
        """Read the file again with the fields that its owner chose for columns, and remember these."""
        found = imports.pending_import(self.session, self.user_id, self._number(), lock=True)
        fields = form_state.text_fields(self.request)
        names = [column["name"] for column in found.payload.get("columns", ())]
        mapping = {name: field for name in names if (field := fields.get(f"column {name}")) in FIELDS}
        if found.state == background.REVIEW and mapping != found.payload.get("mapping", {}):
            remember_mapping(self.session, self.user_id, found.payload["headers"], mapping)
            rows, megabytes = self.settings[ROWS_SETTING], self.settings[BYTES_SETTING]
            imports.reread(self.session, found, {"mapping": mapping}, rows=rows, megabytes=megabytes)
            self.request.messages.add("success", READ_AGAIN)
        return HTTPSeeOther(self._path("review", found.id))

    def find_series(self):
        """The finder of a series for all rows that name one in the file."""
        found, draft, named = self._pending(), Draft(self.request, "issue", FINDER), self._named or ""
        if self.request.method == "POST":
            draft.read(self.request.POST)
            if not draft.search():
                series = self.session.get(Series, whole_number("".join(draft.typed["series"])) or 0)
                if series is not None:
                    return self._choose_series(found, named, series)
                draft.add_errors({"series": [REQUIRED]})
                self.request.response.status = 422
        elif named:
            draft.queries["series"] = named
        draft.load_labels()
        return {"area": self.area, "found": found, "named": named, "draft": draft}

    def _choose_series(self, found, named: str, series: Series):
        matched, missing = imports.choose_series(self.session, self.user_id, found.id, named, series.id)
        text = ngettext(
            "${n} row of “${name}” is matched now.",
            "${n} rows of “${name}” are matched now.",
            matched,
            name=named,
        )
        self.request.messages.add("success" if matched else "info", text, undo=False)
        if missing:
            shown = ", ".join(missing[:MISSING_SHOWN]) + "…" * (len(missing) > MISSING_SHOWN)
            text = ngettext(
                "The series does not have ${n} of them, which stays unmatched: ${rows}",
                "The series does not have ${n} of them, which stay unmatched: ${rows}",
                len(missing),
                rows=shown,
            )
            self.request.messages.add("warning", text)
        return HTTPSeeOther(self._path("review", found.id))

    def unmatched(self):
        """The rows that matched nothing or were left without a choice, as a table."""
        rows = review.unmatched_rows(self.session, self._pending())
        reasons = {key: translate(self.request.localizer, text) for key, text in REASONS.items()}
        titles = ("row", "series", "number", "year", "publisher", "reason")
        cells = (
            (
                str(row.line),
                *(writing.escape_formula(str(row.wanted[name] or "")) for name in titles[1:5]),
                reasons.get(row.reason, ""),
            )
            for row in rows
        )
        return file_response(csv_text(titles, cells).encode("utf-8-sig"), "text/csv", "not-found.csv")

    def unread(self):
        """The cells that could not be interpreted, as a table."""
        rows = review.unclear_rows(self.session, self._pending())
        say = self.request.localizer
        cells = (
            (str(row.line), *map(writing.escape_formula, (row.says, _field_label(say, name), text)))
            for row in rows
            for name, text in row.unclear
        )
        titles = ("row", "issue", "field", "text")
        return file_response(csv_text(titles, cells).encode("utf-8-sig"), "text/csv", "not-recognised.csv")

    def discard(self):
        """Discard a pending import, unless it is being stored."""
        kind = "success"
        try:
            was = imports.discard(self.session, self.user_id, self._number()).state
            message = REMOVED if was in (background.STORING, background.DONE) else DISCARDED
        except InvalidError as error:
            kind, message = "warning", error.errors["__all__"][0]
        self.request.messages.add(kind, message)
        return HTTPSeeOther(self.request.route_path(f"{self.area}.import"))

    def _pending(self):
        return imports.pending_import(self.session, self.user_id, self._number())

    def _number(self) -> int:
        return whole_number(self.request.matchdict["id"], high=BIG_MAX) or 0

    def _path(self, name: str, import_id: int) -> str:
        return self.request.route_path(f"{self.area}.{name}", id=import_id)

    def _list_values(self, found) -> dict:
        """The initial values of the form for the reading list of a CBL file, which has only a name."""
        if found.payload.get("form") != CBL:
            return {}
        first = found.payload["lists"][0]
        is_private = first.get("is_private", found.payload.get("is_private"))
        return {"list_name": first["name"], **({"list_private": "1"} if is_private else {})}

    def _list_options(self, found, fields) -> dict | None:
        if found.payload.get("form") != CBL or "list_name" not in fields:
            return None
        return {"name": fields.get("list_name", ""), "is_private": "list_private" in fields}

    def _result_messages(self, counted: Counter) -> Iterator[tuple[str, str]]:
        """The messages after an import, in the reader's language: all changes are one."""
        say = self.request.localizer
        texts = {
            name: translate(say, replace(text, n=counted[name]))
            for name, text in (CHANGES | NOTES).items()
            if counted[name]
        }
        changes = [text for name, text in texts.items() if name in CHANGES]
        if changes:
            yield "success", " ".join(changes)
        elif not counted[f"{ITEMS}_pending"]:
            yield "info", translate(say, NOTHING_NEW)
        for name in [name for name in NOTES if name in texts]:
            yield "warning" if name == "gone" else "info", texts[name]


def _field_label(localizer, name: str) -> str:
    label = FIELD_WORDS.get(name.lower())
    return translate(localizer, label) if label else name


class ListImportViews(ImportViews):
    """The same pages, below /reading-lists/."""

    area = "reading_list"


def includeme(config):
    """Add the pages; those of reading lists, whose slugs may be any other word, must come later."""
    member = {"permission": Permission.MEMBER, "decorator": private}
    both = {"methods": (*READ_METHODS, "POST"), **member}
    for views, address in ((ImportViews, "/collection/import/"), (ListImportViews, "/reading-lists/import/")):
        area, one = views.area, f"{address}{{id:[0-9]+}}/"
        config.add_page(
            f"{area}.import",
            address,
            views,
            attr="upload_form",
            renderer="import/form.jinja2",
            **both,
        )
        review_page = {"attr": "review", "renderer": "import/review.jinja2"}
        config.add_page(f"{area}.review", one, views, **review_page, parameters=("page", "series"), **both)
        finder = {"attr": "find_series", "renderer": "import/finder.jinja2"}
        config.add_page(
            f"{area}.find_series", f"{one}series/", views, **finder, parameters=("series",), **both
        )
        config.add_page(f"{area}.unmatched", f"{one}not-found.csv", views, attr="unmatched", **member)
        config.add_page(f"{area}.unread", f"{one}not-recognised.csv", views, attr="unread", **member)
        config.add_page(
            f"{area}.columns", f"{one}columns/", views, attr="map_columns", methods=("POST",), **member
        )
        config.add_page(f"{area}.forget", f"{one}forget/", views, attr="discard", methods=("POST",), **member)
    config.add_page("collection.export", "/collection/export/", export_collection, **member)
    config.add_page("account.library", "/accounts/export/library/", export_library, **member)
    config.add_page("reading_list.export", "/reading-lists/{slug}/export.cbl", export_list, decorator=private)
