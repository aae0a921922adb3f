"""Bodies with the fields that `fields` and `include` ask for."""

import pytest
from sqlalchemy import select

from comicsdb.catalog.errors import InvalidError
from comicsdb.db.read_pool import CompiledQuery
from comicsdb_api.resource import shapes
from comicsdb_api.resource.selection import names_of, shape_of
from comicsdb_api.resources import WITH_HISTORY
from comicsdb_api.resources.issue import IssueResource


def statement(shape) -> str:
    """The statement for the body of a shape."""
    body = select(*shapes.labelled(shape.expressions)).select_from(shape.source)
    return CompiledQuery.of(shapes.object_of(body)).text


def test_what_is_not_asked_for_is_not_computed():
    text = statement(shape_of(IssueResource, "id,credits.creator,imprint.name,series.name"))
    assert not [each for each in ("role", "variant", "genre", "character") if each in text]
    assert "role" in statement(shape_of(IssueResource, "credits.role.name"))
    assert "credit" not in statement(shape_of(IssueResource, include="variants"))


@pytest.mark.parametrize("resource", WITH_HISTORY)
def test_fields_of_both_have_in_a_detail_all_that_they_have_in_a_list(resource):
    row, detail = resource.row_fields(), resource.detail_fields()
    shared = {name: row[name] for name in row if name in detail}
    assert set(names_of(shared)) <= set(names_of(detail))


def test_equal_wishes_make_equal_shapes():
    one = shape_of(IssueResource, " number,id,,id", "variants , credits")
    assert one == shape_of(IssueResource, "id,number", "credits,variants")
    assert hash(one) == hash(shape_of(IssueResource, "id,number", "credits,variants"))


def test_unknown_words_are_told_with_the_known_ones():
    with pytest.raises(InvalidError) as caught:
        shape_of(IssueResource, "id,series.nam,number.x", "credits,ids")
    assert list(caught.value.errors) == ["fields", "include"]
    assert caught.value.errors["fields"][0].startswith("Unknown: number.x, series.nam. Known: id, series, ")
    assert caught.value.errors["include"][0].startswith("Unknown: ids. Known: all, id, series, ")
