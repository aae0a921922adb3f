"""The clock is set back by a day, so that earlier writes have timestamps in the future."""

import pytest
from sqlalchemy import text


@pytest.fixture
def publisher(make, session):
    """A publisher that was modified a day ahead of the clock, with an epoch as far ahead."""
    made = make.publisher(name="Tomorrow")
    session.execute(
        text("UPDATE publisher SET modified = clock_timestamp() + interval '1 day' WHERE id = :id"),
        {"id": made.id},
    )
    session.execute(text("UPDATE epoch SET value = value + 86400 * 1000000::bigint"))
    session.commit()
    session.refresh(made)
    return made


def epoch(session) -> int:
    """The current epoch."""
    return session.scalar(text("SELECT sum(value) FROM epoch"))


def test_stamps_and_epochs_go_on_from_where_they_were(publisher, catalog, session):
    moments, before = [publisher.modified], epoch(session)
    for number in range(3):
        catalog.update(publisher, {"name": f"Tomorrow {number}"})
        session.commit()
        session.refresh(publisher)
        moments.append(publisher.modified)
    assert moments == sorted(set(moments))
    assert epoch(session) > before


def test_nobody_is_told_that_nothing_changed(publisher, writer):
    path = f"/api/publisher/{publisher.id}/"
    first = writer.get(path)
    for number, name in enumerate(("If-None-Match", "If-Modified-Since")):
        known = first.headers["ETag" if name == "If-None-Match" else "Last-Modified"]
        writer.patch(path, form={"name": f"Today {number}"})
        answer = writer.call("GET", path, headers={name: known})
        assert answer.json["name"] == f"Today {number}"
