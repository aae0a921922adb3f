"""New issues from the unmatched rows of an import; a series is chosen once for all its rows."""

import colander
from pyramid.httpexceptions import HTTPSeeOther

from comicsdb.catalog import ConflictError, InvalidError
from comicsdb.i18n import translate
from comicsdb.library.transfer import imports, proposals
from comicsdb.library.transfer.proposals import Proposal
from comicsdb.models import Issue
from comicsdb.models.base import BIG_MAX
from comicsdb.schemas import IssueSchema, errors_by_field
from comicsdb.schemas.types import REQUIRED
from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.fields import EntityForm, ModelSelect, Section, text_of
from comicsdb_web.pages.library.collection import private
from comicsdb_web.rendering.locales import _, ngettext

FORM = EntityForm(
    IssueSchema,
    (Section("series", _("Series"), (ModelSelect("series", _("Series"), source="series", required=True),)),),
)
REASON = "Import of a collection"  # in the history, whose texts are English
NONE_CHOSEN = _("Select at least one issue.")
ALREADY_THERE = _("The series already has an issue with this number.")


class ProposalViews:
    """The series of unmatched rows, and the form with the new issues of one of them."""

    def __init__(self, request):
        self.request = request
        self.session = request.dbsession
        number = whole_number(request.matchdict["id"], high=BIG_MAX) or 0
        self.found = imports.pending_import(self.session, request.identity.user_id, number)
        self.draft = Draft(request, "issue", FORM)
        self.errors: dict[str, list[str]] = {}  # of issues, by number in the file

    def propose(self):
        """Show all series, or the one in the query; submitting its form creates its issues."""
        named = self.request.GET.get("series", "")
        rows = proposals.of_series(self.session, self.found, named)
        if not rows or self.request.method != "POST":
            return self._page(named, rows, {each.number: self._initial_values(each) for each in rows})
        post = self.request.POST
        self.draft.read(post)
        typed = {}
        for place, each in enumerate(rows):
            names = ("make", *self._initial_values(each))
            typed[each.number] = {name: text_of(post, f"{name}-{place}") or "" for name in names}
        if self.draft.search():
            return self._page(named, rows, typed)
        made = self._create_issues([each for each in rows if typed[each.number]["make"]], typed)
        if self.errors or self.draft.errors:
            self.request.response.status = 422  # so the transaction is rolled back
            return self._page(named, rows, typed)
        message = ngettext("${n} issue was created.", "${n} issues were created.", len(made))
        self.request.messages.add("success", message)
        return HTTPSeeOther(self.request.path)

    def _initial_values(self, each: Proposal) -> dict[str, str]:
        return {
            "make": "1",
            "number": each.number,
            "cover_date": each.cover_date or each.store_date,
            "upc": each.upc,
        }

    def _create_issues(self, chosen: list[Proposal], typed: dict[str, dict]) -> list[Issue]:
        """Create the chosen issues, and match their rows; or note errors."""
        series = (self.draft.typed["series"] or ("",))[0]
        if not (series and chosen):
            self.draft.add_errors({"series": [NONE_CHOSEN if series else REQUIRED]})
            return []
        self.request.catalog.set_reason(REASON)
        made = [self._create_issue(each, series, typed[each.number]) for each in chosen]
        if not self.errors:
            pairs = zip(chosen, made, strict=True)
            ids = {row: issue.id for each, issue in pairs for row in each.rows}
            proposals.match(self.session, self.found, ids)
        return made

    def _create_issue(self, each: Proposal, series: str, typed: dict) -> Issue | None:
        """Create an issue, or note its errors."""
        sent = {name: typed[name] for name in ("number", "cover_date", "upc")}
        sent |= {"series": series, "store_date": each.store_date}
        try:
            return self.request.catalog.create(Issue, IssueSchema(form=True).deserialize(sent))
        except colander.Invalid as invalid:
            errors = errors_by_field(invalid)
        except InvalidError as error:
            errors = error.errors
        except ConflictError:
            errors = {"number": [ALREADY_THERE]}
        say = self.request.localizer
        self.errors[each.number] = [translate(say, text) for texts in errors.values() for text in texts]
        return None

    def _page(self, named: str, rows: list[Proposal], typed: dict[str, dict]) -> dict:
        self.draft.load_labels()
        return {
            "found": self.found,
            "named": named,
            "rows": rows,
            "typed": typed,
            "wrong": self.errors,
            "draft": self.draft,
            "groups": () if rows else proposals.series_of(self.session, self.found),
            "area": "collection",
        }


def includeme(config):
    """Add the page, for members who may edit."""
    config.add_page(
        "collection.propose",
        "/collection/import/{id:[0-9]+}/new-issues/",
        ProposalViews,
        attr="propose",
        renderer="import/propose.jinja2",
        methods=("GET", "HEAD", "POST"),
        permission=Permission.EDIT,
        decorator=private,
        parameters=("series",),
    )
