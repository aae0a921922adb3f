"""Calls of every mokkari method that writes to the catalog or to personal lists, in a plausible order."""

from datetime import UTC, date, datetime
from decimal import Decimal

from mokkari.schemas.arc import ArcPost
from mokkari.schemas.character import CharacterPost
from mokkari.schemas.collection import CollectionAddItem, CollectionUpdate, ScrobbleRequest
from mokkari.schemas.creator import CreatorPost
from mokkari.schemas.issue import CreditPost, IssuePost, PricePost
from mokkari.schemas.publisher import PublisherPost
from mokkari.schemas.series import SeriesPost
from mokkari.schemas.team import TeamPost
from mokkari.schemas.universe import UniversePost
from mokkari.schemas.variant import VariantPost
from mokkari.schemas.wish_list import AcquireWishListItem, WishListAddItem

# The smallest valid body of each kind, for accounts without permission to write.
SMALLEST = {
    "arc": ArcPost(name="A"),
    "character": CharacterPost(name="A"),
    "creator": CreatorPost(name="A"),
    "issue": IssuePost(number="1"),
    "publisher": PublisherPost(name="A"),
    "series": SeriesPost(name="A"),
    "team": TeamPost(name="A"),
    "universe": UniversePost(name="A"),
}


def write_all(client, address: str, picture: str) -> None:
    """Create and change one object of each kind; fails if a response differs from what was sent."""
    publisher = client.publisher_post(PublisherPost(name="Gale House", alt_names=["G", "H"], image=picture))
    assert (publisher.name, publisher.alt_names, publisher.country) == ("Gale House", ["G", "H"], "US")
    assert str(publisher.image).startswith(f"{address}/media/publisher/")
    changed = client.publisher_patch(publisher.id, PublisherPost(desc="Loud.", country="IT", founded=1950))
    assert (changed.desc, changed.country, changed.founded) == ("Loud.", "IT", 1950)
    assert (changed.name, changed.image) == (publisher.name, publisher.image)
    universe = client.universe_post(UniversePost(name="Windward", publisher=publisher.id))
    assert (universe.publisher, universe.designation) == (publisher.id, "")
    assert client.universe_patch(universe.id, UniversePost(designation="W-1")).designation == "W-1"
    creator = client.creator_post(
        CreatorPost(name="Zoë Gull", birth=date(1971, 4, 2), alias=["Z. G."], image=picture)
    )
    assert (creator.birth, creator.alias) == (date(1971, 4, 2), ["Z. G."])
    assert client.creator_patch(creator.id, CreatorPost(death=date(2020, 1, 1))).death == date(2020, 1, 1)
    team = client.team_post(TeamPost(name="The Gusts", creators=[creator.id], universes=[universe.id]))
    assert (team.creators, team.universes) == ([creator.id], [universe.id])
    assert client.team_patch(team.id, TeamPost(desc="Windy.", image=picture)).creators == [creator.id]
    character = client.character_post(CharacterPost(name="Breeze", alias=["B"], teams=[team.id]))
    assert (character.alias, character.teams) == (["B"], [team.id])
    linked = client.character_patch(character.id, CharacterPost(universes=[universe.id]))
    assert (linked.universes, linked.teams) == ([universe.id], [team.id])
    arc = client.arc_post(ArcPost(name="High Wind", gcd_id=880_001))
    assert client.arc_patch(arc.id, ArcPost(desc="It blows.")).gcd_id == 880_001
    series = client.series_post(
        SeriesPost(
            name="Windfall",
            sort_name="Windfall",
            volume=1,
            series_type=13,
            status=4,
            publisher=publisher.id,
            year_began=2024,
            genres=[1],
        )
    )
    assert (series.status, series.publisher, series.imprint, series.genres) == (4, publisher.id, None, [1])
    assert client.series_patch(series.id, SeriesPost(status=2, year_end=2025)).status == 2
    issue = client.issue_post(
        IssuePost(
            series=series.id,
            number="1",
            cover_date=date(2024, 5, 1),
            name=["One", "Two"],
            image=picture,
            price=PricePost(amount=Decimal("3.50"), currency="EUR"),
            desc="Soon.",
            desc_is_solicitation=True,
            arcs=[arc.id],
            teams=[team.id],
        )
    )
    assert (issue.name, issue.price, issue.arcs) == (["One", "Two"], Decimal("3.50"), [arc.id])
    after = client.issue_patch(
        issue.id, IssuePost(characters=[character.id], universes=[universe.id], page=32)
    )
    assert (after.characters, after.arcs, after.page) == ([character.id], [arc.id], 32)
    made = client.credits_post([CreditPost(issue=issue.id, creator=creator.id, role=[1, 3])])
    assert [(each.issue, each.creator, each.role) for each in made] == [(issue.id, creator.id, [1, 3])]
    variant = client.variant_post(
        VariantPost(issue=issue.id, image=picture, name="Foil", price=Decimal("5.99"), sku="S1")
    )
    assert (variant.name, variant.price, variant.price_currency) == ("Foil", Decimal("5.99"), "USD")
    found = client.issue(issue.id)
    assert (found.price_currency, found.story_titles, found.page_count) == ("EUR", ["One", "Two"], 32)
    assert (found.desc, found.desc_is_solicitation) == ("Soon.", True)
    assert [(each.id, len(each.role)) for each in found.credits] == [(creator.id, 2)]
    assert [str(each.image) for each in found.variants] == [str(variant.image)]
    assert found.cover_hash


def keep_lists(client, series: int, issue: int) -> None:
    """Follow a series and wish for an issue, with every method of both lists, which must be empty before."""
    empty = client.pull_list()
    assert (empty.series_count, client.pull_list_series(), client.pull_list_issues()) == (0, [], [])
    entry = client.pull_list_add_series(series)
    assert client.pull_list_add_series(series).id == entry.id
    assert [each.id for each in client.pull_list_series()] == [entry.id]
    assert entry.series.id == series
    assert {each.series.id for each in client.pull_list_issues()} == {series}
    assert client.pull_list_issues({"store_date_after": "2999-01-01"}) == []
    assert client.pull_list().modified > empty.modified
    client.pull_list_remove_series(series)
    assert client.pull_list().series_count == 0

    assert (client.wish_list().item_count, client.wish_list_items()) == (0, [])
    wanted = WishListAddItem(
        issue_id=issue,
        priority=1,
        desired_grade=Decimal("9.8"),
        max_price=Decimal("12.50"),
        max_price_currency="EUR",
        notes="Any cover",
    )
    item = client.wish_list_add_item(wanted)
    assert (item.issue.id, item.priority, item.max_price, item.max_price_currency) == (
        issue, 1, Decimal("12.50"), "EUR",
    )  # fmt: skip
    assert client.wish_list_add_item(WishListAddItem(issue_id=issue)).notes == "Any cover"
    client.wish_list_acquire_item(item.id, AcquireWishListItem(purchase_date=date(2026, 1, 2)))
    assert [each.status for each in client.wish_list_items()] == ["Acquired"]
    client.wish_list_remove_item(item.id)
    assert client.wish_list().item_count == 0


def keep_collection(client, series: int, issue: int) -> None:
    """Add, read, rate and remove an issue with every method of the collection; it must not be in it yet."""
    before = client.collection_stats()
    missing = {each.id for each in client.collection_missing_issues(series)}
    assert issue in missing
    bought = CollectionAddItem(
        issue_id=issue,
        quantity=2,
        grade=Decimal("9.8"),
        grading_company="CGC",
        purchase_date=date(2026, 1, 2),
        purchase_price=Decimal("4.50"),
        purchase_store="Corner Shop",
    )
    item = client.collection_add(bought)
    assert (item.issue.id, item.quantity, item.grade, item.purchase_price) == (issue, 2, 9.8, Decimal("4.50"))
    assert (item.book_format, item.grading_company) == ("Print", "CGC (Certified Guaranty Company)")
    assert client.collection_add(CollectionAddItem(issue_id=issue)).quantity == 2
    assert {each.id for each in client.collection_missing_issues(series)} == missing - {issue}
    assert series in {each.id for each in client.collection_missing_series()}

    moment = datetime(2026, 2, 1, 20, tzinfo=UTC)
    read = client.collection_scrobble(ScrobbleRequest(issue_id=issue, date_read=moment, rating=4))
    assert (read.id, read.created, read.date_read, read.rating) == (item.id, False, moment, 4)
    rated = client.collection_patch(item.id, CollectionUpdate(rating=5))
    assert (rated.rating, rated.modified > read.modified) == (5, True)
    found = client.collection(item.id)
    assert (found.rating, [each.read_date for each in found.read_dates]) == (5, [moment])
    assert [each.id for each in client.collections_list({"rating": 5, "is_read": True})] == [item.id]
    after = client.collection_stats()
    assert (after.total_items, after.total_quantity) == (before.total_items + 1, before.total_quantity + 2)
    client.collection_delete(item.id)
    assert client.collection_stats() == before
