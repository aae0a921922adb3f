"""The rules of propagation one by one (model.md 9): each write moves exactly the rows its rules name.

`touched(...)` runs a write, commits, and tells whose stamps moved; created and deleted objects do not count.
"""

from datetime import date

import pytest
from sqlalchemy import text

from comicsdb import models
from comicsdb.library.ratings import rate
from tests.core.propagation_world import World, moved

TODAY = date(2026, 1, 1)


def keys(*entities) -> set[tuple[str, int]]:
    """The (kind, id) of objects."""
    return {(entity.__tablename__, entity.id) for entity in entities}


class Touched:
    """Whose stamps a write moved, as sets of (kind, id)."""

    def __init__(self, before: World, after: World):
        self.modified = moved(before, after, "modified")
        self.lists = moved(before, after, "issues_modified")
        self.names = moved(before, after, "name_changed")
        self.rated = moved(before, after, "rated")


@pytest.fixture
def touched(session):
    """Run a write and commit it: `touched(catalog.update, issue, {"page": 3}).modified`."""

    def run(write, *arguments, **named):
        session.commit()
        before = World(session)
        write(*arguments, **named)
        session.commit()
        return Touched(before, World(session))

    return run


@pytest.fixture
def series(make):
    return make.series()


@pytest.fixture
def issue(make, series):
    return make.issue(series=series)


@pytest.fixture
def bystanders(make, issue, series):
    """Objects beside the others that no write of a test concerns: one more issue of the series, and more."""
    return [make.issue(series=series, number="99"), make.issue(), make.creator(), make.arc(), make.character()]


# M1: an issue and its series.


def test_m01_creating_an_issue_touches_its_series_alone(make, touched, series, bystanders):
    after = touched(make.issue, series=series, number="2")
    assert after.modified == keys(series)
    assert after.lists == keys(series)


def test_m01_changing_an_issue_touches_itself_and_its_series(catalog, touched, issue, series, bystanders):
    after = touched(catalog.update, issue, {"page": 32})
    assert after.modified == keys(issue, series)
    assert after.lists == keys(series)


def test_m01_an_empty_update_counts_as_a_change(catalog, touched, issue, series, bystanders):
    assert touched(catalog.update, issue, {}).modified == keys(issue, series)


def test_m01_deleting_an_issue_touches_its_series(catalog, touched, issue, series, bystanders):
    after = touched(catalog.delete, issue)
    assert after.modified == keys(series)
    assert after.lists == keys(series)


def test_m01_moving_an_issue_touches_both_series(catalog, make, touched, issue, series, bystanders):
    other = make.series()
    after = touched(catalog.update, issue, {"series": other.id})
    assert after.modified == keys(issue, series, other)
    assert after.lists == keys(series, other)


# M2-M6: what an issue is linked to.

LISTED = [("M2", "arc"), ("M3", "character"), ("M4", "team")]


@pytest.mark.parametrize(("_rule", "kind"), LISTED)
def test_m02_to_m04_linking_touches_the_issue_and_those_linked(
    catalog, make, touched, issue, series, bystanders, _rule, kind
):
    kept, gone, come = (getattr(make, kind)() for _ in range(3))
    catalog.update(issue, {f"{kind}s": [kept.id, gone.id]})
    after = touched(catalog.update, issue, {f"{kind}s": [kept.id, come.id]})
    assert after.modified == keys(issue, series, gone, come)
    assert after.lists == keys(series, kept, gone, come)


@pytest.mark.parametrize(("_rule", "kind"), LISTED)
def test_m02_to_m04_clearing_a_link_set_touches_the_former_partners(
    catalog, make, touched, issue, series, bystanders, _rule, kind
):
    one, two = getattr(make, kind)(), getattr(make, kind)()
    catalog.update(issue, {f"{kind}s": [one.id, two.id]})
    after = touched(catalog.update, issue, {f"{kind}s": []})
    assert after.modified == keys(issue, series, one, two)
    assert after.lists == keys(series, one, two)


@pytest.mark.parametrize(("_rule", "kind"), LISTED)
def test_m02_to_m04_an_issue_that_comes_or_goes_touches_those_it_is_linked_to(
    catalog, make, touched, series, bystanders, session, _rule, kind
):
    partner = getattr(make, kind)()
    after = touched(make.issue, series=series, number="2", **{f"{kind}s": [partner]})
    assert after.modified == after.lists == keys(series, partner)
    issue = session.query(models.Issue).order_by(models.Issue.id.desc()).first()
    after = touched(catalog.delete, issue)
    assert after.modified == after.lists == keys(series, partner)


@pytest.mark.parametrize(("_rule", "kind"), LISTED)
def test_m02_to_m04_deleting_a_partner_touches_its_issues_but_not_their_series(
    catalog, make, touched, issue, series, bystanders, _rule, kind
):
    partner = getattr(make, kind)()
    catalog.update(issue, {f"{kind}s": [partner.id]})
    after = touched(catalog.delete, partner)
    assert after.modified == keys(issue)
    assert after.lists == keys(series)


@pytest.mark.parametrize(("_rule", "kind"), LISTED)
def test_m02_to_m04_deleting_a_series_touches_the_partners_of_its_issues(
    catalog, make, touched, issue, series, bystanders, _rule, kind
):
    partner = getattr(make, kind)()
    catalog.update(issue, {f"{kind}s": [partner.id]})
    after = touched(catalog.delete, series)
    assert after.modified == after.lists == keys(partner)


def test_m05_universes_touch_the_issue_only(catalog, make, touched, issue, series, bystanders):
    one, two = make.universe(), make.universe()
    assert touched(catalog.update, issue, {"universes": [one.id]}).modified == keys(issue, series)
    assert touched(catalog.update, issue, {"universes": [two.id]}).modified == keys(issue, series)
    assert touched(catalog.delete, two).modified == keys(issue)


def test_m06_reprints_touch_both_issues_but_not_the_partners_series(
    catalog, make, touched, issue, series, bystanders
):
    partner = make.issue()
    arc = make.arc()
    catalog.update(partner, {"arcs": [arc.id]})
    after = touched(catalog.update, issue, {"reprints": [partner.id]})
    assert after.modified == keys(issue, series, partner)
    assert after.lists == keys(series, arc) | {("series", partner.series_id)}
    after = touched(catalog.update, partner, {"reprints": []})
    assert after.modified == keys(issue, partner) | {("series", partner.series_id)}


def test_m06_deleting_an_issue_touches_what_it_reprints(catalog, make, touched, issue, series, bystanders):
    partner = make.issue(reprints=[issue])
    after = touched(catalog.delete, partner)
    assert after.modified == keys(issue) | {("series", partner.series_id)}
    assert after.lists == keys(series) | {("series", partner.series_id)}


# M7-M9: what belongs to an issue.


def test_m07_variants_touch_their_issue(catalog, session, touched, issue, series, bystanders):
    foil = {"name": "Foil", "image": "variants/foil.png"}
    assert touched(catalog.update, issue, {"variants": [foil]}).modified == keys(issue, series)
    foil["id"] = session.scalar(text("SELECT id FROM variant"))
    assert touched(catalog.update, issue, {"variants": [foil | {"sku": "A"}]}).modified == keys(issue, series)
    assert touched(catalog.update, issue, {"variants": []}).modified == keys(issue, series)


def test_m08_credits_touch_their_issue_and_not_the_creator(catalog, make, touched, issue, series, bystanders):
    creator = make.creator()
    wanted = [{"creator": creator.id, "roles": []}]
    assert touched(catalog.update, issue, {"credits": wanted}).modified == keys(issue, series)
    assert touched(catalog.update, issue, {"credits": []}).modified == keys(issue, series)


def test_m08_deleting_a_creator_touches_what_showed_it(catalog, make, touched, issue, series, bystanders):
    creator = make.creator()
    team, character = make.team(creators=[creator]), make.character(creators=[creator])
    make.credit(issue, creator, "Writer")
    after = touched(catalog.delete, creator)
    assert after.modified == keys(issue, team, character)
    assert after.lists == keys(series)


def test_m09_roles_of_a_credit_touch_its_issue(catalog, make, touched, issue, series, bystanders):
    creator = make.creator()
    catalog.update(issue, {"credits": [{"creator": creator.id, "roles": [1]}]})
    for roles in ([1, 2], [2], []):
        wanted = [{"creator": creator.id, "roles": roles}]
        assert touched(catalog.update, issue, {"credits": wanted}).modified == keys(issue, series)


def test_m09_deleting_a_role_touches_the_issues_with_a_credit_in_it(
    catalog, make, touched, issue, series, bystanders
):
    make.credit(issue, make.creator(), "Writer", "Inker")
    assert touched(catalog.delete, make.role("Inker")).modified == keys(issue)


# M10, M11: names of publishers and imprints.


@pytest.fixture
def house(make):
    """A publisher with one of everything, and one issue of a series without imprint."""
    publisher = make.publisher()
    imprint, universe = make.imprint(publisher=publisher), make.universe(publisher=publisher)
    series = [make.series(publisher=publisher, imprint=imprint), make.series(publisher=publisher)]
    issues = [make.issue(series=each) for each in series]
    return publisher, imprint, universe, series, issues


def test_m10_renaming_a_publisher_touches_its_imprints_universes_series_and_their_issues(
    catalog, touched, house, bystanders
):
    publisher, imprint, universe, series, issues = house
    after = touched(catalog.update, publisher, {"name": "Another House"})
    assert after.modified == keys(publisher, imprint, universe, *series, *issues)
    assert after.lists == keys(*series)


@pytest.mark.parametrize("values", [{"desc": "New"}, {"image": "p/x.png"}, {"alt_names": ["X"]}, {}])
def test_m10_other_fields_of_a_publisher_touch_nothing_else(catalog, touched, house, values):
    publisher, *_ = house
    assert touched(catalog.update, publisher, values).modified == keys(publisher)


def test_m10_the_same_name_again_touches_nothing_else(catalog, touched, house):
    publisher, *_ = house
    assert touched(catalog.update, publisher, {"name": publisher.name}).modified == keys(publisher)


def test_m10_deleting_a_publisher_touches_what_showed_its_universes_and_issues(
    catalog, make, touched, house, bystanders
):
    publisher, _, universe, series, issues = house
    team, character = make.team(universes=[universe]), make.character(universes=[universe])
    elsewhere = make.series(associated=[series[0]])
    reprint = make.issue(series=elsewhere, reprints=[issues[0]], universes=[universe])
    arc = make.arc()
    catalog.update(issues[1], {"arcs": [arc.id]})
    after = touched(catalog.delete, publisher)
    assert after.modified == keys(team, character, elsewhere, reprint, arc)
    assert after.lists == keys(elsewhere, arc)


def test_m11_renaming_an_imprint_touches_its_series_and_their_issues(catalog, touched, house, bystanders):
    _, imprint, _, series, issues = house
    after = touched(catalog.update, imprint, {"name": "Another Line"})
    assert after.modified == keys(imprint, series[0], issues[0])
    assert after.lists == keys(series[0])
    assert touched(catalog.update, imprint, {"founded": 1990}).modified == keys(imprint)


def test_m11_deleting_an_imprint_touches_its_series_and_their_issues(catalog, touched, house, bystanders):
    _, imprint, _, series, issues = house
    after = touched(catalog.delete, imprint)
    assert after.modified == keys(series[0], issues[0])
    assert after.lists == keys(series[0])


# M12, M13: what issues and others show of a series, and what others show of an issue.


@pytest.fixture
def neighbours(catalog, make, issue, series):
    """A series associated with `series`, with an issue, and an issue elsewhere that reprints `issue`."""
    associated = make.series(associated=[series])
    return associated, make.issue(series=associated), make.issue(reprints=[issue])


@pytest.mark.parametrize("values", [{"name": "N"}, {"sort_name": "N"}, {"year_began": 1999}, {"series_type": 10}])
def test_m12_the_label_of_a_series_touches_its_issues_associated_series_and_reprints(
    catalog, touched, series, issue, bystanders, neighbours, values
):
    associated, _, reprint = neighbours
    after = touched(catalog.update, series, values)
    assert after.modified == keys(series, issue, bystanders[0], associated, reprint)
    assert after.lists == keys(series) | {("series", reprint.series_id)}


@pytest.mark.parametrize("values", [{"alt_names": ["N"]}, {"volume": 7}, {"language": "it"}, {"genres": [1]}])
def test_m12_other_embedded_fields_touch_the_issues_of_that_series_alone(
    catalog, touched, series, issue, bystanders, neighbours, values
):
    after = touched(catalog.update, series, values)
    assert after.modified == keys(series, issue, bystanders[0])
    assert after.lists == keys(series)


def test_m12_another_publisher_or_imprint_touches_the_issues_of_that_series_alone(
    catalog, make, touched, series, issue, bystanders, neighbours
):
    imprint = make.imprint()
    after = touched(catalog.update, series, {"publisher": imprint.publisher_id})
    assert after.modified == keys(series, issue, bystanders[0])
    after = touched(catalog.update, series, {"imprint": imprint.id})
    assert after.modified == keys(series, issue, bystanders[0])


@pytest.mark.parametrize("values", [{"desc": "N"}, {"status": 2}, {"year_end": 2022}, {"collection": True}, {}])
def test_m12_fields_that_issues_do_not_show_touch_no_issue(
    catalog, touched, series, issue, bystanders, neighbours, values
):
    after = touched(catalog.update, series, values)
    assert after.modified == keys(series)
    assert after.lists == set()


def test_m12_deleting_a_series_touches_those_associated_and_reprinting(
    catalog, touched, series, bystanders, neighbours
):
    associated, _, reprint = neighbours
    after = touched(catalog.delete, series)
    assert after.modified == keys(associated, reprint)
    assert after.lists == {("series", reprint.series_id)}


@pytest.mark.parametrize(
    "values", [{"number": "5"}, {"cover_date": date(2021, 1, 1)}, {"store_date": date(2021, 1, 1)}]
)
def test_m13_label_and_place_of_an_issue_touch_its_reprints(
    catalog, touched, issue, series, bystanders, neighbours, values
):
    reprint = neighbours[2]
    after = touched(catalog.update, issue, values)
    assert after.modified == keys(issue, series, reprint)
    assert after.lists == keys(series) | {("series", reprint.series_id)}


@pytest.mark.parametrize("values", [{"alt_number": "5"}, {"title": "T"}, {"foc_date": date(2020, 1, 1)}, {}])
def test_m13_other_fields_of_an_issue_touch_no_reprint(
    catalog, touched, issue, series, bystanders, neighbours, values
):
    assert touched(catalog.update, issue, values).modified == keys(issue, series)


def test_m13_moving_an_issue_touches_its_reprints(catalog, make, touched, issue, series, neighbours):
    other = make.series()
    after = touched(catalog.update, issue, {"series": other.id})
    assert after.modified == keys(issue, series, other, neighbours[2])


# M14, M15: reference data.


@pytest.mark.parametrize("write", ["update", "delete"])
def test_m14_renaming_or_deleting_a_genre_touches_its_series_and_their_issues(
    catalog, session, touched, series, issue, bystanders, write
):
    catalog.update(series, {"genres": [1, 2]})
    genre = session.get(models.Genre, 1)
    if write == "update":
        after = touched(catalog.update, genre, {"name": "Renamed"})
        assert after.modified - keys(genre) == keys(series, issue, bystanders[0])
    else:
        after = touched(catalog.delete, genre)
        assert after.modified == keys(series, issue, bystanders[0])
    assert after.lists == keys(series)


def test_m15_renaming_a_series_type_touches_its_series_and_their_issues(
    catalog, make, touched, issue, series, bystanders, neighbours
):
    reprint = neighbours[2]
    kind = make.series_type("annual")
    catalog.update(series, {"series_type": kind.id})
    after = touched(catalog.update, kind, {"name": "Yearbook"})
    assert after.modified == keys(kind, series, issue, bystanders[0])
    assert ("issue", reprint.id) not in after.modified  # its label does not show the type's name


def test_m15_another_code_of_a_series_type_changes_labels_and_touches_those_who_show_them(
    catalog, make, touched, issue, series, bystanders, neighbours
):
    associated, _, reprint = neighbours
    catalog.delete(make.series_type("hardcover"))
    kind = make.series_type("annual")
    catalog.update(series, {"series_type": kind.id})
    after = touched(catalog.update, kind, {"code": "hardcover"})
    assert after.modified == keys(kind, series, issue, bystanders[0], associated, reprint)
    assert after.lists == keys(series) | {("series", reprint.series_id)}


@pytest.mark.parametrize("write", ["update", "delete"])
def test_m15_renaming_or_deleting_an_age_rating_touches_its_issues_but_not_their_series(
    catalog, session, touched, issue, series, bystanders, write
):
    catalog.update(issue, {"rating": 3})
    rating = session.get(models.AgeRating, 3)
    arguments = (rating, {"name": "Youth"}) if write == "update" else (rating,)
    after = touched(getattr(catalog, write), *arguments)
    assert after.modified - {("age_rating", 3)} == keys(issue)
    assert after.lists == keys(series)


@pytest.mark.parametrize("values", [{"name": "Scribe"}, {"order": 5}])
def test_m15_renaming_or_reordering_a_role_touches_the_issues_with_a_credit_in_it(
    catalog, make, touched, issue, series, bystanders, values
):
    make.credit(issue, make.creator(), "Writer")
    make.credit(bystanders[1], make.creator(), "Inker")
    role = make.role("Writer")
    assert touched(catalog.update, role, values).modified == keys(role, issue)


def test_m15_notes_of_reference_data_touch_nothing_else(catalog, make, session, touched, series, issue):
    catalog.update(series, {"genres": [1]})
    make.credit(issue, make.creator(), "Writer")
    for entity, values in (
        (make.role("Writer"), {"notes": "N"}),
        (session.get(models.Genre, 1), {"desc": "N"}),
        (session.get(models.SeriesType, series.series_type_id), {"notes": "N"}),
        (session.get(models.AgeRating, issue.rating_id), {"description": "N"}),
    ):
        assert touched(catalog.update, entity, values).modified == keys(entity)


# M16: names that others embed.


def test_m16_renaming_a_character_touches_its_issues_but_not_their_series(
    catalog, make, touched, issue, series, bystanders
):
    character, team = make.character(), make.team()
    catalog.update(character, {"teams": [team.id]})
    catalog.update(issue, {"characters": [character.id], "teams": [team.id]})
    after = touched(catalog.update, character, {"name": "Somebody Else"})
    assert after.modified == keys(character, issue)
    assert after.names == keys(character)
    assert after.lists == keys(character, team, series)  # their rows show the issue's `modified`


def test_m16_renaming_an_arc_touches_its_issues(catalog, make, touched, issue, series, bystanders):
    arc = make.arc()
    catalog.update(issue, {"arcs": [arc.id]})
    after = touched(catalog.update, arc, {"name": "Another Tale"})
    assert after.modified == keys(arc, issue)
    assert after.lists == keys(arc, series)


def test_m16_renaming_a_team_touches_its_issues_and_characters(
    catalog, make, touched, issue, series, bystanders
):
    team = make.team()
    character = make.character(teams=[team])
    catalog.update(issue, {"teams": [team.id]})
    assert touched(catalog.update, team, {"name": "The Others"}).modified == keys(team, issue, character)


@pytest.mark.parametrize("values", [{"name": "Elsewhere"}, {"designation": "Earth 9"}])
def test_m16_name_and_designation_of_a_universe_touch_its_issues_characters_and_teams(
    catalog, make, touched, issue, series, bystanders, values
):
    universe = make.universe()
    team, character = make.team(universes=[universe]), make.character(universes=[universe])
    catalog.update(issue, {"universes": [universe.id]})
    after = touched(catalog.update, universe, values)
    assert after.modified == keys(universe, issue, team, character)
    assert after.names == (keys(universe) if "name" in values else set())


def test_m16_renaming_a_creator_touches_credited_issues_characters_and_teams(
    catalog, make, touched, issue, series, bystanders
):
    creator = make.creator()
    team, character = make.team(creators=[creator]), make.character(creators=[creator])
    make.credit(issue, creator, "Writer")
    after = touched(catalog.update, creator, {"name": "A. Pseudonym"})
    assert after.modified == keys(creator, issue, team, character)
    assert after.names == keys(creator)


@pytest.mark.parametrize("kind", ["arc", "character", "team", "universe", "creator"])
def test_m16_a_description_touches_nothing_else(catalog, make, touched, issue, kind):
    entity = getattr(make, kind)()
    if kind == "creator":
        make.credit(issue, entity, "Writer")
    else:
        catalog.update(issue, {f"{kind}s": [entity.id]})
    after = touched(catalog.update, entity, {"desc": "Words.", "image": "x/y.png"})
    assert after.modified == keys(entity)
    assert after.names == after.lists == set()


# M17: links among the others.


@pytest.mark.parametrize(
    ("owner", "kind"),
    [
        *[("character", kind) for kind in ("creator", "team", "universe")],
        *[("team", kind) for kind in ("creator", "universe")],
    ],
)
def test_m17_links_touch_the_owning_row_alone(catalog, make, touched, bystanders, owner, kind):
    entity, partner = getattr(make, owner)(), getattr(make, kind)()
    field = f"{kind}s"
    assert touched(catalog.update, entity, {field: [partner.id]}).modified == keys(entity)
    assert touched(catalog.update, entity, {field: []}).modified == keys(entity)
    catalog.update(entity, {field: [partner.id]})
    assert touched(catalog.delete, partner).modified == keys(entity)
    assert touched(getattr(make, owner), **{field: [getattr(make, kind)()]}).modified == set()


def test_m17_associating_series_touches_both_and_no_issue(catalog, make, touched, series, issue, bystanders):
    other = make.series()
    make.issue(series=other)
    assert touched(catalog.update, series, {"associated": [other.id]}).modified == keys(series, other)
    third = make.series()
    after = touched(catalog.update, series, {"associated": [third.id]})
    assert after.modified == keys(series, other, third)
    after = touched(catalog.update, third, {"associated": []})
    assert after.modified == keys(series, third)


# M22: stars.


def test_m22_rating_moves_the_rating_stamps_of_issue_and_series_and_no_modified(
    make, session, touched, issue, series, bystanders
):
    after = touched(rate, session, issue, make.user().id, 5, today=TODAY)
    assert after.rated == keys(issue, series)
    assert after.modified == after.lists == set()


def test_m22_a_rated_issue_that_is_deleted_moves_its_series_figures(
    catalog, make, session, touched, issue, series, bystanders
):
    rate(session, issue, make.user().id, 5, today=TODAY)
    assert touched(catalog.delete, issue).rated == keys(series)
    assert series.average_rating is None
    assert touched(catalog.delete, bystanders[0]).rated == set()  # nobody had rated it


def test_m22_a_rated_issue_that_moves_takes_its_stars_along(
    catalog, make, session, touched, issue, series, bystanders
):
    other = make.series()
    rate(session, issue, make.user().id, 5, today=TODAY)
    assert touched(catalog.update, issue, {"series": other.id}).rated == keys(series, other)
    session.expire_all()
    assert (series.average_rating, other.average_rating) == (None, 5.0)
    assert touched(catalog.update, bystanders[0], {"series": other.id}).rated == set()


# M23: attributions.


@pytest.mark.parametrize("kind", [model.__tablename__ for model in models.CATALOGUE])
def test_m23_attributions_touch_their_owner(catalog, make, touched, kind):
    entity = getattr(make, kind)()
    own = keys(entity) | ({("series", entity.series_id)} if kind == "issue" else set())
    one, two = ({"source": "W", "url": f"https://{name}.example/"} for name in "ab")
    for wanted in ([one], [one, two], [two], []):
        assert touched(catalog.update, entity, {"attributions": wanted}).modified == own


# M24: the second stamp.


def test_m24_every_move_of_an_issue_moves_the_second_stamp_of_all_that_list_it(
    catalog, make, touched, series, bystanders
):
    arc, character, team, universe = make.arc(), make.character(), make.team(), make.universe()
    creator = make.creator()
    issue = make.issue(
        series=series,
        number="2",
        arcs=[arc],
        characters=[character],
        teams=[team],
        universes=[universe],
        credits=[{"creator": creator.id, "roles": [1]}],
    )
    listing = keys(arc, character, team, series)
    assert touched(catalog.update, issue, {"desc": "Words."}).lists == listing
    assert touched(catalog.update, creator, {"name": "Renamed"}).lists == listing
    assert touched(catalog.update, universe, {"name": "Renamed"}).lists == listing
    after = touched(catalog.update, make.role("Writer"), {"name": "Renamed"})
    assert after.lists == listing
    assert after.modified & listing == set()


def test_m24_an_arcs_own_modified_stays_when_one_of_its_issues_is_edited(
    catalog, make, touched, issue, series
):
    arc = make.arc()
    catalog.update(issue, {"arcs": [arc.id]})
    after = touched(catalog.update, issue, {"number": "7"})
    assert after.modified == keys(issue, series)
    assert after.lists == keys(arc, series)


def test_m24_renaming_a_series_moves_the_lists_its_issues_are_in(catalog, make, touched, issue, series):
    arc, idle = make.arc(), make.arc()
    catalog.update(issue, {"arcs": [arc.id]})
    after = touched(catalog.update, series, {"name": "Renamed"})
    assert after.lists == keys(arc, series)
    assert ("arc", idle.id) not in after.modified | after.lists


# General rules.


def test_a_change_in_one_series_touches_no_issue_of_another(catalog, make, touched, series, issue):
    arc, character = make.arc(), make.character()
    elsewhere = make.issue(arcs=[arc], characters=[character])
    catalog.update(issue, {"arcs": [arc.id], "characters": [character.id]})
    for write in (
        (catalog.update, issue, {"number": "8"}),
        (catalog.update, series, {"name": "Renamed", "volume": 4}),
        (make.issue,),
        (catalog.delete, issue),
        (catalog.delete, series),
    ):
        function, *arguments = write
        named = {"series": series, "number": "9"} if function == make.issue else {}
        assert ("issue", elsewhere.id) not in touched(function, *arguments, **named).modified


def test_a_stamp_that_lies_in_the_future_still_grows(catalog, session, touched, issue):
    session.execute(text("UPDATE issue SET modified = '2100-01-01' WHERE id = :id"), {"id": issue.id})
    assert ("issue", issue.id) in touched(catalog.update, issue, {"page": 3}).modified
    row = World(session).rows["issue"][issue.id]
    assert row["modified"].isoformat() == "2100-01-01T00:00:00.000001+00:00"
    assert row["modified_before"].isoformat() == "2100-01-01T00:00:00+00:00"


def test_what_a_savepoint_did_that_the_caller_rolled_back_did_not_happen(catalog, make, session):
    kept, gone = make.arc(), make.arc()
    session.commit()
    before = World(session)
    lines = session.scalar(text("SELECT count(*) FROM change_log"))
    savepoint = session.begin_nested()
    catalog.delete(gone)
    catalog.update(kept, {"name": "Regretted"})
    savepoint.rollback()
    session.commit()
    after = World(session)
    assert (after.rows, after.versions) == (before.rows, before.versions)
    assert session.scalar(text("SELECT count(*) FROM change_log")) == lines
    assert kept.modified == before.rows["arc"][kept.id]["modified"]


def test_what_a_released_savepoint_did_counts(catalog, make, session):
    gone = make.arc()
    before = World(session).versions["arc"]
    with session.begin_nested():
        catalog.delete(gone)
    session.commit()
    assert World(session).versions["arc"] == before + 1
    assert session.scalar(text("SELECT action FROM change_log ORDER BY seq DESC LIMIT 1")) == "delete"
