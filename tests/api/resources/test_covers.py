"""Search for covers by hash: `/api/cover/`, and `/match_cover_hash` as ComicTagger uses it."""

import pytest
from PIL import Image
from sqlalchemy import func, select

from comicsdb.imaging.hashes import hashes
from comicsdb.models import PictureHash, Variant
from comicsdb.models.picture_hash import HASHES, signed
from tests.conftest import record_statements
from tests.dataset import picture
from tests.pictures import encoded

WANTED = "8f1f0f0783c3c1e1"


def give_hash(session, image, number):
    """Store the same number as each hash of a picture."""
    session.add(PictureHash(picture=image, **dict.fromkeys(HASHES, signed(f"{number:x}"))))
    session.flush()


@pytest.fixture
def covered(make):
    """An issue that is off by one bit, with an exact variant; one off by five bits; the variant's id."""
    session, wanted = make.catalog.session, int(WANTED, 16)
    series = make.series(name="Night Ferry")
    image = "variants/exact.png"
    variants = [{"image": image, "name": "Foil"}]
    near = make.issue(series=series, image="issue/near.png", cv_id=4010, variants=variants)
    metron = [{"source": "metron", "external_id": "9"}]
    far = make.issue(series=series, number="2", image="issue/far.png", gcd_id=77, external_ids=metron)
    give_hash(session, "issue/near.png", wanted ^ 1 << 63)
    give_hash(session, image, wanted)
    give_hash(session, "issue/far.png", wanted ^ 0b11111)
    give_hash(session, "issue/of-nobody.png", wanted)
    return near, far, session.scalar(select(Variant.id).where(Variant.image == image))


def test_covers_are_listed_by_distance_with_issue_and_variant(api, covered, connection):
    near, far, variant = covered
    api.json("/api/cover/")
    with record_statements(connection) as statements:
        api.json(f"/api/cover/?phash={WANTED}&dhash={WANTED}")
    assert len(statements) == 2  # the account and the covers
    body = api.json(f"/api/cover/?phash={WANTED.upper()}")
    assert body["hashes"] == {"phash": WANTED.upper(), "dhash": None, "ahash": None}
    found = [(each["issue"]["id"], each["distance"], each["kind"], each["hash"]) for each in body["results"]]
    assert found == [
        (near.id, 0, "phash", WANTED),
        (near.id, 1, "phash", f"{int(WANTED, 16) ^ 1 << 63:016x}"),
        (far.id, 5, "phash", f"{int(WANTED, 16) ^ 0b11111:016x}"),
    ]
    exact, own, _other = body["results"]
    assert (exact["variant"]["id"], exact["variant"]["name"], own["variant"]) == (variant, "Foil", None)
    assert exact["variant"]["image"].endswith("/media/variants/exact.png")
    (row,) = api.json("/api/issue/?cv_id=4010")["results"]
    assert exact["issue"] == row
    assert [each["distance"] for each in api.json(f"/api/cover/?dhash={WANTED}&max=1")["results"]] == [
        0,
        1,
    ]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("ahash=xyz", "ahash"),
        ("phash=11112222333344445", "phash"),
        ("phash=1&max=12", "max"),
        ("phash=1&max=-1", "max"),
    ],
)
def test_bad_queries_are_told_by_field(api, query, field):
    assert list(api.json(f"/api/cover/?{query}", 400)) == [field]


def test_a_smaller_copy_of_a_cover_finds_it_and_is_not_kept(make, writer):
    session = make.catalog.session
    noise = Image.effect_noise((8, 12), 90).resize((400, 600), Image.Resampling.BICUBIC)
    issue = make.issue()
    writer.patch(f"/api/issue/{issue.id}/", form={}, files=[("image", "a.png", encoded(noise))])
    kept = session.execute(select(PictureHash)).scalars().one()
    assert {kind: f"{getattr(kept, kind) % 2**64:016x}" for kind in HASHES} == hashes(noise)
    copy = encoded(noise.resize((180, 270)), "JPEG", quality=60)
    files = [("image", "copy.jpg", copy)]
    body = writer.post("/api/cover/", 200, form={"max": "6"}, files=files)
    assert [each["issue"]["id"] for each in body["results"]] == [issue.id]
    assert set(body["hashes"]) == {"phash", "dhash", "ahash"}
    assert session.scalar(select(func.count()).select_from(PictureHash)) == 1


def test_what_is_no_picture_is_told(writer):
    for files, message in (
        ([], "No file"),
        ([("image", "a.png", b"no picture")], "Upload a valid image"),
    ):
        body = writer.post("/api/cover/", 400, form={"max": "3"}, files=files)
        assert body["image"][0].startswith(message)
    body = writer.post("/api/cover/", 400, form={"max": "12"}, files=[("image", "a.png", picture())])
    assert list(body) == ["max"]


def matched(testapp, query, status=200):
    """The response to a search by ComicTagger."""
    return testapp.get(f"/match_cover_hash?{query}", status=status).json


def test_comictagger_gets_ids_by_hash_without_an_account(testapp, covered):
    near, far, _variant = covered
    results = matched(testapp, f"max=8&ahash=&dhash=&phash={WANTED}&exactOnly=False")["results"]
    own = {"Domain": "localhost", "ID": str(near.id)}
    exact = {"Hash": int(WANTED, 16), "Kind": "phash"}
    assert results[0] == {
        "ID": {"Domain": "comicvine.gamespot.com", "ID": "4010"},
        "EquivalentIDs": [own],
        "IDs": {"comicvine.gamespot.com": ["4010"], "localhost": [str(near.id)]},
        "Distance": 0,
        "Hash": exact,
    }
    assert [(each["Distance"], each["IDs"]["localhost"]) for each in results] == [
        (0, [str(near.id)]),
        (1, [str(near.id)]),
        (5, [str(far.id)]),
    ]
    assert [each["Distance"] for each in matched(testapp, f"phash={WANTED}")["results"]] == [0]
    simple = matched(testapp, f"simple=True&max=8&phash={WANTED}&exactOnly=False")["results"]
    ids = {"comics.org": ["77"], "metron.cloud": ["9"], "localhost": [str(far.id)]}
    assert simple[2] == {"IDList": ids, "Distance": 5}


def test_both_ways_of_computing_dhash_find_a_cover(testapp, make):
    issue = make.issue(image="issue/both.png")
    values = dict(zip(HASHES, (0, 1, 2**40 - 1, 0), strict=True))
    make.catalog.session.add(PictureHash(picture="issue/both.png", **values))
    make.catalog.session.flush()
    for digits in ("1", "ffffffffff"):
        (found,) = matched(testapp, f"dhash={digits}&max=0")["results"]
        assert (found["IDs"]["localhost"], found["Hash"]["Kind"]) == ([str(issue.id)], "dhash")


def test_nothing_found_and_bad_queries_are_told_as_comictagger_reads_them(testapp):
    assert matched(testapp, "phash=1", 404) == {"msg": "No hashes found"}
    for query in ("", "phash=", "phash=zz", "phash=1&max=99", "phash=1&exactOnly=perhaps"):
        assert matched(testapp, query, 400)["msg"]
