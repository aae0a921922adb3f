"""Issues: everything about one number, and its covers in large."""

from pyramid.httpexceptions import HTTPNotFound
from sqlalchemy import func, select
from sqlalchemy.orm import joinedload, selectinload

from comicsdb.catalog import search
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
from comicsdb.readcache.validators import microseconds
from comicsdb.values import whole_number
from comicsdb_web.forms.catalogue_forms import ISSUE_FORM
from comicsdb_web.forms.copying import CopyingViews
from comicsdb_web.http.fragments import fragment
from comicsdb_web.lists.catalogue_filters import ISSUE
from comicsdb_web.pages.catalogue import issue_page
from comicsdb_web.pages.catalogue.base import Block, EntityViews, Part, card_block
from comicsdb_web.pages.library.rating import stars_of_issue
from comicsdb_web.pages.reading_lists.issue import lists_of_issue
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.page_cache import CachePolicy


def _linked(model, table, column):
    return lambda issue: model.id.in_(select(column).where(table.c.issue_id == issue.id))


def _credits(issue):
    return (
        select(Credit)
        .join(Credit.creator)
        .where(Credit.issue_id == issue.id)
        .options(joinedload(Credit.creator), selectinload(Credit.roles))
        .order_by(*search.ORDER[Creator])
    )


def _credit_count(issue):
    return select(func.count()).where(Credit.issue_id == issue.id)


def stamps_around() -> tuple:
    """What moves when the page of an issue shows something new of others, none of it a version.

    Of its series, publisher and imprint each stamp; of all that it is linked with, by kind, the sum. Which
    these are, the issue's own stamp tells; as long as they are the same, a sum of what can only grow tells
    that none has moved.
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
    return tuple(each.correlate(issue).scalar_subquery() for each in found)


class IssueViews(CopyingViews, EntityViews):
    """The pages of issues."""

    model = Issue
    form = ISSUE_FORM
    shows = CachePolicy(model=Issue, stamps=stamps_around())
    filters = ISSUE
    named = (joinedload(Issue.series).joinedload(Series.series_type),)
    blocks = (
        Block("credits", _("Credits"), _credits, _credit_count, "credit"),
        card_block(
            "characters",
            _("Characters"),
            Character,
            _linked(Character, issue_character, issue_character.c.character_id),
            counted=False,
        ),
        card_block("teams", _("Teams"), Team, _linked(Team, issue_team, issue_team.c.team_id), counted=False),
        card_block(
            "universes",
            _("Universes"),
            Universe,
            _linked(Universe, issue_universe, issue_universe.c.universe_id),
            counted=False,
        ),
    )

    def detail(self):
        """The page of one issue, for members with what is theirs, for editors with buttons of their own."""
        page = issue_page.read(self.request.read_pool, self.request.matchdict["slug"])
        if page is None:
            self._entity()  # tells what has become of it
            raise HTTPNotFound
        issue, blocks = page.issue, {each.name: each for each in self.blocks}
        shown = {name: Part(blocks[name], rows, 0, total) for name, (rows, total) in page.blocks.items()}
        return {
            "entity": issue,
            "kind": self.kind,
            "previous": page.previous,
            "following": page.following,
            "arcs": page.arcs,
            "reprints": page.reprints,
            "shown": shown,
            "stars": stars_of_issue(self.request, issue),
            **lists_of_issue(self.request, issue),
            "helpers": self.helpers(
                issue,
                previous=page.previous,
                has_credits=bool(shown["credits"].total),
                has_content=bool(issue.name or shown["characters"].total or shown["teams"].total),
                has_reprints=bool(page.reprints),
            ),
        }

    def cover(self):
        """The cover in large: a page of its own, or the content of the dialog on the issue's page."""
        issue = self._entity(selectinload(Issue.variants))
        values = {"entity": issue, "kind": self.kind, "picture": self._picture(issue)}
        return fragment(self.request, "cover", values) if self.request.is_fragment else values

    def _picture(self, issue):
        """The issue itself or the variant that is asked for; raises HTTPNotFound where there is no cover."""
        wanted = self.request.GET.get("variant")
        if wanted is None:
            found = [issue] if issue.image else []
        else:
            found = [each for each in issue.variants if each.id == whole_number(wanted)]
        if not found:
            raise HTTPNotFound(_("This issue has no such cover."))
        return found[0]
