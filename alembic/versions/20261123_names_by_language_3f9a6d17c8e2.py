"""Translations of reference data: names by language."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "3f9a6d17c8e2"
down_revision = "2e8c5a17d9f4"
branch_labels = None
depends_on = None

ITALIAN = {
    "series_type": {
        "One-Shot": "Albo unico",
        "Annual": "Annuale",
        "Hardcover": "Volume cartonato",
        "Graphic Novel": "Graphic novel",
        "Trade Paperback": "Volume brossurato",
        "Limited Series": "Miniserie",
        "Digital Chapter": "Capitolo digitale",
        "Single Issue": "Serie di albi",
        "Omnibus": "Omnibus",
    },
    "age_rating": {
        "Unknown": "Sconosciuta",
        "Everyone": "Per tutti",
        "Teen": "Ragazzi",
        "Teen Plus": "Ragazzi più grandi",
        "Mature": "Lettori maturi",
        "Explicit": "Contenuti espliciti",
        "Adult": "Solo adulti",
    },
    "genre": {
        "Adult": "Per adulti",
        "Espionage": "Spionaggio",
        "Fantasy": "Fantasy",
        "Historical": "Storico",
        "Horror": "Horror",
        "Humor": "Umoristico",
        "Manga": "Manga",
        "Romance": "Sentimentale",
        "Science Fiction": "Fantascienza",
        "Super-Hero": "Supereroi",
        "War": "Guerra",
        "Western": "Western",
        "Action": "Azione",
        "Adventure": "Avventura",
        "Drama": "Drammatico",
        "Mystery": "Giallo",
        "Crime": "Poliziesco",
        "Parody": "Parodia",
        "Sport": "Sportivo",
    },
    "role": {
        "Writer": "Sceneggiatore",
        "Script": "Sceneggiatura",
        "Story": "Soggetto",
        "Plot": "Trama",
        "Interviewer": "Intervistatore",
        "Artist": "Disegnatore",
        "Penciller": "Matitista",
        "Breakdowns": "Bozze",
        "Illustrator": "Illustratore",
        "Layouts": "Layout",
        "Inker": "Inchiostratore",
        "Embellisher": "Rifinitore",
        "Finishes": "Rifiniture",
        "Ink Assists": "Assistente alle chine",
        "Colorist": "Colorista",
        "Color Separations": "Separazione dei colori",
        "Color Assists": "Assistente ai colori",
        "Color Flats": "Basi di colore",
        "Digital Art Technician": "Tecnico di arte digitale",
        "Gray Tone": "Mezzetinte",
        "Letterer": "Letterista",
        "Cover": "Copertina",
        "Editor": "Editor",
        "Consulting Editor": "Editor consulente",
        "Assistant Editor": "Assistente editor",
        "Associate Editor": "Editor associato",
        "Group Editor": "Editor di gruppo",
        "Senior Editor": "Editor senior",
        "Managing Editor": "Caporedattore",
        "Collection Editor": "Editor della raccolta",
        "Production": "Produzione",
        "Designer": "Grafico",
        "Logo Design": "Disegno del logo",
        "Translator": "Traduttore",
        "Supervising Editor": "Editor supervisore",
        "Executive Editor": "Editor esecutivo",
        "Editor In Chief": "Direttore editoriale",
        "President": "Presidente",
        "Publisher": "Editore",
        "Chief Creative Officer": "Direttore creativo",
        "Executive Producer": "Produttore esecutivo",
        "Other": "Altro",
    },
}


def upgrade():
    for table, names in ITALIAN.items():
        column = sa.Column("names", JSONB(), server_default=sa.text("'{}'"), nullable=False)
        op.add_column(table, column)
        found = sa.table(table, sa.column("name", sa.String), sa.column("names", JSONB))
        for name, italian in names.items():
            op.execute(found.update().where(found.c.name == name).values(names={"it": italian}))


def downgrade():
    for table in ITALIAN:
        op.drop_column(table, "names")
