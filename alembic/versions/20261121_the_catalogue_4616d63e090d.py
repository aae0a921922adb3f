"""The catalogue, its reference data, accounts and records: everything from nothing."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "4616d63e090d"
down_revision = None
branch_labels = None
depends_on = None

FUNCTIONS = (
    # Text without case and accents. NFKC first, so that a letter and its accent typed apart fold alike.
    """
    CREATE FUNCTION fold(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
    $$ SELECT lower(public.unaccent('public.unaccent'::regdictionary, normalize($1, NFKC))) $$
    """,
    # A pattern that finds a user's words as they stand, folded: LIKE's wildcards are ordinary characters.
    r"""
    CREATE FUNCTION fold_pattern(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
    $$ SELECT '%' || replace(replace(replace(fold($1), '\', '\\'), '%', '\%'), '_', '\_') || '%' $$
    """,
    # Alternative names as one text; array_to_string itself is only stable.
    """
    CREATE FUNCTION joined(varchar[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
    $$ SELECT array_to_string($1, ' ') $$
    """,
    # A moment as the API writes it: UTC, microseconds, the fraction left out when it is zero.
    """
    CREATE FUNCTION iso_instant(timestamptz) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
    $$ SELECT replace(to_char($1 AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '.000000Z', 'Z') $$
    """,
)

SERIES_TYPES = (
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
AGE_RATINGS = (
    ("Unknown", "", ""),
    ("Everyone", "All ages", "Suitable for readers of all ages."),
    ("Teen", "12 and up", "Suggested for readers of about 12 years and up."),
    ("Teen Plus", "15 and up", "Suggested for readers of about 15 years and up."),
    ("Mature", "17 and up", "Suggested for readers of 17 years and up."),
    ("Explicit", "Beyond mature", "Violence or sexual content stronger than mature."),
    ("Adult", "Adults only", "Pornographic content."),
)
GENRES = (
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
ROLES = (
    "Writer", "Script", "Story", "Plot", "Interviewer", "Artist", "Penciller", "Breakdowns", "Illustrator",
    "Layouts", "Inker", "Embellisher", "Finishes", "Ink Assists", "Colorist", "Color Separations",
    "Color Assists", "Color Flats", "Digital Art Technician", "Gray Tone", "Letterer", "Cover", "Editor",
    "Consulting Editor", "Assistant Editor", "Associate Editor", "Group Editor", "Senior Editor",
    "Managing Editor", "Collection Editor", "Production", "Designer", "Logo Design", "Translator",
    "Supervising Editor", "Executive Editor", "Editor In Chief", "President", "Publisher",
    "Chief Creative Officer", "Executive Producer", "Other",
)  # fmt: skip
WRITERS = {"Writer", "Script", "Story", "Plot"}
ARTISTS = {
    "Artist", "Penciller", "Illustrator", "Layouts", "Breakdowns", "Inker", "Embellisher", "Finishes",
    "Ink Assists",
}  # fmt: skip
FEATURED = {"Writer", "Script", "Story", "Artist", "Penciller", "Inker", "Finishes"}
GROUPS = ("editor", "reading list editor")
# Fields that history keeps of reference data: a first row for each, so that later ones can be compared.
SEEDED = {
    "series_type": ("name", "code", "notes"),
    "genre": ("name", "desc"),
    "age_rating": ("name", "short_description", "description"),
    "role": ("name", "order", "is_writer", "is_artist", "is_featured", "is_cover", "notes"),
}
KINDS = ("publisher", "imprint", "universe", "creator", "team", "character", "arc", "series", "issue")


def seed():
    """Reference data, the two groups, the system account and a version for each kind."""
    connection = op.get_bind()

    def insert(table, rows):
        columns = ", ".join(f'"{name}"' for name in rows[0])
        values = ", ".join(f":{name}" for name in rows[0])
        connection.execute(sa.text(f"INSERT INTO {table} ({columns}) VALUES ({values})"), rows)

    insert(
        "series_type",
        [{"id": i, "name": name, "code": code, "notes": notes} for i, name, code, notes in SERIES_TYPES],
    )
    insert(
        "age_rating",
        [
            {"id": i, "name": name, "short_description": short, "description": long}
            for i, (name, short, long) in enumerate(AGE_RATINGS, 1)
        ],
    )
    insert("genre", [{"id": i, "name": name, "desc": desc} for i, (name, desc) in enumerate(GENRES, 1)])
    insert(
        "role",
        [
            {
                "id": i,
                "name": name,
                "order": i * 10,
                "is_writer": name in WRITERS,
                "is_artist": name in ARTISTS,
                "is_featured": name in FEATURED,
                "is_cover": name == "Cover",
            }
            for i, name in enumerate(ROLES, 1)
        ],
    )
    insert("user_group", [{"id": i, "name": name} for i, name in enumerate(GROUPS, 1)])
    insert("user_account", [{"id": 1, "username": "system", "email": "system@localhost", "password": "!"}])
    insert("version", [{"kind": kind} for kind in KINDS])
    for kind, fields in SEEDED.items():
        state = ", ".join(f"'{field}', \"{field}\"" for field in fields)
        connection.execute(
            sa.text(
                "INSERT INTO history (kind, object_id, type, snapshot)"
                f" SELECT '{kind}', id, '+', jsonb_build_object({state}) FROM {kind} ORDER BY id"
            )
        )
    for table in ("series_type", "age_rating", "genre", "role", "user_group", "user_account"):
        connection.execute(
            sa.text(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))")
        )


def upgrade():
    for extension in ("pg_trgm", "unaccent"):
        op.execute(f"CREATE EXTENSION IF NOT EXISTS {extension} WITH SCHEMA public")
    for function in FUNCTIONS:
        op.execute(function)
    op.create_table(
        "age_rating",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("short_description", sa.String(length=255), server_default="", nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_age_rating")),
    )
    op.create_index("uq_age_rating_name", "age_rating", ["name"], unique=True)
    op.create_table(
        "announcement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=255), nullable=False),
        sa.Column("content", sa.Text(), server_default="", nullable=False),
        sa.Column("start_date", sa.Date(), nullable=True),
        sa.Column("end_date", sa.Date(), nullable=True),
        sa.Column("display_type", sa.String(length=20), server_default="primary", nullable=False),
        sa.Column("active", sa.Boolean(), server_default="true", nullable=False),
        sa.CheckConstraint(
            "display_type IN ('primary', 'success', 'link', 'warning', 'danger')",
            name=op.f("ck_announcement_display_type_choice"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_announcement")),
    )
    op.create_table(
        "former_slug",
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("slug", sa.String(length=255), nullable=False),
        sa.Column("object_id", sa.Integer(), nullable=False),
        sa.Column(
            "since", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("kind", "slug", name=op.f("pk_former_slug")),
    )
    op.create_index("ix_former_slug_object", "former_slug", ["kind", "object_id"], unique=False)
    op.create_table(
        "genre",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=25), nullable=False),
        sa.Column("desc", sa.Text(), server_default="", nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_genre")),
    )
    op.create_index("uq_genre_name", "genre", [sa.literal_column("lower(name)")], unique=True)
    op.create_table(
        "role",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=25), nullable=False),
        sa.Column("order", sa.SmallInteger(), nullable=False),
        sa.Column("is_writer", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("is_artist", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("is_featured", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("is_cover", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("notes", sa.Text(), server_default="", nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint('"order" BETWEEN 0 AND 32767', name=op.f('ck_role_"order"_range')),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_role")),
    )
    op.create_index("uq_role_name", "role", ["name"], unique=True)
    op.create_index("uq_role_order", "role", ["order"], unique=True)
    op.create_table(
        "series_type",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("code", sa.String(length=20), nullable=True),
        sa.Column("notes", sa.Text(), server_default="", nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_series_type")),
    )
    op.create_index("uq_series_type_code", "series_type", ["code"], unique=True)
    op.create_index("uq_series_type_name", "series_type", ["name"], unique=True)
    op.create_table(
        "user_account",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("username", sa.String(length=150), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("password", sa.String(length=128), server_default="", nullable=False),
        sa.Column("first_name", sa.String(length=150), server_default="", nullable=False),
        sa.Column("last_name", sa.String(length=150), server_default="", nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default="true", nullable=False),
        sa.Column("is_staff", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("is_superuser", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("email_confirmed", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("bio", sa.Text(), server_default="", nullable=False),
        sa.Column("language", sa.String(length=10), server_default="", nullable=False),
        sa.Column("supporter_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("supporter_tier", sa.String(length=20), server_default="", nullable=False),
        sa.Column(
            "date_joined",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("last_login", sa.DateTime(timezone=True), nullable=True),
        sa.Column("image", sa.String(length=100), server_default="", nullable=False),
        sa.Column("image_width", sa.SmallInteger(), nullable=True),
        sa.Column("image_height", sa.SmallInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_account")),
    )
    op.create_index("uq_user_account_email", "user_account", [sa.literal_column("lower(email)")], unique=True)
    op.create_index(
        "uq_user_account_username", "user_account", [sa.literal_column("lower(username)")], unique=True
    )
    op.create_table(
        "user_group",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=150), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_group")),
    )
    op.create_index("uq_user_group_name", "user_group", ["name"], unique=True)
    op.create_table(
        "version",
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("value", sa.BigInteger(), server_default=sa.text("1"), nullable=False),
        sa.PrimaryKeyConstraint("kind", name=op.f("pk_version")),
    )
    op.create_table(
        "api_token",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("token_key", sa.String(length=25), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), server_default="", nullable=False),
        sa.Column(
            "created", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("expiry", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_api_token_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_token")),
        sa.UniqueConstraint("digest", name=op.f("uq_api_token_digest")),
    )
    op.create_index(op.f("ix_api_token_user_id"), "api_token", ["user_id"], unique=False)
    op.create_table(
        "arc",
        sa.Column(
            "issues_modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("issues_modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "name_changed",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("image", sa.String(length=100), server_default="", nullable=False),
        sa.Column("image_width", sa.SmallInteger(), nullable=True),
        sa.Column("image_height", sa.SmallInteger(), nullable=True),
        sa.Column("desc", sa.Text(), server_default="", nullable=False),
        sa.Column("created_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("edited_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("cv_id", sa.Integer(), nullable=True),
        sa.Column("gcd_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=255, collation="C"), nullable=False),
        sa.Column(
            "folded",
            sa.Text(collation="C"),
            sa.Computed('fold(name COLLATE "default")', persisted=True),
            nullable=False,
        ),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=255), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("cv_id BETWEEN 0 AND 2147483647", name=op.f("ck_arc_cv_id_range")),
        sa.CheckConstraint("gcd_id BETWEEN 0 AND 2147483647", name=op.f("ck_arc_gcd_id_range")),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["user_account.id"],
            name=op.f("fk_arc_created_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.ForeignKeyConstraint(
            ["edited_by_id"],
            ["user_account.id"],
            name=op.f("fk_arc_edited_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_arc")),
    )
    op.create_index(op.f("ix_arc_created_by_id"), "arc", ["created_by_id"], unique=False)
    op.create_index(op.f("ix_arc_edited_by_id"), "arc", ["edited_by_id"], unique=False)
    op.create_index(
        "ix_arc_folded_trgm",
        "arc",
        ["folded"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.create_index("ix_arc_modified", "arc", ["modified", "id"], unique=False)
    op.create_index("ix_arc_order", "arc", ["folded", "name", "id"], unique=False)
    op.create_index("uq_arc_cv_id", "arc", ["cv_id"], unique=True)
    op.create_index("uq_arc_gcd_id", "arc", ["gcd_id"], unique=True)
    op.create_index("uq_arc_slug", "arc", ["slug"], unique=True)
    op.create_table(
        "change_log",
        sa.Column("seq", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("object_id", sa.Integer(), nullable=False),
        sa.Column("action", sa.String(length=10), nullable=False),
        sa.Column("fields", postgresql.ARRAY(sa.String(length=40)), server_default="{}", nullable=False),
        sa.CheckConstraint(
            "action IN ('create', 'update', 'delete', 'merge')", name=op.f("ck_change_log_action_choice")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_change_log_user_id_user_account"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_change_log")),
    )
    op.create_index("ix_change_log_object", "change_log", ["kind", "object_id", "seq"], unique=False)
    op.create_index(op.f("ix_change_log_user_id"), "change_log", ["user_id"], unique=False)
    op.create_table(
        "character",
        sa.Column("alias", postgresql.ARRAY(sa.String(length=100)), server_default="{}", nullable=False),
        sa.Column(
            "alias_folded",
            sa.Text(collation="C"),
            sa.Computed("fold(joined(alias))", persisted=True),
            nullable=False,
        ),
        sa.Column(
            "issues_modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("issues_modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "name_changed",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("image", sa.String(length=100), server_default="", nullable=False),
        sa.Column("image_width", sa.SmallInteger(), nullable=True),
        sa.Column("image_height", sa.SmallInteger(), nullable=True),
        sa.Column("desc", sa.Text(), server_default="", nullable=False),
        sa.Column("created_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("edited_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("cv_id", sa.Integer(), nullable=True),
        sa.Column("gcd_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=255, collation="C"), nullable=False),
        sa.Column(
            "folded",
            sa.Text(collation="C"),
            sa.Computed('fold(name COLLATE "default")', persisted=True),
            nullable=False,
        ),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=255), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("cv_id BETWEEN 0 AND 2147483647", name=op.f("ck_character_cv_id_range")),
        sa.CheckConstraint("gcd_id BETWEEN 0 AND 2147483647", name=op.f("ck_character_gcd_id_range")),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["user_account.id"],
            name=op.f("fk_character_created_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.ForeignKeyConstraint(
            ["edited_by_id"],
            ["user_account.id"],
            name=op.f("fk_character_edited_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_character")),
    )
    op.create_index(
        "ix_character_alias_folded_trgm",
        "character",
        ["alias_folded"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"alias_folded": "gin_trgm_ops"},
    )
    op.create_index(op.f("ix_character_created_by_id"), "character", ["created_by_id"], unique=False)
    op.create_index(op.f("ix_character_edited_by_id"), "character", ["edited_by_id"], unique=False)
    op.create_index(
        "ix_character_folded_trgm",
        "character",
        ["folded"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.create_index("ix_character_modified", "character", ["modified", "id"], unique=False)
    op.create_index("ix_character_order", "character", ["folded", "name", "id"], unique=False)
    op.create_index("uq_character_cv_id", "character", ["cv_id"], unique=True)
    op.create_index("uq_character_gcd_id", "character", ["gcd_id"], unique=True)
    op.create_index("uq_character_slug", "character", ["slug"], unique=True)
    op.create_table(
        "creator",
        sa.Column("birth", sa.Date(), nullable=True),
        sa.Column("death", sa.Date(), nullable=True),
        sa.Column("alias", postgresql.ARRAY(sa.String(length=100)), server_default="{}", nullable=False),
        sa.Column(
            "alias_folded",
            sa.Text(collation="C"),
            sa.Computed("fold(joined(alias))", persisted=True),
            nullable=False,
        ),
        sa.Column(
            "name_changed",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("image", sa.String(length=100), server_default="", nullable=False),
        sa.Column("image_width", sa.SmallInteger(), nullable=True),
        sa.Column("image_height", sa.SmallInteger(), nullable=True),
        sa.Column("desc", sa.Text(), server_default="", nullable=False),
        sa.Column("created_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("edited_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("cv_id", sa.Integer(), nullable=True),
        sa.Column("gcd_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=255, collation="C"), nullable=False),
        sa.Column(
            "folded",
            sa.Text(collation="C"),
            sa.Computed('fold(name COLLATE "default")', persisted=True),
            nullable=False,
        ),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=255), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("cv_id BETWEEN 0 AND 2147483647", name=op.f("ck_creator_cv_id_range")),
        sa.CheckConstraint("gcd_id BETWEEN 0 AND 2147483647", name=op.f("ck_creator_gcd_id_range")),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["user_account.id"],
            name=op.f("fk_creator_created_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.ForeignKeyConstraint(
            ["edited_by_id"],
            ["user_account.id"],
            name=op.f("fk_creator_edited_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_creator")),
    )
    op.create_index(
        "ix_creator_alias_folded_trgm",
        "creator",
        ["alias_folded"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"alias_folded": "gin_trgm_ops"},
    )
    op.create_index(op.f("ix_creator_created_by_id"), "creator", ["created_by_id"], unique=False)
    op.create_index(op.f("ix_creator_edited_by_id"), "creator", ["edited_by_id"], unique=False)
    op.create_index(
        "ix_creator_folded_trgm",
        "creator",
        ["folded"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.create_index("ix_creator_modified", "creator", ["modified", "id"], unique=False)
    op.create_index("ix_creator_order", "creator", ["folded", "name", "id"], unique=False)
    op.create_index("uq_creator_cv_id", "creator", ["cv_id"], unique=True)
    op.create_index("uq_creator_gcd_id", "creator", ["gcd_id"], unique=True)
    op.create_index("uq_creator_slug", "creator", ["slug"], unique=True)
    op.create_table(
        "history",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("object_id", sa.Integer(), nullable=False),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("type", sa.String(length=1), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(length=100), nullable=True),
        sa.Column("snapshot", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.CheckConstraint("type IN ('+', '~', '-')", name=op.f("ck_history_type_choice")),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_history_user_id_user_account"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_history")),
    )
    op.create_index("ix_history_at", "history", ["at", "id"], unique=False)
    op.create_index("ix_history_object", "history", ["kind", "object_id", "id"], unique=False)
    op.create_index(op.f("ix_history_user_id"), "history", ["user_id"], unique=False)
    op.create_table(
        "login_session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column(
            "begun", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column(
            "seen", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("address", sa.String(length=45), server_default="", nullable=False),
        sa.Column("browser", sa.String(length=255), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_login_session_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_session")),
        sa.UniqueConstraint("digest", name=op.f("uq_login_session_digest")),
    )
    op.create_index(op.f("ix_login_session_expires"), "login_session", ["expires"], unique=False)
    op.create_index(op.f("ix_login_session_user_id"), "login_session", ["user_id"], unique=False)
    op.create_table(
        "publisher",
        sa.Column("alt_names", postgresql.ARRAY(sa.String(length=255)), server_default="{}", nullable=False),
        sa.Column(
            "alt_folded",
            sa.Text(collation="C"),
            sa.Computed("fold(joined(alt_names))", persisted=True),
            nullable=False,
        ),
        sa.Column("founded", sa.SmallInteger(), nullable=True),
        sa.Column("country", sa.String(length=2), server_default="US", nullable=False),
        sa.Column("image", sa.String(length=100), server_default="", nullable=False),
        sa.Column("image_width", sa.SmallInteger(), nullable=True),
        sa.Column("image_height", sa.SmallInteger(), nullable=True),
        sa.Column("desc", sa.Text(), server_default="", nullable=False),
        sa.Column("created_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("edited_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("cv_id", sa.Integer(), nullable=True),
        sa.Column("gcd_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=255, collation="C"), nullable=False),
        sa.Column(
            "folded",
            sa.Text(collation="C"),
            sa.Computed('fold(name COLLATE "default")', persisted=True),
            nullable=False,
        ),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=255), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("cv_id BETWEEN 0 AND 2147483647", name=op.f("ck_publisher_cv_id_range")),
        sa.CheckConstraint("founded BETWEEN 0 AND 32767", name=op.f("ck_publisher_founded_range")),
        sa.CheckConstraint("gcd_id BETWEEN 0 AND 2147483647", name=op.f("ck_publisher_gcd_id_range")),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["user_account.id"],
            name=op.f("fk_publisher_created_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.ForeignKeyConstraint(
            ["edited_by_id"],
            ["user_account.id"],
            name=op.f("fk_publisher_edited_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_publisher")),
    )
    op.create_index(
        "ix_publisher_alt_folded_trgm",
        "publisher",
        ["alt_folded"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"alt_folded": "gin_trgm_ops"},
    )
    op.create_index(op.f("ix_publisher_created_by_id"), "publisher", ["created_by_id"], unique=False)
    op.create_index(op.f("ix_publisher_edited_by_id"), "publisher", ["edited_by_id"], unique=False)
    op.create_index(
        "ix_publisher_folded_trgm",
        "publisher",
        ["folded"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.create_index("ix_publisher_modified", "publisher", ["modified", "id"], unique=False)
    op.create_index("ix_publisher_order", "publisher", ["folded", "name", "id"], unique=False)
    op.create_index("uq_publisher_cv_id", "publisher", ["cv_id"], unique=True)
    op.create_index("uq_publisher_gcd_id", "publisher", ["gcd_id"], unique=True)
    op.create_index("uq_publisher_slug", "publisher", ["slug"], unique=True)
    op.create_table(
        "team",
        sa.Column(
            "issues_modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("issues_modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "name_changed",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("image", sa.String(length=100), server_default="", nullable=False),
        sa.Column("image_width", sa.SmallInteger(), nullable=True),
        sa.Column("image_height", sa.SmallInteger(), nullable=True),
        sa.Column("desc", sa.Text(), server_default="", nullable=False),
        sa.Column("created_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("edited_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("cv_id", sa.Integer(), nullable=True),
        sa.Column("gcd_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=255, collation="C"), nullable=False),
        sa.Column(
            "folded",
            sa.Text(collation="C"),
            sa.Computed('fold(name COLLATE "default")', persisted=True),
            nullable=False,
        ),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=255), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("cv_id BETWEEN 0 AND 2147483647", name=op.f("ck_team_cv_id_range")),
        sa.CheckConstraint("gcd_id BETWEEN 0 AND 2147483647", name=op.f("ck_team_gcd_id_range")),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["user_account.id"],
            name=op.f("fk_team_created_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.ForeignKeyConstraint(
            ["edited_by_id"],
            ["user_account.id"],
            name=op.f("fk_team_edited_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team")),
    )
    op.create_index(op.f("ix_team_created_by_id"), "team", ["created_by_id"], unique=False)
    op.create_index(op.f("ix_team_edited_by_id"), "team", ["edited_by_id"], unique=False)
    op.create_index(
        "ix_team_folded_trgm",
        "team",
        ["folded"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.create_index("ix_team_modified", "team", ["modified", "id"], unique=False)
    op.create_index("ix_team_order", "team", ["folded", "name", "id"], unique=False)
    op.create_index("uq_team_cv_id", "team", ["cv_id"], unique=True)
    op.create_index("uq_team_gcd_id", "team", ["gcd_id"], unique=True)
    op.create_index("uq_team_slug", "team", ["slug"], unique=True)
    op.create_table(
        "tombstone",
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("object_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("slug", sa.String(length=255), nullable=False),
        sa.Column("label", sa.Text(), server_default="", nullable=False),
        sa.Column(
            "gone", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(length=100), server_default="", nullable=False),
        sa.Column("survivor_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_tombstone_user_id_user_account"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("kind", "object_id", name=op.f("pk_tombstone")),
    )
    op.create_index("ix_tombstone_slug", "tombstone", ["kind", "slug"], unique=False)
    op.create_index(op.f("ix_tombstone_user_id"), "tombstone", ["user_id"], unique=False)
    op.create_table(
        "user_group_member",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["user_group.id"],
            name=op.f("fk_user_group_member_group_id_user_group"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_user_group_member_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("user_id", "group_id", name=op.f("pk_user_group_member")),
    )
    op.create_index(
        "ix_user_group_member_group_id", "user_group_member", ["group_id", "user_id"], unique=False
    )
    op.create_table(
        "character_creator",
        sa.Column("character_id", sa.Integer(), nullable=False),
        sa.Column("creator_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["character_id"],
            ["character.id"],
            name=op.f("fk_character_creator_character_id_character"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["creator_id"],
            ["creator.id"],
            name=op.f("fk_character_creator_creator_id_creator"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("character_id", "creator_id", name=op.f("pk_character_creator")),
    )
    op.create_index(
        "ix_character_creator_creator_id", "character_creator", ["creator_id", "character_id"], unique=False
    )
    op.create_table(
        "character_team",
        sa.Column("character_id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["character_id"],
            ["character.id"],
            name=op.f("fk_character_team_character_id_character"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_character_team_team_id_team"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("character_id", "team_id", name=op.f("pk_character_team")),
    )
    op.create_index("ix_character_team_team_id", "character_team", ["team_id", "character_id"], unique=False)
    op.create_table(
        "imprint",
        sa.Column("publisher_id", sa.Integer(), nullable=False),
        sa.Column("founded", sa.SmallInteger(), nullable=True),
        sa.Column("image", sa.String(length=100), server_default="", nullable=False),
        sa.Column("image_width", sa.SmallInteger(), nullable=True),
        sa.Column("image_height", sa.SmallInteger(), nullable=True),
        sa.Column("desc", sa.Text(), server_default="", nullable=False),
        sa.Column("created_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("edited_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("cv_id", sa.Integer(), nullable=True),
        sa.Column("gcd_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=255, collation="C"), nullable=False),
        sa.Column(
            "folded",
            sa.Text(collation="C"),
            sa.Computed('fold(name COLLATE "default")', persisted=True),
            nullable=False,
        ),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=255), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("cv_id BETWEEN 0 AND 2147483647", name=op.f("ck_imprint_cv_id_range")),
        sa.CheckConstraint("founded BETWEEN 0 AND 32767", name=op.f("ck_imprint_founded_range")),
        sa.CheckConstraint("gcd_id BETWEEN 0 AND 2147483647", name=op.f("ck_imprint_gcd_id_range")),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["user_account.id"],
            name=op.f("fk_imprint_created_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.ForeignKeyConstraint(
            ["edited_by_id"],
            ["user_account.id"],
            name=op.f("fk_imprint_edited_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.ForeignKeyConstraint(
            ["publisher_id"],
            ["publisher.id"],
            name=op.f("fk_imprint_publisher_id_publisher"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_imprint")),
    )
    op.create_index(op.f("ix_imprint_created_by_id"), "imprint", ["created_by_id"], unique=False)
    op.create_index(op.f("ix_imprint_edited_by_id"), "imprint", ["edited_by_id"], unique=False)
    op.create_index(
        "ix_imprint_folded_trgm",
        "imprint",
        ["folded"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.create_index("ix_imprint_modified", "imprint", ["modified", "id"], unique=False)
    op.create_index("ix_imprint_order", "imprint", ["folded", "name", "id"], unique=False)
    op.create_index(op.f("ix_imprint_publisher_id"), "imprint", ["publisher_id"], unique=False)
    op.create_index("uq_imprint_cv_id", "imprint", ["cv_id"], unique=True)
    op.create_index("uq_imprint_gcd_id", "imprint", ["gcd_id"], unique=True)
    op.create_index("uq_imprint_slug", "imprint", ["slug"], unique=True)
    op.create_table(
        "team_creator",
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("creator_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["creator_id"],
            ["creator.id"],
            name=op.f("fk_team_creator_creator_id_creator"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_team_creator_team_id_team"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("team_id", "creator_id", name=op.f("pk_team_creator")),
    )
    op.create_index("ix_team_creator_creator_id", "team_creator", ["creator_id", "team_id"], unique=False)
    op.create_table(
        "universe",
        sa.Column("publisher_id", sa.Integer(), nullable=False),
        sa.Column("designation", sa.String(length=255, collation="C"), server_default="", nullable=False),
        sa.Column(
            "designation_folded",
            sa.Text(collation="C"),
            sa.Computed('fold(designation COLLATE "default")', persisted=True),
            nullable=False,
        ),
        sa.Column(
            "name_changed",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("image", sa.String(length=100), server_default="", nullable=False),
        sa.Column("image_width", sa.SmallInteger(), nullable=True),
        sa.Column("image_height", sa.SmallInteger(), nullable=True),
        sa.Column("desc", sa.Text(), server_default="", nullable=False),
        sa.Column("created_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("edited_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("cv_id", sa.Integer(), nullable=True),
        sa.Column("gcd_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=255, collation="C"), nullable=False),
        sa.Column(
            "folded",
            sa.Text(collation="C"),
            sa.Computed('fold(name COLLATE "default")', persisted=True),
            nullable=False,
        ),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=255), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("cv_id BETWEEN 0 AND 2147483647", name=op.f("ck_universe_cv_id_range")),
        sa.CheckConstraint("gcd_id BETWEEN 0 AND 2147483647", name=op.f("ck_universe_gcd_id_range")),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["user_account.id"],
            name=op.f("fk_universe_created_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.ForeignKeyConstraint(
            ["edited_by_id"],
            ["user_account.id"],
            name=op.f("fk_universe_edited_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.ForeignKeyConstraint(
            ["publisher_id"],
            ["publisher.id"],
            name=op.f("fk_universe_publisher_id_publisher"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_universe")),
    )
    op.create_index(op.f("ix_universe_created_by_id"), "universe", ["created_by_id"], unique=False)
    op.create_index(
        "ix_universe_designation_folded_trgm",
        "universe",
        ["designation_folded"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"designation_folded": "gin_trgm_ops"},
    )
    op.create_index(
        "ix_universe_designation_order",
        "universe",
        ["folded", "name", "designation_folded", "designation", "id"],
        unique=False,
    )
    op.create_index(op.f("ix_universe_edited_by_id"), "universe", ["edited_by_id"], unique=False)
    op.create_index(
        "ix_universe_folded_trgm",
        "universe",
        ["folded"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.create_index("ix_universe_modified", "universe", ["modified", "id"], unique=False)
    op.create_index("ix_universe_order", "universe", ["folded", "name", "id"], unique=False)
    op.create_index("uq_universe_cv_id", "universe", ["cv_id"], unique=True)
    op.create_index("uq_universe_gcd_id", "universe", ["gcd_id"], unique=True)
    op.create_index(
        "uq_universe_publisher_id_name_designation",
        "universe",
        ["publisher_id", "name", "designation"],
        unique=True,
    )
    op.create_index("uq_universe_slug", "universe", ["slug"], unique=True)
    op.create_table(
        "character_universe",
        sa.Column("character_id", sa.Integer(), nullable=False),
        sa.Column("universe_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["character_id"],
            ["character.id"],
            name=op.f("fk_character_universe_character_id_character"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["universe_id"],
            ["universe.id"],
            name=op.f("fk_character_universe_universe_id_universe"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("character_id", "universe_id", name=op.f("pk_character_universe")),
    )
    op.create_index(
        "ix_character_universe_universe_id",
        "character_universe",
        ["universe_id", "character_id"],
        unique=False,
    )
    op.create_table(
        "series",
        sa.Column("sort_name", sa.String(length=255, collation="C"), nullable=False),
        sa.Column(
            "sort_folded",
            sa.Text(collation="C"),
            sa.Computed('fold(sort_name COLLATE "default")', persisted=True),
            nullable=False,
        ),
        sa.Column("alt_names", postgresql.ARRAY(sa.String(length=255)), server_default="{}", nullable=False),
        sa.Column(
            "alt_folded",
            sa.Text(collation="C"),
            sa.Computed("fold(joined(alt_names))", persisted=True),
            nullable=False,
        ),
        sa.Column("language", sa.String(length=10), server_default="en", nullable=False),
        sa.Column("volume", sa.SmallInteger(), nullable=False),
        sa.Column("year_began", sa.SmallInteger(), nullable=False),
        sa.Column("year_end", sa.SmallInteger(), nullable=True),
        sa.Column("series_type_id", sa.Integer(), nullable=False),
        sa.Column("status", sa.SmallInteger(), server_default="4", nullable=False),
        sa.Column("publisher_id", sa.Integer(), nullable=False),
        sa.Column("imprint_id", sa.Integer(), nullable=True),
        sa.Column("collection", sa.Boolean(), server_default="false", nullable=False),
        sa.Column(
            "issues_modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("issues_modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("rating_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("rating_sum", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("rated", sa.DateTime(timezone=True), nullable=True),
        sa.Column("rated_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("desc", sa.Text(), server_default="", nullable=False),
        sa.Column("created_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("edited_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("cv_id", sa.Integer(), nullable=True),
        sa.Column("gcd_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(length=255, collation="C"), nullable=False),
        sa.Column(
            "folded",
            sa.Text(collation="C"),
            sa.Computed('fold(name COLLATE "default")', persisted=True),
            nullable=False,
        ),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=255), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "language IN ('', 'af', 'ar', 'ar-dz', 'ast', 'az', 'be', 'bg', 'bn', 'br', 'bs', 'ca', 'ckb', 'cs', 'cy', 'da', 'de', 'dsb', 'el', 'en', 'en-au', 'en-gb', 'eo', 'es', 'es-ar', 'es-co', 'es-mx', 'es-ni', 'es-ve', 'et', 'eu', 'fa', 'fi', 'fr', 'fy', 'ga', 'gd', 'gl', 'he', 'hi', 'hr', 'hsb', 'ht', 'hu', 'hy', 'ia', 'id', 'ig', 'io', 'is', 'it', 'ja', 'ka', 'kab', 'kk', 'km', 'kn', 'ko', 'ky', 'lb', 'lt', 'lv', 'mk', 'ml', 'mn', 'mr', 'ms', 'my', 'nb', 'ne', 'nl', 'nn', 'os', 'pa', 'pl', 'pt', 'pt-br', 'ro', 'ru', 'sk', 'sl', 'sq', 'sr', 'sr-latn', 'sv', 'sw', 'ta', 'te', 'tg', 'th', 'tk', 'tr', 'tt', 'udm', 'ug', 'uk', 'ur', 'uz', 'vi', 'zh-hans', 'zh-hant')",
            name=op.f("ck_series_language_choice"),
        ),
        sa.CheckConstraint("cv_id BETWEEN 0 AND 2147483647", name=op.f("ck_series_cv_id_range")),
        sa.CheckConstraint("gcd_id BETWEEN 0 AND 2147483647", name=op.f("ck_series_gcd_id_range")),
        sa.CheckConstraint("status BETWEEN 1 AND 4", name=op.f("ck_series_status_range")),
        sa.CheckConstraint("volume BETWEEN 0 AND 32767", name=op.f("ck_series_volume_range")),
        sa.CheckConstraint("year_began BETWEEN 0 AND 32767", name=op.f("ck_series_year_began_range")),
        sa.CheckConstraint("year_end BETWEEN 0 AND 32767", name=op.f("ck_series_year_end_range")),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["user_account.id"],
            name=op.f("fk_series_created_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.ForeignKeyConstraint(
            ["edited_by_id"],
            ["user_account.id"],
            name=op.f("fk_series_edited_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.ForeignKeyConstraint(
            ["imprint_id"], ["imprint.id"], name=op.f("fk_series_imprint_id_imprint"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["publisher_id"],
            ["publisher.id"],
            name=op.f("fk_series_publisher_id_publisher"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["series_type_id"],
            ["series_type.id"],
            name=op.f("fk_series_series_type_id_series_type"),
            ondelete="RESTRICT",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_series")),
    )
    op.create_index(
        "ix_series_alt_folded_trgm",
        "series",
        ["alt_folded"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"alt_folded": "gin_trgm_ops"},
    )
    op.create_index(op.f("ix_series_created_by_id"), "series", ["created_by_id"], unique=False)
    op.create_index(op.f("ix_series_edited_by_id"), "series", ["edited_by_id"], unique=False)
    op.create_index(
        "ix_series_folded_trgm",
        "series",
        ["folded"],
        unique=False,
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.create_index(op.f("ix_series_imprint_id"), "series", ["imprint_id"], unique=False)
    op.create_index("ix_series_language", "series", ["language"], unique=False)
    op.create_index("ix_series_modified", "series", ["modified", "id"], unique=False)
    op.create_index("ix_series_order", "series", ["folded", "name", "id"], unique=False)
    op.create_index(op.f("ix_series_series_type_id"), "series", ["series_type_id"], unique=False)
    op.create_index(
        "ix_series_sort_order", "series", ["sort_folded", "sort_name", "year_began", "id"], unique=False
    )
    op.create_index("uq_series_cv_id", "series", ["cv_id"], unique=True)
    op.create_index("uq_series_gcd_id", "series", ["gcd_id"], unique=True)
    op.create_index(
        "uq_series_publisher_id_name_volume_series_type_id",
        "series",
        ["publisher_id", "name", "volume", "series_type_id"],
        unique=True,
    )
    op.create_index("uq_series_slug", "series", ["slug"], unique=True)
    op.create_table(
        "team_universe",
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("universe_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_team_universe_team_id_team"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["universe_id"],
            ["universe.id"],
            name=op.f("fk_team_universe_universe_id_universe"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("team_id", "universe_id", name=op.f("pk_team_universe")),
    )
    op.create_index("ix_team_universe_universe_id", "team_universe", ["universe_id", "team_id"], unique=False)
    op.create_table(
        "issue",
        sa.Column("series_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.String(length=25, collation="C"), nullable=False),
        sa.Column("alt_number", sa.String(length=25), server_default="", nullable=False),
        sa.Column("title", sa.String(length=255), server_default="", nullable=False),
        sa.Column("name", postgresql.ARRAY(sa.String(length=150)), server_default="{}", nullable=False),
        sa.Column("cover_date", sa.Date(), nullable=False),
        sa.Column("store_date", sa.Date(), nullable=True),
        sa.Column("foc_date", sa.Date(), nullable=True),
        sa.Column("rating_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("sku", sa.String(length=12), server_default="", nullable=False),
        sa.Column("isbn", sa.String(length=13), server_default="", nullable=False),
        sa.Column("upc", sa.String(length=20), server_default="", nullable=False),
        sa.Column("page", sa.SmallInteger(), nullable=True),
        sa.Column("desc", sa.Text(), server_default="", nullable=False),
        sa.Column("cover_hash", sa.String(length=16), server_default="", nullable=False),
        sa.Column("rating_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("rating_sum", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("rated", sa.DateTime(timezone=True), nullable=True),
        sa.Column("rated_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("image", sa.String(length=100), server_default="", nullable=False),
        sa.Column("image_width", sa.SmallInteger(), nullable=True),
        sa.Column("image_height", sa.SmallInteger(), nullable=True),
        sa.Column("price", sa.Numeric(precision=8, scale=2), nullable=True),
        sa.Column("currency", sa.String(length=3), server_default="USD", nullable=False),
        sa.Column("created_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("edited_by_id", sa.Integer(), server_default="1", nullable=False),
        sa.Column("cv_id", sa.Integer(), nullable=True),
        sa.Column("gcd_id", sa.Integer(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=255), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("modified_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("cover_date >= DATE '1900-01-01'", name=op.f("ck_issue_cover_date_earliest")),
        sa.CheckConstraint("currency IN ('USD', 'GBP', 'EUR', 'ITL')", name=op.f("ck_issue_currency_choice")),
        sa.CheckConstraint("foc_date >= DATE '1900-01-01'", name=op.f("ck_issue_foc_date_earliest")),
        sa.CheckConstraint("store_date >= DATE '1900-01-01'", name=op.f("ck_issue_store_date_earliest")),
        sa.CheckConstraint("cv_id BETWEEN 0 AND 2147483647", name=op.f("ck_issue_cv_id_range")),
        sa.CheckConstraint("gcd_id BETWEEN 0 AND 2147483647", name=op.f("ck_issue_gcd_id_range")),
        sa.CheckConstraint("page BETWEEN 0 AND 32767", name=op.f("ck_issue_page_range")),
        sa.CheckConstraint("price >= 0", name=op.f("ck_issue_price_not_negative")),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["user_account.id"],
            name=op.f("fk_issue_created_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.ForeignKeyConstraint(
            ["edited_by_id"],
            ["user_account.id"],
            name=op.f("fk_issue_edited_by_id_user_account"),
            ondelete="SET DEFAULT",
        ),
        sa.ForeignKeyConstraint(
            ["rating_id"],
            ["age_rating.id"],
            name=op.f("fk_issue_rating_id_age_rating"),
            ondelete="SET DEFAULT",
        ),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name=op.f("fk_issue_series_id_series"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_issue")),
        sa.UniqueConstraint("series_id", "number", name="uq_issue_series_id_number"),
    )
    op.create_index(
        "ix_issue_alt_number_upper", "issue", [sa.literal_column("upper(alt_number)")], unique=False
    )
    op.create_index("ix_issue_cover_date", "issue", ["cover_date", "id"], unique=False)
    op.create_index("ix_issue_cover_hash", "issue", ["cover_hash"], unique=False)
    op.create_index(op.f("ix_issue_created_by_id"), "issue", ["created_by_id"], unique=False)
    op.create_index("ix_issue_created_on", "issue", ["created_on", "id"], unique=False)
    op.create_index(op.f("ix_issue_edited_by_id"), "issue", ["edited_by_id"], unique=False)
    op.create_index("ix_issue_foc_date", "issue", ["foc_date", "id"], unique=False)
    op.create_index("ix_issue_modified", "issue", ["modified", "id"], unique=False)
    op.create_index("ix_issue_number_upper", "issue", [sa.literal_column("upper(number)")], unique=False)
    op.create_index(op.f("ix_issue_rating_id"), "issue", ["rating_id"], unique=False)
    op.create_index(
        "ix_issue_series_id_number_upper",
        "issue",
        ["series_id", sa.literal_column("upper(number)")],
        unique=False,
    )
    op.create_index(
        "ix_issue_series_order",
        "issue",
        ["series_id", "cover_date", "store_date", "number", "id"],
        unique=False,
    )
    op.create_index("ix_issue_sku", "issue", ["sku"], unique=False)
    op.create_index("ix_issue_store_date", "issue", ["store_date", "id"], unique=False)
    op.create_index(
        "ix_issue_upc", "issue", ["upc"], unique=False, postgresql_ops={"upc": "varchar_pattern_ops"}
    )
    op.create_index("uq_issue_cv_id", "issue", ["cv_id"], unique=True)
    op.create_index("uq_issue_gcd_id", "issue", ["gcd_id"], unique=True)
    op.create_index("uq_issue_slug", "issue", ["slug"], unique=True)
    op.create_table(
        "series_associated",
        sa.Column("series_id", sa.Integer(), nullable=False),
        sa.Column("associated_id", sa.Integer(), nullable=False),
        sa.CheckConstraint("series_id <> associated_id", name=op.f("ck_series_associated_not_itself")),
        sa.ForeignKeyConstraint(
            ["associated_id"],
            ["series.id"],
            name=op.f("fk_series_associated_associated_id_series"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["series_id"],
            ["series.id"],
            name=op.f("fk_series_associated_series_id_series"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("series_id", "associated_id", name=op.f("pk_series_associated")),
    )
    op.create_index(
        "ix_series_associated_associated_id",
        "series_associated",
        ["associated_id", "series_id"],
        unique=False,
    )
    op.create_table(
        "series_genre",
        sa.Column("series_id", sa.Integer(), nullable=False),
        sa.Column("genre_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["genre_id"], ["genre.id"], name=op.f("fk_series_genre_genre_id_genre"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name=op.f("fk_series_genre_series_id_series"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("series_id", "genre_id", name=op.f("pk_series_genre")),
    )
    op.create_index("ix_series_genre_genre_id", "series_genre", ["genre_id", "series_id"], unique=False)
    op.create_table(
        "attribution",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=1), server_default="W", nullable=False),
        sa.Column("url", sa.String(length=200), nullable=False),
        sa.Column("arc_id", sa.Integer(), nullable=True),
        sa.Column("character_id", sa.Integer(), nullable=True),
        sa.Column("creator_id", sa.Integer(), nullable=True),
        sa.Column("imprint_id", sa.Integer(), nullable=True),
        sa.Column("issue_id", sa.Integer(), nullable=True),
        sa.Column("publisher_id", sa.Integer(), nullable=True),
        sa.Column("series_id", sa.Integer(), nullable=True),
        sa.Column("team_id", sa.Integer(), nullable=True),
        sa.Column("universe_id", sa.Integer(), nullable=True),
        sa.CheckConstraint("source IN ('M', 'W', 'G', 'D')", name=op.f("ck_attribution_source_choice")),
        sa.CheckConstraint(
            "num_nonnulls(arc_id, character_id, creator_id, imprint_id, issue_id, publisher_id, series_id, team_id, universe_id) = 1",
            name=op.f("ck_attribution_one_owner"),
        ),
        sa.ForeignKeyConstraint(
            ["arc_id"], ["arc.id"], name=op.f("fk_attribution_arc_id_arc"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["character_id"],
            ["character.id"],
            name=op.f("fk_attribution_character_id_character"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["creator.id"], name=op.f("fk_attribution_creator_id_creator"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["imprint_id"], ["imprint.id"], name=op.f("fk_attribution_imprint_id_imprint"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["issue_id"], ["issue.id"], name=op.f("fk_attribution_issue_id_issue"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["publisher_id"],
            ["publisher.id"],
            name=op.f("fk_attribution_publisher_id_publisher"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name=op.f("fk_attribution_series_id_series"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_attribution_team_id_team"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["universe_id"],
            ["universe.id"],
            name=op.f("fk_attribution_universe_id_universe"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attribution")),
    )
    op.create_index(
        "ix_attribution_arc_id",
        "attribution",
        ["arc_id"],
        unique=False,
        postgresql_where=sa.text("arc_id IS NOT NULL"),
    )
    op.create_index(
        "ix_attribution_character_id",
        "attribution",
        ["character_id"],
        unique=False,
        postgresql_where=sa.text("character_id IS NOT NULL"),
    )
    op.create_index(
        "ix_attribution_creator_id",
        "attribution",
        ["creator_id"],
        unique=False,
        postgresql_where=sa.text("creator_id IS NOT NULL"),
    )
    op.create_index(
        "ix_attribution_imprint_id",
        "attribution",
        ["imprint_id"],
        unique=False,
        postgresql_where=sa.text("imprint_id IS NOT NULL"),
    )
    op.create_index(
        "ix_attribution_issue_id",
        "attribution",
        ["issue_id"],
        unique=False,
        postgresql_where=sa.text("issue_id IS NOT NULL"),
    )
    op.create_index(
        "ix_attribution_publisher_id",
        "attribution",
        ["publisher_id"],
        unique=False,
        postgresql_where=sa.text("publisher_id IS NOT NULL"),
    )
    op.create_index(
        "ix_attribution_series_id",
        "attribution",
        ["series_id"],
        unique=False,
        postgresql_where=sa.text("series_id IS NOT NULL"),
    )
    op.create_index(
        "ix_attribution_team_id",
        "attribution",
        ["team_id"],
        unique=False,
        postgresql_where=sa.text("team_id IS NOT NULL"),
    )
    op.create_index(
        "ix_attribution_universe_id",
        "attribution",
        ["universe_id"],
        unique=False,
        postgresql_where=sa.text("universe_id IS NOT NULL"),
    )
    op.create_table(
        "credit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("creator_id", sa.Integer(), nullable=False),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["creator.id"], name=op.f("fk_credit_creator_id_creator"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["issue_id"], ["issue.id"], name=op.f("fk_credit_issue_id_issue"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_credit")),
        sa.UniqueConstraint("issue_id", "creator_id", name="uq_credit_issue_id_creator_id"),
    )
    op.create_index(op.f("ix_credit_creator_id"), "credit", ["creator_id"], unique=False)
    op.create_table(
        "issue_arc",
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("arc_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["arc_id"], ["arc.id"], name=op.f("fk_issue_arc_arc_id_arc"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["issue_id"], ["issue.id"], name=op.f("fk_issue_arc_issue_id_issue"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("issue_id", "arc_id", name=op.f("pk_issue_arc")),
    )
    op.create_index("ix_issue_arc_arc_id", "issue_arc", ["arc_id", "issue_id"], unique=False)
    op.create_table(
        "issue_character",
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("character_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["character_id"],
            ["character.id"],
            name=op.f("fk_issue_character_character_id_character"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["issue_id"], ["issue.id"], name=op.f("fk_issue_character_issue_id_issue"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("issue_id", "character_id", name=op.f("pk_issue_character")),
    )
    op.create_index(
        "ix_issue_character_character_id", "issue_character", ["character_id", "issue_id"], unique=False
    )
    op.create_table(
        "issue_rating",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("rating", sa.SmallInteger(), nullable=False),
        sa.Column(
            "created_on",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column(
            "modified",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.CheckConstraint("rating BETWEEN 1 AND 5", name=op.f("ck_issue_rating_rating_range")),
        sa.ForeignKeyConstraint(
            ["issue_id"], ["issue.id"], name=op.f("fk_issue_rating_issue_id_issue"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user_account.id"],
            name=op.f("fk_issue_rating_user_id_user_account"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_issue_rating")),
        sa.UniqueConstraint("issue_id", "user_id", name="uq_issue_rating_issue_id_user_id"),
    )
    op.create_index("ix_issue_rating_user_id", "issue_rating", ["user_id", "issue_id"], unique=False)
    op.create_table(
        "issue_reprint",
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("reprint_id", sa.Integer(), nullable=False),
        sa.CheckConstraint("issue_id <> reprint_id", name=op.f("ck_issue_reprint_not_itself")),
        sa.ForeignKeyConstraint(
            ["issue_id"], ["issue.id"], name=op.f("fk_issue_reprint_issue_id_issue"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["reprint_id"], ["issue.id"], name=op.f("fk_issue_reprint_reprint_id_issue"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("issue_id", "reprint_id", name=op.f("pk_issue_reprint")),
    )
    op.create_index("ix_issue_reprint_reprint_id", "issue_reprint", ["reprint_id", "issue_id"], unique=False)
    op.create_table(
        "issue_team",
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["issue_id"], ["issue.id"], name=op.f("fk_issue_team_issue_id_issue"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["team_id"], ["team.id"], name=op.f("fk_issue_team_team_id_team"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("issue_id", "team_id", name=op.f("pk_issue_team")),
    )
    op.create_index("ix_issue_team_team_id", "issue_team", ["team_id", "issue_id"], unique=False)
    op.create_table(
        "issue_universe",
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("universe_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["issue_id"], ["issue.id"], name=op.f("fk_issue_universe_issue_id_issue"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["universe_id"],
            ["universe.id"],
            name=op.f("fk_issue_universe_universe_id_universe"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("issue_id", "universe_id", name=op.f("pk_issue_universe")),
    )
    op.create_index(
        "ix_issue_universe_universe_id", "issue_universe", ["universe_id", "issue_id"], unique=False
    )
    op.create_table(
        "variant",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=255), server_default="", nullable=False),
        sa.Column("sku", sa.String(length=12), server_default="", nullable=False),
        sa.Column("upc", sa.String(length=20), server_default="", nullable=False),
        sa.Column("cover_hash", sa.String(length=16), server_default="", nullable=False),
        sa.Column("image", sa.String(length=100), server_default="", nullable=False),
        sa.Column("image_width", sa.SmallInteger(), nullable=True),
        sa.Column("image_height", sa.SmallInteger(), nullable=True),
        sa.Column("price", sa.Numeric(precision=8, scale=2), nullable=True),
        sa.Column("currency", sa.String(length=3), server_default="USD", nullable=False),
        sa.CheckConstraint(
            "currency IN ('USD', 'GBP', 'EUR', 'ITL')", name=op.f("ck_variant_currency_choice")
        ),
        sa.CheckConstraint("image <> ''", name=op.f("ck_variant_image_required")),
        sa.CheckConstraint("price >= 0", name=op.f("ck_variant_price_not_negative")),
        sa.ForeignKeyConstraint(
            ["issue_id"], ["issue.id"], name=op.f("fk_variant_issue_id_issue"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_variant")),
    )
    op.create_index(op.f("ix_variant_issue_id"), "variant", ["issue_id"], unique=False)
    op.create_table(
        "credit_role",
        sa.Column("credit_id", sa.Integer(), nullable=False),
        sa.Column("role_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["credit_id"], ["credit.id"], name=op.f("fk_credit_role_credit_id_credit"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["role_id"], ["role.id"], name=op.f("fk_credit_role_role_id_role"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("credit_id", "role_id", name=op.f("pk_credit_role")),
    )
    op.create_index("ix_credit_role_role_id", "credit_role", ["role_id", "credit_id"], unique=False)
    seed()


def downgrade():
    op.drop_index("ix_credit_role_role_id", table_name="credit_role")
    op.drop_table("credit_role")
    op.drop_index(op.f("ix_variant_issue_id"), table_name="variant")
    op.drop_table("variant")
    op.drop_index("ix_issue_universe_universe_id", table_name="issue_universe")
    op.drop_table("issue_universe")
    op.drop_index("ix_issue_team_team_id", table_name="issue_team")
    op.drop_table("issue_team")
    op.drop_index("ix_issue_reprint_reprint_id", table_name="issue_reprint")
    op.drop_table("issue_reprint")
    op.drop_index("ix_issue_rating_user_id", table_name="issue_rating")
    op.drop_table("issue_rating")
    op.drop_index("ix_issue_character_character_id", table_name="issue_character")
    op.drop_table("issue_character")
    op.drop_index("ix_issue_arc_arc_id", table_name="issue_arc")
    op.drop_table("issue_arc")
    op.drop_index(op.f("ix_credit_creator_id"), table_name="credit")
    op.drop_table("credit")
    op.drop_index(
        "ix_attribution_universe_id",
        table_name="attribution",
        postgresql_where=sa.text("universe_id IS NOT NULL"),
    )
    op.drop_index(
        "ix_attribution_team_id", table_name="attribution", postgresql_where=sa.text("team_id IS NOT NULL")
    )
    op.drop_index(
        "ix_attribution_series_id",
        table_name="attribution",
        postgresql_where=sa.text("series_id IS NOT NULL"),
    )
    op.drop_index(
        "ix_attribution_publisher_id",
        table_name="attribution",
        postgresql_where=sa.text("publisher_id IS NOT NULL"),
    )
    op.drop_index(
        "ix_attribution_issue_id", table_name="attribution", postgresql_where=sa.text("issue_id IS NOT NULL")
    )
    op.drop_index(
        "ix_attribution_imprint_id",
        table_name="attribution",
        postgresql_where=sa.text("imprint_id IS NOT NULL"),
    )
    op.drop_index(
        "ix_attribution_creator_id",
        table_name="attribution",
        postgresql_where=sa.text("creator_id IS NOT NULL"),
    )
    op.drop_index(
        "ix_attribution_character_id",
        table_name="attribution",
        postgresql_where=sa.text("character_id IS NOT NULL"),
    )
    op.drop_index(
        "ix_attribution_arc_id", table_name="attribution", postgresql_where=sa.text("arc_id IS NOT NULL")
    )
    op.drop_table("attribution")
    op.drop_index("ix_series_genre_genre_id", table_name="series_genre")
    op.drop_table("series_genre")
    op.drop_index("ix_series_associated_associated_id", table_name="series_associated")
    op.drop_table("series_associated")
    op.drop_index("uq_issue_slug", table_name="issue")
    op.drop_index("uq_issue_gcd_id", table_name="issue")
    op.drop_index("uq_issue_cv_id", table_name="issue")
    op.drop_index("ix_issue_upc", table_name="issue", postgresql_ops={"upc": "varchar_pattern_ops"})
    op.drop_index("ix_issue_store_date", table_name="issue")
    op.drop_index("ix_issue_sku", table_name="issue")
    op.drop_index("ix_issue_series_order", table_name="issue")
    op.drop_index("ix_issue_series_id_number_upper", table_name="issue")
    op.drop_index(op.f("ix_issue_rating_id"), table_name="issue")
    op.drop_index("ix_issue_number_upper", table_name="issue")
    op.drop_index("ix_issue_modified", table_name="issue")
    op.drop_index("ix_issue_foc_date", table_name="issue")
    op.drop_index(op.f("ix_issue_edited_by_id"), table_name="issue")
    op.drop_index("ix_issue_created_on", table_name="issue")
    op.drop_index(op.f("ix_issue_created_by_id"), table_name="issue")
    op.drop_index("ix_issue_cover_hash", table_name="issue")
    op.drop_index("ix_issue_cover_date", table_name="issue")
    op.drop_index("ix_issue_alt_number_upper", table_name="issue")
    op.drop_table("issue")
    op.drop_index("ix_team_universe_universe_id", table_name="team_universe")
    op.drop_table("team_universe")
    op.drop_index("uq_series_slug", table_name="series")
    op.drop_index("uq_series_publisher_id_name_volume_series_type_id", table_name="series")
    op.drop_index("uq_series_gcd_id", table_name="series")
    op.drop_index("uq_series_cv_id", table_name="series")
    op.drop_index("ix_series_sort_order", table_name="series")
    op.drop_index(op.f("ix_series_series_type_id"), table_name="series")
    op.drop_index("ix_series_order", table_name="series")
    op.drop_index("ix_series_modified", table_name="series")
    op.drop_index("ix_series_language", table_name="series")
    op.drop_index(op.f("ix_series_imprint_id"), table_name="series")
    op.drop_index(
        "ix_series_folded_trgm",
        table_name="series",
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.drop_index(op.f("ix_series_edited_by_id"), table_name="series")
    op.drop_index(op.f("ix_series_created_by_id"), table_name="series")
    op.drop_index(
        "ix_series_alt_folded_trgm",
        table_name="series",
        postgresql_using="gin",
        postgresql_ops={"alt_folded": "gin_trgm_ops"},
    )
    op.drop_table("series")
    op.drop_index("ix_character_universe_universe_id", table_name="character_universe")
    op.drop_table("character_universe")
    op.drop_index("uq_universe_slug", table_name="universe")
    op.drop_index("uq_universe_publisher_id_name_designation", table_name="universe")
    op.drop_index("uq_universe_gcd_id", table_name="universe")
    op.drop_index("uq_universe_cv_id", table_name="universe")
    op.drop_index("ix_universe_order", table_name="universe")
    op.drop_index("ix_universe_modified", table_name="universe")
    op.drop_index(
        "ix_universe_folded_trgm",
        table_name="universe",
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.drop_index(op.f("ix_universe_edited_by_id"), table_name="universe")
    op.drop_index("ix_universe_designation_order", table_name="universe")
    op.drop_index(
        "ix_universe_designation_folded_trgm",
        table_name="universe",
        postgresql_using="gin",
        postgresql_ops={"designation_folded": "gin_trgm_ops"},
    )
    op.drop_index(op.f("ix_universe_created_by_id"), table_name="universe")
    op.drop_table("universe")
    op.drop_index("ix_team_creator_creator_id", table_name="team_creator")
    op.drop_table("team_creator")
    op.drop_index("uq_imprint_slug", table_name="imprint")
    op.drop_index("uq_imprint_gcd_id", table_name="imprint")
    op.drop_index("uq_imprint_cv_id", table_name="imprint")
    op.drop_index(op.f("ix_imprint_publisher_id"), table_name="imprint")
    op.drop_index("ix_imprint_order", table_name="imprint")
    op.drop_index("ix_imprint_modified", table_name="imprint")
    op.drop_index(
        "ix_imprint_folded_trgm",
        table_name="imprint",
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.drop_index(op.f("ix_imprint_edited_by_id"), table_name="imprint")
    op.drop_index(op.f("ix_imprint_created_by_id"), table_name="imprint")
    op.drop_table("imprint")
    op.drop_index("ix_character_team_team_id", table_name="character_team")
    op.drop_table("character_team")
    op.drop_index("ix_character_creator_creator_id", table_name="character_creator")
    op.drop_table("character_creator")
    op.drop_index("ix_user_group_member_group_id", table_name="user_group_member")
    op.drop_table("user_group_member")
    op.drop_index(op.f("ix_tombstone_user_id"), table_name="tombstone")
    op.drop_index("ix_tombstone_slug", table_name="tombstone")
    op.drop_table("tombstone")
    op.drop_index("uq_team_slug", table_name="team")
    op.drop_index("uq_team_gcd_id", table_name="team")
    op.drop_index("uq_team_cv_id", table_name="team")
    op.drop_index("ix_team_order", table_name="team")
    op.drop_index("ix_team_modified", table_name="team")
    op.drop_index(
        "ix_team_folded_trgm",
        table_name="team",
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.drop_index(op.f("ix_team_edited_by_id"), table_name="team")
    op.drop_index(op.f("ix_team_created_by_id"), table_name="team")
    op.drop_table("team")
    op.drop_index("uq_publisher_slug", table_name="publisher")
    op.drop_index("uq_publisher_gcd_id", table_name="publisher")
    op.drop_index("uq_publisher_cv_id", table_name="publisher")
    op.drop_index("ix_publisher_order", table_name="publisher")
    op.drop_index("ix_publisher_modified", table_name="publisher")
    op.drop_index(
        "ix_publisher_folded_trgm",
        table_name="publisher",
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.drop_index(op.f("ix_publisher_edited_by_id"), table_name="publisher")
    op.drop_index(op.f("ix_publisher_created_by_id"), table_name="publisher")
    op.drop_index(
        "ix_publisher_alt_folded_trgm",
        table_name="publisher",
        postgresql_using="gin",
        postgresql_ops={"alt_folded": "gin_trgm_ops"},
    )
    op.drop_table("publisher")
    op.drop_index(op.f("ix_login_session_user_id"), table_name="login_session")
    op.drop_index(op.f("ix_login_session_expires"), table_name="login_session")
    op.drop_table("login_session")
    op.drop_index(op.f("ix_history_user_id"), table_name="history")
    op.drop_index("ix_history_object", table_name="history")
    op.drop_index("ix_history_at", table_name="history")
    op.drop_table("history")
    op.drop_index("uq_creator_slug", table_name="creator")
    op.drop_index("uq_creator_gcd_id", table_name="creator")
    op.drop_index("uq_creator_cv_id", table_name="creator")
    op.drop_index("ix_creator_order", table_name="creator")
    op.drop_index("ix_creator_modified", table_name="creator")
    op.drop_index(
        "ix_creator_folded_trgm",
        table_name="creator",
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.drop_index(op.f("ix_creator_edited_by_id"), table_name="creator")
    op.drop_index(op.f("ix_creator_created_by_id"), table_name="creator")
    op.drop_index(
        "ix_creator_alias_folded_trgm",
        table_name="creator",
        postgresql_using="gin",
        postgresql_ops={"alias_folded": "gin_trgm_ops"},
    )
    op.drop_table("creator")
    op.drop_index("uq_character_slug", table_name="character")
    op.drop_index("uq_character_gcd_id", table_name="character")
    op.drop_index("uq_character_cv_id", table_name="character")
    op.drop_index("ix_character_order", table_name="character")
    op.drop_index("ix_character_modified", table_name="character")
    op.drop_index(
        "ix_character_folded_trgm",
        table_name="character",
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.drop_index(op.f("ix_character_edited_by_id"), table_name="character")
    op.drop_index(op.f("ix_character_created_by_id"), table_name="character")
    op.drop_index(
        "ix_character_alias_folded_trgm",
        table_name="character",
        postgresql_using="gin",
        postgresql_ops={"alias_folded": "gin_trgm_ops"},
    )
    op.drop_table("character")
    op.drop_index(op.f("ix_change_log_user_id"), table_name="change_log")
    op.drop_index("ix_change_log_object", table_name="change_log")
    op.drop_table("change_log")
    op.drop_index("uq_arc_slug", table_name="arc")
    op.drop_index("uq_arc_gcd_id", table_name="arc")
    op.drop_index("uq_arc_cv_id", table_name="arc")
    op.drop_index("ix_arc_order", table_name="arc")
    op.drop_index("ix_arc_modified", table_name="arc")
    op.drop_index(
        "ix_arc_folded_trgm",
        table_name="arc",
        postgresql_using="gin",
        postgresql_ops={"folded": "gin_trgm_ops"},
    )
    op.drop_index(op.f("ix_arc_edited_by_id"), table_name="arc")
    op.drop_index(op.f("ix_arc_created_by_id"), table_name="arc")
    op.drop_table("arc")
    op.drop_index(op.f("ix_api_token_user_id"), table_name="api_token")
    op.drop_table("api_token")
    op.drop_table("version")
    op.drop_index("uq_user_group_name", table_name="user_group")
    op.drop_table("user_group")
    op.drop_index("uq_user_account_username", table_name="user_account")
    op.drop_index("uq_user_account_email", table_name="user_account")
    op.drop_table("user_account")
    op.drop_index("uq_series_type_name", table_name="series_type")
    op.drop_index("uq_series_type_code", table_name="series_type")
    op.drop_table("series_type")
    op.drop_index("uq_role_order", table_name="role")
    op.drop_index("uq_role_name", table_name="role")
    op.drop_table("role")
    op.drop_index("uq_genre_name", table_name="genre")
    op.drop_table("genre")
    op.drop_index("ix_former_slug_object", table_name="former_slug")
    op.drop_table("former_slug")
    op.drop_table("announcement")
    op.drop_index("uq_age_rating_name", table_name="age_rating")
    op.drop_table("age_rating")
    for name in ("iso_instant(timestamptz)", "joined(varchar[])", "fold_pattern(text)", "fold(text)"):
        op.execute(f"DROP FUNCTION {name}")
