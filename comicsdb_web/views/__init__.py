"""The pages of the site, one line each."""

from comicsdb.security import Permission
from comicsdb_web.views.arc import ArcViews
from comicsdb_web.views.character import CharacterViews
from comicsdb_web.views.creator import CreatorViews
from comicsdb_web.views.imprint import ImprintViews
from comicsdb_web.views.issue import IssueViews
from comicsdb_web.views.publisher import PublisherViews
from comicsdb_web.views.series import SeriesViews
from comicsdb_web.views.team import TeamViews
from comicsdb_web.views.universe import UniverseViews


def includeme(config):
    """Everything that has an address."""
    config.include(".home")
    config.include(".statistics")
    config.include(".polls")
    config.include(".search")
    config.include(".account")
    config.include(".admin")
    config.include(".theme")
    config.include(".language")
    config.include(".sitemap")
    config.include(".site")
    config.include(".history")  # what templates ask about the history of objects
    config.include(".changes")
    config.include(".rating")
    config.include(".collection")
    config.include(".pull_list")
    config.include(".wish_list")
    config.include(".feeds")
    config.include(".imports")  # before lists with a slug of any word
    config.include(".reading_list")
    config.add_entity_views(PublisherViews)
    config.add_entity_views(ImprintViews)
    config.add_entity_views(UniverseViews)
    config.add_entity_views(SeriesViews)
    config.include(".releases")
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
    config.include(".errors")
