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
    "Named": Description("An object by its id and its name."),
    "Stamped": Description("An object by its id and its name, with the time of a change."),
    "SeriesBrief": Description("The series of an issue, in short."),
    "IssueRow": Description("An issue in a list."),
    "Selection": Description("An object with the fields that `fields` and `include` ask for."),
    "MergedId": Description("An id that leads to another object."),
    "SeriesRow": Description("A series in a list."),
    "IssueSeries": Description("The series of an issue."),
    "Credit": Description("What one creator did on an issue."),
    "Reprint": Description("An issue that prints the same story."),
    "Variant": Description("The same issue with another cover."),
    "Associated": Description("A related series."),
    "Attribution": Description("Where a text comes from."),
    "Version": Description("A version of an object: who changed what, and when."),
    "UserRef": Description("An account by its id and its name."),
    # Fields that most shapes have.
    "id": Description("Number for ever; a deleted object's is never given again.", 7),
    "name": Description("Name.", "Harbor Lights"),
    "modified": Description("When what the object shows last changed.", "2026-02-11T13:03:12.440105Z"),
    "desc": Description("Text about it; may be empty.", ""),
    "image": Description("Address of the picture; null without one."),
    "cv_id": Description("Id of the same object at Comic Vine.", 41530),
    "gcd_id": Description("Id of the same object at the Grand Comics Database.", 8801),
    "resource_url": Description("Address of its page on the site."),
    "attribution": Description("Where its text comes from, in the order entered."),
    "publisher": Description("The house that publishes it.", {"id": 2, "name": "Nimbus Comics"}),
    "imprint": Description("The line of the publisher that it belongs to.", {"id": 4, "name": "Stratus"}),
    "alt_names": Description("Other names of the same thing.", ["Luci del porto"]),
    "founded": Description("Year of its foundation.", 1993),
    "creators": Description(
        "Those who thought it up, by name.",
        [{"id": 3, "name": "Ada Penwell", "modified": "2026-01-05T15:00:00.120000Z"}],
    ),
    "teams": Description("Its teams, by name.", []),
    "universes": Description("The worlds it belongs to, by name and designation.", []),
    "average_rating": Description(
        "Mean of all stars, from 1 to 5, with two decimals; null without any.", 4.33
    ),
    "rating_count": Description("How many have given stars.", 3),
    "volume": Description("Which of the series of the same name it is.", 1),
    "year_began": Description("Year of the first issue.", 2019),
    "year_end": Description("Year of the last issue; null while it goes on, or when unknown."),
    "issue_count": Description("How many issues are in the database.", 12),
    "series_type": Description("Form of publication.", {"id": 13, "name": "Single Issue"}),
    "sort_name": Description("Name that lists are ordered by.", "Harbor Lights"),
    "language": Description("Code of the language; may be empty.", "en"),
    "genres": Description("Genres, by name.", [{"id": 8, "name": "Romance"}]),
    "number": Description("Number as printed; a text, and the order of numbers is that of texts.", "3"),
    "cover_date": Description(
        "Date on the cover, by which issues are ordered; if `cover_date_precision` is `none`, a substitute.",
        "2019-06-01",
    ),
    "cover_date_precision": Description(
        "How much of the cover date is known: `day`, `month` (its first day is given), `year`, or `none`:"
        " then the date is that of the store, or else the first day of the series' first year.",
        "day",
    ),
    "store_date": Description("When it came into the shops.", "2019-04-17"),
    "foc_date": Description("Final order cut-off: until when shops could order it.", "2019-03-25"),
    "cover_hash": Description(
        "Perceptual hash (pHash) of the cover: 16 hex digits, or empty.", "9f1f0f0783c3c1e1"
    ),
    "price": Description("Cover price with two decimals.", "3.99"),
    "sku": Description("Stock keeping unit of the distributor; may be empty.", ""),
    "upc": Description("Bar code without blanks; may be empty.", "76194134182600311"),
    # Fields of one shape.
    "Named.id": Description("Number of the object.", 2),
    "Named.name": Description("Name.", "Nimbus Comics"),
    "Stamped.id": Description("Number of the object.", 3),
    "Stamped.name": Description("Name.", "Ada Penwell"),
    "Stamped.modified": Description(
        "In a list: when the object last changed. Inside another object: when its name last changed.",
        "2026-01-05T15:00:00.120000Z",
    ),
    "Page.count": Description("How many rows all pages have together.", 1),
    "Page.next": Description("Address of the next page, null on the last."),
    "Page.previous": Description("Address of the page before, null on the first."),
    "Page.results": Description("The rows of this page."),
    "Page.missing": Description("With `ids`: those that no object ever had.", []),
    "Page.merged": Description("With `ids`: those of objects that were merged into others.", []),
    "Page.deleted": Description("With `ids`: those of deleted objects.", []),
    "MergedId.id": Description("The id that was asked for.", 7),
    "MergedId.survivor": Description("The id of the object that it was merged into.", 3),
    "Arc.name": Description("Name.", "Salt Tide"),
    "Character.name": Description("Name.", "Gale Harrow"),
    "Character.alias": Description("Other names of the same character.", ["Windbreaker"]),
    "Creator.name": Description("Name.", "Ada Penwell"),
    "Creator.alias": Description("Pen names and other spellings.", ["A. P."]),
    "Creator.birth": Description("Date of birth.", "1971-04-02"),
    "Creator.birth_precision": Description(
        "How much of the date of birth is known: `day`, `month` (its first day is given) or `year`; `day` if"
        " there is no date.",
        "day",
    ),
    "Creator.death": Description("Date of death."),
    "Creator.death_precision": Description(
        "How much of the date of death is known, like that of birth.", "day"
    ),
    "Imprint.name": Description("Name.", "Stratus"),
    "Publisher.name": Description("Name.", "Nimbus Comics"),
    "Publisher.alt_names": Description("Other names of the house.", ["Cloud House"]),
    "Publisher.country": Description("Code of the country, ISO 3166-1 alpha-2; empty if unknown.", "US"),
    "Team.name": Description("Name.", "Rain Wardens"),
    "Universe.name": Description("Name.", "Prime Sky"),
    "Universe.designation": Description("What its publisher calls it; may be empty.", "Sky-1"),
    "SeriesRow.series": Description("Name, type and year as the site shows them.", "Harbor Lights (2019)"),
    "Associated.series": Description(
        "Name, type and year as the site shows them.", "Harbor Lights TPB (2020)"
    ),
    "Series.status": Description("Whether it goes on.", "Ongoing"),
    "Series.associated": Description("Related series, by sort name."),
    "IssueRow.series": Description("The series it belongs to."),
    "IssueRow.issue": Description("Series and number as the site shows them.", "Harbor Lights (2019) #3"),
    "Reprint.issue": Description("Series and number as the site shows them.", "Harbor Lights TPB (2020) #1"),
    "Issue.publisher": Description("Publisher of the series.", {"id": 2, "name": "Nimbus Comics"}),
    "Issue.imprint": Description("Imprint of the series.", {"id": 4, "name": "Stratus"}),
    "Issue.series": Description("The series it belongs to."),
    "Issue.alt_number": Description("Second number, where a publisher counts in two ways; may be empty.", ""),
    "Issue.title": Description("Title of a collected edition; may be empty.", ""),
    "Issue.name": Description("Titles of its stories, in their order.", ["Low Water"]),
    "Issue.price_currency": Description("Currency of the price; empty without a price, and for 0.", "USD"),
    "Issue.rating": Description("The age that it is meant for.", {"id": 3, "name": "Teen"}),
    "Issue.isbn": Description("ISBN without hyphens; may be empty.", ""),
    "Issue.page": Description("Number of pages.", 32),
    "Issue.desc_is_solicitation": Description("Whether the text is the publisher's announcement.", False),
    "Issue.arcs": Description("The stories it is part of, by name.", []),
    "Issue.credits": Description("Who made it: one entry per creator, by name."),
    "Issue.characters": Description("Who appears in it, by name.", []),
    "Issue.teams": Description("Which teams appear in it, by name.", []),
    "Issue.universes": Description("The worlds it plays in, by name and designation.", []),
    "Issue.reprints": Description("Issues that print the same story."),
    "Issue.variants": Description("The same issue with other covers of which there are pictures, by name."),
    "Selection.all_variants": Description("All its other covers, also those without a picture, by name."),
    "AnyVariantPart": Description("The same issue with another cover, with or without its picture."),
    "AnyVariant.image": Description("Address of the picture; null without one.", FOIL),
    "AnyVariant.id": Description("Number of the variant.", 9),
    "AnyVariant.name": Description("What this cover is called; may be empty.", "Foil"),
    "AnyVariant.price_currency": Description("Currency of the price; null without one.", "USD"),
    "Credit.id": Description("Number of the creator, not of the credit.", 3),
    "Credit.creator": Description("Name of the creator.", "Ada Penwell"),
    "Credit.role": Description("In which roles, in their order.", [{"id": 1, "name": "Writer"}]),
    "Variant.name": Description("What this cover is called; may be empty.", "Foil"),
    "Variant.image": Description("Address of the picture.", FOIL),
    "IssueRow.image": Description(
        "Address of the picture; null without one.", f"{BASE}/media/issue/2026/02/11/low-water.jpg"
    ),
    "hashes": Description("The hashes that were looked for, or those of the picture."),
    "CoverHashes.phash": Description("The pHash; null where only others were sent.", "9f1f0f0783c3c1e1"),
    "CoverHashes.dhash": Description("The dHash; null likewise.", "3c7e66c3c3667e3c"),
    "CoverHashes.ahash": Description("The aHash; null likewise.", "ffc3818181c3ffff"),
    "CoverFound.results": Description("The covers, the nearest first."),
    "CoverMatch.issue": Description("The issue."),
    "CoverMatch.variant": Description("The variant that has the cover; null for the issue's own."),
    "CoverMatch.kind": Description("Which hash is near.", "phash"),
    "CoverMatch.hash": Description("That hash of the cover.", "9f1f0f0783c3c1e0"),
    "CoverMatch.distance": Description("In how many of 64 bits it differs.", 1),
    "CoverVariant.id": Description("Number of the variant.", 9),
    "CoverVariant.name": Description("What this cover is called; may be empty.", "Foil"),
    "CoverVariant.image": Description("Address of the picture.", FOIL),
    "CoverMultipart.max": Description("In how many bits the hashes of covers may differ.", 8),
    "CodeFound.stem": Description(
        "The product code, as EAN-13; what shares it is listed. Empty if no code was sent.", "0759606089369"
    ),
    "CodeFound.supplement": Description("The digits of the supplement sent; may be empty.", "00111"),
    "CodeFound.count": Description("Number of issues and variants with that stem.", 3),
    "CodeFound.results": Description("Issues and variants with that stem, those with the code sent first."),
    "CodeMatch.code": Description("Its UPC or ISBN, without blanks and hyphens.", "75960608936900111"),
    "CodeMatch.is_match": Description(
        "Whether it has the code sent; false where only the stem is the same.", True
    ),
    "CodeMatch.issue": Description("The issue."),
    "CodeMatch.variant": Description("The variant that has the code; null for the issue's own."),
    "CodeVariant.id": Description("Number of the variant.", 9),
    "CodeVariant.name": Description("What this cover is called; may be empty.", "Foil"),
    "CodeVariant.image": Description("Address of the picture; null without one.", FOIL),
    "descriptors": Description("What is known of each comic: one object for each."),
    "candidates": Description("How many candidates to give for each, at most.", 5),
    "Descriptor.file_name": Description(
        "Name of the file, with or without folders.", "Harbor Lights 003 (of 6) (2019) (c2c).cbz"
    ),
    "Descriptor.series": Description("Name of the series.", "Harbor Lights"),
    "Descriptor.alt_series": Description(
        "Other names that it may have; a single one needs no list.", ["Luci"]
    ),
    "Descriptor.number": Description("Number of the issue.", "3"),
    "Descriptor.volume": Description("Volume of the series, or its first year.", 1),
    "Descriptor.count": Description("How many issues the series has.", 6),
    "Descriptor.title": Description("Title of the story or of the book.", "Low Water"),
    "Descriptor.year": Description("Year of the issue.", 2019),
    "Descriptor.month": Description("Month of the issue.", 6),
    "Descriptor.day": Description("Day of the issue.", 1),
    "Descriptor.year_began": Description("First year of the series.", 2019),
    "Descriptor.publisher": Description("Name of the publisher or imprint.", "Nimbus Comics"),
    "Descriptor.language": Description("Language, by its code or name.", "en"),
    "Descriptor.page_count": Description("How many pages there are.", 24),
    "Descriptor.format": Description("Format: TPB, HC, OGN, annual, one-shot and the like.", "TPB"),
    "Descriptor.gtin": Description("Barcode, with or without supplement, or ISBN.", "76194134182700311"),
    "Descriptor.isbn": Description("ISBN, with ten or thirteen digits.", "9781891830433"),
    "Descriptor.sku": Description("The distributor's code.", "FEB190001"),
    "Descriptor.phash": Description("The pHash of the cover.", "9f1f0f0783c3c1e1"),
    "Descriptor.dhash": Description("The dHash of the cover.", "3c7e66c3c3667e3c"),
    "Descriptor.ahash": Description("The aHash of the cover.", "ffc3818181c3ffff"),
    "Descriptor.ids": Description("Ids of the issue in other databases, by source.", {"metron": "7001"}),
    "Descriptor.series_id": Description("Number of the series here.", 41),
    "Descriptor.series_cv_id": Description("The series' number at Comic Vine.", 117301),
    "Descriptor.series_gcd_id": Description("The series' number at the Grand Comics Database.", 140301),
    "Descriptor.series_ids": Description(
        "Ids of the series in other databases, by source.", {"metron": "901"}
    ),
    "Descriptor.id": Description("Number of the issue here.", 512),
    "Matches.results": Description("What was found for each descriptor, in the order sent."),
    "MatchResult.certain": Description("Whether the first candidate is right without a doubt.", True),
    "MatchResult.candidates": Description("The issues that it may be, the likeliest first."),
    "MatchResult.ties": Description("In what the likely candidates differ; empty if one is certain."),
    "MatchResult.errors": Description(
        "What is wrong with the descriptor, by field as sent; null for nothing.",
    ),
    "MatchCandidate.issue": Description("The issue as lists show it."),
    "MatchCandidate.score": Description("How likely it is the one, from 0 to 1.", 0.9971),
    "MatchCandidate.reasons": Description("What speaks for it and against it."),
    "MatchReason.field": Description("Which field of the descriptor.", "number"),
    "MatchReason.text": Description("What it says.", "number equal"),
    "MatchTie.field": Description("What would tell them apart.", "year_began"),
    "MatchTie.values": Description("What each of them has."),
    "TieValue.issue": Description("Number of the issue.", 512),
    "TieValue.value": Description("Its value; null for none.", "2019"),
    "ExternalSources.sources": Description("The sources of external ids."),
    "ExternalSource.source": Description("Its code.", "metron"),
    "ExternalSource.name": Description("Its name.", "Metron"),
    "ExternalSource.pattern": Description(
        "The form of its ids, as a regular expression.", "^([1-9][0-9]{0,9})$"
    ),
    "ExternalId.source": Description("Code of the source; GET tells which there are.", "metron"),
    "ExternalId.external_id": Description("The id there.", "4711"),
    "ExternalId.scope": Description(
        "What it stands for, where a source has several sorts of ids; usually empty.", ""
    ),
    "ExternalId.url": Description(
        "Address of its page; null if it has none.", "https://metron.cloud/issue/4711/"
    ),
    "CrosswalkFound.results": Description(
        "What the ids stand for, in their order; one id may stand for several."
    ),
    "CrosswalkFound.unknown": Description("The ids that stand for nothing here.", ["4712"]),
    "CrosswalkMatch.asked": Description("The id as it was sent.", "4711"),
    "CrosswalkMatch.kind": Description("The kind of the object.", "issue"),
    "CrosswalkMatch.id": Description("Our number of the object.", 512),
    "CrosswalkMatch.is_merged": Description("Whether our number asked for was merged into this one.", False),
    "CrosswalkMatch.external_ids": Description("All external ids of the object."),
    "Crosswalk.source": Description("Whose ids are sent; `comicsdb` for our own.", "metron"),
    "Crosswalk.kind": Description("Only objects of this kind; required for our own ids.", "issue"),
    "Crosswalk.ids": Description("Up to 1,000 ids.", ["4711"]),
    "Selection.external_ids": Description(
        "Its ids in other databases: its main ones (`cv_id`, `gcd_id`, `isbn`) and all others."
    ),
    "external_ids": Description(
        "Ids in other databases, beside those that have fields of their own; they replace all there are."
        " In a form, each is an object of JSON.",
        [{"source": "metron", "external_id": "4711"}],
    ),
    "SearchFound.results": Description("What was found, the best first."),
    "SearchResult.kind": Description("Its kind.", "series"),
    "SearchResult.name": Description(
        "Its label, which tells it from others of the same name.", "Harbor Lights (2019)"
    ),
    "SearchResult.reason": Description("Why it was found, the best reason.", "name equal"),
    "SearchResult.resource_url": Description("Its page on the site.", f"{BASE}/series/harbor-lights-2019/"),
    # Fields that only writes have.
    "issue": Description("Number of the issue it belongs to.", 512),
    "SeriesInput.status": Description(STATUSES, 4),
    "SeriesForm.status": Description(STATUSES, 4),
    "SeriesChange.status": Description(STATUSES, 4),
    "SeriesFormChange.status": Description(STATUSES, 4),
    "SeriesWritten.status": Description(STATUSES, 4),
    "Variant.price_currency": Description("Currency of the price; heeded only together with it.", "USD"),
    "CreditInput.creator": Description("Number of the creator.", 3),
    "CreditInput.role": Description("Numbers of the roles.", [1, 2]),
    "CreditWritten.id": Description("Number of the credit.", 77),
    "CreditWritten.creator": Description("Number of the creator.", 3),
    "CreditWritten.role": Description("Numbers of the roles, in their order.", [1, 2]),
    "Version.id": Description("Number of the version; later ones have greater numbers.", 51),
    "Version.at": Description("When it came to be.", "2026-02-11T13:03:12.440105Z"),
    "Version.type": Description("What happened.", "updated"),
    "Version.user": Description("Who did it; null for commands, and for accounts that are gone."),
    "Version.reason": Description("Why, where something was said.", "Revert to version 48"),
    "Version.changes": Description(
        "Each field that differs from the version before, in raw values: ids for what is linked. Empty for"
        " the first version, and for a deletion.",
        {"number": {"old": "2", "new": "3"}},
    ),
    "UserRef.id": Description("Number of the account.", 3),
    "UserRef.username": Description("Name of the account.", "reader"),
    # Readers' libraries.
    "PullList": Description("The series that the caller follows."),
    "PullList.series_count": Description("How many series are on it.", 12),
    "PullList.series_url": Description("Where they are.", f"{BASE}/api/pull_list/series/"),
    "PulledSeries": Description("A series on the pull list."),
    "PulledSeries.id": Description("Number of the entry, not of the series.", 7),
    "PulledSeries.series": Description("The series."),
    "PulledSeries.added_on": Description("When it was put on the list.", "2026-03-01T17:00:00.500000Z"),
    "FollowedSeries": Description("A series, in short."),
    "FollowedSeries.series": Description(
        "Name, type and year as the site shows them.", "Harbor Lights (2019)"
    ),
    "PullListSeries.series_id": Description("Number of the series.", 88),
    "PulledIssue": Description("An issue of a series on the pull list."),
    "PulledIssue.series": Description("The series it belongs to."),
    "PulledIssue.issue": Description("Series and number as the site shows them.", "Harbor Lights (2019) #3"),
    "PulledIssue.image": Description(
        "Address of the picture; null without one.", f"{BASE}/media/issue/2026/02/11/low-water.jpg"
    ),
    "CollectionItem": Description("A copy of an issue that the caller owns, or several that are alike."),
    "CollectionItemRow": Description("A copy of an issue that the caller owns, in a list."),
    "CollectionItemRated": Description("The stars of an issue that the caller owns."),
    "ReadDate": Description("A time at which an issue was read."),
    "Read": Description("That the caller read an issue, owned or not."),
    "Read.issue": Description("The issue."),
    "Read.read_date": Description("When it was read; null for an unknown date.", "2026-02-02T01:00:00Z"),
    "OwnedVariant": Description("A variant of an issue."),
    "OwnedVariant.name": Description("What distinguishes it; may be empty.", "Cover B"),
    "variant": Description(
        "Which variant of the issue it is; null for the main cover, or if that is not known."
    ),
    "variant_id": Description("Number of the variant; null for the main cover, or if that is not known.", 31),
    "another_copy": Description(
        "Whether it is one more copy, where the issue is in the collection already.", False
    ),
    "Scrobbled": Description("An issue that was read."),
    "MissingSeries": Description("A series of which the caller owns some issues, and not all."),
    "MissingIssue": Description("An issue that the caller does not own."),
    "CollectionItem.issue": Description("The issue."),
    "CollectionItemRow.issue": Description("The issue."),
    "Scrobbled.issue": Description("The issue."),
    "MissingIssue.series": Description("The series it belongs to."),
    "CollectionItem.resource_url": Description("Address of its page on the site.", f"{BASE}/collection/40/"),
    "user": Description("Whose it is."),
    "issue_id": Description("Number of the issue.", 512),
    "quantity": Description("How many copies there are.", 1),
    "book_format": Description("Whether it is on paper, digital, or both.", "Print"),
    "grade": Description("Grade on the ten-point scale; null where it has none.", 9.8),
    "grading_company": Description(
        "Who graded it; empty for the owner's own opinion.", "CGC (Certified Guaranty Company)"
    ),
    "purchase_date": Description("When it was bought.", "2026-01-02"),
    "purchase_price": Description("What was paid for it; nothing paid is null.", "4.50"),
    "purchase_price_currency": Description("Currency of that price.", "USD"),
    "purchase_store": Description("Where it was bought; may be empty.", "Corner Shop"),
    "storage_location": Description("Where it is kept; may be empty.", "Box 3"),
    "tags": Description("The reader's own words, in alphabetical order.", ["signed", "to sell"]),
    "notes": Description("Whatever else there is to say; may be empty.", ""),
    "is_read": Description("Whether it was read.", True),
    "date_read": Description("When it was read, the latest time that is known.", "2026-02-02T01:00:00Z"),
    "read_dates": Description("When the issue was read, the latest first, as far as the dates are known."),
    "read_count": Description("How often it was read, also at unknown dates.", 1),
    "read_date": Description("When it was read.", "2026-02-02T01:00:00Z"),
    "rating": Description("The reader's own stars, from 1 to 5; null for none.", 4),
    "created_on": Description("When it was noted.", "2026-01-03T14:00:00.100000Z"),
    "created": Description("Whether the item is new.", True),
    "total_issues": Description("How many issues of the series are out, or owned already.", 12),
    "owned_issues": Description("How many of them the caller owns.", 9),
    "missing_count": Description("How many the caller does not.", 3),
    "completion_percentage": Description(
        "How much of it is owned, in percent with one decimal; 0.1 to 99.9.", 75.0
    ),
    "WishList": Description("The issues that the caller looks for."),
    "WishList.item_count": Description("How many issues are on it.", 3),
    "WishList.items_url": Description("Where they are.", f"{BASE}/api/wish_list/items/"),
    "OwnedIssue": Description("The issue of something that a reader keeps."),
    "OwnedIssue.series": Description("The series it belongs to."),
    "WishListItem": Description("An issue on the wish list."),
    "WishListItem.id": Description("Number of the item, not of the issue.", 42),
    "WishListItem.issue": Description("The issue."),
    "WishListItem.issue_id": Description("Number of the issue.", 512),
    "WishListItem.status": Description("How far the wish has come.", "Wanted"),
    "WishListItem.priority": Description("How much it is wanted: 1 most, 5 least.", 1),
    "WishListItem.desired_grade": Description("The lowest grade that will do; null for any.", 6.0),
    "WishListItem.max_price": Description(
        "The highest price that will do; null for any, and 0 means null.", "50.00"
    ),
    "WishListItem.max_price_currency": Description("Currency of that price; null without one.", "GBP"),
    "WishListItem.notes": Description("Whatever else there is to say; may be empty.", ""),
    "WishListItem.added_on": Description("When it was put on the list.", "2026-03-01T17:00:00.500000Z"),
    "Acquired": Description("A wish that was fulfilled."),
    "Acquired.wish_list_item_id": Description("Number of the item on the wish list.", 42),
    "Acquired.collection_item_id": Description("Number of the item in the collection.", 987),
    "Acquired.created": Description("Whether that item is new.", True),
    "Acquired.status": Description("How far the wish has come.", "Acquired"),
    "Acquired.purchase_date": Description("When it was bought.", "2026-01-02"),
    "Acquired.purchase_price": Description("What was paid; 0 means null.", "4.50"),
    "Acquired.purchase_price_currency": Description("Currency of that price.", "USD"),
    "Acquired.purchase_store": Description("Where it was bought.", "Corner Shop"),
    "Acquired.notes": Description("Whatever else there is to say; may be empty.", ""),
    "ReadingList": Description("Issues in the order in which somebody says they should be read."),
    "ReadingListRow": Description("A reading list in a list."),
    "ReadingList.slug": Description("Its part of the address of its page.", "harbor-order"),
    "ReadingListRow.slug": Description("Its part of the address of its page.", "harbor-order"),
    "ReadingList.image": Description(
        "Address of the banner; null without one.", f"{BASE}/media/reading_list/2026/02/11/harbor.jpg"
    ),
    "ReadingList.is_private": Description("Whether others cannot see it.", False),
    "ReadingListRow.is_private": Description("Whether others cannot see it.", False),
    "ReadingList.attribution_url": Description(
        "Address at the source; may be empty.", "https://orders.example/harbor"
    ),
    "ReadingList.user": Description("The owner."),
    "ReadingListRow.user": Description("The owner."),
    "ReadingList.list_type": Description("What holds the list together.", "Event"),
    "ReadingListRow.list_type": Description("What holds the list together.", "Event"),
    "ReadingList.attribution_source": Description(
        "Name of where the list was taken from; empty for its owner's own.", "Comic Book Reading Orders"
    ),
    "ReadingListRow.attribution_source": Description(
        "Code of where the list was taken from; empty for its owner's own.", "CBRO"
    ),
    "ReadingList.previous": Description("The list to read before; null for none that the caller may see."),
    "ReadingList.next": Description("The list to read after; null for none that the caller may see."),
    "ReadingList.average_rating": Description(
        "Mean of the stars; null without any, and for private lists.", 4.5
    ),
    "ReadingListRow.average_rating": Description(
        "Mean of the stars; null without any, and for private lists.", 4.5
    ),
    "ReadingList.items_url": Description("Where its issues are.", f"{BASE}/api/reading_list/21/items/"),
    "ReadingList.resource_url": Description("Its page on the site.", f"{BASE}/reading-lists/harbor-order/"),
    "ReadingListItem": Description("An issue in a reading list."),
    "ReadingListItem.id": Description("Number of the item, not of the issue.", 77),
    "ReadingListItem.issue": Description("The issue."),
    "ReadingListItem.order": Description("Its place in the list, from 1 on.", 1),
    "ReadingListItem.issue_type": Description("What it is within the list; may be empty.", "Core Issue"),
    "ListedIssue": Description("The issue of an item."),
    "ListedIssue.series": Description("The series it belongs to."),
    "Attribution.source": Description("Name of the source.", "Grand Comics Database"),
    "Attribution.url": Description(
        "Address of the page that was quoted.", "https://www.comics.org/series/8801/"
    ),
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


def description_of(name: str, shape: str = "") -> Description | None:
    """The description of a field, preferably that for its shape; None for fields of other packages.

    Fields in bodies of writes without a description of their own have that of the kind.
    """
    kind = next((shape.removesuffix(each) for each in SUFFIXES if shape.endswith(each)), shape)
    return DESCRIPTIONS.get(f"{shape}.{name}") or DESCRIPTIONS.get(f"{kind}.{name}") or DESCRIPTIONS.get(name)
