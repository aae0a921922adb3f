"""The pages of the site."""

from comicsdb.security import Permission
from comicsdb_web.pages.catalog.arc import ArcViews
from comicsdb_web.pages.catalog.character import CharacterViews
from comicsdb_web.pages.catalog.creator import CreatorViews
from comicsdb_web.pages.catalog.imprint import ImprintViews
from comicsdb_web.pages.catalog.issue import IssueViews
from comicsdb_web.pages.catalog.publisher import PublisherViews
from comicsdb_web.pages.catalog.series import SeriesViews
from comicsdb_web.pages.catalog.team import TeamViews
from comicsdb_web.pages.catalog.universe import UniverseViews


def includeme(config):
    """Include all pages."""
    config.include(".community.announcements")
    config.include(".community.timeline")
    config.include(".site.home")
    config.include(".community.statistics")
    config.include(".site.data")
    config.include(".site.help")
    config.include(".community.polls")
    config.include(".community.readers")
    config.include(".community.year")
    config.include(".community.following")
    config.include(".community.reviews")
    config.include(".catalog.search")
    config.include(".account")
    config.include(".site.preferences")
    config.include(".site.machines")
    config.include(".site.embedding")
    config.include(".catalog.history")  # request methods about the history of objects
    config.include(".catalog.recent_changes")
    config.include(".library.rating")
    config.include(".library.collection")
    config.include(".library.activity")
    config.include(".library.proposals")
    config.include(".library.scanner")
    config.include(".library.pull_list")
    config.include(".library.wish_list")
    config.include(".library.bulk")
    config.include(".library.reads")
    config.include(".library.track")
    config.include(".library.feeds")
    config.include(".library.imports")  # before reading lists, whose slugs may be any word
    config.include(".reading_lists")
    # The order of kinds here is that of menus.
    config.add_entity_views(PublisherViews)
    config.add_entity_views(ImprintViews)
    config.add_entity_views(SeriesViews)
    config.include(".catalog.releases")
    config.add_entity_views(IssueViews)
    config.add_page(
        "issue.cover", "/issue/{slug}/cover/", IssueViews, attr="cover", renderer="issue/cover.jinja2"
    )
    for name in ("duplicate_credits", "sync_reprints"):
        address = f"/issue/{{slug}}/{name.replace('_', '-')}/"
        config.add_page(
            f"issue.{name}", address, IssueViews, attr=name, methods=("POST",), permission=Permission.EDIT
        )
    config.add_entity_views(CreatorViews)
    config.add_entity_views(CharacterViews)
    config.add_entity_views(TeamViews)
    config.add_entity_views(ArcViews)
    config.add_entity_views(UniverseViews)
    config.include(".admin")  # needs the forms of all kinds above
    config.include(".site.autocomplete")
    config.include(".site.errors")
