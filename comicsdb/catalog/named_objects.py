"""Objects that a text identifies exactly: by a barcode, ISBN or SKU, by an id, or by the URL of a page.

Ids and URLs are ours or those of other databases.
"""

import re
from collections.abc import Sequence

from sqlalchemy import Connection, Integer, case, func, literal, or_, select, union_all
from sqlalchemy.orm import Session

from comicsdb.catalog import crosswalk, search
from comicsdb.catalog.hits import CODE_EQUAL, ID_EQUAL, Hit, searched_kinds
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.trade_numbers import is_sku, parse_gtin
from comicsdb.db.read_pool import ReadConnection, ReadPool
from comicsdb.models import Issue, Variant
from comicsdb.models.base import INTEGER_MAX
from comicsdb.models.choices import COMIC_VINE_NUMBERS, EXTERNAL_SOURCES
from comicsdb.schemas.references import COMIC_VINE_ID, Address
from comicsdb.values import compact_code, whole_number

RESULTS_MAX = 20  # results per text
SKU_MIN, SKU_MAX = 5, 12  # characters

# Names and abbreviations that people use for the sources of external ids.
_SOURCES = {name: name for name in EXTERNAL_SOURCES} | {
    "cv": "comicvine",
    "cvid": "comicvine",
    "comic vine": "comicvine",
    "mal": "myanimelist",
    "mu": "mangaupdates",
    "leagueofcomicgeeks": "locg",
}
_CODE_NAMES = re.compile(r"(?:upc|ean|gtin|isbn|sku|barcode)(?:-1[03])?[\s:#]+", re.IGNORECASE)
_OF_SOURCE = re.compile(rf"({'|'.join(_SOURCES)})(?:[\s-]*id)?[\s:#-]*(\S+)", re.IGNORECASE)
_OF_WIKIDATA = re.compile(r"Q[1-9]\d{0,12}", re.ASCII | re.IGNORECASE)
_OWN = re.compile(r"([a-z]+)(?:\s+id)?[\s:]+([1-9]\d{0,9})", re.ASCII | re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_SKU = re.compile(r"(?=.*\d)[A-Z\d]+|[A-Z]{2,4}[ -]?\d{2}[ -]?\d{4}", re.ASCII | re.IGNORECASE)


def name_to_search(query: str) -> str:
    """The text to search for by name: the query itself, or the words of a URL."""
    address = Address.parse(search.clean_query(query))
    return address.words if address else query


def find_named(pool: ReadPool | ReadConnection, query: str, own_host: str) -> list[Hit]:
    """The objects that a text identifies, in the order of lists; `own_host` is the host of our URLs.

    No statement is sent for a text that does not have the form of a code, id or URL.
    """
    query = search.clean_query(query)
    forms = (_ADDRESS, _CODE_NAMES, COMIC_VINE_ID, _OF_WIKIDATA, _OF_SOURCE, _OWN, _SKU)
    if parse_gtin(query) is None and not any(each.match(query) for each in forms):
        return []
    return pool.with_connection(lambda connection: _find(connection, query, own_host))


def _find(connection: Connection, query: str, own_host: str) -> list[Hit]:
    address = Address.parse(query)
    if address:
        return _at_address(connection, address, own_host)
    return _with_code(connection, _CODE_NAMES.sub("", query, count=1)) or _with_id(connection, query)


def _at_address(connection: Connection, address: Address, own_host: str) -> list[Hit]:
    if address.host == own_host.lower().removeprefix("www."):
        parts = address.parts[1:] if address.parts[:1] == ("api",) else address.parts
        if len(parts) < 2 or parts[0] not in searched_kinds():
            return []
        if (number := whole_number(parts[1])) is not None:
            return _own_id(connection, parts[0], number)
        model = KINDS[parts[0]].model
        return [
            Hit(parts[0], each, ID_EQUAL)
            for each in connection.scalars(select(model.id).filter_by(slug=parts[1]))
        ]
    for source, kind, external_id in address.references(searched_kinds()):
        if found := _by_external_id(connection, source, external_id, kind):
            return found
    return []


def _with_code(connection: Connection, text: str) -> list[Hit]:
    """Issues that have a barcode, ISBN or SKU, or whose variants have it."""
    code, sku = parse_gtin(text), compact_code(text)
    found = []
    if code:
        patterns = search.gtin_patterns(code)
        same = search.with_gtin(*patterns)
        exact = same.c.code.in_([form + code.supplement for form in code.forms])
        found.append(select(same.c.issue_id, case((exact, 0), else_=1).label("place")))
    elif _SKU.fullmatch(text) and is_sku(sku) and SKU_MIN <= len(sku) <= SKU_MAX:
        found += [
            select(owner, literal(0, Integer).label("place")).where(search.equals_ignoring_case(column, sku))
            for owner, column in ((Issue.id, Issue.sku), (Variant.issue_id, Variant.sku))
        ]
    if not found:
        return []
    every = union_all(*found).subquery()
    issue_id, place = every.c
    rows = connection.execute(
        select(Issue.id, place)
        .join(every, issue_id == Issue.id)
        .join(Issue.series)
        .order_by(place, *search.order_columns(Issue))
        .limit(RESULTS_MAX)
    ).all()
    best = [each for each, place in rows if place == rows[0].place]
    hits = [Hit("issue", each, CODE_EQUAL) for each in dict.fromkeys(best)]
    if not hits and code and code.short_isbn:
        return _by_external_id(connection, "isbn", code.stem, None, CODE_EQUAL)
    return hits


def variants_with_code(session: Session, query: str, issue_ids: Sequence[int]) -> dict[int, tuple[int, str]]:
    """The variant (id, name) of each issue that has the code in a text, unless the issue itself has it."""
    text = _CODE_NAMES.sub("", search.clean_query(query), count=1)
    code = parse_gtin(text)
    known = (
        [form + code.supplement for form in code.forms] + [*code.short_isbn] if code else [compact_code(text)]
    )

    def has_it(*columns):
        return or_(*(search.compacted(column).in_([each.upper() for each in known]) for column in columns))

    found = select(Variant.issue_id, Variant.id, func.coalesce(func.nullif(Variant.name, ""), Variant.sku))
    found = found.join(Issue, Issue.id == Variant.issue_id).where(
        Issue.id.in_(issue_ids),
        has_it(Variant.upc, Variant.sku),
        ~has_it(Issue.upc, Issue.isbn, Issue.sku),
    )
    rows = session.execute(found.order_by(Variant.id.desc())).all() if issue_ids else ()
    return {issue_id: (variant_id, name) for issue_id, variant_id, name in rows}


def _with_id(connection: Connection, text: str) -> list[Hit]:
    """Objects by an id with its source (`cv 4000-123`, `gcd 77`), or our id with its kind (`issue 123`)."""
    if found := COMIC_VINE_ID.fullmatch(text):
        kinds = [kind for kind, number in COMIC_VINE_NUMBERS.items() if number == int(found[1])]
        return [hit for kind in kinds for hit in _by_external_id(connection, "comicvine", found[2], kind)]
    if _OF_WIKIDATA.fullmatch(text):
        return _by_external_id(connection, "wikidata", text.upper(), None)
    if found := _OF_SOURCE.fullmatch(text):
        source, external_id = _SOURCES[found[1].lower()], found[2]
        number = COMIC_VINE_ID.fullmatch(external_id) if source == "comicvine" else None
        if number:
            return _with_id(connection, external_id)
        return _by_external_id(connection, source, external_id, None)
    if (found := _OWN.fullmatch(text)) and found[1].lower() in searched_kinds():
        return _own_id(connection, found[1].lower(), int(found[2]))
    return []


def _by_external_id(
    connection: Connection, source: str, text: str, kind: str | None, reason: int = ID_EQUAL
) -> list[Hit]:
    found = crosswalk.find_by_external_ids(connection, source, [text], kind).get(text, ())
    return [Hit(kind, object_id, reason) for kind, object_id in found][:RESULTS_MAX]


def _own_id(connection: Connection, kind: str, object_id: int) -> list[Hit]:
    ids = crosswalk.resolve_ids(connection, kind, [object_id]) if object_id <= INTEGER_MAX else {}
    return [Hit(kind, each, ID_EQUAL) for each in ids.values()]
