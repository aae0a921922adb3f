"""Bodies of writes: media types, limits, what cannot be parsed, the order of checks."""

import gzip

import pytest

from comicsdb.models import Publisher, Series
from tests.api.conftest import basic_auth
from tests.api.writing import FORM, JSON, PICTURE_FILES, WritingClient, to_json

KINDS = "arc character creator imprint issue publisher series team universe variant".split()
PARTS = "multipart/form-data; boundary=xx"
MEGABYTE = 1024 * 1024


def part(name, value, *more):
    """One part of a form."""
    lines = (f'Content-Disposition: form-data; name="{name}"', *more, "", "")
    return b"--xx\r\n" + "\r\n".join(lines).encode() + value + b"\r\n"


@pytest.mark.parametrize("kind", [*KINDS, "credit"])
def test_json_and_forms_are_taken_and_nothing_else(writer, kind):
    writer.raw("POST", f"/api/{kind}/", 400, b"{}", f"{JSON};charset=utf-8")
    writer.raw("POST", f"/api/{kind}/", 201 if kind == "credit" else 400, b"x=1", FORM)
    for wrong in ("text/plain", "application/xml; charset=utf-8", ""):
        said = writer.raw("POST", f"/api/{kind}/", 415, b"<a/>", wrong).json
        assert said == {"detail": f'Unsupported media type "{wrong}" in request.'}
    if kind != "credit":
        writer.raw("PATCH", f"/api/{kind}/999999/", 415, b"<a/>", "text/plain")  # before the lookup
    parses = writer.call("OPTIONS", f"/api/{kind}/").json["parses"]
    assert parses == [JSON, "multipart/form-data", FORM]


def test_media_types_may_be_in_any_case_with_spaces_before_parameters(writer):
    """The digests of repeated requests do not depend on that, either."""
    for same in ("Application/JSON", f"{JSON} ; charset=utf-8"):
        writer.raw("POST", "/api/arc/", 201, to_json({"name": same}), same)
    for same in (FORM.upper(), f"{FORM} ; charset=utf-8"):
        writer.raw("POST", "/api/arc/", 201, b"name=A", same, {"Idempotency-Key": '"form"'})
    body = part("name", b"B") + b"--xx--\r\n"
    for same in ("Multipart/Form-Data; boundary=xx", "multipart/form-data ; boundary=xx"):
        writer.raw("POST", "/api/arc/", 201, body, same, {"Idempotency-Key": '"parts"'})


def test_json_writes_what_a_form_writes(writer, make):
    publisher, ids = make.publisher().id, [make.creator().id, make.creator().id]
    both = {"name": "A ½", "desc": "Deep.", "gcd_id": 8801}
    more = {
        "arc": {},
        "character": {"alias": ["x", "y"], "creators": ids, "teams": [make.team().id]},
        "creator": {"alias": ["x"], "birth": "1971-04-02"},
        "imprint": {"publisher": publisher, "founded": 1993},
        "publisher": {"alt_names": ["x", "y"], "country": "it", "founded": 1975},
        "team": {"creators": ids, "universes": [make.universe().id]},
        "universe": {"publisher": publisher, "designation": "B-2"},
    }
    for kind, fields in more.items():
        made = []
        for number, form in enumerate(("form", "json")):
            sent = both | fields | {"gcd_id": 9000 + number}
            first = writer.post(f"/api/{kind}/", **{form: sent})
            path = f"/api/{kind}/{first['id']}/"
            changed = writer.patch(path, **{form: {"desc": "Deeper."}})
            replaced = writer.put(path, **{form: sent | {"name": "C"}})
            fault = writer.patch(path, 400, **{form: {"name": "", "gcd_id": -1}})
            own = {"id": 0, "gcd_id": 0, "resource_url": "", "modified": ""}
            made.append([each | own for each in (first, changed, replaced)] + [fault])
            writer.patch(path, **{form: {"name": f"Not {form}"}})  # frees the name for the other format
        assert made[0] == made[1], kind


@pytest.mark.parametrize("value", ["data:image/png;base64,iVBORw0KGgo=", "", {"data": "iVBORw0KGgo="}])
def test_a_picture_in_json_is_refused(writer, value):
    said = writer.post("/api/arc/", 400, json={"name": "A", "image": value})
    assert said == {"image": ["The submitted data was not a file. Check the encoding type on the form."]}


def test_what_is_only_read_takes_nothing(api, make):
    arc = make.arc()
    for path in (f"/api/arc/{arc.id}/issue_list/", "/api/role/", "/api/"):
        assert api.call("OPTIONS", path).json["parses"] == []


@pytest.mark.parametrize(
    "body",
    [b"{", b"{'name': 1}", b'{"a": NaN}', b'{"a": "\\ud800"}', b"\xff", b"[" * 100_000, b'{"a": 1}x'],
)
def test_json_that_cannot_be_parsed(writer, body):
    (detail,) = writer.raw("POST", "/api/series/", 400, body, JSON).json.values()
    assert detail.startswith("JSON parse error - ")


def test_compressed_bodies_and_other_encodings_are_refused_with_the_reason(writer):
    text = '{"name": "\u00c9clair"}'
    for encoding in ("utf-16", "latin-1"):
        answer = writer.raw("POST", "/api/arc/", 400, text.encode(encoding), JSON)
        assert answer.json == {"detail": "JSON parse error - the body is not valid UTF-8."}
    packed = gzip.compress(text.encode())
    answer = writer.raw("POST", "/api/arc/", 415, packed, JSON, headers={"Content-Encoding": "gzip"})
    assert answer.json["detail"] == "Compressed bodies are not accepted: send it without Content-Encoding."
    for harmless in ("identity", "utf-8"):  # programs send them by mistake
        writer.raw("POST", "/api/arc/", 201, text.encode(), JSON, headers={"Content-Encoding": harmless})


@pytest.mark.parametrize(
    ("value", "name"), [([], "list"), ("a", "str"), (1, "int"), (None, "NoneType"), (True, "bool")]
)
def test_a_body_is_an_object(writer, value, name):
    said = writer.raw("POST", "/api/series/", 400, to_json(value), JSON).json
    assert said == {"non_field_errors": [f"Invalid data. Expected a dictionary, but got {name}."]}


def test_numbers_of_any_size_are_texts_as_they_were_written(writer, make):
    issue = make.issue()
    sent = b'{"upc": 98765432109876543210, "number": 1.5, "sku": "\\u00e9"}'
    answer = writer.raw("PATCH", f"/api/issue/{issue.id}/", 200, sent, JSON).json
    assert (answer["upc"], answer["number"], answer["sku"]) == ("98765432109876543210", "1.5", "é")
    long = b'{"page": ' + b"9" * 10_000 + b"}"
    (detail,) = writer.raw("PATCH", f"/api/issue/{issue.id}/", 400, long, JSON).json.values()
    assert detail.startswith("JSON parse error")


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"name=%FF", FORM),
        (b"name=A", f"{FORM}; charset=latin-1"),
        (part("name", b"\xe9") + b"--xx--\r\n", PARTS),
        (part("name", b"A") + b"--xx--\r\n", "multipart/form-data"),
        (part("x", b"a=1&b=2", f"Content-Type: {FORM}"), PARTS),
        (part("x", b"", "Content-Type: multipart/mixed; boundary=yy"), PARTS),
        (b"--xx \t\r\nContent-Type: multipart/mixed; boundary=yy\r\n\r\n--yy--\r\n--xx--\r\n", PARTS),
    ],
)
def test_forms_that_cannot_be_read(writer, session, body, content_type):
    assert list(writer.raw("POST", "/api/publisher/", 400, body, content_type).json) == ["detail"]
    assert session.query(Publisher).count() == 0


def test_text_is_what_was_sent_whatever_the_form(writer):
    for name in ("Città ½ 漫画", "a&b=c;d%20+e", "\ufffd"):
        assert writer.post("/api/arc/", form={"name": name})["name"] == name
        assert writer.post("/api/arc/", form={"name": name}, files=PICTURE_FILES)["name"] == name


def test_too_large_is_said_with_the_limit_before_anything_is_parsed(writer):
    def said(body, content_type):
        return writer.raw("POST", "/api/issue/", 413, body, content_type).json["detail"]

    assert said(b"[" * (2 * MEGABYTE + 1), JSON) == "The body is larger than 2 MB."
    assert said(b"name=" + b"x" * (2 * MEGABYTE), FORM) == "The body is larger than 2 MB."
    large = part("image", b"x" * (20 * MEGABYTE), "Content-Type: image/png") + b"--xx--\r\n"
    assert said(large, PARTS) == "The body is larger than 20 MB."
    many = "The form has more than 5000 fields."
    assert said(b"a=1&" * 5001, FORM) == many
    assert said(part("a", b"1") * 5001 + b"--xx--\r\n", PARTS) == many


def test_lists_have_an_end(writer, make):
    series = make.series()
    ids = [10**6 + each for each in range(5001)]
    said = writer.patch(f"/api/series/{series.id}/", 400, json={"genres": ids})
    assert said == {"genres": ["Ensure this field has no more than 5000 elements."]}
    said = writer.post("/api/credit/", 413, json=[{}] * 5001)
    assert said == {"detail": "The list has more than 5000 credits."}


def test_fields_that_are_not_written_are_ignored(writer, make, session):
    publisher = make.publisher(name="Nimbus")
    odd = {"id": 99, "slug": "x", "modified": "2001-01-01", "resource_url": "x", "attribution": "x", "y": "z"}
    answer = writer.patch(f"/api/publisher/{publisher.id}/", form={"name": "Cloud"} | odd)
    assert (answer["id"], answer["name"]) == (publisher.id, "Cloud")
    assert answer["resource_url"].endswith("/publisher/nimbus/")
    assert "attribution" not in answer
    series = make.series()
    answer = writer.patch(
        f"/api/series/{series.id}/", json={"issue_count": 9, "image": "x", "collection": True}
    )
    assert "image" not in answer
    session.expire_all()
    assert session.get(Series, series.id).collection is False


def test_no_body_at_all_changes_nothing_but_the_time(writer, make):
    arc = make.arc(name="Salt Tide")
    before = writer.json(f"/api/arc/{arc.id}/")
    after = writer.call("PATCH", f"/api/arc/{arc.id}/").json
    assert after["modified"] > before["modified"]
    assert {**after, "modified": 0, "attribution": []} == {**before, "modified": 0}
    assert writer.call("POST", "/api/arc/", 400).json == {"name": ["This field is required."]}
    assert writer.call("PUT", f"/api/arc/{arc.id}/", 400).json == {"name": ["This field is required."]}


def test_writes_need_no_final_slash(writer):
    made = writer.post("/api/arc", form={"name": "A"})
    assert writer.patch(f"/api/arc/{made['id']}", form={"name": "B"})["name"] == "B"
    assert writer.put(f"/api/arc/{made['id']}.json", form={"name": "C"})["name"] == "C"
    assert writer.json("/api/arc/")["count"] == 1


def test_allow_and_head(writer, make):
    arc = make.arc()
    assert writer.get("/api/arc/").headers["Allow"] == "GET, POST, HEAD, OPTIONS"
    allowed = writer.call("HEAD", f"/api/arc/{arc.id}/").headers["Allow"]
    assert allowed == "GET, PUT, PATCH, HEAD, OPTIONS"
    for path, allowed in (
        ("/api/credit/", "POST, OPTIONS"),
        ("/api/variant/", "POST, OPTIONS"),
        ("/api/variant/1/", "PUT, PATCH, OPTIONS"),
    ):
        for method in ("GET", "HEAD"):
            assert writer.call(method, path, 405).headers["Allow"] == allowed


def test_the_order_of_the_checks(writer, reader, make):
    """Each request also has every error that the later checks would find."""
    xml, gone = (b"<a/>", "text/xml"), "/api/arc/999999/"
    plain = WritingClient(writer.testapp, basic_auth(reader.username, "correct horse"))
    nobody = WritingClient(writer.testapp, {})
    nobody.raw("PUT", gone, 406, *xml, headers={"Accept": "image/png"})
    nobody.raw("PUT", gone, 401, *xml)
    plain.raw("PUT", gone, 403, *xml)
    plain.raw("DELETE", gone, 403, *xml)
    writer.raw("POST", gone, 405, *xml)
    writer.raw("PUT", gone, 415, *xml)
    writer.raw("PUT", gone, 400, b"name=%FF", FORM)
    writer.raw("PUT", gone, 404, b"cv_id=x", FORM)
    writer.raw("PUT", "/api/arc/x/", 404, b"cv_id=x", FORM)
    arc = make.arc()
    writer.raw("PUT", f"/api/arc/{arc.id}/", 412, b"cv_id=x", FORM, {"If-Match": '"other"'})
    writer.raw("PUT", f"/api/arc/{arc.id}/", 400, b"cv_id=x", FORM)


# Responses, and values that are accepted.


def two_of(make, kind: str) -> list[int]:
    """Two objects of a kind, whose order by name is the reverse of their order by id."""
    return [getattr(make, kind)(name=name).id for name in ("Zephyr", "Aurora")]


def test_ids_stand_in_the_order_in_which_a_detail_shows_the_objects(writer, make):
    arcs, characters, teams, universes, creators, series = (
        two_of(make, kind) for kind in ("arc", "character", "team", "universe", "creator", "series")
    )
    both = {"creators": creators, "universes": universes}
    reprints = [make.issue(series=each).id for each in series]
    parts = {"arcs": arcs, "characters": characters, "teams": teams, "universes": universes}
    for kind, links in {
        "issue": parts | {"reprints": reprints},
        "character": both | {"teams": teams},
        "team": both,
        "series": {"genres": [1, 2, 13], "associated": series},
    }.items():
        path = f"/api/{kind}/{getattr(make, kind)().id}/"
        answer, detail = writer.patch(path, form=links), writer.json(path)
        for field, ids in links.items():
            assert answer[field] == [each["id"] for each in detail[field]] != ids, (kind, field)


def test_a_life_that_only_forms_refuse_is_written(writer):
    dates = {"birth": "1950-01-02", "death": "1950-01-01"}
    assert writer.post("/api/creator/", form={"name": "Ada"} | dates).items() >= dates.items()
