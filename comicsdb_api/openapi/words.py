"""What the names in bodies mean, with examples: the sentences that no declaration can give.

A word is kept by the name of a field, by `Shape.field` where a shape means something of its own by it, or by
the name of a shape.
"""

from dataclasses import dataclass

from comicsdb.models.choices import Status

BASE = "https://comics.example"  # where the examples live
# Of the names of shapes that are sent and written: JSON, forms, and parts of each; and the answer.
INPUT, FORM, FORM_CHANGE, CHANGE, WRITTEN = SUFFIXES = ("Input", "Form", "FormChange", "Change", "Written")


@dataclass(frozen=True)
class Word:
    """A sentence, and an example as it stands in JSON (None where the type says enough)."""

    text: str
    example: object = None


STATUSES = ", ".join(f"{status.value} {status.label}" for status in Status) + "."

WORDS = {
    # Shapes.
    "Named": Word("An object by its id and its name."),
    "Stamped": Word("An object by its id and its name, with the time of a change."),
    "SeriesBrief": Word("The series of an issue, in short."),
    "IssueRow": Word("An issue in a list."),
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
    "cover_date": Word("Date on the cover, by which issues are ordered.", "2019-06-01"),
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
    "Arc.name": Word("Name.", "Salt Tide"),
    "Character.name": Word("Name.", "Gale Harrow"),
    "Character.alias": Word("Other names of the same character.", ["Windbreaker"]),
    "Creator.name": Word("Name.", "Ada Penwell"),
    "Creator.alias": Word("Pen names and other spellings.", ["A. P."]),
    "Creator.birth": Word("Date of birth.", "1971-04-02"),
    "Creator.death": Word("Date of death."),
    "Imprint.name": Word("Name.", "Stratus"),
    "Publisher.name": Word("Name.", "Nimbus Comics"),
    "Publisher.alt_names": Word("Other names of the house.", ["Cloud House"]),
    "Publisher.country": Word("Code of the country, ISO 3166-1 alpha-2.", "US"),
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
    "Issue.variants": Word("The same issue with other covers, by name."),
    "Credit.id": Word("Number of the creator, not of the credit.", 3),
    "Credit.creator": Word("Name of the creator.", "Ada Penwell"),
    "Credit.role": Word("In which roles, in their order.", [{"id": 1, "name": "Writer"}]),
    "Variant.name": Word("What this cover is called; may be empty.", "Foil"),
    "Variant.image": Word("Address of the picture.", f"{BASE}/media/variants/2026/02/11/foil.jpg"),
    "IssueRow.image": Word(
        "Address of the picture; null without one.", f"{BASE}/media/issue/2026/02/11/low-water.jpg"
    ),
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
