"""Permissions: the table in the code against a table of who may do what, written by hand."""

from itertools import combinations

import pytest

from comicsdb.security import RULES, TABLE, Identity, Permission, delete_right, has_permission, make_identity

# Columns: nobody, user, editor, reading list editor, staff, superuser.
EXPECTED = """
api:schema             yes yes yes yes yes yes
api:use                no  yes yes yes yes yes
api:edit               no  no  yes no  no  yes
api:delete             no  no  no  no  no  yes
api:reference          no  no  no  no  no  yes
site:member            no  yes yes yes yes yes
entity:edit            no  yes yes yes yes yes
entity:delete          no  no  no  no  no  yes
entity:revert          no  no  yes no  yes yes
api:read               yes yes yes yes yes yes
api:library            no  yes yes yes yes yes
reading_list:official  no  no  no  yes yes yes
reading_list:source    no  no  no  no  yes yes
poll:delete            no  no  no  no  yes yes
admin:use              no  no  no  no  yes yes
admin:rights           no  no  no  no  no  yes
"""
ROWS = {name: answers for name, *answers in map(str.split, EXPECTED.strip().splitlines())}
ROLES = {
    "user": {},
    "editor": {"groups": {"editor"}},
    "reading list editor": {"groups": {"reading list editor"}},
    "staff": {"is_staff": True},
    "superuser": {"is_superuser": True},
}


def somebody(*roles: str) -> Identity:
    """An account with all given roles."""
    given = [ROLES[role] for role in roles]
    return Identity(
        7,
        "ann",
        is_staff=any("is_staff" in each for each in given),
        is_superuser=any("is_superuser" in each for each in given),
        groups=frozenset().union(*(each.get("groups", ()) for each in given)),
        method="token",
    )


PEOPLE = [None, *map(somebody, ROLES)]


@pytest.mark.parametrize("permission", ROWS)
def test_a_permission_is_had_by_those_who_should_have_it(permission):
    found = ["yes" if has_permission(who, permission) else "no" for who in PEOPLE]
    assert found == ROWS[permission]


def test_every_permission_is_in_the_table_and_none_besides():
    assert {*Permission} == TABLE.keys() == RULES.keys() == ROWS.keys()


def test_who_is_several_things_has_the_permissions_of_each():
    for first, second in combinations(ROLES, 2):
        for permission in Permission:
            either = has_permission(somebody(first), permission) or has_permission(
                somebody(second), permission
            )
            assert has_permission(somebody(first, second), permission) is either, (first, second, permission)


def test_a_group_of_another_name_is_nothing():
    who = Identity(7, "ann", is_staff=False, is_superuser=False, groups=frozenset({"Editor"}), method="token")
    assert not has_permission(who, Permission.API_EDIT)


def test_groups_give_the_right_to_delete_some_kinds_and_no_others(make, session):
    user = make.user("ann", groups=["editor", "reading list editor"])
    user.groups[0].may_delete = ["arc"]
    who = make_identity(user, "session")
    assert [has_permission(who, delete_right(kind)) for kind in ("arc", "issue")] == [True, False]
    assert not has_permission(who, Permission.DELETE)
    assert not has_permission(None, delete_right("arc"))


def test_a_permission_that_nobody_thought_of_is_for_superusers():
    assert [has_permission(who, "thing:merge") for who in PEOPLE] == [False] * 5 + [True]


@pytest.mark.parametrize(
    ("method", "shown"),
    [("basic", "basic"), ("session", "session"), ("token", "token"), ("oauth", "other"), ("", "other")],
)
def test_logs_know_the_methods_of_ours(method, shown):
    who = Identity(7, "ann", is_staff=False, is_superuser=False, groups=frozenset(), method=method)
    assert who.shown_method == shown
