"""The initial reference data of every installation: rows by table, in the order of insertion.

Clients rely on these ids.
"""

_SERIES_TYPES = (
    (5, "One-Shot", "one_shot", "A single self-contained release"),
    (6, "Annual", "annual", "Yearly special accompanying a series"),
    (8, "Hardcover", "hardcover", "Collected edition, hard cover"),
    (9, "Graphic Novel", "graphic_novel", "Original book-length story"),
    (10, "Trade Paperback", "trade_paperback", "Collected edition, soft cover"),
    (11, "Limited Series", "limited_series", "Mini- or maxi-series with a planned end"),
    (12, "Digital Chapter", "digital_chapter", "Published electronically only"),
    (13, "Single Issue", "single_issue", "Ordinary periodical, mostly one issue a month"),
    (15, "Omnibus", "omnibus", "Very large collected edition"),
)
_AGE_RATINGS = (
    ("Unknown", "", ""),
    ("Everyone", "All ages", "Suitable for readers of all ages."),
    ("Teen", "12 and up", "Suggested for readers of about 12 years and up."),
    ("Teen Plus", "15 and up", "Suggested for readers of about 15 years and up."),
    ("Mature", "17 and up", "Suggested for readers of 17 years and up."),
    ("Explicit", "Beyond mature", "Violence or sexual content stronger than mature."),
    ("Adult", "Adults only", "Pornographic content."),
)
_GENRES = (
    ("Adult", "Intended for adults only"),
    ("Espionage", "Spies, agents and secret services"),
    ("Fantasy", "Magic, myth or invented worlds"),
    ("Historical", "Set in a recognisable past era"),
    ("Horror", "Meant to frighten or disturb"),
    ("Humor", "Meant to make the reader laugh"),
    ("Manga", "Japanese comics or work in that tradition"),
    ("Romance", "Love relations drive the plot"),
    ("Science Fiction", "Imagined science, technology, space or future"),
    ("Super-Hero", "Heroes with extraordinary powers or costumes"),
    ("War", "Armed conflict and soldiers"),
    ("Western", "The American frontier or its conventions"),
    ("Action", "Physical action dominates, often with violence"),
    ("Adventure", "One or more characters pursue a quest or a mission"),
    ("Drama", "Serious in tone"),
    ("Mystery", "A crime or riddle is to be solved"),
    ("Crime", "Criminals and their deeds are the centre of the story"),
    ("Parody", "Imitates other works for comic effect"),
    ("Sport", "Built around a sport or competition"),
)
_ROLES = (
    "Writer", "Script", "Story", "Plot", "Interviewer", "Artist", "Penciller", "Breakdowns", "Illustrator",
    "Layouts", "Inker", "Embellisher", "Finishes", "Ink Assists", "Colorist", "Color Separations",
    "Color Assists", "Color Flats", "Digital Art Technician", "Gray Tone", "Letterer", "Cover", "Editor",
    "Consulting Editor", "Assistant Editor", "Associate Editor", "Group Editor", "Senior Editor",
    "Managing Editor", "Collection Editor", "Production", "Designer", "Logo Design", "Translator",
    "Supervising Editor", "Executive Editor", "Editor In Chief", "President", "Publisher",
    "Chief Creative Officer", "Executive Producer", "Other",
)  # fmt: skip
_WRITERS = {"Writer", "Script", "Story", "Plot"}
_ARTISTS = {
    "Artist", "Penciller", "Illustrator", "Layouts", "Breakdowns", "Inker", "Embellisher", "Finishes",
    "Ink Assists",
}  # fmt: skip
_FEATURED = {"Writer", "Script", "Story", "Artist", "Penciller", "Inker", "Finishes"}

REFERENCE: dict[str, list[dict]] = {
    "series_type": [
        {"id": number, "name": name, "code": code, "notes": notes}
        for number, name, code, notes in _SERIES_TYPES
    ],
    "age_rating": [
        {"id": number, "name": name, "short_description": short, "description": long}
        for number, (name, short, long) in enumerate(_AGE_RATINGS, 1)
    ],
    "genre": [
        {"id": number, "name": name, "desc": description}
        for number, (name, description) in enumerate(_GENRES, 1)
    ],
    "role": [
        {
            "id": number,
            "name": name,
            "order": number * 10,
            "is_writer": name in _WRITERS,
            "is_artist": name in _ARTISTS,
            "is_featured": name in _FEATURED,
            "is_cover": name == "Cover",
        }
        for number, name in enumerate(_ROLES, 1)
    ],
    "user_group": [{"id": 1, "name": "editor"}, {"id": 2, "name": "reading list editor"}],
    "user_account": [{"id": 1, "username": "system", "email": "system@localhost", "password": "!"}],
}
