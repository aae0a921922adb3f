"""Reference data and accounts of the demo (model.md 12.1, 12.3, 12.11, 12.12; api.md 5.7)."""

import hashlib

SERIES_TYPES = {
    5: "One-Shot",
    6: "Annual",
    8: "Hardcover",
    9: "Graphic Novel",
    10: "Trade Paperback",
    11: "Limited Series",
    12: "Digital Chapter",
    13: "Single Issue",
    15: "Omnibus",
}
COLLECTED = ("Hardcover", "Trade Paperback", "Omnibus")
STATUSES = {"Cancelled": 1, "Completed": 2, "Hiatus": 3, "Ongoing": 4}
AGE_RATINGS = ["Unknown", "Everyone", "Teen", "Teen Plus", "Mature", "Explicit", "Adult"]
GENRES = [
    "Adult",
    "Espionage",
    "Fantasy",
    "Historical",
    "Horror",
    "Humor",
    "Manga",
    "Romance",
    "Science Fiction",
    "Super-Hero",
    "War",
    "Western",
    "Action",
    "Adventure",
    "Drama",
    "Mystery",
    "Crime",
    "Parody",
    "Sport",
]
ROLES = [
    "Writer",
    "Script",
    "Story",
    "Plot",
    "Interviewer",
    "Artist",
    "Penciller",
    "Breakdowns",
    "Illustrator",
    "Layouts",
    "Inker",
    "Embellisher",
    "Finishes",
    "Ink Assists",
    "Colorist",
    "Color Separations",
    "Color Assists",
    "Color Flats",
    "Digital Art Technician",
    "Gray Tone",
    "Letterer",
    "Cover",
    "Editor",
    "Consulting Editor",
    "Assistant Editor",
    "Associate Editor",
    "Group Editor",
    "Senior Editor",
    "Managing Editor",
    "Collection Editor",
    "Production",
    "Designer",
    "Logo Design",
    "Translator",
    "Supervising Editor",
    "Executive Editor",
    "Editor In Chief",
    "President",
    "Publisher",
    "Chief Creative Officer",
    "Executive Producer",
    "Other",
]
ROLE_STEP = 10

ADMIN, EDITOR = 1, 2
# Name, what they say of themselves; the first four have duties.
_PEOPLE = [
    ("admin", "Keeps the lights on."),
    ("editor", "Adds what is missing, corrects what is wrong, and cites a source."),
    ("reader", "Three long boxes, two cats, one rule: no food near the comics."),
    ("Metron", "The account that owns the reading lists of the site."),
    ("ashtonic", "Reads on the night bus."),
    ("bedephile", "Albums cartonnés, thé noir, pluie au carreau."),
    ("carruggi89", "Collezionista di tascabili; cerca il numero 10, qualsiasi ristampa."),
    ("tankobon", "Right to left since 1997."),
]


def users() -> list[dict]:
    """The accounts; their passwords and tokens are public, so they are for demonstrations only."""
    return [
        {
            "id": number,
            "username": name,
            "email": f"{name.lower()}@example.org",
            "password": f"demo-{name}-pass",
            "api_token": hashlib.sha256(f"demo token {name}".encode()).hexdigest(),
            "is_staff": number == ADMIN,
            "is_superuser": number == ADMIN,
            "groups": ["editor"] if number == EDITOR else [],
            "supporter_tier": "",
            "supporter_until": None,
            "bio": bio,
            "date_joined": f"2019-01-{number:02d}T12:00:00.000000Z",
        }
        for number, (name, bio) in enumerate(_PEOPLE, 1)
    ]
