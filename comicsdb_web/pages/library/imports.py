"""Libraries as files: export of a reader's library, and import of files after a review."""

import re
from collections import Counter
from collections.abc import Iterator

from pyramid.httpexceptions import HTTPBadRequest, HTTPSeeOther
from pyramid.renderers import render_to_response
from pyramid.response import Response
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from comicsdb.catalog import InvalidError
from comicsdb.http import READ_METHODS
from comicsdb.i18n import translate
from comicsdb.library.collection.filters import CollectionFilters
from comicsdb.library.transfer import background, cbl, imports, proposals, writing
from comicsdb.library.transfer.format import (
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
    WISHES,
)
from comicsdb.library.transfer.imports import KEEP_MINE, TAKE_FILE
from comicsdb.library.transfer.matching import AMBIGUOUS, MATCHED, REASONS, UNKNOWN
from comicsdb.library.transfer.reading import TOO_MANY_LISTS, pack_lists
from comicsdb.library.transfer.tables import EXTRA, csv_text
from comicsdb.models.base import BIG_MAX
from comicsdb.models.choices import EXTERNAL_SOURCES
from comicsdb.models.currencies import Currency
from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_web.forms import form_state
from comicsdb_web.http.fragments import fragment
from comicsdb_web.lists.filters import parse_filters
from comicsdb_web.pages.library.collection import FILTERS, private
from comicsdb_web.pages.reading_lists import ListViewsBase
from comicsdb_web.rendering.locales import _, ngettext

FORMATS = ("csv", "json")
NOT_A_FORMAT = _("The format must be json or csv.")
DISCARDED = _("The import was discarded; nothing was changed.")
REMOVED = _("The import was removed from the list; your library stays as it is.")
SEVERAL = _("${name} and ${n} more")
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
_CHOICE = re.compile(r"choose-(\d{1,6})", re.A)


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
        """The review of the rows and their matches; submitting its form confirms the import."""
        found = self._pending()
        if found.is_large:
            return self._background_review(found)
        if self.request.method == "POST":
            return self._confirm(found)
        form = form_state.Form(self._list_values(found))
        return self._review_page(found, form, None, set(), take_file=False)

    def _confirm(self, found):
        """Store the reviewed import and show the result."""
        fields = form_state.text_fields(self.request)
        choices = {
            int(place[1]): number
            for name, value in fields.items()
            if (place := _CHOICE.fullmatch(name)) and (number := whole_number(value)) is not None
        }
        left_out = {whole_number(each) for each in self.request.POST.getall("leave")} - {None}
        take_file = fields.get("values", KEEP_MINE) == TAKE_FILE
        series_choices = self._series_choices(found, fields)
        options = self._list_options(found, fields)
        review = imports.Review(choices, left_out, take_file, options, series_choices)
        official, today = self.settings["comicsdb.official_account"], self.request.today
        try:
            counted = imports.confirm(self.session, self.request.identity, official, found.id, review, today)
        except InvalidError as error:
            form = form_state.with_errors(self.request, error, fields)
            return self._review_page(found, form, choices, left_out, take_file=take_file)
        for kind, text in _result_messages(counted):
            self.request.messages.add(kind, text)
        to_lists = counted[f"{LISTS}_added"] and found.payload["form"] in {CBL, CBL_FILES}
        return HTTPSeeOther(self.request.route_path("reading_list.mine" if to_lists else f"{self.area}.list"))

    def _series_choices(self, found, fields) -> dict[str, int]:
        """The series chosen for all rows that name it, by the name."""
        rows = imports.review_rows(self.session, found)
        chosen = ((name, whole_number(fields.get(f"series-{at}"))) for at, name in enumerate(_groups(rows)))
        return {name: series_id for name, series_id in chosen if series_id is not None}

    def _background_review(self, found):
        """The progress of a large file, its review series by series, or the result."""
        if found.state == background.REVIEW and self.request.method == "POST":
            fields = form_state.text_fields(self.request)
            named = {f"series-{place}": group for place, group in enumerate(self._groups(found))}
            decisions = {
                group.series: int(fields[name])
                for name, group in named.items()
                if fields.get(name) in {str(each.id) for each in group.candidates}
            }
            take_file = fields.get("values") == TAKE_FILE
            background.confirm(self.session, found, decisions, take_file=take_file)
            return HTTPSeeOther(self._path("review", found.id))
        say = self.request.localizer
        values = {
            "area": self.area,
            "found": found,
            "counts": background.counts(self.session, found.id),
            "groups": self._groups(found) if found.state == background.REVIEW else (),
            "outcome": [translate(say, text) for _kind, text in _result_messages(Counter(found.counted))],
            "reasons": {key: translate(say, text) for key, text in REASONS.items()},
            "forms_known": FORMS,
            "refresh": REFRESH,
            "proposable": found.state == background.REVIEW and self._may_propose(found),
        }
        if self.request.is_fragment:
            is_running = found.state in background.IN_PROGRESS
            return fragment(self.request, "import_progress", values) if is_running else Response(status=204)
        # Not for the progress, which is asked for every few seconds and does not show it.
        unclear = select(func.count()).select_from(background.unclear_rows(found.id).subquery())
        values["unclear"] = self.session.scalar(unclear)
        return render_to_response("import/background.jinja2", values, request=self.request)

    def _groups(self, found):
        return background.groups(self.session, found.id)

    def unmatched(self):
        """The rows of a large file that matched nothing or were left without a choice, as a table."""
        rows = background.unmatched_rows(self.session, self._pending())
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
        """The cells of a large file that could not be interpreted, as a table."""
        rows = self.session.scalars(background.unclear_rows(self._pending().id))
        say = self.request.localizer
        cells = (
            (str(row.line), *map(writing.escape_formula, (row.says, _field_label(say, name), text)))
            for row in rows
            for name, text in row.unclear
        )
        titles = ("row", "issue", "field", "text")
        return file_response(csv_text(titles, cells).encode("utf-8-sig"), "text/csv", "not-recognised.csv")

    def _may_propose(self, found) -> bool:
        """Whether the reader may create issues, and there are rows that name new ones."""
        return bool(self.request.has_permission(Permission.EDIT) and proposals.series_of(self.session, found))

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
        if found.payload["form"] != CBL:
            return {}
        is_private = {"list_private": "1"} if found.payload.get("is_private") else {}
        return {"list_name": found.payload["lists"][0]["name"], **is_private}

    def _list_options(self, found, fields) -> dict | None:
        if found.payload["form"] != CBL:
            return None
        return {"name": fields.get("list_name", ""), "is_private": "list_private" in fields}

    def _review_page(self, found, form, choices, left_out, *, take_file):
        rows = imports.review_rows(self.session, found)
        issues, series = imports.candidates_of(self.session, rows)
        if choices is None:  # what is likely is proposed
            choices = imports.proposed_choices(rows)
        by_state = {
            state: [row for row in rows if row.match.state == state]
            for state in (MATCHED, AMBIGUOUS, UNKNOWN)
        }
        return {
            "form": form,
            "area": self.area,
            "found": found,
            "rows": by_state,
            "groups": _groups(rows),
            "series_options": lambda group: _series_options(group, issues, series),
            "kinds": {row.part for row in rows},
            "issues": issues,
            "series": series,
            "lists": found.payload["lists"],
            "lists_there": imports.existing_list_names(self.session, found),
            "choices": choices,
            "left_out": left_out,
            "take_file": take_file,
            "reasons": {key: translate(self.request.localizer, text) for key, text in REASONS.items()},
            "forms_known": FORMS,
            "proposable": self._may_propose(found),
            "part_words": PART_WORDS,
            "field_words": FIELD_WORDS,
        }


def _groups(rows) -> dict[str, list]:
    """The rows to choose for, by the series that the file names, in the order of the file."""
    groups: dict[str, list] = {}
    for row in rows:
        if row.match.state == AMBIGUOUS:
            groups.setdefault(row.series, []).append(row)
    return groups


def _series_options(rows, issues: dict, series: dict) -> list:
    """The series of the candidates of rows, those of most candidates first."""
    counts: Counter = Counter()
    for row in rows:
        for each in row.match.candidates:
            option = series.get(each) if row.part == PULL else each in issues and issues[each].series
            if option:
                counts[option] += 1
    return [option for option, _count in counts.most_common()]


def _field_label(localizer, name: str) -> str:
    label = FIELD_WORDS.get(name.lower())
    return translate(localizer, label) if label else name


def _result_messages(counted: Counter) -> Iterator[tuple[str, object]]:
    """The messages after an import: pairs of kind and text."""
    found = [text for name, text in _result_texts(counted) if counted[name]]
    if not found and not counted[f"{ITEMS}_pending"]:
        yield "info", _("Nothing to change: your library already has all of it.")
    for text in found:
        yield "success", text
    if counted["gone"]:
        yield (
            "warning",
            ngettext(
                "${n} row was skipped: it is no longer in the catalogue.",
                "${n} rows were skipped: they are no longer in the catalogue.",
                counted["gone"],
            ),
        )
    if waiting := counted[f"{ITEMS}_pending"]:
        yield (
            "info",
            ngettext(
                "${n} entry is not certainly in the catalogue, and stays in its list until it is.",
                "${n} entries are not certainly in the catalogue, and stay in their lists until they are.",
                waiting,
            ),
        )
    if repeated := counted[f"{ITEMS}_repeated"]:
        yield (
            "info",
            ngettext(
                "${n} entry is repeated in the file, and is in its list once.",
                "${n} entries are repeated in the file, and are in their lists once.",
                repeated,
            ),
        )


def _result_texts(counted: Counter):
    n = counted
    return (
        (
            "collection_added",
            ngettext(
                "${n} issue was added to your collection.",
                "${n} issues were added to your collection.",
                n["collection_added"],
            ),
        ),
        (
            "collection_changed",
            ngettext(
                "${n} item in your collection was changed.",
                "${n} items in your collection were changed.",
                n["collection_changed"],
            ),
        ),
        (
            "pull_list_added",
            ngettext("You follow ${n} more series.", "You follow ${n} more series.", n["pull_list_added"]),
        ),
        (
            "pull_list_changed",
            ngettext(
                "${n} pull list entry was changed.",
                "${n} pull list entries were changed.",
                n["pull_list_changed"],
            ),
        ),
        (
            "wish_list_added",
            ngettext("${n} wish was added.", "${n} wishes were added.", n["wish_list_added"]),
        ),
        (
            "wish_list_changed",
            ngettext("${n} wish was changed.", "${n} wishes were changed.", n["wish_list_changed"]),
        ),
        (
            "ratings_added",
            ngettext("${n} issue was rated.", "${n} issues were rated.", n["ratings_added"]),
        ),
        (
            "ratings_changed",
            ngettext(
                "Your rating of ${n} issue changed.",
                "Your ratings of ${n} issues changed.",
                n["ratings_changed"],
            ),
        ),
        (
            f"{LISTS}_added",
            ngettext(
                "${n} reading list was created.", "${n} reading lists were created.", n[f"{LISTS}_added"]
            ),
        ),
        (
            f"{LISTS}_changed",
            ngettext(
                "${n} reading list was changed.", "${n} reading lists were changed.", n[f"{LISTS}_changed"]
            ),
        ),
        (
            f"{ITEMS}_added",
            ngettext(
                "${n} issue was added to reading lists.",
                "${n} issues were added to reading lists.",
                n[f"{ITEMS}_added"],
            ),
        ),
    )


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
        config.add_page(f"{area}.review", one, views, attr="review", renderer="import/review.jinja2", **both)
        config.add_page(f"{area}.unmatched", f"{one}not-found.csv", views, attr="unmatched", **member)
        config.add_page(f"{area}.unread", f"{one}not-recognised.csv", views, attr="unread", **member)
        config.add_page(f"{area}.forget", f"{one}forget/", views, attr="discard", methods=("POST",), **member)
    config.add_page("collection.export", "/collection/export/", export_collection, **member)
    config.add_page("account.library", "/accounts/export/library/", export_library, **member)
    config.add_page("reading_list.export", "/reading-lists/{slug}/export.cbl", export_list, decorator=private)
