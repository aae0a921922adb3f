"""Issues: everything about one issue, and its covers in full size."""

from typing import ClassVar

from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from sqlalchemy import func, select
from sqlalchemy.orm import selectinload

from comicsdb.community.reviews import visible_digest
from comicsdb.issue_numbers import NUMBER_LENGTH
from comicsdb.models import (
    Arc,
    Character,
    Creator,
    Credit,
    Imprint,
    Issue,
    Publisher,
    Series,
    Team,
    Universe,
    issue_arc,
    issue_character,
    issue_reprint,
    issue_team,
    issue_universe,
)
from comicsdb.models.choices import EARLIEST_YEAR, UNKNOWN_AGE_RATING_ID
from comicsdb.readcache.validators import microseconds
from comicsdb.schemas import IssueSchema
from comicsdb.schemas.issue import ISBN_LENGTH, SKU_LENGTH, TITLE_LENGTH, UPC_LENGTH
from comicsdb.values import whole_number
from comicsdb_web.forms import fields, options
from comicsdb_web.forms.catalog_forms import (
    CV_ID,
    DESC,
    EXTERNAL_IDS,
    GCD_ID,
    SOURCES,
    about,
    picture,
)
from comicsdb_web.forms.copying import CopyingViews
from comicsdb_web.forms.fields import (
    Checkbox,
    Choice,
    EntityForm,
    Line,
    ModelSelect,
    Money,
    PartialDay,
    Picture,
    Section,
    StringList,
    date_field,
    text_of,
)
from comicsdb_web.forms.proposals import propose, proposed_values
from comicsdb_web.forms.typed_names import resolve_typed_names
from comicsdb_web.http.fragments import fragment
from comicsdb_web.lists.catalog_filters import ISSUE
from comicsdb_web.pages.catalog import issue_page
from comicsdb_web.pages.catalog.base import EntityViews, card_block
from comicsdb_web.pages.library.library_status import library_status
from comicsdb_web.pages.library.rating import rating_widget
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy


def _linked(model, table, column):
    def where(issue):
        found = select(column).where(table.c.issue_id == issue.id)
        return model.id.in_(found.correlate_except(table))

    return where


def related_stamps() -> tuple:
    """The stamps of other objects that the page of an issue shows.

    Series, publisher and imprint each give their stamps, reviews a digest, and linked objects a sum for each
    kind. The issue's own stamp covers which objects are linked, and stamps only grow, so the sum changes if
    any of them does.
    """
    issue, series, imprint = (model.__table__ for model in (Issue, Series, Imprint))
    publisher = Publisher.__table__
    above = (
        series.c.modified,
        series.c.issues_modified,
        select(publisher.c.modified).where(publisher.c.id == series.c.publisher_id).scalar_subquery(),
        select(imprint.c.modified).where(imprint.c.id == series.c.imprint_id).scalar_subquery(),
    )
    found = [select(microseconds(each)).where(series.c.id == issue.c.series_id) for each in above]
    for model, links, name in (
        (Arc, issue_arc, "arc_id"),
        (Character, issue_character, "character_id"),
        (Team, issue_team, "team_id"),
        (Universe, issue_universe, "universe_id"),
        (Creator, Credit.__table__, "creator_id"),
        (Issue, issue_reprint, "reprint_id"),
    ):
        linked = model.__table__.alias()
        moved = select(func.sum(microseconds(linked.c.modified))).join(links, links.c[name] == linked.c.id)
        found.append(moved.where(links.c.issue_id == issue.c.id))
    return (*(each.correlate(issue).scalar_subquery() for each in found), visible_digest(issue))


_COVERED = _(
    "As much as is known: 1963-09-12, 1963-09 or 1963, not before ${year}.", mapping={"year": EARLIEST_YEAR}
)

FORM = EntityForm(
    IssueSchema,
    (
        about(
            ModelSelect("series", _("Series"), required=True, source="series", proposes=True),
            Line("number", _("Number"), required=True, max_length=NUMBER_LENGTH),
            Line(
                "alt_number", _("Alternative number"), help=_("Legacy numbering."), max_length=NUMBER_LENGTH
            ),
            Line(
                "title",
                _("Collection title"),
                help=_("Only where the series allows one."),
                max_length=TITLE_LENGTH,
            ),
            StringList("name", _("Stories"), help=_("Their titles in order, separated by semicolons.")),
            DESC,
            Checkbox("desc_is_solicitation", _("The description is the publisher's announcement")),
        ),
        picture(Picture("image", _("Cover"), size="cover")),
        Section(
            "dates",
            _("Dates and price"),
            (
                PartialDay("cover_date", _("Cover date"), help=_COVERED, max_length=10),
                date_field("store_date", _("In stores")),
                date_field("foc_date", _("Final order cut-off")),
                Money("price", _("Price")),
                fields.integer_field("page", _("Pages")),
                Choice(
                    "rating",
                    _("Age rating"),
                    required=True,
                    initial=str(UNKNOWN_AGE_RATING_ID),
                    options=options.age_ratings,
                ),
            ),
        ),
        Section("credits", _("Credits"), rows=("credits",)),
        Section(
            "content",
            _("Who and where"),
            (
                ModelSelect(
                    "characters",
                    _("Characters"),
                    source="character",
                    multiple=True,
                    copyable=True,
                    creatable=True,
                ),
                ModelSelect("teams", _("Teams"), source="team", multiple=True, copyable=True, creatable=True),
                ModelSelect("arcs", _("Story arcs"), source="arc", multiple=True, creatable=True),
                ModelSelect(
                    "universes",
                    _("Universes"),
                    help=_("A new universe gets the publisher of the series."),
                    source="universe",
                    multiple=True,
                    creatable=True,
                ),
                ModelSelect(
                    "reprints",
                    _("Reprints"),
                    help=_("Search by series (year) #number"),
                    source="issue",
                    multiple=True,
                ),
            ),
        ),
        Section("variants", _("Variant covers"), rows=("variants",), folded=True),
        Section(
            "ids",
            _("Codes"),
            (
                Line("sku", "SKU", help=_("Letters and digits."), max_length=SKU_LENGTH),
                Line("isbn", "ISBN", help=_("As printed; hyphens are left out."), max_length=2 * ISBN_LENGTH),
                Line(
                    "upc",
                    "UPC",
                    help=_("As printed below the barcode, including the supplement: 7 59606 08936 9 00111."),
                    max_length=2 * UPC_LENGTH,
                    mode="numeric",
                ),
                CV_ID,
                GCD_ID,
            ),
            folded=True,
        ),
        EXTERNAL_IDS,
        SOURCES,
    ),
)


class IssueViews(CopyingViews, EntityViews):
    """The pages of issues."""

    model = Issue
    form = FORM
    icon = (
        '<rect x="5" y="3.5" width="14" height="17" rx="1.5"/><path d="M5 8.500h14M8 6h4M5 15.500'
        'h7.500v-7M12.5 15.500v5"/>'
    )
    menu = "comics"
    card_size = "cover"
    comic_vine_prefix = 4000
    gcd_path = "issue"
    conflict_messages: ClassVar = {
        ("series", "number"): ("number", _("This series already has an issue with this number:"))
    }
    shows = CachePolicy(("role", "age_rating"), Issue, stamps=related_stamps())
    filters = ISSUE
    page_columns = staticmethod(issue_page.page_columns)
    blocks = (
        issue_page.CREDITS,
        card_block(
            "characters",
            _("Characters"),
            Character,
            _linked(Character, issue_character, issue_character.c.character_id),
            with_count=False,
        ),
        card_block(
            "teams", _("Teams"), Team, _linked(Team, issue_team, issue_team.c.team_id), with_count=False
        ),
        card_block(
            "universes",
            _("Universes"),
            Universe,
            _linked(Universe, issue_universe, issue_universe.c.universe_id),
            with_count=False,
        ),
    )

    def create(self):
        """As for other kinds; for our script, return the values proposed for a chosen series."""
        if self.request.is_fragment and self.request.method != "POST":
            draft = self.draft_class(self.request, self.kind, self.form)
            draft.prefill(self.request.GET)
            draft.load_labels()
            response = Response(json={"price": draft.typed["price"]} | proposed_values(draft))
            response.headers["Cache-Control"] = "no-store"
            return response
        return super().create()

    def _prefill(self, draft):
        super()._prefill(draft)
        if not draft.is_touched:
            propose(draft, whole_number(text_of(self.request.GET, "after") or ""))

    def _handle_button(self, draft):
        if text_of(self.request.POST, "propose"):
            draft.add_errors(resolve_typed_names(draft))
            propose(draft)
        return super()._handle_button(draft)

    def _path_after(self, entity):
        return self.request.route_path("issue.create", _query={"after": entity.id})

    def detail(self):
        """The page of one issue, with members' own data about it and buttons for editors."""
        values = super().detail()
        issue, shown, reviews = values["entity"], values["shown"], values["reviews"]
        own = library_status(self.request, issue)
        return values | {
            "review_count": reviews[0].total if reviews else 0,
            "own": own,
            "stars": rating_widget(self.request, issue, own.rating),
            "copy_buttons": self.copy_buttons(
                issue,
                previous=values["previous"],
                has_credits=bool(shown["credits"].total),
                has_content=bool(issue.name or shown["characters"].total or shown["teams"].total),
                has_reprints=bool(values["reprints"]),
            ),
        }

    def cover(self):
        """The cover in full size: a separate page, or the content of the dialog on the issue's page."""
        issue = self._entity(selectinload(Issue.variants))
        values = {"entity": issue, "picture": self._picture(issue)}
        return fragment(self.request, "cover", values) if self.request.is_fragment else values

    def _picture(self, issue):
        """The issue itself or the requested variant; raises HTTPNotFound if it has no cover."""
        wanted = self.request.GET.get("variant")
        if wanted is None:
            found = [issue] if issue.image else []
        else:
            found = [each for each in issue.variants if each.id == whole_number(wanted) and each.image]
        if not found:
            raise HTTPNotFound(_("This issue does not have this cover."))
        return found[0]
