"""The tables of other sites: by which columns each is known, and where it says what; all of it data.

Names of columns are plain (`matching_words.plain`): `Full Title` is `fulltitle`. Of several names the first
that a table has counts. Sites add and rename columns over the years, so each field lists what was seen.
"""

from dataclasses import dataclass, field

from comicsdb.models.choices import WishStatus

# What is said of the issue itself.
ABOUT = (
    "series",
    "number",
    "title",
    "volume",
    "year",
    "publisher",
    "cover_date",
    "release_date",
    "published",
    "upc",
)


@dataclass(frozen=True)
class Site:
    """How the table of a site is read.

    `marks`: sets of columns, one of which a table has that comes from there. `columns`: names by our field;
    beside those of `portable.VALUES` and ABOUT there are `read_on` (one date), `wished`, `owned` (flags),
    `state` (a word out of `wish_words` or any other), `more_notes` (added to the notes).
    `stars` are as many as are the most there. `own_numbers`: fields in which the site writes numbers that
    mean something to itself alone. `ext` says that letters behind a number tell printings and covers apart.
    """

    key: str
    marks: tuple[frozenset[str], ...]
    columns: dict[str, tuple[str, ...]]
    stars: int = 5
    own_numbers: frozenset[str] = frozenset()
    wish_words: frozenset[str] = frozenset()
    ext: bool = False
    wish_values: dict[str, str] = field(default_factory=lambda: {"status": WishStatus.WANTED.value})


LOCG = Site(
    "locg",
    marks=(
        frozenset({"seriesname", "fulltitle", "incollection"}),
        frozenset({"seriesname", "fulltitle", "markedread"}),
    ),
    columns={
        "series": ("seriesname",),
        "title": ("fulltitle",),
        "publisher": ("publishername",),
        "release_date": ("releasedate",),
        "upc": ("upc", "barcode"),
        "owned": ("incollection",),
        "wished": ("inwishlist",),
        "is_read": ("markedread",),
        "rating": ("myrating",),
        "book_format": ("mediaformat", "format"),
        "purchase_price": ("pricepaid",),
        "purchase_date": ("datepurchased", "purchasedate"),
        "purchase_store": ("purchasestore", "store"),
        "grade": ("grading", "grade", "condition"),
        "grading_company": ("gradingcompany", "slabbing"),
        "storage_location": ("storagebox", "storagelocation"),
        "quantity": ("quantity", "copies"),
        "notes": ("notes",),
        "more_notes": ("tags",),
    },
)
CLZ = Site(
    "clz",
    marks=(
        frozenset({"series", "issuenr"}),
        frozenset({"series", "issueno"}),
        frozenset({"series", "issuenumber", "publisher"}),
        frozenset({"series", "issue", "storagebox"}),
        frozenset({"series", "issue", "collectionstatus"}),
        frozenset({"series", "issue", "readit"}),
        frozenset({"series", "issue", "coverdate", "publisher"}),
    ),
    columns={
        "series": ("series",),
        "number": ("issuenr", "issueno", "issuenumber", "issue"),
        "volume": ("volume",),
        "year": ("seriesyear", "seriesstartyear"),
        "publisher": ("publisher",),
        "cover_date": ("coverdate",),
        "release_date": ("releasedate",),
        "published": ("coveryear", "releaseyear", "year"),
        "upc": ("barcode", "upc"),
        "state": ("collectionstatus",),
        "is_read": ("readit", "read"),
        "read_on": ("readingdate", "readdate", "dateread"),
        "rating": ("myrating", "rating"),
        "book_format": ("format",),
        "purchase_price": ("purchaseprice", "pricepaid"),
        "purchase_currency": ("purchasecurrency", "currency"),
        "purchase_date": ("purchasedate",),
        "purchase_store": ("purchasestore", "store"),
        "grade": ("grade", "condition"),
        "grading_company": ("gradingcompany", "slabcompany", "company"),
        "storage_location": ("storagebox", "location"),
        "quantity": ("quantity", "qty"),
        "notes": ("notes", "personalnotes"),
        "more_notes": ("tags",),
        "added": ("addeddate", "dateadded"),
    },
    stars=10,
    wish_words=frozenset({"on wish list", "wish list", "wishlist", "wanted"}),
    ext=True,
)
GCD = Site(
    "gcd",
    marks=(frozenset({"series", "seriesyear", "issue", "publisher", "description"}),),
    columns={
        "series": ("series",),
        "number": ("issue",),
        "year": ("seriesyear",),
        "publisher": ("publisher",),
        "is_read": ("wasread",),
        "purchase_price": ("pricepaid",),
        "purchase_currency": ("pricepaidcurrency", "pricepaidcurrencycode"),
        "purchase_date": ("acquisitiondate",),
        "purchase_store": ("purchaselocation",),
        "grade": ("grade",),
        "storage_location": ("location",),
        "notes": ("description", "notes"),
        "more_notes": ("tags",),
    },
    own_numbers=frozenset({"grade", "storage_location", "purchase_store"}),
)
# Anybody's own table: what people call such columns.
PLAIN = Site(
    "table",
    marks=(
        frozenset({"series", "number"}),
        frozenset({"series", "issue"}),
        frozenset({"title", "issue"}),
        frozenset({"title", "number"}),
        frozenset({"seriesname", "issuenumber"}),
    ),
    columns={
        **CLZ.columns,
        "series": ("series", "seriesname", "title"),
        "number": ("number", "issuenumber", "issue", "no", "nr"),
        "year": ("seriesyear", "yearbegan", "year"),
        "published": ("coveryear",),
        "publisher": ("publisher", "publishername"),
        "quantity": ("quantity", "copies", "qty"),
    },
)
SITES = (LOCG, GCD, CLZ, PLAIN)
