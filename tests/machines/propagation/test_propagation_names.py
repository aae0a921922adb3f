"""Propagation of names and labels that others show: each write moves exactly the stamps that depend on it."""

from datetime import date
from typing import NamedTuple

import pytest

from comicsdb import models
from tests.machines.propagation.moved_stamps import keys

pytestmark = pytest.mark.usefixtures("bystanders")

# Names of publishers and imprints.


@pytest.fixture
def house(make):
    """A publisher with an imprint, a universe, and two series with one issue each, one without an imprint."""
    with make.single_commit():
        publisher = make.publisher()
        imprint, universe = make.imprint(publisher=publisher), make.universe(publisher=publisher)
        series = [make.series(publisher=publisher, imprint=imprint), make.series(publisher=publisher)]
        issues = [make.issue(series=each) for each in series]
    return publisher, imprint, universe, series, issues


def test_renaming_a_publisher_touches_its_imprints_universes_series_and_their_issues(write, house):
    publisher, imprint, universe, series, issues = house
    after = write.update(publisher, {"name": "Another House"})
    assert after.modified == keys(publisher, imprint, universe, *series, *issues)
    assert after.lists == keys(*series)


@pytest.mark.parametrize("values", [{"desc": "New"}, {"image": "p/x.png"}, {"alt_names": ["X"]}, {}])
def test_other_fields_of_a_publisher_touch_nothing_else(write, house, values):
    publisher, *_ = house
    assert write.update(publisher, values).modified == keys(publisher)


def test_the_same_name_again_touches_nothing_else(write, house):
    publisher, *_ = house
    assert write.update(publisher, {"name": publisher.name}).modified == keys(publisher)


def test_deleting_a_publisher_touches_what_showed_its_universes_and_issues(write, make, house):
    publisher, _, universe, series, issues = house
    team, character = make.team(universes=[universe]), make.character(universes=[universe])
    elsewhere = make.series(associated=[series[0]])
    reprint = make.issue(series=elsewhere, reprints=[issues[0]], universes=[universe])
    arc = make.arc()
    write.update(issues[1], {"arcs": [arc.id]})
    after = write.delete(publisher)
    assert after.modified == keys(team, character, elsewhere, reprint, arc)
    assert after.lists == keys(elsewhere, arc)


def test_renaming_an_imprint_touches_its_series_and_their_issues(write, house):
    _, imprint, _, series, issues = house
    after = write.update(imprint, {"name": "Another Line"})
    assert after.modified == keys(imprint, series[0], issues[0])
    assert after.lists == keys(series[0])
    assert write.update(imprint, {"founded": 1990}).modified == keys(imprint)


def test_deleting_an_imprint_touches_its_series_and_their_issues(write, house):
    _, imprint, _, series, issues = house
    after = write.delete(imprint)
    assert after.modified == keys(series[0], issues[0])
    assert after.lists == keys(series[0])


# Fields of series and issues that other objects show.


class Family(NamedTuple):
    """A series with its issues, a series associated with it, and an issue that reprints one of its own."""

    series: models.Series
    issues: tuple
    associated: models.Series
    reprint: models.Issue

    @property
    def lists(self) -> set[tuple[str, int]]:
        """The two series whose issue lists show an issue of the family or its reprint."""
        return keys(self.series) | {("series", self.reprint.series_id)}


@pytest.fixture
def family(make, issue, series, sibling):
    with make.single_commit():
        associated = make.series(associated=[series])
        make.issue(series=associated)
        reprint = make.issue(reprints=[issue])
    return Family(series, (issue, sibling), associated, reprint)


LABEL = [{"name": "N"}, {"sort_name": "N"}, {"year_began": 1999}, {"series_type": 10}]
EMBEDDED = [{"alt_names": ["N"]}, {"volume": 7}, {"language": "it"}, {"genres": [1]}]
NOT_EMBEDDED = [{"desc": "N"}, {"status": 2}, {"year_end": 2022}, {"collection": True}, {}]


@pytest.mark.parametrize("values", LABEL)
def test_the_label_of_a_series_touches_its_issues_associated_series_and_reprints(write, family, values):
    after = write.update(family.series, values)
    assert after.modified == keys(family.series, *family.issues, family.associated, family.reprint)
    assert after.lists == family.lists


@pytest.mark.parametrize("values", EMBEDDED)
def test_other_embedded_fields_touch_the_issues_of_that_series_alone(write, family, values):
    after = write.update(family.series, values)
    assert after.modified == keys(family.series, *family.issues)
    assert after.lists == keys(family.series)


def test_another_publisher_or_imprint_touches_the_issues_of_that_series_alone(make, write, family):
    imprint = make.imprint()
    for values in ({"publisher": imprint.publisher_id}, {"imprint": imprint.id}):
        assert write.update(family.series, values).modified == keys(family.series, *family.issues)


@pytest.mark.parametrize("values", NOT_EMBEDDED)
def test_fields_that_issues_do_not_show_touch_no_issue(write, family, values):
    after = write.update(family.series, values)
    assert after.modified == keys(family.series)
    assert after.lists == set()


def test_deleting_a_series_touches_those_associated_and_reprinting(write, family):
    after = write.delete(family.series)
    assert after.modified == keys(family.associated, family.reprint)
    assert after.lists == {("series", family.reprint.series_id)}


PLACE = [
    {"number": "5"},
    {"cover_date": date(2021, 1, 1)},
    {"cover_date": None},
    {"store_date": date(2021, 1, 1)},
]
ELSE = [{"alt_number": "5"}, {"title": "T"}, {"foc_date": date(2020, 1, 1)}, {}]


@pytest.mark.parametrize("values", PLACE)
def test_label_and_place_of_an_issue_touch_its_reprints(write, family, values):
    issue = family.issues[0]
    after = write.update(issue, values)
    assert after.modified == keys(issue, family.series, family.reprint)
    assert after.lists == family.lists


@pytest.mark.parametrize("values", ELSE)
def test_other_fields_of_an_issue_touch_no_reprint(write, family, values):
    issue = family.issues[0]
    assert write.update(issue, values).modified == keys(issue, family.series)


def test_moving_an_issue_touches_its_reprints(make, write, family):
    issue, other = family.issues[0], make.series()
    after = write.update(issue, {"series": other.id})
    assert after.modified == keys(issue, family.series, other, family.reprint)


# Reference data.


def test_renaming_a_genre_touches_its_series_and_their_issues(session, write, family):
    write.update(family.series, {"genres": [1, 2]})
    genre = session.get(models.Genre, 1)
    after = write.update(genre, {"name": "Renamed"})
    assert after.modified == keys(genre, family.series, *family.issues)
    assert after.lists == keys(family.series)


def test_deleting_a_genre_touches_its_series_and_their_issues(session, write, family):
    write.update(family.series, {"genres": [1, 2]})
    after = write.delete(session.get(models.Genre, 1))
    assert after.modified == keys(family.series, *family.issues)
    assert after.lists == keys(family.series)


def test_renaming_a_series_type_touches_its_series_and_their_issues(make, write, family):
    form = make.series_type("annual")
    write.update(family.series, {"series_type": form.id})
    after = write.update(form, {"name": "Yearbook"})
    assert after.modified == keys(form, family.series, *family.issues)  # labels do not show the name


def test_another_code_of_a_series_type_changes_labels_and_touches_those_who_show_them(make, write, family):
    write.delete(make.series_type("hardcover"))
    form = make.series_type("annual")
    write.update(family.series, {"series_type": form.id})
    after = write.update(form, {"code": "hardcover"})
    assert after.modified == keys(form, family.series, *family.issues, family.associated, family.reprint)
    assert after.lists == family.lists


def test_renaming_an_age_rating_touches_its_issues_but_not_their_series(session, write, issue, series):
    rating = session.get(models.AgeRating, 3)
    write.update(issue, {"rating": 3})
    after = write.update(rating, {"name": "Youth"})
    assert after.modified == keys(rating, issue)
    assert after.lists == keys(series)


def test_deleting_an_age_rating_touches_its_issues_but_not_their_series(session, write, issue, series):
    write.update(issue, {"rating": 3})
    after = write.delete(session.get(models.AgeRating, 3))
    assert after.modified == keys(issue)
    assert after.lists == keys(series)


@pytest.mark.parametrize("values", [{"name": "Scribe"}, {"order": 5}])
def test_renaming_or_reordering_a_role_touches_the_issues_with_a_credit_in_it(
    write, make, issue, elsewhere, values
):
    make.credit(issue, make.creator(), "Writer")
    make.credit(elsewhere, make.creator(), "Inker")
    role = make.role("Writer")
    assert write.update(role, values).modified == keys(role, issue)


def test_notes_of_reference_data_touch_nothing_else(write, make, session, series, issue):
    write.update(series, {"genres": [1]})
    make.credit(issue, make.creator(), "Writer")
    for entity, values in (
        (make.role("Writer"), {"notes": "N"}),
        (session.get(models.Genre, 1), {"desc": "N"}),
        (session.get(models.SeriesType, series.series_type_id), {"notes": "N"}),
        (session.get(models.AgeRating, issue.rating_id), {"description": "N"}),
    ):
        assert write.update(entity, values).modified == keys(entity)


# Names that others embed.


def test_renaming_a_character_touches_its_issues_but_not_their_series(write, make, issue, series):
    character, team = make.character(), make.team()
    write.update(character, {"teams": [team.id]})
    write.update(issue, {"characters": [character.id], "teams": [team.id]})
    after = write.update(character, {"name": "Somebody Else"})
    assert after.modified == keys(character, issue)
    assert after.names == keys(character)
    assert after.lists == keys(character, team, series)  # their rows show the issue's `modified`


def test_renaming_an_arc_touches_its_issues(write, make, issue, series):
    arc = make.arc()
    write.update(issue, {"arcs": [arc.id]})
    after = write.update(arc, {"name": "Another Tale"})
    assert after.modified == keys(arc, issue)
    assert after.lists == keys(arc, series)


def test_renaming_a_team_touches_its_issues_and_characters(write, make, issue, series):
    team = make.team()
    character = make.character(teams=[team])
    write.update(issue, {"teams": [team.id]})
    assert write.update(team, {"name": "The Others"}).modified == keys(team, issue, character)


@pytest.mark.parametrize("values", [{"name": "Elsewhere"}, {"designation": "Earth 9"}])
def test_name_and_designation_of_a_universe_touch_its_issues_characters_and_teams(
    write, make, issue, series, values
):
    universe = make.universe()
    team, character = make.team(universes=[universe]), make.character(universes=[universe])
    write.update(issue, {"universes": [universe.id]})
    after = write.update(universe, values)
    assert after.modified == keys(universe, issue, team, character)
    assert after.names == (keys(universe) if "name" in values else set())


def test_renaming_a_creator_touches_credited_issues_characters_and_teams(write, make, issue, series):
    creator = make.creator()
    team, character = make.team(creators=[creator]), make.character(creators=[creator])
    make.credit(issue, creator, "Writer")
    after = write.update(creator, {"name": "A. Pseudonym"})
    assert after.modified == keys(creator, issue, team, character)
    assert after.names == keys(creator)


@pytest.mark.parametrize("kind", ["arc", "character", "team", "universe", "creator"])
def test_a_description_touches_nothing_else(write, make, issue, kind):
    entity = getattr(make, kind)()
    if kind == "creator":
        make.credit(issue, entity, "Writer")
    else:
        write.update(issue, {f"{kind}s": [entity.id]})
    after = write.update(entity, {"desc": "Words.", "image": "x/y.png"})
    assert after.modified == keys(entity)
    assert after.names == after.lists == set()


# Links between other kinds.


@pytest.mark.parametrize(
    ("owner", "kind"),
    [
        *[("character", kind) for kind in ("creator", "team", "universe")],
        *[("team", kind) for kind in ("creator", "universe")],
    ],
)
def test_links_touch_the_owning_row_alone(write, make, owner, kind):
    entity, partner = getattr(make, owner)(), getattr(make, kind)()
    field = f"{kind}s"
    assert write.update(entity, {field: [partner.id]}).modified == keys(entity)
    assert write.update(entity, {field: []}).modified == keys(entity)
    write.update(entity, {field: [partner.id]})
    assert write.delete(partner).modified == keys(entity)
    assert write.run(getattr(make, owner), **{field: [getattr(make, kind)()]}).modified == set()


def test_associating_series_touches_both_and_no_issue(write, make, series, issue):
    other = make.series()
    make.issue(series=other)
    assert write.update(series, {"associated": [other.id]}).modified == keys(series, other)
    third = make.series()
    after = write.update(series, {"associated": [third.id]})
    assert after.modified == keys(series, other, third)
    after = write.update(third, {"associated": []})
    assert after.modified == keys(series, third)
