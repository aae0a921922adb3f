"""Descriptions and examples of the fields in bodies, which cannot be derived from other declarations.

The keys are names of fields, `Shape.field` where a field has a different meaning in one shape (a named
schema), or names of shapes.
"""

from dataclasses import dataclass

from comicsdb.models.choices import Status

BASE = "https://comics.example"  # the host in examples
FOIL = f"{BASE}/media/variants/2026/02/11/foil.jpg"
# Suffixes of the names of request bodies, one for each media type (generated clients choose the media type by
# the type of the body), and of the response to a write.
INPUT, FORM, MULTIPART, WRITTEN = "Input", "Form", "Multipart", "Written"
# The same for PATCH.
CHANGE, FORM_CHANGE, MULTIPART_CHANGE = "Change", "FormChange", "MultipartChange"
PART = "Part"  # for shapes from which `fields` may omit fields
SUFFIXES = (INPUT, FORM, MULTIPART, WRITTEN, FORM_CHANGE, MULTIPART_CHANGE, CHANGE, PART)


@dataclass(frozen=True)
class Description:
    """The description of a field, and an example as a JSON value; None if the type suffices."""

    text: str
    example: object = None


STATUSES = ", ".join(f"{status.value} {status.label}" for status in Status) + "."

DESCRIPTIONS = {
    # Shapes.
    "Named": Description("An object, by id and name."),
    "Stamped": Description("An object, by id and name, with the time of a change."),
    "SeriesBrief": Description("Summary of the series of an issue."),
    "IssueRow": Description("An issue in a list."),
    "Selection": Description("An object with the fields that `fields` and `include` request."),
    "MergedId": Description("An id whose object was merged into another one."),
    "SeriesRow": Description("A series in a list."),
    "IssueSeries": Description("The series of an issue."),
    "Credit": Description("The roles of one creator on an issue."),
    "Reprint": Description("An issue that contains the same story."),
    "Variant": Description("The same issue with another cover."),
    "Associated": Description("A related series."),
    "Attribution": Description("The source of a text."),
    "Version": Description("A version of an object: who changed what and when."),
    "UserRef": Description("An account, by id and name."),
    # Fields that most shapes have.
    "id": Description("Permanent id; the id of a deleted object is never reused.", 7),
    "name": Description("Name.", "Harbor Lights"),
    "modified": Description(
        "Time of the last change to what the object shows.", "2026-02-11T13:03:12.440105Z"
    ),
    "desc": Description("Description; may be empty.", ""),
    "image": Description("URL of the picture; null if there is none."),
    "cv_id": Description("Id of the same object at Comic Vine.", 41530),
    "gcd_id": Description("Id of the same object at the Grand Comics Database.", 8801),
    "resource_url": Description("URL of its page on the site."),
    "attribution": Description("Sources of its text, in the order entered."),
    "publisher": Description("The publisher.", {"id": 2, "name": "Nimbus Comics"}),
    "imprint": Description("The imprint it belongs to.", {"id": 4, "name": "Stratus"}),
    "alt_names": Description("Alternative names.", ["Luci del porto"]),
    "founded": Description("Year in which it was founded.", 1993),
    "creators": Description(
        "Its creators, sorted by name.",
        [{"id": 3, "name": "Ada Penwell", "modified": "2026-01-05T15:00:00.120000Z"}],
    ),
    "teams": Description("Its teams, sorted by name.", []),
    "universes": Description("Its universes, sorted by name and designation.", []),
    "average_rating": Description("Mean of all ratings, 1 to 5, with two decimals; null without any.", 4.33),
    "rating_count": Description("Number of ratings.", 3),
    "volume": Description("Volume: its number among series of the same name.", 1),
    "year_began": Description("Year of the first issue.", 2019),
    "year_end": Description("Year of the last issue; null if ongoing or unknown."),
    "series": Description("The series it belongs to."),
    "issue_count": Description("Number of its issues in the database.", 12),
    "series_type": Description("Type of publication.", {"id": 13, "name": "Single Issue"}),
    "sort_name": Description("Name by which lists are sorted.", "Harbor Lights"),
    "language": Description("Language code; may be empty.", "en"),
    "genres": Description("Genres, sorted by name.", [{"id": 8, "name": "Romance"}]),
    "number": Description("Issue number as printed: a string, sorted as a string.", "3"),
    "cover_date": Description(
        "Date on the cover, by which issues are sorted; a substitute if `cover_date_precision` is `none`.",
        "2019-06-01",
    ),
    "cover_date_precision": Description(
        "How much of the cover date is known: `day`, `month`, `year` or `none`; unknown parts are 1. If it is"
        " `none`, the date is the store date or else the first day of the series' first year.",
        "day",
    ),
    "store_date": Description("Date on which it goes on sale in shops.", "2019-04-17"),
    "foc_date": Description("Final order cut-off: the last date for orders by shops.", "2019-03-25"),
    "cover_hash": Description(
        "Perceptual hash (pHash) of the cover: 16 hex digits, or empty.", "9f1f0f0783c3c1e1"
    ),
    "price": Description("Cover price, with the decimals of its currency.", "3.99"),
    "sku": Description("Stock keeping unit (SKU) of the distributor; may be empty.", ""),
    "upc": Description("Barcode without spaces; may be empty.", "76194134182600311"),
    # Fields of one shape.
    "Named.id": Description("Id of the object.", 2),
    "Named.name": Description("Name.", "Nimbus Comics"),
    "Stamped.id": Description("Id of the object.", 3),
    "Stamped.name": Description("Name.", "Ada Penwell"),
    "Stamped.modified": Description(
        "In a list: time of the object's last change. In another object: time of its name's last change.",
        "2026-01-05T15:00:00.120000Z",
    ),
    "Page.count": Description("Total number of rows on all pages.", 1),
    "Page.next": Description("URL of the next page; null on the last."),
    "Page.previous": Description("URL of the previous page; null on the first."),
    "Page.results": Description("The rows of this page."),
    "Page.missing": Description("With `ids`: ids that never existed.", []),
    "Page.merged": Description("With `ids`: ids of merged objects.", []),
    "Page.deleted": Description("With `ids`: ids of deleted objects.", []),
    "MergedId.id": Description("The requested id.", 7),
    "MergedId.survivor": Description("Id of the object that it was merged into.", 3),
    "Arc.name": Description("Name.", "Salt Tide"),
    "Character.name": Description("Name.", "Gale Harrow"),
    "Character.alias": Description("Alternative names of the character.", ["Windbreaker"]),
    "Creator.name": Description("Name.", "Ada Penwell"),
    "Creator.alias": Description("Pen names and other spellings.", ["A. P."]),
    "Creator.birth": Description("Date of birth.", "1971-04-02"),
    "Creator.birth_precision": Description(
        "How much of the date of birth is known: `day`, `month` or `year`; unknown parts are 1. `day` if"
        " there is no date.",
        "day",
    ),
    "Creator.death": Description("Date of death."),
    "Creator.death_precision": Description("How much of the date of death is known, as for birth.", "day"),
    "Imprint.name": Description("Name.", "Stratus"),
    "Publisher.name": Description("Name.", "Nimbus Comics"),
    "Publisher.alt_names": Description("Alternative names of the publisher.", ["Cloud House"]),
    "Publisher.country": Description("ISO 3166-1 alpha-2 country code; empty if unknown.", "US"),
    "Team.name": Description("Name.", "Rain Wardens"),
    "Universe.name": Description("Name.", "Prime Sky"),
    "Universe.designation": Description("Designation by its publisher; may be empty.", "Sky-1"),
    "SeriesRow.series": Description("Name, type and year, as shown on the site.", "Harbor Lights (2019)"),
    "Associated.series": Description(
        "Name, type and year, as shown on the site.", "Harbor Lights TPB (2020)"
    ),
    "Series.status": Description("Status of the series.", "Ongoing"),
    "Series.associated": Description("Related series, sorted by sort name."),
    "IssueRow.issue": Description("Series and number, as shown on the site.", "Harbor Lights (2019) #3"),
    "Reprint.issue": Description("Series and number, as shown on the site.", "Harbor Lights TPB (2020) #1"),
    "Issue.publisher": Description("Publisher of the series.", {"id": 2, "name": "Nimbus Comics"}),
    "Issue.imprint": Description("Imprint of the series.", {"id": 4, "name": "Stratus"}),
    "Issue.alt_number": Description("Alternative number, if the publisher uses two; may be empty.", ""),
    "Issue.title": Description("Title of a collected edition; may be empty.", ""),
    "Issue.name": Description("Titles of its stories, in order.", ["Low Water"]),
    "Issue.price_currency": Description("Currency of the price; empty if the price is null or 0.", "USD"),
    "Issue.rating": Description("Age rating.", {"id": 3, "name": "Teen"}),
    "Issue.isbn": Description("ISBN without hyphens; may be empty.", ""),
    "Issue.page": Description("Number of pages.", 32),
    "Issue.desc_is_solicitation": Description(
        "Whether the description is the publisher's solicitation.", False
    ),
    "Issue.arcs": Description("Story arcs it is part of, sorted by name.", []),
    "Issue.credits": Description("One credit for each creator, sorted by name."),
    "Issue.characters": Description("Characters that appear in it, sorted by name.", []),
    "Issue.teams": Description("Teams that appear in it, sorted by name.", []),
    "Issue.universes": Description("Universes in which it is set, sorted by name and designation.", []),
    "Issue.reprints": Description("Issues that contain the same story."),
    "Issue.variants": Description("Variants that have a picture, sorted by name."),
    "Selection.all_variants": Description("All variants, with or without a picture, sorted by name."),
    "AnyVariantPart": Description("The same issue with another cover, with or without a picture."),
    "AnyVariant.image": Description("URL of the picture; null if there is none.", FOIL),
    "AnyVariant.id": Description("Id of the variant.", 9),
    "AnyVariant.name": Description("Name of the cover; may be empty.", "Foil"),
    "AnyVariant.price_currency": Description("Currency of the price; null if there is no price.", "USD"),
    "Credit.id": Description("Id of the creator, not of the credit.", 3),
    "Credit.creator": Description("Name of the creator.", "Ada Penwell"),
    "Credit.role": Description("Roles of the creator, in order.", [{"id": 1, "name": "Writer"}]),
    "Variant.name": Description("Name of the cover; may be empty.", "Foil"),
    "Variant.image": Description("URL of the picture.", FOIL),
    "IssueRow.image": Description(
        "URL of the picture; null if there is none.", f"{BASE}/media/issue/2026/02/11/low-water.jpg"
    ),
    "hashes": Description("The hashes searched for, or those of the picture sent."),
    "CoverHashes.phash": Description("The pHash; null if only others were sent.", "9f1f0f0783c3c1e1"),
    "CoverHashes.dhash": Description("The dHash; null if only others were sent.", "3c7e66c3c3667e3c"),
    "CoverHashes.ahash": Description("The aHash; null if only others were sent.", "ffc3818181c3ffff"),
    "CoverFound.results": Description("Covers, most similar first."),
    "CoverMatch.variant": Description("The variant with this cover; null for the issue's own."),
    "CoverMatch.kind": Description("Which of the hashes is similar.", "phash"),
    "CoverMatch.hash": Description("That hash, of the cover.", "9f1f0f0783c3c1e0"),
    "CoverMatch.distance": Description("Number of bits, out of 64, that differ.", 1),
    "CoverVariant.id": Description("Id of the variant.", 9),
    "CoverVariant.name": Description("Name of the cover; may be empty.", "Foil"),
    "CoverVariant.image": Description("URL of the picture.", FOIL),
    "CoverMultipart.max": Description("Maximum number of bits that may differ.", 8),
    "CodeFound.stem": Description(
        "The product code as EAN-13, which all results share; empty if no code was sent.", "0759606089369"
    ),
    "CodeFound.supplement": Description("Digits of the supplement sent; may be empty.", "00111"),
    "CodeFound.count": Description("Number of issues and variants with that stem.", 3),
    "CodeFound.results": Description(
        "Issues and variants with that stem; those with the code sent come first."
    ),
    "CodeMatch.code": Description("Its UPC or ISBN, without spaces and hyphens.", "75960608936900111"),
    "CodeMatch.is_match": Description(
        "Whether it has the code sent; false if it only shares the stem.", True
    ),
    "CodeMatch.variant": Description("The variant with this code; null for the issue's own."),
    "CodeVariant.id": Description("Id of the variant.", 9),
    "CodeVariant.name": Description("Name of the cover; may be empty.", "Foil"),
    "CodeVariant.image": Description("URL of the picture; null if there is none.", FOIL),
    "descriptors": Description("One object for each comic, with what is known about it."),
    "candidates": Description("Maximum number of candidates for each descriptor.", 5),
    "Descriptor.file_name": Description(
        "File name, with or without folders.", "Harbor Lights 003 (of 6) (2019) (c2c).cbz"
    ),
    "Descriptor.series": Description("Name of the series.", "Harbor Lights"),
    "Descriptor.alt_series": Description("Other names it may have; a single one needs no list.", ["Luci"]),
    "Descriptor.number": Description("Issue number.", "3"),
    "Descriptor.volume": Description("Volume of the series, or its first year.", 1),
    "Descriptor.count": Description("Number of issues in the series.", 6),
    "Descriptor.title": Description("Title of the story or of the book.", "Low Water"),
    "Descriptor.year": Description("Year of the issue.", 2019),
    "Descriptor.month": Description("Month of the issue.", 6),
    "Descriptor.day": Description("Day of the issue.", 1),
    "Descriptor.year_began": Description("First year of the series.", 2019),
    "Descriptor.publisher": Description("Name of the publisher or imprint.", "Nimbus Comics"),
    "Descriptor.language": Description("Language, by its code or name.", "en"),
    "Descriptor.page_count": Description("Number of pages.", 24),
    "Descriptor.format": Description("Format, such as TPB, HC, OGN, annual or one-shot.", "TPB"),
    "Descriptor.gtin": Description("Barcode with or without supplement, or ISBN.", "76194134182700311"),
    "Descriptor.isbn": Description("ISBN with 10 or 13 digits.", "9781891830433"),
    "Descriptor.sku": Description("SKU: the distributor's code.", "FEB190001"),
    "Descriptor.phash": Description("The pHash of the cover.", "9f1f0f0783c3c1e1"),
    "Descriptor.dhash": Description("The dHash of the cover.", "3c7e66c3c3667e3c"),
    "Descriptor.ahash": Description("The aHash of the cover.", "ffc3818181c3ffff"),
    "Descriptor.ids": Description("Ids of the issue in other databases, by source.", {"metron": "7001"}),
    "Descriptor.series_id": Description("Id of the series in this database.", 41),
    "Descriptor.series_cv_id": Description("Id of the series at Comic Vine.", 117301),
    "Descriptor.series_gcd_id": Description("Id of the series at the Grand Comics Database.", 140301),
    "Descriptor.series_ids": Description(
        "Ids of the series in other databases, by source.", {"metron": "901"}
    ),
    "Descriptor.id": Description("Id of the issue in this database.", 512),
    "Matches.results": Description("One result for each descriptor, in the order sent."),
    "MatchResult.certain": Description(
        "Whether the first candidate can be accepted without confirmation.", True
    ),
    "MatchResult.candidates": Description("Possible issues, most likely first."),
    "MatchResult.ties": Description("Fields in which likely candidates differ; empty if one is certain."),
    "MatchResult.errors": Description(
        "Errors in the descriptor, by field as sent; null if there are none.",
    ),
    "MatchCandidate.issue": Description("The issue, as in lists."),
    "MatchCandidate.score": Description("Probability that it is the right issue, 0 to 1.", 0.9971),
    "MatchCandidate.reasons": Description("What supports or contradicts it."),
    "MatchReason.field": Description("Field of the descriptor.", "number"),
    "MatchReason.text": Description("How it compares.", "number equal"),
    "MatchTie.field": Description("Field that would tell them apart.", "year_began"),
    "MatchTie.values": Description("Its value for each candidate."),
    "TieValue.issue": Description("Id of the issue.", 512),
    "TieValue.value": Description("Its value; null if it has none.", "2019"),
    "ExternalSources.sources": Description("The sources of external ids."),
    "ExternalSource.source": Description("Code of the source.", "metron"),
    "ExternalSource.name": Description("Name of the source.", "Metron"),
    "ExternalSource.pattern": Description(
        "Format of its ids, as a regular expression.", "^([1-9][0-9]{0,9})$"
    ),
    "ExternalId.source": Description("Code of the source; `GET /api/crosswalk/` lists them.", "metron"),
    "ExternalId.external_id": Description("Id at the source.", "4711"),
    "ExternalId.scope": Description("Type of id, for sources that have several; usually empty.", ""),
    "ExternalId.url": Description(
        "URL of its page; null if there is none.", "https://metron.cloud/issue/4711/"
    ),
    "CrosswalkFound.results": Description(
        "Objects found, in the order of the ids; one id may refer to several."
    ),
    "CrosswalkFound.unknown": Description("Ids that refer to nothing in this database.", ["4712"]),
    "CrosswalkMatch.asked": Description("The id as sent.", "4711"),
    "CrosswalkMatch.kind": Description("Kind of the object.", "issue"),
    "CrosswalkMatch.id": Description("Id of the object in this database.", 512),
    "CrosswalkMatch.is_merged": Description(
        "Whether the id sent is ours and was merged into this one.", False
    ),
    "CrosswalkMatch.external_ids": Description("All external ids of the object."),
    "Crosswalk.source": Description("Source of the ids; `comicsdb` for our own.", "metron"),
    "Crosswalk.kind": Description("Only objects of this kind; required for our own ids.", "issue"),
    "Crosswalk.ids": Description("Up to 1,000 ids.", ["4711"]),
    "Selection.external_ids": Description(
        "Its ids in other databases: those in `cv_id`, `gcd_id` and `isbn`, and all others."
    ),
    "external_ids": Description(
        "Ids in other databases, except those with fields of their own; the list replaces all existing ones."
        " In a form, each is a JSON object.",
        [{"source": "metron", "external_id": "4711"}],
    ),
    "SearchFound.results": Description("Results, best first."),
    "SearchResult.kind": Description("Kind of the object.", "series"),
    "SearchResult.name": Description(
        "Label, which distinguishes objects of the same name.", "Harbor Lights (2019)"
    ),
    "SearchResult.reason": Description("Best reason why it was found.", "name equal"),
    "SearchResult.resource_url": Description(
        "URL of its page on the site.", f"{BASE}/series/harbor-lights-2019/"
    ),
    # Fields that only writes have.
    "issue": Description("Id of the issue it belongs to.", 512),
    "Variant.price_currency": Description("Currency of the price; ignored without a price.", "USD"),
    "CreditInput.creator": Description("Id of the creator.", 3),
    "CreditInput.role": Description("Ids of the roles.", [1, 2]),
    "CreditWritten.id": Description("Id of the credit.", 77),
    "CreditWritten.creator": Description("Id of the creator.", 3),
    "CreditWritten.role": Description("Ids of the roles, in order.", [1, 2]),
    "Version.id": Description("Id of the version; later versions have greater ids.", 51),
    "Version.at": Description("Time of the change.", "2026-02-11T13:03:12.440105Z"),
    "Version.type": Description("Type of change.", "updated"),
    "Version.user": Description("Account that made it; null for commands and deleted accounts."),
    "Version.reason": Description("Reason, if one was given.", "Revert to version 48"),
    "Version.changes": Description(
        "Each field that differs from the previous version, as raw values, with ids for linked objects. Empty"
        " for the first version and for a deletion.",
        {"number": {"old": "2", "new": "3"}},
    ),
    "UserRef.id": Description("Id of the account.", 3),
    "UserRef.username": Description("Name of the account.", "reader"),
    # Readers' libraries.
    "PullList": Description("The series that the account follows."),
    "PullList.series_count": Description("Number of series on the list.", 12),
    "PullList.series_url": Description("URL of its series.", f"{BASE}/api/pull_list/series/"),
    "PulledSeries": Description("A series on the pull list."),
    "PulledSeries.id": Description("Id of the entry, not of the series.", 7),
    "PulledSeries.series": Description("The series."),
    "FollowedSeries": Description("Summary of a series."),
    "FollowedSeries.series": Description(
        "Name, type and year, as shown on the site.", "Harbor Lights (2019)"
    ),
    "PullListSeries.series_id": Description("Id of the series.", 88),
    "PulledIssue": Description("An issue of a series on the pull list."),
    "PulledIssue.issue": Description("Series and number, as shown on the site.", "Harbor Lights (2019) #3"),
    "PulledIssue.image": Description(
        "URL of the picture; null if there is none.", f"{BASE}/media/issue/2026/02/11/low-water.jpg"
    ),
    "CollectionItem": Description("One or more identical copies of an issue that the account owns."),
    "CollectionItemRow": Description(
        "One or more identical copies of an issue that the account owns, in a list."
    ),
    "CollectionItemRated": Description("The rating of an issue that the account owns."),
    "ReadDate": Description("A time at which an issue was read."),
    "Read": Description("A read of an issue, owned or not, by the account."),
    "Read.read_date": Description("Time of the read; null if unknown.", "2026-02-02T01:00:00Z"),
    "OwnedVariant": Description("A variant of an issue."),
    "OwnedVariant.name": Description("Name of the variant; may be empty.", "Cover B"),
    "variant": Description("Variant of the issue; null for the main cover or if unknown."),
    "variant_id": Description("Id of the variant; null for the main cover or if unknown.", 31),
    "another_copy": Description(
        "Whether to add another copy if the issue is already in the collection.", False
    ),
    "Scrobbled": Description("An issue that was read."),
    "MissingSeries": Description("A series of which the account owns some issues, but not all."),
    "MissingIssue": Description("An issue that the account does not own."),
    "CollectionItem.resource_url": Description("URL of its page on the site.", f"{BASE}/collection/40/"),
    "user": Description("The owner."),
    "issue_id": Description("Id of the issue.", 512),
    "quantity": Description("Number of copies.", 1),
    "book_format": Description("Print, digital, or both.", "Print"),
    "grade": Description("Grade on the ten-point scale; null if not graded.", 9.8),
    "grading_company": Description(
        "Company that graded it; empty if not graded by a company.", "CGC (Certified Guaranty Company)"
    ),
    "purchase_date": Description("Date of purchase.", "2026-01-02"),
    "purchase_price": Description("Price paid; null if nothing was paid.", "4.50"),
    "purchase_price_currency": Description("Currency of the price.", "USD"),
    "purchase_store": Description("Store where it was bought; may be empty.", "Corner Shop"),
    "storage_location": Description("Storage location; may be empty.", "Box 3"),
    "tags": Description("The owner's tags, in alphabetical order.", ["signed", "to sell"]),
    "notes": Description("Notes; may be empty.", ""),
    "is_read": Description("Whether it was read.", True),
    "date_read": Description("Latest known time at which it was read.", "2026-02-02T01:00:00Z"),
    "read_dates": Description("Times at which the issue was read, as far as known, latest first."),
    "read_count": Description("Number of reads, including those of unknown date.", 1),
    "read_date": Description("Time of the read.", "2026-02-02T01:00:00Z"),
    "rating": Description("The account's rating, 1 to 5; null if there is none.", 4),
    "created_on": Description("Time at which it was recorded.", "2026-01-03T14:00:00.100000Z"),
    "created": Description("Whether the item is new.", True),
    "total_issues": Description("Number of issues of the series that are released or owned.", 12),
    "owned_issues": Description("Number of them that the account owns.", 9),
    "missing_count": Description("Number of them that the account does not own.", 3),
    "completion_percentage": Description(
        "Percentage of them that the account owns, with one decimal; 0.1 to 99.9.", 75.0
    ),
    "WishList": Description("The issues that the account is looking for."),
    "WishList.item_count": Description("Number of items on the list.", 3),
    "WishList.items_url": Description("URL of its items.", f"{BASE}/api/wish_list/items/"),
    "OwnedIssue": Description("The issue of an item."),
    "WishListItem": Description("An issue on the wish list."),
    "WishListItem.id": Description("Id of the item, not of the issue.", 42),
    "WishListItem.status": Description("Status of the item.", "Wanted"),
    "WishListItem.priority": Description("Priority, from 1 (highest) to 5 (lowest).", 1),
    "WishListItem.desired_grade": Description("Lowest acceptable grade; null for any.", 6.0),
    "WishListItem.max_price": Description("Highest acceptable price; null for any, 0 means null.", "50.00"),
    "WishListItem.max_price_currency": Description("Currency of the price; null without a price.", "GBP"),
    "added_on": Description("Time at which it was added.", "2026-03-01T17:00:00.500000Z"),
    "Acquired": Description("An acquired item of the wish list."),
    "Acquired.wish_list_item_id": Description("Id of the item on the wish list.", 42),
    "Acquired.collection_item_id": Description("Id of the item in the collection.", 987),
    "Acquired.created": Description("Whether the item in the collection is new.", True),
    "Acquired.status": Description("Status of the item.", "Acquired"),
    "Acquired.purchase_price": Description("Price paid; 0 means null.", "4.50"),
    "Acquired.purchase_store": Description("Store where it was bought.", "Corner Shop"),
    "ReadingList": Description("A list of issues in reading order."),
    "ReadingListRow": Description("A reading list in a list."),
    "slug": Description("Its part of the URL of its page.", "harbor-order"),
    "ReadingList.image": Description(
        "URL of the banner; null if there is none.", f"{BASE}/media/reading_list/2026/02/11/harbor.jpg"
    ),
    "is_private": Description("Whether it is private.", False),
    "ReadingList.attribution_url": Description(
        "URL at the source; may be empty.", "https://orders.example/harbor"
    ),
    "list_type": Description("Type of the list.", "Event"),
    "ReadingList.attribution_source": Description(
        "Name of its source; empty if it is the owner's own work.", "Comic Book Reading Orders"
    ),
    "ReadingListRow.attribution_source": Description(
        "Code of its source; empty if it is the owner's own work.", "CBRO"
    ),
    "ReadingList.previous": Description(
        "The list to read before it; null if there is none that the account may see."
    ),
    "ReadingList.next": Description(
        "The list to read after it; null if there is none that the account may see."
    ),
    "ReadingList.average_rating": Description(
        "Mean of all ratings; null without any, and for private lists.", 4.5
    ),
    "ReadingListRow.average_rating": Description(
        "Mean of all ratings; null without any, and for private lists.", 4.5
    ),
    "ReadingList.items_url": Description("URL of its items.", f"{BASE}/api/reading_list/21/items/"),
    "ReadingList.resource_url": Description(
        "URL of its page on the site.", f"{BASE}/reading-lists/harbor-order/"
    ),
    "ReadingListItem": Description("An issue in a reading list."),
    "ReadingListItem.id": Description("Id of the item, not of the issue.", 77),
    "ReadingListItem.order": Description("Its position in the list, from 1.", 1),
    "ReadingListItem.issue_type": Description("Its role in the list; may be empty.", "Core Issue"),
    "ListedIssue": Description("The issue of an item."),
    "Attribution.source": Description("Name of the source.", "Grand Comics Database"),
    "Attribution.url": Description("URL of the page cited.", "https://www.comics.org/series/8801/"),
}

# The URLs in examples depend on the kind.
for _shape, _slug in {
    "Arc": "salt-tide",
    "Character": "gale-harrow",
    "Creator": "ada-penwell",
    "Imprint": "stratus",
    "Issue": "harbor-lights-2019-3",
    "Publisher": "nimbus-comics",
    "Series": "harbor-lights-2019",
    "Team": "rain-wardens",
    "Universe": "prime-sky",
}.items():
    _page, _picture = f"{_shape.lower()}/{_slug}/", f"media/{_shape.lower()}/2026/02/11/{_slug}.jpg"
    DESCRIPTIONS[f"{_shape}.resource_url"] = Description(DESCRIPTIONS["resource_url"].text, f"{BASE}/{_page}")
    if _shape != "Series":  # a series has no picture of its own
        DESCRIPTIONS[f"{_shape}.image"] = Description(DESCRIPTIONS["image"].text, f"{BASE}/{_picture}")
for _shape in (
    "CodeMatch",
    "CollectionItem",
    "CollectionItemRow",
    "CoverMatch",
    "Read",
    "ReadingListItem",
    "Scrobbled",
    "WishListItem",
):
    DESCRIPTIONS[f"{_shape}.issue"] = Description("The issue.")
for _suffix in (INPUT, FORM, CHANGE, FORM_CHANGE, WRITTEN):
    DESCRIPTIONS[f"Series{_suffix}.status"] = Description(STATUSES, 4)


def description_of(name: str, shape: str = "") -> Description | None:
    """The description of a field, preferably that for its shape; None for fields of other packages.

    Fields in bodies of writes without a description of their own have that of the kind.
    """
    kind = next((shape.removesuffix(each) for each in SUFFIXES if shape.endswith(each)), shape)
    return DESCRIPTIONS.get(f"{shape}.{name}") or DESCRIPTIONS.get(f"{kind}.{name}") or DESCRIPTIONS.get(name)
