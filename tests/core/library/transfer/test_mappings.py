"""Mappings of columns that an account remembers."""

from sqlalchemy import func, select

from comicsdb.library.transfer.mappings import MAPPINGS_MAX, remember_mapping, remembered_mapping
from comicsdb.models import ImportMapping


def test_mapping_is_remembered_for_the_same_headers_of_the_same_account(session, make):
    ann, bob = make.user("Ann"), make.user("Bob")
    remember_mapping(session, ann.id, ["was", "welche"], {"was": "series"})
    assert remembered_mapping(session, ann.id, ["welche", "was"]) == {"was": "series"}
    assert remembered_mapping(session, ann.id, ["was"]) == {}
    assert remembered_mapping(session, bob.id, ["was", "welche"]) == {}
    remember_mapping(session, ann.id, ["welche", "was"], {"was": "series", "welche": "number"})
    assert remembered_mapping(session, ann.id, ["was", "welche"]) == {"was": "series", "welche": "number"}
    remember_mapping(session, ann.id, ["was", "welche"], {})
    assert remembered_mapping(session, ann.id, ["was", "welche"]) == {}


def test_mapping_beyond_the_maximum_replaces_the_oldest(session, make):
    ann = make.user("Ann")
    for at in range(MAPPINGS_MAX):
        remember_mapping(session, ann.id, [f"column{at}"], {f"column{at}": "notes"})
    remember_mapping(session, ann.id, ["column0"], {"column0": "tags"})  # used again
    remember_mapping(session, ann.id, ["new"], {"new": "notes"})
    assert session.scalar(select(func.count()).select_from(ImportMapping)) == MAPPINGS_MAX
    assert remembered_mapping(session, ann.id, ["column0"]) == {"column0": "tags"}
    assert remembered_mapping(session, ann.id, ["column1"]) == {}
