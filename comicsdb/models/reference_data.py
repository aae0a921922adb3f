"""The initial reference data of every installation: rows by table, in the order of insertion.

Clients rely on these ids. Each English name is followed by the Italian one.
"""

_SERIES_TYPES = (
    (5, "One-Shot", "Albo unico", "one_shot", "A single self-contained release"),
    (6, "Annual", "Annuale", "annual", "Yearly special accompanying a series"),
    (8, "Hardcover", "Volume cartonato", "hardcover", "Collected edition, hard cover"),
    (9, "Graphic Novel", "Graphic novel", "graphic_novel", "Original book-length story"),
    (10, "Trade Paperback", "Volume brossurato", "trade_paperback", "Collected edition, soft cover"),
    (11, "Limited Series", "Miniserie", "limited_series", "Mini- or maxi-series with a planned end"),
    (12, "Digital Chapter", "Capitolo digitale", "digital_chapter", "Published electronically only"),
    (13, "Single Issue", "Serie di albi", "single_issue", "Ordinary periodical, mostly one issue a month"),
    (15, "Omnibus", "Omnibus", "omnibus", "Very large collected edition"),
)
_AGE_RATINGS = (
    ("Unknown", "Sconosciuta", "", ""),
    ("Everyone", "Per tutti", "All ages", "Suitable for readers of all ages."),
    ("Teen", "Ragazzi", "12 and up", "Suggested for readers of about 12 years and up."),
    ("Teen Plus", "Ragazzi più grandi", "15 and up", "Suggested for readers of about 15 years and up."),
    ("Mature", "Lettori maturi", "17 and up", "Suggested for readers of 17 years and up."),
    ("Explicit", "Contenuti espliciti", "Beyond mature", "Violence or sexual content stronger than mature."),
    ("Adult", "Solo adulti", "Adults only", "Pornographic content."),
)
_GENRES = (
    ("Adult", "Per adulti", "Intended for adults only"),
    ("Espionage", "Spionaggio", "Spies, agents and secret services"),
    ("Fantasy", "Fantasy", "Magic, myth or invented worlds"),
    ("Historical", "Storico", "Set in a recognisable past era"),
    ("Horror", "Horror", "Meant to frighten or disturb"),
    ("Humor", "Umoristico", "Meant to make the reader laugh"),
    ("Manga", "Manga", "Japanese comics or work in that tradition"),
    ("Romance", "Sentimentale", "Love relations drive the plot"),
    ("Science Fiction", "Fantascienza", "Imagined science, technology, space or future"),
    ("Super-Hero", "Supereroi", "Heroes with extraordinary powers or costumes"),
    ("War", "Guerra", "Armed conflict and soldiers"),
    ("Western", "Western", "The American frontier or its conventions"),
    ("Action", "Azione", "Physical action dominates, often with violence"),
    ("Adventure", "Avventura", "One or more characters pursue a quest or a mission"),
    ("Drama", "Drammatico", "Serious in tone"),
    ("Mystery", "Giallo", "A crime or riddle is to be solved"),
    ("Crime", "Poliziesco", "Criminals and their deeds are the centre of the story"),
    ("Parody", "Parodia", "Imitates other works for comic effect"),
    ("Sport", "Sportivo", "Built around a sport or competition"),
)
_ROLES = {
    "Writer": "Sceneggiatore", "Script": "Sceneggiatura", "Story": "Soggetto", "Plot": "Trama",
    "Interviewer": "Intervistatore", "Artist": "Disegnatore", "Penciller": "Matitista", "Breakdowns": "Bozze",
    "Illustrator": "Illustratore", "Layouts": "Layout", "Inker": "Inchiostratore",
    "Embellisher": "Rifinitore", "Finishes": "Rifiniture", "Ink Assists": "Assistente alle chine",
    "Colorist": "Colorista", "Color Separations": "Separazione dei colori",
    "Color Assists": "Assistente ai colori", "Color Flats": "Basi di colore",
    "Digital Art Technician": "Tecnico di arte digitale", "Gray Tone": "Mezzetinte", "Letterer": "Letterista",
    "Cover": "Copertina", "Editor": "Editor", "Consulting Editor": "Editor consulente",
    "Assistant Editor": "Assistente editor", "Associate Editor": "Editor associato",
    "Group Editor": "Editor di gruppo", "Senior Editor": "Editor senior", "Managing Editor": "Caporedattore",
    "Collection Editor": "Editor della raccolta", "Production": "Produzione", "Designer": "Grafico",
    "Logo Design": "Disegno del logo", "Translator": "Traduttore", "Supervising Editor": "Editor supervisore",
    "Executive Editor": "Editor esecutivo", "Editor In Chief": "Direttore editoriale",
    "President": "Presidente", "Publisher": "Editore", "Chief Creative Officer": "Direttore creativo",
    "Executive Producer": "Produttore esecutivo", "Other": "Altro",
}  # fmt: skip
_WRITERS = {"Writer", "Script", "Story", "Plot"}
_ARTISTS = {
    "Artist", "Penciller", "Illustrator", "Layouts", "Breakdowns", "Inker", "Embellisher", "Finishes",
    "Ink Assists",
}  # fmt: skip
_FEATURED = {"Writer", "Script", "Story", "Artist", "Penciller", "Inker", "Finishes"}

REFERENCE: dict[str, list[dict]] = {
    "series_type": [
        {"id": number, "name": name, "names": {"it": italian}, "code": code, "notes": notes}
        for number, name, italian, code, notes in _SERIES_TYPES
    ],
    "age_rating": [
        {
            "id": number,
            "name": name,
            "names": {"it": italian},
            "short_description": short,
            "description": long,
        }
        for number, (name, italian, short, long) in enumerate(_AGE_RATINGS, 1)
    ],
    "genre": [
        {"id": number, "name": name, "names": {"it": italian}, "desc": description}
        for number, (name, italian, description) in enumerate(_GENRES, 1)
    ],
    "role": [
        {
            "id": number,
            "name": name,
            "names": {"it": italian},
            "order": number * 10,
            "is_writer": name in _WRITERS,
            "is_artist": name in _ARTISTS,
            "is_featured": name in _FEATURED,
            "is_cover": name == "Cover",
        }
        for number, (name, italian) in enumerate(_ROLES.items(), 1)
    ],
    "user_group": [{"id": 1, "name": "editor"}, {"id": 2, "name": "reading list editor"}],
    "user_account": [{"id": 1, "username": "system", "email": "system@localhost", "password": "!"}],
}
