"""Dates of birth and death that are known to the month or year only: written, read, compared, reverted."""

from datetime import date
from itertools import pairwise

import pytest
from mokkari.schemas.creator import Creator

from comicsdb.catalog.history.diff import compare
from comicsdb.catalog.history.revert import preview_revert
from comicsdb.models import History


def _birth(answer):
    return answer["birth"], answer["birth_precision"]


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("1917", ("1917-01-01", "year")),
        ("1917-08", ("1917-08-01", "month")),
        ("1917-08-28", ("1917-08-28", "day")),
        (None, (None, "day")),
    ],
)
def test_a_date_known_in_part(writer, sent, shown):
    made = writer.post("/api/creator/", json={"name": "Ada", "birth": sent})
    path = f"/api/creator/{made['id']}/"
    detail = writer.json(path)
    assert _birth(detail) == _birth(made) == shown
    assert (detail["death"], detail["death_precision"]) == (None, "day")
    born = Creator.model_validate(detail).birth
    assert (born and born.isoformat()) == shown[0]
    # A client that sends back what it has read changes nothing; other dates are known to the day.
    assert _birth(writer.patch(path, json={"birth": shown[0]})) == shown
    assert _birth(writer.patch(path, json={"name": "Ida"})) == shown
    assert _birth(writer.patch(path, json={"birth": "1920-02-03"})) == ("1920-02-03", "day")
    assert _birth(writer.patch(path, json={"birth_precision": "month"})) == ("1920-02-01", "month")
    assert _birth(writer.patch(path, form={"birth": ""})) == (None, "day")
    assert _birth(writer.patch(path, json={"birth_precision": "year"})) == (None, "day")


def test_what_is_refused(writer):
    for sent in ("1917-13", "17", "1917-08-00"):
        said = writer.post("/api/creator/", 400, json={"name": "Ada", "birth": sent})
        assert said["birth"][0].startswith("Date has wrong format.")
    for known in ("none", "era"):
        body = {"name": "Ada", "birth": "1917", "birth_precision": known}
        said = writer.post("/api/creator/", 400, json=body)
        assert said == {"birth_precision": [f'"{known}" is not a valid choice.']}


def test_history_shows_and_restores_what_is_known(make, session):
    creator = make.creator(name="Ada", birth=date(1917, 8, 1))
    first = date(1917, 1, 1)
    for day, known in ((date(1917, 8, 1), "month"), (first, "year"), (None, "day"), (first, "day")):
        make.catalog.update(creator, {"birth": day, "birth_precision": known})
        session.commit()
    rows = session.query(History).filter_by(kind="creator", object_id=creator.id).order_by(History.id)
    states = [each.snapshot for each in rows]
    shown = [
        (each.field, each.old, each.new) for (each,) in compare(session, "creator", list(pairwise(states)))
    ]
    assert shown == [
        ("birth", date(1917, 8, 1), "1917-08"),
        ("birth", "1917-08", "1917"),
        ("birth", "1917", None),
        ("birth", None, first),
    ]
    back = preview_revert(session, None, creator, states[1])
    assert (back.target["birth"], back.target["birth_precision"]) == ("1917-08-01", "month")
    older = {name: value for name, value in states[1].items() if not name.endswith("_precision")}
    back = preview_revert(session, None, creator, older)
    assert (back.target["birth"], back.target["birth_precision"]) == ("1917-08-01", "day")
