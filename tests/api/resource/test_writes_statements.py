"""How many SQL statements a write takes: the same few, however much the object has."""

import pytest

from tests.api.resource.test_statements import world
from tests.api.writing import PICTURE_FILES
from tests.conftest import record_statements

# The most that a write of one object, or of one list of credits, may take: locks, rules, rows, editor and
# stamps, history with change log and versions, and the response.
MOST = 13


@pytest.fixture
def writer(writer):
    """A client whose password has just been verified, so that it is not hashed again."""
    writer.get("/api/")
    return writer


@pytest.mark.parametrize("size", [2, 12])
def test_the_cost_of_a_write_does_not_depend_on_how_much_there_is(writer, make, connection, size):
    ids = world(make, size)
    creators = [make.creator().id for _ in range(size)]
    found = {}

    def cost(name, write):
        with record_statements(connection) as statements:
            found["last"] = write()
        found[name] = len(statements)

    issue = {"series": ids["series"], "number": "new", "cover_date": "2020-01-01"}
    many = [{"issue": ids["issue"], "creator": each, "role": [1, 2]} for each in creators]
    cost("arc post", lambda: writer.post("/api/arc/", form={"name": "A"}))
    cost("arc patch", lambda: writer.patch(f"/api/arc/{ids['arc']}/", form={"desc": "A"}))
    cost("issue post", lambda: writer.post("/api/issue/", json=issue))
    cost("issue patch", lambda: writer.patch(f"/api/issue/{ids['issue']}/", json={"sku": "A"}))
    cost("credit post", lambda: writer.post("/api/credit/", json=many))
    cost(
        "variant post",
        lambda: writer.post("/api/variant/", form={"issue": ids["issue"]}, files=PICTURE_FILES),
    )
    variant = found.pop("last")["id"]
    cost("variant patch", lambda: writer.patch(f"/api/variant/{variant}/", json={"sku": "A"}))
    del found["last"]
    assert {name: number for name, number in found.items() if number > MOST} == {}
