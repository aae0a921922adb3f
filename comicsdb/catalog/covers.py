"""Search for covers by perceptual hash, allowing some bits to differ.

PostgreSQL finds them by indexes: if two 64-bit hashes differ in few bits, at least one of the four quarters
of 16 bits differs in even fewer. So it suffices to look up all near values of each quarter, and to count the
differing bits of the rows found. The result is the same as comparing all hashes.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Integer,
    Select,
    Subquery,
    any_,
    cast,
    func,
    literal,
    literal_column,
    null,
    select,
    true,
    union,
    union_all,
)
from sqlalchemy.dialects.postgresql import BIT

from comicsdb.db.arrays import table_of_arrays
from comicsdb.models import Issue, PictureHash, Variant
from comicsdb.models.picture_hash import QUARTERS, quarter, signed

# The kinds of hashes in requests, and the columns that each is compared with.
HASH_COLUMNS = {"phash": ("phash",), "dhash": ("dhash", "early_dhash"), "ahash": ("ahash",)}
DISTANCE_MAX = (
    11  # bits by which a hash may differ; with more, too many values of the quarters would be looked up
)
DEFAULT_DISTANCE = 8


def near_covers(hashes: Mapping[str, str], max_distance: int) -> Subquery:
    """The covers whose hashes differ from the wanted ones in at most `max_distance` bits.

    `hashes` maps keys of `HASH_COLUMNS` to up to 16 hexadecimal digits. The columns are `issue_id`,
    `variant_id` (null for the issue's own cover), `kind`, `hash` and `distance` in bits. A cover appears once
    for each column that matches. Raises ValueError for digits that are not a hash.
    """
    found = union_all(
        *(
            _near_hashes(kind, column, signed(digits), max_distance)
            for kind, digits in hashes.items()
            for column in HASH_COLUMNS[kind]
        )
    ).subquery()
    return union_all(*_owners(found, found.c.kind, found.c.hash, found.c.distance)).subquery("matches")


def _owners(found: Subquery, *columns) -> list[Select]:
    """The issues and variants that show the pictures found, each with some columns of these."""
    owners = (
        (Issue.id, cast(null(), Integer), Issue.image),
        (Variant.issue_id, Variant.id, Variant.image),
    )
    return [
        select(issue_id.label("issue_id"), variant_id.label("variant_id"), *columns).join(
            found, found.c.picture == image
        )
        for issue_id, variant_id, image in owners
    ]


def _near_hashes(kind: str, name: str, wanted: int, max_distance: int) -> Select:
    column = PictureHash.__table__.c[name]
    found = union(
        *(
            select(PictureHash.picture, column.label("hash")).where(
                quarter(name, shift) == any_(literal(values, ARRAY(Integer)))
            )
            for shift, values in _near_quarter_values(wanted, max_distance)
        )
    ).subquery()
    different = cast(found.c.hash.op("#")(literal(wanted, BigInteger)), BIT(64))
    distance = func.bit_count(different, type_=Integer).label("distance")
    kind = literal_column(f"'{kind}'").label("kind")
    return select(found.c.picture, kind, found.c.hash, distance).where(distance <= max_distance)


def _near_quarter_values(wanted: int, max_distance: int) -> list[tuple[int, list[int]]]:
    """For each quarter, the values to look up to find every hash with at most `max_distance` differing bits.

    Each quarter is allowed a number of differing bits; if every quarter exceeded its number, more than
    `max_distance` bits would differ in total.
    """
    allowed = [(max_distance + 1 + n) // len(QUARTERS) - 1 for n in range(len(QUARTERS))]
    return [
        (shift, [(wanted >> shift & 0xFFFF) ^ mask for mask in _bit_masks(bits)])
        for shift, bits in zip(QUARTERS, allowed, strict=True)
        if bits >= 0
    ]


@cache
def _bit_masks(max_bits: int) -> list[int]:
    """All 16-bit numbers with at most `max_bits` bits set."""
    return [
        sum(1 << bit for bit in bits)
        for number in range(max_bits + 1)
        for bits in combinations(range(16), number)
    ]


def near_covers_for_each(hashes: Sequence[tuple[int, str, str]], max_distance: int, limit: int) -> Subquery:
    """The covers near each of many hashes, at most `limit` for each value looked up, in one statement.

    `hashes` has tuples of a place, a kind and digits; the columns are `place`, `issue_id`, `variant_id`,
    `kind` and `distance`.
    """
    parts = []
    for kind, columns in HASH_COLUMNS.items():
        asked = [(place, signed(digits)) for place, of, digits in hashes if of == kind]
        if not asked:
            continue
        places, values = zip(*asked, strict=True)
        table = table_of_arrays(f"{kind}s", place=(Integer, places), hash=(BigInteger, values))
        for name in columns:
            parts += [
                _near_quarter(kind, name, table, place, max_distance, limit) for place in range(len(QUARTERS))
            ]
    found = union(*parts).subquery("found")
    return union(*_owners(found, found.c.place, found.c.kind, found.c.distance)).subquery("near_each")


def _near_quarter(kind: str, name: str, table, place: int, max_distance: int, limit: int) -> Select:
    shift, bits = QUARTERS[place], (max_distance + 1 + place) // len(QUARTERS) - 1
    mask = table_of_arrays("mask", bits=(Integer, _bit_masks(bits)))
    column = PictureHash.__table__.c[name]
    part = cast(table.c.hash.op(">>")(shift).op("&")(0xFFFF), Integer).op("#")(mask.c.bits)
    distance = func.bit_count(cast(column.op("#")(table.c.hash), BIT(64)), type_=Integer)
    near = (
        select(PictureHash.picture, distance.label("distance"))
        .where(quarter(name, shift) == part, distance <= max_distance)
        .limit(limit)
        .lateral("near")
    )
    kind = literal_column(f"'{kind}'").label("kind")
    return select(table.c.place, kind, near.c.picture, near.c.distance).select_from(
        table.join(mask, true()).join(near, true())
    )
