"""What the names in bodies mean, with examples: the sentences that no declaration can give.

A word is kept by the name of a field, by `Shape.field` where a shape means something of its own by it, or by
the name of a shape.
"""

from dataclasses import dataclass

from comicsdb.models.choices import Status

BASE = "https://comics.example"  # where the examples live
FOIL = f"{BASE}/media/variants/2026/02/11/foil.jpg"
# Ends of the names of request bodies, one for each media type (generated clients choose the media type by the
# type of the body), and of the answer to a write.
INPUT, FORM, MULTIPART, WRITTEN = "Input", "Form", "Multipart", "Written"
# The same for PATCH.
CHANGE, FORM_CHANGE, MULTIPART_CHANGE = "Change", "FormChange", "MultipartChange"
PART = "Part"  # where `fields` may leave out some of the fields
SUFFIXES = (INPUT, FORM, MULTIPART, WRITTEN, FORM_CHANGE, MULTIPART_CHANGE, CHANGE, PART)


@dataclass(frozen=True)
class Word:
    """The description of a field, and an example in JSON; None if the type is enough."""

    text: str
    example: object = None


STATUSES = ", ".join(f"{status.value} {status.label}" for status in Status) + "."

WORDS = {
    # Shapes.
    "Named": Word("An object by its id and its name."),
    "Stamped": Word("An object by its id and its name, with the time of a change."),
    "SeriesBrief": Word("The series of an issue, in short."),
    "IssueRow": Word("An issue in a list."),
    "Selection": Word("An object with the fields that `fields` and `include` ask for."),
    "MergedId": Word("An id that leads to another object."),
    "SeriesRow": Word("A series in a list."),
    "IssueSeries": Word("The series of an issue."),
    "Credit": Word("What one creator did on an issue."),
    "Reprint": Word("An issue that prints the same story."),
    "Variant": Word("The same issue with another cover."),
    "Associated": Word("A related series."),
    "Attribution": Word("Where a text comes from."),
    "Version": Word("A version of an object: who changed what, and when."),
    "UserRef": Word("An account by its id and its name."),
    # Fields that most shapes have.
    "id": Word("Number for ever; a deleted object's is never given again.", 7),
    "name": Word("Name.", "Harbor Lights"),
    "modified": Word("When what the object shows last changed.", "2026-02-11T13:03:12.440105Z"),
    "desc": Word("Text about it; may be empty.", ""),
    "image": Word("Address of the picture; null without one."),
    "cv_id": Word("Id of the same object at Comic Vine.", 41530),
    "gcd_id": Word("Id of the same object at the Grand Comics Database.", 8801),
    "resource_url": Word("Address of its page on the site."),
    "attribution": Word("Where its text comes from, in the order entered."),
    "publisher": Word("The house that publishes it.", {"id": 2, "name": "Nimbus Comics"}),
    "imprint": Word("The line of the publisher that it belongs to.", {"id": 4, "name": "Stratus"}),
    "alt_names": Word("Other names of the same thing.", ["Luci del porto"]),
    "founded": Word("Year of its foundation.", 1993),
    "creators": Word(
        "Those who thought it up, by name.",
        [{"id": 3, "name": "Ada Penwell", "modified": "2026-01-05T15:00:00.120000Z"}],
    ),
    "teams": Word("Its teams, by name.", []),
    "universes": Word("The worlds it belongs to, by name and designation.", []),
    "average_rating": Word("Mean of all stars, from 1 to 5, with two decimals; null without any.", 4.33),
    "rating_count": Word("How many have given stars.", 3),
    "volume": Word("Which of the series of the same name it is.", 1),
    "year_began": Word("Year of the first issue.", 2019),
    "year_end": Word("Year of the last issue; null while it goes on, or when unknown."),
    "issue_count": Word("How many issues are in the database.", 12),
    "series_type": Word("Form of publication.", {"id": 13, "name": "Single Issue"}),
    "sort_name": Word("Name that lists are ordered by.", "Harbor Lights"),
    "language": Word("Code of the language; may be empty.", "en"),
    "genres": Word("Genres, by name.", [{"id": 8, "name": "Romance"}]),
    "number": Word("Number as printed; a text, and the order of numbers is that of texts.", "3"),
    "cover_date": Word(
        "Date on the cover, by which issues are ordered; if `cover_date_precision` is `none`, a substitute.",
        "2019-06-01",
    ),
    "cover_date_precision": Word(
        "How much of the cover date is known: `day`, `month` (its first day is given), `year`, or `none`:"
        " then the date is that of the store, or else the first day of the series' first year.",
        "day",
    ),
    "store_date": Word("When it came into the shops.", "2019-04-17"),
    "foc_date": Word("Final order cut-off: until when shops could order it.", "2019-03-25"),
    "cover_hash": Word("Perceptual hash (pHash) of the cover: 16 hex digits, or empty.", "9f1f0f0783c3c1e1"),
    "price": Word("Cover price with two decimals.", "3.99"),
    "sku": Word("Stock keeping unit of the distributor; may be empty.", ""),
    "upc": Word("Bar code without blanks; may be empty.", "76194134182600311"),
    # Fields of one shape.
    "Named.id": Word("Number of the object.", 2),
    "Named.name": Word("Name.", "Nimbus Comics"),
    "Stamped.id": Word("Number of the object.", 3),
    "Stamped.name": Word("Name.", "Ada Penwell"),
    "Stamped.modified": Word(
        "In a list: when the object last changed. Inside another object: when its name last changed.",
        "2026-01-05T15:00:00.120000Z",
    ),
    "Page.count": Word("How many rows all pages have together.", 1),
    "Page.next": Word("Address of the next page, null on the last."),
    "Page.previous": Word("Address of the page before, null on the first."),
    "Page.results": Word("The rows of this page."),
    "Page.missing": Word("With `ids`: those that no object ever had.", []),
    "Page.merged": Word("With `ids`: those of objects that were merged into others.", []),
    "Page.deleted": Word("With `ids`: those of deleted objects.", []),
    "MergedId.id": Word("The id that was asked for.", 7),
    "MergedId.survivor": Word("The id of the object that it was merged into.", 3),
    "Arc.name": Word("Name.", "Salt Tide"),
    "Character.name": Word("Name.", "Gale Harrow"),
    "Character.alias": Word("Other names of the same character.", ["Windbreaker"]),
    "Creator.name": Word("Name.", "Ada Penwell"),
    "Creator.alias": Word("Pen names and other spellings.", ["A. P."]),
    "Creator.birth": Word("Date of birth.", "1971-04-02"),
    "Creator.birth_precision": Word(
        "How much of the date of birth is known: `day`, `month` (its first day is given) or `year`; `day` if"
        " there is no date.",
        "day",
    ),
    "Creator.death": Word("Date of death."),
    "Creator.death_precision": Word("How much of the date of death is known, like that of birth.", "day"),
    "Imprint.name": Word("Name.", "Stratus"),
    "Publisher.name": Word("Name.", "Nimbus Comics"),
    "Publisher.alt_names": Word("Other names of the house.", ["Cloud House"]),
    "Publisher.country": Word("Code of the country, ISO 3166-1 alpha-2; empty if unknown.", "US"),
    "Team.name": Word("Name.", "Rain Wardens"),
    "Universe.name": Word("Name.", "Prime Sky"),
    "Universe.designation": Word("What its publisher calls it; may be empty.", "Sky-1"),
    "SeriesRow.series": Word("Name, type and year as the site shows them.", "Harbor Lights (2019)"),
    "Associated.series": Word("Name, type and year as the site shows them.", "Harbor Lights TPB (2020)"),
    "Series.status": Word("Whether it goes on.", "Ongoing"),
    "Series.associated": Word("Related series, by sort name."),
    "IssueRow.series": Word("The series it belongs to."),
    "IssueRow.issue": Word("Series and number as the site shows them.", "Harbor Lights (2019) #3"),
    "Reprint.issue": Word("Series and number as the site shows them.", "Harbor Lights TPB (2020) #1"),
    "Issue.publisher": Word("Publisher of the series.", {"id": 2, "name": "Nimbus Comics"}),
    "Issue.imprint": Word("Imprint of the series.", {"id": 4, "name": "Stratus"}),
    "Issue.series": Word("The series it belongs to."),
    "Issue.alt_number": Word("Second number, where a publisher counts in two ways; may be empty.", ""),
    "Issue.title": Word("Title of a collected edition; may be empty.", ""),
    "Issue.name": Word("Titles of its stories, in their order.", ["Low Water"]),
    "Issue.price_currency": Word("Currency of the price; empty without a price, and for 0.", "USD"),
    "Issue.rating": Word("The age that it is meant for.", {"id": 3, "name": "Teen"}),
    "Issue.isbn": Word("ISBN without hyphens; may be empty.", ""),
    "Issue.page": Word("Number of pages.", 32),
    "Issue.desc_is_solicitation": Word("Whether the text is the publisher's announcement.", False),
    "Issue.arcs": Word("The stories it is part of, by name.", []),
    "Issue.credits": Word("Who made it: one entry per creator, by name."),
    "Issue.characters": Word("Who appears in it, by name.", []),
    "Issue.teams": Word("Which teams appear in it, by name.", []),
    "Issue.universes": Word("The worlds it plays in, by name and designation.", []),
    "Issue.reprints": Word("Issues that print the same story."),
    "Issue.variants": Word("The same issue with other covers of which there are pictures, by name."),
    "Selection.all_variants": Word("All its other covers, also those without a picture, by name."),
    "AnyVariantPart": Word("The same issue with another cover, with or without its picture."),
    "AnyVariant.image": Word("Address of the picture; null without one.", FOIL),
    "AnyVariant.id": Word("Number of the variant.", 9),
    "AnyVariant.name": Word("What this cover is called; may be empty.", "Foil"),
    "AnyVariant.price_currency": Word("Currency of the price; null without one.", "USD"),
    "Credit.id": Word("Number of the creator, not of the credit.", 3),
    "Credit.creator": Word("Name of the creator.", "Ada Penwell"),
    "Credit.role": Word("In which roles, in their order.", [{"id": 1, "name": "Writer"}]),
    "Variant.name": Word("What this cover is called; may be empty.", "Foil"),
    "Variant.image": Word("Address of the picture.", FOIL),
    "IssueRow.image": Word(
        "Address of the picture; null without one.", f"{BASE}/media/issue/2026/02/11/low-water.jpg"
    ),
    "hashes": Word("The hashes that were looked for, or those of the picture."),
    "CoverHashes.phash": Word("The pHash; null where only others were sent.", "9f1f0f0783c3c1e1"),
    "CoverHashes.dhash": Word("The dHash; null likewise.", "3c7e66c3c3667e3c"),
    "CoverHashes.ahash": Word("The aHash; null likewise.", "ffc3818181c3ffff"),
    "CoverFound.results": Word("The covers, the nearest first."),
    "CoverMatch.issue": Word("The issue."),
    "CoverMatch.variant": Word("The variant that has the cover; null for the issue's own."),
    "CoverMatch.kind": Word("Which hash is near.", "phash"),
    "CoverMatch.hash": Word("That hash of the cover.", "9f1f0f0783c3c1e0"),
    "CoverMatch.distance": Word("In how many of 64 bits it differs.", 1),
    "CoverVariant.id": Word("Number of the variant.", 9),
    "CoverVariant.name": Word("What this cover is called; may be empty.", "Foil"),
    "CoverVariant.image": Word("Address of the picture.", FOIL),
    "CoverMultipart.max": Word("In how many bits the hashes of covers may differ.", 8),
    "CodeFound.stem": Word(
        "The product code, as EAN-13; what shares it is listed. Empty if no code was sent.", "0759606089369"
    ),
    "CodeFound.supplement": Word("The digits of the supplement sent; may be empty.", "00111"),
    "CodeFound.count": Word("Number of issues and variants with that stem.", 3),
    "CodeFound.results": Word("Issues and variants with that stem, those with the code sent first."),
    "CodeMatch.code": Word("Its UPC or ISBN, without blanks and hyphens.", "75960608936900111"),
    "CodeMatch.is_match": Word("Whether it has the code sent; false where only the stem is the same.", True),
    "CodeMatch.issue": Word("The issue."),
    "CodeMatch.variant": Word("The variant that has the code; null for the issue's own."),
    "CodeVariant.id": Word("Number of the variant.", 9),
    "CodeVariant.name": Word("What this cover is called; may be empty.", "Foil"),
    "CodeVariant.image": Word("Address of the picture; null without one.", FOIL),
    "descriptors": Word("What is known of each comic: one object for each."),
    "candidates": Word("How many candidates to give for each, at most.", 5),
    "Descriptor.file_name": Word(
        "Name of the file, with or without folders.", "Harbor Lights 003 (of 6) (2019) (c2c).cbz"
    ),
    "Descriptor.series": Word("Name of the series.", "Harbor Lights"),
    "Descriptor.alt_series": Word("Other names that it may have; a single one needs no list.", ["Luci"]),
    "Descriptor.number": Word("Number of the issue.", "3"),
    "Descriptor.volume": Word("Volume of the series, or its first year.", 1),
    "Descriptor.count": Word("How many issues the series has.", 6),
    "Descriptor.title": Word("Title of the story or of the book.", "Low Water"),
    "Descriptor.year": Word("Year of the issue.", 2019),
    "Descriptor.month": Word("Month of the issue.", 6),
    "Descriptor.day": Word("Day of the issue.", 1),
    "Descriptor.year_began": Word("First year of the series.", 2019),
    "Descriptor.publisher": Word("Name of the publisher or imprint.", "Nimbus Comics"),
    "Descriptor.language": Word("Language, by its code or name.", "en"),
    "Descriptor.page_count": Word("How many pages there are.", 24),
    "Descriptor.format": Word("Format: TPB, HC, OGN, annual, one-shot and the like.", "TPB"),
    "Descriptor.gtin": Word("Barcode, with or without supplement, or ISBN.", "76194134182700311"),
    "Descriptor.isbn": Word("ISBN, with ten or thirteen digits.", "9781891830433"),
    "Descriptor.sku": Word("The distributor's code.", "FEB190001"),
    "Descriptor.phash": Word("The pHash of the cover.", "9f1f0f0783c3c1e1"),
    "Descriptor.dhash": Word("The dHash of the cover.", "3c7e66c3c3667e3c"),
    "Descriptor.ahash": Word("The aHash of the cover.", "ffc3818181c3ffff"),
    "Descriptor.ids": Word("Ids of the issue in other databases, by source.", {"metron": "7001"}),
    "Descriptor.series_id": Word("Number of the series here.", 41),
    "Descriptor.series_cv_id": Word("The series' number at Comic Vine.", 117301),
    "Descriptor.series_gcd_id": Word("The series' number at the Grand Comics Database.", 140301),
    "Descriptor.series_ids": Word("Ids of the series in other databases, by source.", {"metron": "901"}),
    "Descriptor.id": Word("Number of the issue here.", 512),
    "Matches.results": Word("What was found for each descriptor, in the order sent."),
    "MatchResult.certain": Word("Whether the first candidate is right without a doubt.", True),
    "MatchResult.candidates": Word("The issues that it may be, the likeliest first."),
    "MatchResult.ties": Word("In what the likely candidates differ; empty if one is certain."),
    "MatchResult.errors": Word(
        "What is wrong with the descriptor, by field as sent; null for nothing.",
    ),
    "MatchCandidate.issue": Word("The issue as lists show it."),
    "MatchCandidate.score": Word("How likely it is the one, from 0 to 1.", 0.9971),
    "MatchCandidate.reasons": Word("What speaks for it and against it."),
    "MatchReason.field": Word("Which field of the descriptor.", "number"),
    "MatchReason.text": Word("What it says.", "number equal"),
    "MatchTie.field": Word("What would tell them apart.", "year_began"),
    "MatchTie.values": Word("What each of them has."),
    "TieValue.issue": Word("Number of the issue.", 512),
    "TieValue.value": Word("Its value; null for none.", "2019"),
    "ExternalSources.sources": Word("The sources of external ids."),
    "ExternalSource.source": Word("Its code.", "metron"),
    "ExternalSource.name": Word("Its name.", "Metron"),
    "ExternalSource.pattern": Word("The form of its ids, as a regular expression.", "^([1-9][0-9]{0,9})$"),
    "ExternalId.source": Word("Code of the source; GET tells which there are.", "metron"),
    "ExternalId.external_id": Word("The id there.", "4711"),
    "ExternalId.scope": Word(
        "What it stands for, where a source has several sorts of ids; usually empty.", ""
    ),
    "ExternalId.url": Word("Address of its page; null if it has none.", "https://metron.cloud/issue/4711/"),
    "CrosswalkFound.results": Word("What the ids stand for, in their order; one id may stand for several."),
    "CrosswalkFound.unknown": Word("The ids that stand for nothing here.", ["4712"]),
    "CrosswalkMatch.asked": Word("The id as it was sent.", "4711"),
    "CrosswalkMatch.kind": Word("The kind of the object.", "issue"),
    "CrosswalkMatch.id": Word("Our number of the object.", 512),
    "CrosswalkMatch.is_merged": Word("Whether our number asked for was merged into this one.", False),
    "CrosswalkMatch.external_ids": Word("All external ids of the object."),
    "Crosswalk.source": Word("Whose ids are sent; `comicsdb` for our own.", "metron"),
    "Crosswalk.kind": Word("Only objects of this kind; required for our own ids.", "issue"),
    "Crosswalk.ids": Word("Up to 1,000 ids.", ["4711"]),
    "Selection.external_ids": Word(
        "Its ids in other databases: its main ones (`cv_id`, `gcd_id`, `isbn`) and all others."
    ),
    "external_ids": Word(
        "Ids in other databases, beside those that have fields of their own; they replace all there are."
        " In a form, each is an object of JSON.",
        [{"source": "metron", "external_id": "4711"}],
    ),
    "SearchFound.results": Word("What was found, the best first."),
    "SearchResult.kind": Word("Its kind.", "series"),
    "SearchResult.name": Word(
        "Its label, which tells it from others of the same name.", "Harbor Lights (2019)"
    ),
    "SearchResult.reason": Word("Why it was found, the best reason.", "name equal"),
    "SearchResult.resource_url": Word("Its page on the site.", f"{BASE}/series/harbor-lights-2019/"),
    # What only writes have.
    "issue": Word("Number of the issue it belongs to.", 512),
    "SeriesInput.status": Word(STATUSES, 4),
    "SeriesForm.status": Word(STATUSES, 4),
    "SeriesChange.status": Word(STATUSES, 4),
    "SeriesFormChange.status": Word(STATUSES, 4),
    "SeriesWritten.status": Word(STATUSES, 4),
    "Variant.price_currency": Word("Currency of the price; heeded only together with it.", "USD"),
    "CreditInput.creator": Word("Number of the creator.", 3),
    "CreditInput.role": Word("Numbers of the roles.", [1, 2]),
    "CreditWritten.id": Word("Number of the credit.", 77),
    "CreditWritten.creator": Word("Number of the creator.", 3),
    "CreditWritten.role": Word("Numbers of the roles, in their order.", [1, 2]),
    "Version.id": Word("Number of the version; later ones have greater numbers.", 51),
    "Version.at": Word("When it came to be.", "2026-02-11T13:03:12.440105Z"),
    "Version.type": Word("What happened.", "updated"),
    "Version.user": Word("Who did it; null for commands, and for accounts that are gone."),
    "Version.reason": Word("Why, where something was said.", "Revert to version 48"),
    "Version.changes": Word(
        "Each field that differs from the version before, in raw values: ids for what is linked. Empty for"
        " the first version, and for a deletion.",
        {"number": {"old": "2", "new": "3"}},
    ),
    "UserRef.id": Word("Number of the account.", 3),
    "UserRef.username": Word("Name of the account.", "reader"),
    # What readers keep.
    "PullList": Word("The series that the caller follows."),
    "PullList.series_count": Word("How many series are on it.", 12),
    "PullList.series_url": Word("Where they are.", f"{BASE}/api/pull_list/series/"),
    "PulledSeries": Word("A series on the pull list."),
    "PulledSeries.id": Word("Number of the entry, not of the series.", 7),
    "PulledSeries.series": Word("The series."),
    "PulledSeries.added_on": Word("When it was put on the list.", "2026-03-01T17:00:00.500000Z"),
    "FollowedSeries": Word("A series, in short."),
    "FollowedSeries.series": Word("Name, type and year as the site shows them.", "Harbor Lights (2019)"),
    "PullListSeries.series_id": Word("Number of the series.", 88),
    "PulledIssue": Word("An issue of a series on the pull list."),
    "PulledIssue.series": Word("The series it belongs to."),
    "PulledIssue.issue": Word("Series and number as the site shows them.", "Harbor Lights (2019) #3"),
    "PulledIssue.image": Word(
        "Address of the picture; null without one.", f"{BASE}/media/issue/2026/02/11/low-water.jpg"
    ),
    "CollectionItem": Word("A copy of an issue that the caller owns, or several that are alike."),
    "CollectionItemRow": Word("A copy of an issue that the caller owns, in a list."),
    "CollectionItemRated": Word("The stars of an issue that the caller owns."),
    "ReadDate": Word("A time at which an issue was read."),
    "Read": Word("That the caller read an issue, owned or not."),
    "Read.issue": Word("The issue."),
    "Read.read_date": Word("When it was read; null for an unknown date.", "2026-02-02T01:00:00Z"),
    "OwnedVariant": Word("A variant of an issue."),
    "OwnedVariant.name": Word("What distinguishes it; may be empty.", "Cover B"),
    "variant": Word("Which variant of the issue it is; null for the main cover, or if that is not known."),
    "variant_id": Word("Number of the variant; null for the main cover, or if that is not known.", 31),
    "another_copy": Word("Whether it is one more copy, where the issue is in the collection already.", False),
    "Scrobbled": Word("An issue that was read."),
    "MissingSeries": Word("A series of which the caller owns some issues, and not all."),
    "MissingIssue": Word("An issue that the caller does not own."),
    "CollectionItem.issue": Word("The issue."),
    "CollectionItemRow.issue": Word("The issue."),
    "Scrobbled.issue": Word("The issue."),
    "MissingIssue.series": Word("The series it belongs to."),
    "CollectionItem.resource_url": Word("Address of its page on the site.", f"{BASE}/collection/40/"),
    "user": Word("Whose it is."),
    "issue_id": Word("Number of the issue.", 512),
    "quantity": Word("How many copies there are.", 1),
    "book_format": Word("Whether it is on paper, digital, or both.", "Print"),
    "grade": Word("Grade on the ten-point scale; null where it has none.", 9.8),
    "grading_company": Word(
        "Who graded it; empty for the owner's own opinion.", "CGC (Certified Guaranty Company)"
    ),
    "purchase_date": Word("When it was bought.", "2026-01-02"),
    "purchase_price": Word("What was paid for it; nothing paid is null.", "4.50"),
    "purchase_price_currency": Word("Currency of that price.", "USD"),
    "purchase_store": Word("Where it was bought; may be empty.", "Corner Shop"),
    "storage_location": Word("Where it is kept; may be empty.", "Box 3"),
    "tags": Word("The reader's own words, in alphabetical order.", ["signed", "to sell"]),
    "notes": Word("Whatever else there is to say; may be empty.", ""),
    "is_read": Word("Whether it was read.", True),
    "date_read": Word("When it was read, the latest time that is known.", "2026-02-02T01:00:00Z"),
    "read_dates": Word("When the issue was read, the latest first, as far as the dates are known."),
    "read_count": Word("How often it was read, also at unknown dates.", 1),
    "read_date": Word("When it was read.", "2026-02-02T01:00:00Z"),
    "rating": Word("The reader's own stars, from 1 to 5; null for none.", 4),
    "created_on": Word("When it was noted.", "2026-01-03T14:00:00.100000Z"),
    "created": Word("Whether the item is new.", True),
    "total_issues": Word("How many issues of the series are out, or owned already.", 12),
    "owned_issues": Word("How many of them the caller owns.", 9),
    "missing_count": Word("How many the caller does not.", 3),
    "completion_percentage": Word("How much of it is owned, in percent with one decimal; 0.1 to 99.9.", 75.0),
    "WishList": Word("The issues that the caller looks for."),
    "WishList.item_count": Word("How many issues are on it.", 3),
    "WishList.items_url": Word("Where they are.", f"{BASE}/api/wish_list/items/"),
    "OwnedIssue": Word("The issue of something that a reader keeps."),
    "OwnedIssue.series": Word("The series it belongs to."),
    "WishListItem": Word("An issue on the wish list."),
    "WishListItem.id": Word("Number of the item, not of the issue.", 42),
    "WishListItem.issue": Word("The issue."),
    "WishListItem.issue_id": Word("Number of the issue.", 512),
    "WishListItem.status": Word("How far the wish has come.", "Wanted"),
    "WishListItem.priority": Word("How much it is wanted: 1 most, 5 least.", 1),
    "WishListItem.desired_grade": Word("The lowest grade that will do; null for any.", 6.0),
    "WishListItem.max_price": Word(
        "The highest price that will do; null for any, and 0 means null.", "50.00"
    ),
    "WishListItem.max_price_currency": Word("Currency of that price; null without one.", "GBP"),
    "WishListItem.notes": Word("Whatever else there is to say; may be empty.", ""),
    "WishListItem.added_on": Word("When it was put on the list.", "2026-03-01T17:00:00.500000Z"),
    "Acquired": Word("A wish that was fulfilled."),
    "Acquired.wish_list_item_id": Word("Number of the item on the wish list.", 42),
    "Acquired.collection_item_id": Word("Number of the item in the collection.", 987),
    "Acquired.created": Word("Whether that item is new.", True),
    "Acquired.status": Word("How far the wish has come.", "Acquired"),
    "Acquired.purchase_date": Word("When it was bought.", "2026-01-02"),
    "Acquired.purchase_price": Word("What was paid; 0 means null.", "4.50"),
    "Acquired.purchase_price_currency": Word("Currency of that price.", "USD"),
    "Acquired.purchase_store": Word("Where it was bought.", "Corner Shop"),
    "Acquired.notes": Word("Whatever else there is to say; may be empty.", ""),
    "ReadingList": Word("Issues in the order in which somebody says they should be read."),
    "ReadingListRow": Word("A reading list in a list."),
    "ReadingList.slug": Word("Its part of the address of its page.", "harbor-order"),
    "ReadingListRow.slug": Word("Its part of the address of its page.", "harbor-order"),
    "ReadingList.image": Word(
        "Address of the banner; null without one.", f"{BASE}/media/reading_list/2026/02/11/harbor.jpg"
    ),
    "ReadingList.is_private": Word("Whether others cannot see it.", False),
    "ReadingListRow.is_private": Word("Whether others cannot see it.", False),
    "ReadingList.attribution_url": Word(
        "Address at the source; may be empty.", "https://orders.example/harbor"
    ),
    "ReadingList.user": Word("The owner."),
    "ReadingListRow.user": Word("The owner."),
    "ReadingList.list_type": Word("What holds the list together.", "Event"),
    "ReadingListRow.list_type": Word("What holds the list together.", "Event"),
    "ReadingList.attribution_source": Word(
        "Name of where the list was taken from; empty for its owner's own.", "Comic Book Reading Orders"
    ),
    "ReadingListRow.attribution_source": Word(
        "Code of where the list was taken from; empty for its owner's own.", "CBRO"
    ),
    "ReadingList.previous": Word("The list to read before; null for none that the caller may see."),
    "ReadingList.next": Word("The list to read after; null for none that the caller may see."),
    "ReadingList.average_rating": Word("Mean of the stars; null without any, and for private lists.", 4.5),
    "ReadingListRow.average_rating": Word("Mean of the stars; null without any, and for private lists.", 4.5),
    "ReadingList.items_url": Word("Where its issues are.", f"{BASE}/api/reading_list/21/items/"),
    "ReadingList.resource_url": Word("Its page on the site.", f"{BASE}/reading-lists/harbor-order/"),
    "ReadingListItem": Word("An issue in a reading list."),
    "ReadingListItem.id": Word("Number of the item, not of the issue.", 77),
    "ReadingListItem.issue": Word("The issue."),
    "ReadingListItem.order": Word("Its place in the list, from 1 on.", 1),
    "ReadingListItem.issue_type": Word("What it is within the list; may be empty.", "Core Issue"),
    "ListedIssue": Word("The issue of an item."),
    "ListedIssue.series": Word("The series it belongs to."),
    "Attribution.source": Word("Name of the source.", "Grand Comics Database"),
    "Attribution.url": Word("Address of the page that was quoted.", "https://www.comics.org/series/8801/"),
}

# The addresses in examples are those of their kinds.
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
    WORDS[f"{_shape}.resource_url"] = Word(WORDS["resource_url"].text, f"{BASE}/{_page}")
    if _shape != "Series":  # it shows the cover of an issue, and has none of its own
        WORDS[f"{_shape}.image"] = Word(WORDS["image"].text, f"{BASE}/{_picture}")


def words_for(name: str, shape: str = "") -> Word | None:
    """What is said of a name, of the shape's own sense first; None for a name of another package.

    What is sent and written of a kind has the words of the kind, where it has none of its own.
    """
    kind = next((shape.removesuffix(each) for each in SUFFIXES if shape.endswith(each)), shape)
    return WORDS.get(f"{shape}.{name}") or WORDS.get(f"{kind}.{name}") or WORDS.get(name)
