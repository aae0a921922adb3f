"""Search for covers by hashes that differ in some bits: the result is that of comparing all hashes."""

import random

import pytest
from sqlalchemy import select

from comicsdb.catalog import covers
from comicsdb.models import PictureHash, Variant
from comicsdb.models.picture_hash import HASHES, signed

WANTED = "8f1f0f0783c3c1e1"


def changed(dice, number, bits):
    """A number with exactly so many of its bits flipped."""
    return number ^ sum(1 << bit for bit in dice.sample(range(64), bits))


@pytest.fixture
def covers_apart(make):
    """A session, and by how many bits covers differ from `WANTED`: {(issue, variant): {kind: bits}}."""
    dice, session, known = random.Random(8), make.catalog.session, {}
    with make.single_commit():
        series = make.series()
        for bits in [*range(14)] * 3:
            number = len(known)
            issue = make.issue(
                series=series,
                number=str(number),
                image=f"issue/{number}.png",
                variants=[{"image": f"variants/{number}.png"}],
            )
            variant = session.scalar(select(Variant.id).where(Variant.issue_id == issue.id))
            for owner, picture in ((None, issue.image), (variant, f"variants/{number}.png")):
                apart = dict(zip(HASHES, (bits, dice.randrange(15), 64, 64), strict=True))
                session.add(
                    PictureHash(
                        picture=picture,
                        **{
                            kind: signed(f"{changed(dice, int(WANTED, 16), apart[kind]):x}")
                            for kind in HASHES
                        },
                    )
                )
                known[issue.id, owner] = apart
    session.flush()
    return session, known


def test_covers_are_found_as_by_comparing_all_hashes(covers_apart):
    session, known = covers_apart
    for most in range(covers.DISTANCE_MAX + 1):
        found = session.execute(select(covers.near_covers({"phash": WANTED, "dhash": WANTED}, most))).all()
        assert {(row.issue_id, row.variant_id, row.kind, row.distance) for row in found} == {
            (issue, variant, kind, apart[kind])
            for (issue, variant), apart in known.items()
            for kind in ("phash", "dhash")
            if apart[kind] <= most
        }
        assert len(found) == len({(row.issue_id, row.variant_id, row.kind) for row in found})
    wanted = [(7, "phash", WANTED), (9, "dhash", WANTED), (9, "ahash", "1")]
    rows = session.execute(select(covers.near_covers_for_each(wanted, 7, 100))).all()
    told = sorted((row.place, row.kind, row.issue_id, row.variant_id or 0, row.distance) for row in rows)
    assert told == sorted(
        {
            (place, kind, issue, variant or 0, apart[kind])
            for (issue, variant), apart in known.items()
            for place, kind in ((7, "phash"), (9, "dhash"))
            if apart[kind] <= 7
        }
    )
    assert len({row.place for row in rows}) == 2


def test_a_hash_without_leading_zeros_is_the_same(make):
    session = make.catalog.session
    issue = make.issue(image="issue/zeros.png")
    session.add(PictureHash(picture="issue/zeros.png", phash=signed("0f"), dhash=0, early_dhash=0, ahash=0))
    session.flush()
    rows = session.execute(select(covers.near_covers({"phash": "f"}, 0))).all()
    assert [(row.issue_id, row.variant_id, row.hash, row.distance) for row in rows] == [
        (issue.id, None, 15, 0)
    ]


@pytest.mark.parametrize("digits", ["", "x", "1" * 17, "-1", "0x", "0x1f", "1_0", "١"])
def test_what_is_not_a_hash_is_refused(digits):
    with pytest.raises(ValueError, match="16 hexadecimal"):
        covers.near_covers({"phash": digits}, 8)
