"""Propagation of issues, their links and parts: each write moves exactly the stamps that depend on it.

`write.update(...)` and similar calls commit and return whose stamps moved, without new and deleted objects.
"""

import pytest
from sqlalchemy import text

from comicsdb import models
from tests.machines.propagation.moved_stamps import keys

pytestmark = pytest.mark.usefixtures("bystanders")

# An issue and its series.


def test_creating_an_issue_touches_its_series_alone(make, write, series):
    after = write.run(make.issue, series=series, number="2")
    assert after.modified == keys(series)
    assert after.lists == keys(series)


def test_changing_an_issue_touches_itself_and_its_series(write, issue, series):
    after = write.update(issue, {"page": 32})
    assert after.modified == keys(issue, series)
    assert after.lists == keys(series)


def test_an_empty_update_counts_as_a_change(write, issue, series):
    assert write.update(issue, {}).modified == keys(issue, series)


def test_deleting_an_issue_touches_its_series(write, issue, series):
    after = write.delete(issue)
    assert after.modified == keys(series)
    assert after.lists == keys(series)


def test_moving_an_issue_touches_both_series(write, make, issue, series):
    other = make.series()
    after = write.update(issue, {"series": other.id})
    assert after.modified == keys(issue, series, other)
    assert after.lists == keys(series, other)


# Links of an issue.

LISTED = ["arc", "character", "team"]


@pytest.mark.parametrize("kind", LISTED)
def test_linking_touches_the_issue_and_those_linked(write, make, issue, series, kind):
    kept, gone, come = (getattr(make, kind)() for _ in range(3))
    write.update(issue, {f"{kind}s": [kept.id, gone.id]})
    after = write.update(issue, {f"{kind}s": [kept.id, come.id]})
    assert after.modified == keys(issue, series, gone, come)
    assert after.lists == keys(series, kept, gone, come)


@pytest.mark.parametrize("kind", LISTED)
def test_clearing_a_link_set_touches_the_former_partners(write, make, issue, series, kind):
    one, two = getattr(make, kind)(), getattr(make, kind)()
    write.update(issue, {f"{kind}s": [one.id, two.id]})
    after = write.update(issue, {f"{kind}s": []})
    assert after.modified == keys(issue, series, one, two)
    assert after.lists == keys(series, one, two)


@pytest.mark.parametrize("kind", LISTED)
def test_an_issue_that_comes_or_goes_touches_those_it_is_linked_to(write, make, series, session, kind):
    partner = getattr(make, kind)()
    after = write.run(make.issue, series=series, number="2", **{f"{kind}s": [partner]})
    assert after.modified == after.lists == keys(series, partner)
    issue = session.query(models.Issue).order_by(models.Issue.id.desc()).first()
    after = write.delete(issue)
    assert after.modified == after.lists == keys(series, partner)


@pytest.mark.parametrize("kind", LISTED)
def test_deleting_a_partner_touches_its_issues_but_not_their_series(write, make, issue, series, kind):
    partner = getattr(make, kind)()
    write.update(issue, {f"{kind}s": [partner.id]})
    after = write.delete(partner)
    assert after.modified == keys(issue)
    assert after.lists == keys(series)


@pytest.mark.parametrize("kind", LISTED)
def test_deleting_a_series_touches_the_partners_of_its_issues(write, make, issue, series, kind):
    partner = getattr(make, kind)()
    write.update(issue, {f"{kind}s": [partner.id]})
    after = write.delete(series)
    assert after.modified == after.lists == keys(partner)


def test_universes_touch_the_issue_only(write, make, issue, series):
    one, two = make.universe(), make.universe()
    assert write.update(issue, {"universes": [one.id]}).modified == keys(issue, series)
    assert write.update(issue, {"universes": [two.id]}).modified == keys(issue, series)
    assert write.delete(two).modified == keys(issue)


def test_reprints_touch_both_issues_but_not_the_partners_series(write, make, issue, series):
    partner = make.issue()
    arc = make.arc()
    write.update(partner, {"arcs": [arc.id]})
    after = write.update(issue, {"reprints": [partner.id]})
    assert after.modified == keys(issue, series, partner)
    assert after.lists == keys(series, arc) | {("series", partner.series_id)}
    after = write.update(partner, {"reprints": []})
    assert after.modified == keys(issue, partner) | {("series", partner.series_id)}


def test_deleting_an_issue_touches_what_it_reprints(write, make, issue, series):
    partner = make.issue(reprints=[issue])
    after = write.delete(partner)
    assert after.modified == keys(issue) | {("series", partner.series_id)}
    assert after.lists == keys(series) | {("series", partner.series_id)}


# Parts of an issue.


def test_variants_touch_their_issue(write, session, issue, series):
    foil = {"name": "Foil", "image": "variants/foil.png"}
    assert write.update(issue, {"variants": [foil]}).modified == keys(issue, series)
    foil["id"] = session.scalar(text("SELECT id FROM variant"))
    assert write.update(issue, {"variants": [foil | {"sku": "A"}]}).modified == keys(issue, series)
    assert write.update(issue, {"variants": []}).modified == keys(issue, series)


def test_credits_touch_their_issue_and_not_the_creator(write, make, issue, series):
    creator = make.creator()
    wanted = [{"creator": creator.id, "roles": []}]
    assert write.update(issue, {"credits": wanted}).modified == keys(issue, series)
    assert write.update(issue, {"credits": []}).modified == keys(issue, series)


def test_deleting_a_creator_touches_what_showed_it(write, make, issue, series):
    creator = make.creator()
    team, character = make.team(creators=[creator]), make.character(creators=[creator])
    make.credit(issue, creator, "Writer")
    after = write.delete(creator)
    assert after.modified == keys(issue, team, character)
    assert after.lists == keys(series)


def test_roles_of_a_credit_touch_its_issue(write, make, issue, series):
    creator = make.creator()
    write.update(issue, {"credits": [{"creator": creator.id, "roles": [1]}]})
    for roles in ([1, 2], [2], []):
        wanted = [{"creator": creator.id, "roles": roles}]
        assert write.update(issue, {"credits": wanted}).modified == keys(issue, series)


def test_deleting_a_role_touches_the_issues_with_a_credit_in_it(write, make, issue, series):
    make.credit(issue, make.creator(), "Writer", "Inker")
    assert write.delete(make.role("Inker")).modified == keys(issue)
