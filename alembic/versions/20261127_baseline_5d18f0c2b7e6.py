"""The baseline: creates the whole schema and the reference data in an empty database.

Functions and triggers are in `alembic/baseline/`, reference data in `comicsdb/models/reference_data.py`.
"""

import re
from pathlib import Path

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from comicsdb.models.reference_data import REFERENCE

revision = "5d18f0c2b7e6"
down_revision = None
branch_labels = None
depends_on = None

BASELINE = Path(__file__).resolve().parent.parent / "baseline"
TRIGGERS = (
    *("catalogue.sql", "figures.sql", "prices.sql", "libraries.sql", "library_acts.sql"),
    *("rate_limits.sql", "epoch.sql", "touched_objects.sql"),
)
KINDS = ("publisher", "imprint", "universe", "creator", "team", "character", "arc", "series", "issue")
# Columns of reference data that the history records; each row gets a first state to compare later ones with.
HISTORY = {
    "series_type": ("name", "code", "notes"),
    "genre": ("name", "desc"),
    "age_rating": ("name", "short_description", "description"),
    "role": ("name", "order", "is_writer", "is_artist", "is_featured", "is_cover", "notes"),
}


def upgrade():
    """Create everything; the triggers last, so that they do not record the first rows as changes."""
    _run("functions.sql")
    _run("codes.sql")
    _create_tables()
    _insert_rows()
    for name in TRIGGERS:
        _run(name)


def downgrade():
    tables = op.get_bind().scalar(
        sa.text(
            "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables"
            " WHERE schemaname = current_schema() AND tablename <> 'alembic_version'"
        )
    )
    op.execute(f"DROP TABLE {tables}")
    functions = set(
        re.findall(r"CREATE FUNCTION (\w+)", "".join(_sql(path.name) for path in BASELINE.glob("*.sql")))
    )
    op.execute(f"DROP FUNCTION {', '.join(sorted(functions))} CASCADE")


def _sql(name):
    return (BASELINE / name).read_text("utf-8")


def _run(name):
    """Run a file of several statements without substituting parameters."""
    op.get_bind().exec_driver_sql(_sql(name), execution_options={"no_parameters": True})


def _insert_rows():
    """Insert the reference data with its first history, the kinds' versions, and the rows of small tables."""
    connection = op.get_bind()
    for table, rows in REFERENCE.items():
        columns = (sa.column(name, postgresql.JSONB if name == "names" else None) for name in rows[0])
        op.bulk_insert(sa.table(table, *columns), rows)
        connection.execute(
            sa.text(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))")
        )
    version = sa.table("version", sa.column("kind"), sa.column("number"))
    op.bulk_insert(version, [{"kind": kind, "number": 0} for kind in KINDS])
    op.execute("INSERT INTO signup_settings (id) VALUES (1)")
    op.execute("INSERT INTO feed_horizon (id) VALUES (1)")
    op.execute(
        "INSERT INTO epoch (id, value)"
        " SELECT n, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM generate_series(1, 8) AS n"
    )
    for kind, fields in HISTORY.items():
        state = ", ".join(f"'{field}', \"{field}\"" for field in fields)
        op.execute(
            "INSERT INTO history (kind, object_id, type, snapshot)"
            f" SELECT '{kind}', id, '+', jsonb_build_object({state}) FROM {kind} ORDER BY id"
        )


# fmt: off


def _create_tables():
    op.create_table('age_rating',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('name', sa.String(length=255), nullable=False),
        sa.Column('names', postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column('short_description', sa.String(length=255), server_default='', nullable=False),
        sa.Column('description', sa.Text(), server_default='', nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_age_rating'))
    )
    op.create_index('uq_age_rating_name', 'age_rating', ['name'], unique=True)
    op.create_table('announcement',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('title', sa.String(length=255), nullable=False),
        sa.Column('titles', postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column('content', sa.Text(), server_default='', nullable=False),
        sa.Column('contents', postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column('start_date', sa.Date(), nullable=True),
        sa.Column('end_date', sa.Date(), nullable=True),
        sa.Column('display_type', sa.String(length=20), server_default='primary', nullable=False),
        sa.Column('active', sa.Boolean(), server_default='true', nullable=False),
        sa.CheckConstraint("display_type IN ('primary', 'success', 'link', 'warning', 'danger')", name=op.f('ck_announcement_display_type_choice')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_announcement'))
    )
    op.create_table('daily_count',
        sa.Column('day', sa.Date(), nullable=False),
        sa.Column('counter', sa.String(length=40), nullable=False),
        sa.Column('identity', sa.String(length=200), server_default='', nullable=False),
        sa.Column('count', sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint('day', 'counter', 'identity', name=op.f('pk_daily_count'))
    )
    op.create_index('ix_daily_count_counter', 'daily_count', ['counter', 'identity', 'day'], unique=False)
    op.create_table('epoch',
        sa.Column('id', sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column('value', sa.BigInteger(), nullable=False),
        sa.Column('installation', sa.Uuid(), server_default=sa.text('gen_random_uuid()'), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_epoch')),
        postgresql_with={'fillfactor': 10}
    )
    op.create_table('feed_horizon',
        sa.Column('id', sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column('seq', sa.BigInteger(), server_default=sa.text('0'), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), nullable=True),
        sa.Column('xid', sa.BigInteger(), server_default=sa.text('0'), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_feed_horizon'))
    )
    op.create_table('former_slug',
        sa.Column('kind', sa.String(length=40), nullable=False),
        sa.Column('slug', sa.String(length=255), nullable=False),
        sa.Column('object_id', sa.Integer(), nullable=False),
        sa.Column('since', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.PrimaryKeyConstraint('kind', 'slug', name=op.f('pk_former_slug'))
    )
    op.create_index('ix_former_slug_object', 'former_slug', ['kind', 'object_id'], unique=False)
    op.create_table('gcd_import',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('file', sa.String(length=255), server_default='', nullable=False),
        sa.Column('fingerprint', sa.String(length=64), nullable=False),
        sa.Column('choices', postgresql.JSONB(), nullable=False),
        sa.Column('phase', sa.String(length=20), nullable=False),
        sa.Column('position', sa.Integer(), server_default=sa.text('0'), nullable=False),
        sa.Column('reported', sa.BigInteger(), server_default=sa.text('0'), nullable=False),
        sa.Column('counts', postgresql.JSONB(), server_default='{}', nullable=False),
        sa.Column('begun', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('finished', sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_gcd_import'))
    )
    op.create_index('ix_gcd_import_begun', 'gcd_import', ['begun', 'id'], unique=False)
    op.create_table('genre',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('name', sa.String(length=25), nullable=False),
        sa.Column('names', postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column('desc', sa.Text(), server_default='', nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_genre'))
    )
    op.create_index('uq_genre_name', 'genre', [sa.literal_column('lower(name)')], unique=True)
    op.create_table('late_stamps',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('kind', sa.String(length=40), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('ids', postgresql.ARRAY(sa.Integer()), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_late_stamps'))
    )
    op.create_table('mirror',
        sa.Column('id', sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column('origin', sa.String(length=500), nullable=False),
        sa.Column('public_key', sa.String(length=200), nullable=False),
        sa.Column('epoch', sa.String(length=40), nullable=False),
        sa.Column('after', sa.BigInteger(), nullable=False),
        sa.Column('touched', sa.String(length=100), nullable=False),
        sa.Column('loaded', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('current', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_mirror'))
    )
    op.create_table('picture_hash',
        sa.Column('picture', sa.String(length=100), nullable=False),
        sa.Column('phash', sa.BigInteger(), nullable=False),
        sa.Column('dhash', sa.BigInteger(), nullable=False),
        sa.Column('early_dhash', sa.BigInteger(), nullable=False),
        sa.Column('ahash', sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint('picture', name=op.f('pk_picture_hash'))
    )
    for name in ('phash', 'dhash', 'early_dhash', 'ahash'):
        for shift in (48, 32, 16, 0):
            op.create_index(f'ix_picture_hash_{name}_{shift}', 'picture_hash', [sa.literal_column(f'((({name} >> {shift}) & 65535)::integer)').label('quarter')], unique=False)
    op.create_table('rate_limit',
        sa.Column('client', sa.String(length=200), nullable=False),
        sa.Column('name', sa.String(length=200), nullable=False),
        sa.Column('times', postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column('sums', postgresql.ARRAY(sa.Integer()), nullable=False),
        sa.Column('expires', sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint('client', 'name', name=op.f('pk_rate_limit')),
        postgresql_with={'fillfactor': 50, 'toast_tuple_target': 8160},
        prefixes=['UNLOGGED']
    )
    op.create_table('received_line',
        sa.Column('seq', sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column('line', sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint('seq', name=op.f('pk_received_line'))
    )
    op.create_table('received_state',
        sa.Column('kind', sa.String(length=40), nullable=False),
        sa.Column('object_id', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('state', sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint('kind', 'object_id', name=op.f('pk_received_state'))
    )
    op.create_table('role',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('name', sa.String(length=25), nullable=False),
        sa.Column('names', postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column('order', sa.SmallInteger(), nullable=False),
        sa.Column('is_writer', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('is_artist', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('is_featured', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('is_cover', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('notes', sa.Text(), server_default='', nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint('"order" BETWEEN 0 AND 32767', name=op.f('ck_role_"order"_range')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_role'))
    )
    op.create_index('uq_role_name', 'role', ['name'], unique=True)
    op.create_index('uq_role_order', 'role', ['order'], unique=True)
    op.create_table('series_type',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('name', sa.String(length=255), nullable=False),
        sa.Column('names', postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column('code', sa.String(length=20), nullable=True),
        sa.Column('notes', sa.Text(), server_default='', nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_series_type'))
    )
    op.create_index('uq_series_type_code', 'series_type', ['code'], unique=True)
    op.create_index('uq_series_type_name', 'series_type', ['name'], unique=True)
    op.create_table('signup_settings',
        sa.Column('id', sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column('signups_enabled', sa.Boolean(), server_default='true', nullable=False),
        sa.Column('disabled_message', sa.String(length=255), server_default='', nullable=False),
        sa.CheckConstraint('id = 1', name=op.f('ck_signup_settings_single')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_signup_settings'))
    )
    op.create_table('spent_challenge',
        sa.Column('digest', sa.String(length=64), nullable=False),
        sa.Column('expires', sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('digest', name=op.f('pk_spent_challenge'))
    )
    op.create_index(op.f('ix_spent_challenge_expires'), 'spent_challenge', ['expires'], unique=False)
    op.create_table('touched_object',
        sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column('xid', sa.BigInteger(), server_default=sa.text('pg_current_xact_id()::text::bigint'), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('kind', sa.String(length=40), nullable=False),
        sa.Column('ids', postgresql.ARRAY(sa.Integer()), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_touched_object'))
    )
    op.create_index('ix_touched_object_xid', 'touched_object', ['xid', 'id'], unique=False)
    op.create_table('user_account',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('username', sa.String(length=150), nullable=False),
        sa.Column('email', sa.String(length=254), nullable=False),
        sa.Column('password', sa.String(length=128), server_default='', nullable=False),
        sa.Column('first_name', sa.String(length=150), server_default='', nullable=False),
        sa.Column('last_name', sa.String(length=150), server_default='', nullable=False),
        sa.Column('is_active', sa.Boolean(), server_default='true', nullable=False),
        sa.Column('is_staff', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('is_superuser', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('second_factor', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('email_confirmed', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('bio', sa.Text(), server_default='', nullable=False),
        sa.Column('shows_name', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('language', sa.String(length=10), server_default='', nullable=False),
        sa.Column('timezone', sa.String(length=64), server_default='', nullable=False),
        sa.Column('supporter_until', sa.DateTime(timezone=True), nullable=True),
        sa.Column('supporter_tier', sa.String(length=20), server_default='', nullable=False),
        sa.Column('date_joined', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('last_login', sa.DateTime(timezone=True), nullable=True),
        sa.Column('basic_used', sa.Date(), nullable=True),
        sa.Column('basic_address', sa.String(length=45), server_default='', nullable=False),
        sa.Column('basic_reminded', sa.DateTime(timezone=True), nullable=True),
        sa.Column('image', sa.String(length=100), server_default='', nullable=False),
        sa.Column('image_width', sa.SmallInteger(), nullable=True),
        sa.Column('image_height', sa.SmallInteger(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_user_account'))
    )
    op.create_index('uq_user_account_email', 'user_account', [sa.literal_column('lower(email)')], unique=True)
    op.create_index('uq_user_account_username', 'user_account', [sa.literal_column('lower(username)')], unique=True)
    op.create_table('user_group',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('name', sa.String(length=150), nullable=False),
        sa.Column('may_delete', postgresql.ARRAY(sa.String(length=40)), server_default='{}', nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_user_group'))
    )
    op.create_index('uq_user_group_name', 'user_group', ['name'], unique=True)
    op.create_table('version',
        sa.Column('kind', sa.String(length=40), nullable=False),
        sa.Column('value', sa.BigInteger(), server_default=sa.text('1'), nullable=False),
        sa.Column('number', sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint('kind', name=op.f('pk_version'))
    )
    op.create_table('account_link',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('digest', sa.String(length=64), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('purpose', sa.String(length=20), nullable=False),
        sa.Column('email', sa.String(length=254), server_default='', nullable=False),
        sa.Column('created', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('expires', sa.DateTime(timezone=True), nullable=False),
        sa.Column('used', sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("purpose IN ('activate', 'reset', 'email', 'not_me', 'login')", name=op.f('ck_account_link_purpose_choice')),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_account_link_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_account_link')),
        sa.UniqueConstraint('digest', name=op.f('uq_account_link_digest'))
    )
    op.create_index(op.f('ix_account_link_expires'), 'account_link', ['expires'], unique=False)
    op.create_index(op.f('ix_account_link_user_id'), 'account_link', ['user_id'], unique=False)
    op.create_table('api_token',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('digest', sa.String(length=64), nullable=False),
        sa.Column('token_key', sa.String(length=25), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('name', sa.String(length=64), server_default='', nullable=False),
        sa.Column('scope', sa.String(length=10), server_default='edit', nullable=False),
        sa.Column('created', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('expiry', sa.DateTime(timezone=True), nullable=True),
        sa.Column('last_used', sa.DateTime(timezone=True), nullable=True),
        sa.Column('last_address', sa.String(length=45), server_default='', nullable=False),
        sa.Column('form_key', sa.String(length=64), nullable=True),
        sa.CheckConstraint("scope IN ('read', 'library', 'edit')", name=op.f('ck_api_token_scope_choice')),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_api_token_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_api_token')),
        sa.UniqueConstraint('digest', name=op.f('uq_api_token_digest')),
        sa.UniqueConstraint('form_key', name=op.f('uq_api_token_form_key'))
    )
    op.create_index(op.f('ix_api_token_user_id'), 'api_token', ['user_id'], unique=False)
    op.create_table('arc',
        sa.Column('issues_modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('issues_modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('name_changed', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('image', sa.String(length=100), server_default='', nullable=False),
        sa.Column('image_width', sa.SmallInteger(), nullable=True),
        sa.Column('image_height', sa.SmallInteger(), nullable=True),
        sa.Column('desc', sa.Text(), server_default='', nullable=False),
        sa.Column('created_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('edited_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('cv_id', sa.Integer(), nullable=True),
        sa.Column('gcd_id', sa.Integer(), nullable=True),
        sa.Column('name', sa.String(length=255, collation='C'), nullable=False),
        sa.Column('folded', sa.Text(collation='C'), sa.Computed('fold(name COLLATE "default")', persisted=True), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('slug', sa.String(length=255), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint('cv_id BETWEEN 0 AND 2147483647', name=op.f('ck_arc_cv_id_range')),
        sa.CheckConstraint('gcd_id BETWEEN 0 AND 2147483647', name=op.f('ck_arc_gcd_id_range')),
        sa.ForeignKeyConstraint(['created_by_id'], ['user_account.id'], name=op.f('fk_arc_created_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.ForeignKeyConstraint(['edited_by_id'], ['user_account.id'], name=op.f('fk_arc_edited_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_arc'))
    )
    op.create_index(op.f('ix_arc_created_by_id'), 'arc', ['created_by_id'], unique=False)
    op.create_index(op.f('ix_arc_edited_by_id'), 'arc', ['edited_by_id'], unique=False)
    op.create_index('ix_arc_folded_trgm', 'arc', ['folded'], unique=False, postgresql_using='gin', postgresql_ops={'folded': 'gin_trgm_ops'})
    op.create_index('ix_arc_modified', 'arc', ['modified', 'id'], unique=False)
    op.create_index('ix_arc_order', 'arc', ['folded', 'name', 'id'], unique=False, postgresql_include=['modified'])
    op.create_index('ix_arc_search', 'arc', [sa.literal_column('without_article(folded)'), 'name', 'id'], unique=False)
    op.create_index('uq_arc_cv_id', 'arc', ['cv_id'], unique=True, postgresql_include=[])
    op.create_index('uq_arc_gcd_id', 'arc', ['gcd_id'], unique=True, postgresql_include=[])
    op.create_index('uq_arc_slug', 'arc', ['slug'], unique=True)
    op.create_table('change_log',
        sa.Column('seq', sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=True),
        sa.Column('kind', sa.String(length=40), nullable=False),
        sa.Column('object_id', sa.Integer(), nullable=False),
        sa.Column('action', sa.String(length=10), nullable=False),
        sa.Column('fields', postgresql.ARRAY(sa.String(length=40)), server_default='{}', nullable=False),
        sa.Column('survivor_id', sa.Integer(), nullable=True),
        sa.CheckConstraint("action IN ('create', 'update', 'delete', 'merge')", name=op.f('ck_change_log_action_choice')),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_change_log_user_id_user_account'), ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('seq', name=op.f('pk_change_log'))
    )
    op.create_index('ix_change_log_action', 'change_log', ['action', 'seq'], unique=False)
    op.create_index('ix_change_log_at', 'change_log', ['at', 'seq'], unique=False)
    op.create_index('ix_change_log_kind', 'change_log', ['kind', 'seq'], unique=False)
    op.create_index('ix_change_log_object', 'change_log', ['kind', 'object_id', 'seq'], unique=False)
    op.create_index('ix_change_log_user', 'change_log', ['user_id', 'seq'], unique=False)
    op.create_table('character',
        sa.Column('alias', postgresql.ARRAY(sa.String(length=100)), server_default='{}', nullable=False),
        sa.Column('alias_folded', sa.Text(collation='C'), sa.Computed('fold(joined(alias))', persisted=True), nullable=False),
        sa.Column('issues_modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('issues_modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('name_changed', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('image', sa.String(length=100), server_default='', nullable=False),
        sa.Column('image_width', sa.SmallInteger(), nullable=True),
        sa.Column('image_height', sa.SmallInteger(), nullable=True),
        sa.Column('desc', sa.Text(), server_default='', nullable=False),
        sa.Column('created_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('edited_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('cv_id', sa.Integer(), nullable=True),
        sa.Column('gcd_id', sa.Integer(), nullable=True),
        sa.Column('name', sa.String(length=255, collation='C'), nullable=False),
        sa.Column('folded', sa.Text(collation='C'), sa.Computed('fold(name COLLATE "default")', persisted=True), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('slug', sa.String(length=255), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint('cv_id BETWEEN 0 AND 2147483647', name=op.f('ck_character_cv_id_range')),
        sa.CheckConstraint('gcd_id BETWEEN 0 AND 2147483647', name=op.f('ck_character_gcd_id_range')),
        sa.ForeignKeyConstraint(['created_by_id'], ['user_account.id'], name=op.f('fk_character_created_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.ForeignKeyConstraint(['edited_by_id'], ['user_account.id'], name=op.f('fk_character_edited_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_character'))
    )
    op.create_index('ix_character_alias_folded_trgm', 'character', ['alias_folded'], unique=False, postgresql_using='gin', postgresql_ops={'alias_folded': 'gin_trgm_ops'})
    op.create_index(op.f('ix_character_created_by_id'), 'character', ['created_by_id'], unique=False)
    op.create_index(op.f('ix_character_edited_by_id'), 'character', ['edited_by_id'], unique=False)
    op.create_index('ix_character_folded_trgm', 'character', ['folded'], unique=False, postgresql_using='gin', postgresql_ops={'folded': 'gin_trgm_ops'})
    op.create_index('ix_character_modified', 'character', ['modified', 'id'], unique=False)
    op.create_index('ix_character_order', 'character', ['folded', 'name', 'id'], unique=False, postgresql_include=['modified'])
    op.create_index('ix_character_search', 'character', [sa.literal_column('without_article(folded)'), 'name', 'id'], unique=False)
    op.create_index('uq_character_cv_id', 'character', ['cv_id'], unique=True, postgresql_include=[])
    op.create_index('uq_character_gcd_id', 'character', ['gcd_id'], unique=True, postgresql_include=[])
    op.create_index('uq_character_slug', 'character', ['slug'], unique=True)
    op.create_table('creator',
        sa.Column('birth', sa.Date(), nullable=True),
        sa.Column('birth_precision', sa.String(length=5), server_default='day', nullable=False),
        sa.Column('death', sa.Date(), nullable=True),
        sa.Column('death_precision', sa.String(length=5), server_default='day', nullable=False),
        sa.Column('alias', postgresql.ARRAY(sa.String(length=100)), server_default='{}', nullable=False),
        sa.Column('alias_folded', sa.Text(collation='C'), sa.Computed('fold(joined(alias))', persisted=True), nullable=False),
        sa.Column('name_changed', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('image', sa.String(length=100), server_default='', nullable=False),
        sa.Column('image_width', sa.SmallInteger(), nullable=True),
        sa.Column('image_height', sa.SmallInteger(), nullable=True),
        sa.Column('desc', sa.Text(), server_default='', nullable=False),
        sa.Column('created_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('edited_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('cv_id', sa.Integer(), nullable=True),
        sa.Column('gcd_id', sa.Integer(), nullable=True),
        sa.Column('name', sa.String(length=255, collation='C'), nullable=False),
        sa.Column('folded', sa.Text(collation='C'), sa.Computed('fold(name COLLATE "default")', persisted=True), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('slug', sa.String(length=255), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint("birth_precision IN ('day', 'month', 'year')", name=op.f('ck_creator_birth_precision_choice')),
        sa.CheckConstraint("death_precision IN ('day', 'month', 'year')", name=op.f('ck_creator_death_precision_choice')),
        sa.CheckConstraint('cv_id BETWEEN 0 AND 2147483647', name=op.f('ck_creator_cv_id_range')),
        sa.CheckConstraint('gcd_id BETWEEN 0 AND 2147483647', name=op.f('ck_creator_gcd_id_range')),
        sa.ForeignKeyConstraint(['created_by_id'], ['user_account.id'], name=op.f('fk_creator_created_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.ForeignKeyConstraint(['edited_by_id'], ['user_account.id'], name=op.f('fk_creator_edited_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_creator'))
    )
    op.create_index('ix_creator_alias_folded_trgm', 'creator', ['alias_folded'], unique=False, postgresql_using='gin', postgresql_ops={'alias_folded': 'gin_trgm_ops'})
    op.create_index(op.f('ix_creator_created_by_id'), 'creator', ['created_by_id'], unique=False)
    op.create_index(op.f('ix_creator_edited_by_id'), 'creator', ['edited_by_id'], unique=False)
    op.create_index('ix_creator_folded_trgm', 'creator', ['folded'], unique=False, postgresql_using='gin', postgresql_ops={'folded': 'gin_trgm_ops'})
    op.create_index('ix_creator_modified', 'creator', ['modified', 'id'], unique=False)
    op.create_index('ix_creator_order', 'creator', ['folded', 'name', 'id'], unique=False, postgresql_include=['modified'])
    op.create_index('ix_creator_search', 'creator', [sa.literal_column('without_article(folded)'), 'name', 'id'], unique=False)
    op.create_index('uq_creator_cv_id', 'creator', ['cv_id'], unique=True, postgresql_include=[])
    op.create_index('uq_creator_gcd_id', 'creator', ['gcd_id'], unique=True, postgresql_include=[])
    op.create_index('uq_creator_slug', 'creator', ['slug'], unique=True)
    op.create_table('donation',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('transaction_id', sa.String(length=64), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=True),
        sa.Column('email', sa.String(length=254), server_default='', nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('donated_at', sa.DateTime(timezone=True), nullable=False),
        sa.Column('frequency', sa.String(length=10), server_default='', nullable=False),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint("frequency IN ('', 'monthly', 'yearly', 'onetime')", name=op.f('ck_donation_frequency_choice')),
        sa.CheckConstraint('amount BETWEEN 0 AND 2147483647', name=op.f('ck_donation_amount_range')),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_donation_user_id_user_account'), ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_donation')),
        sa.UniqueConstraint('transaction_id', name=op.f('uq_donation_transaction_id'))
    )
    op.create_index('ix_donation_order', 'donation', ['donated_at', 'id'], unique=False)
    op.create_index(op.f('ix_donation_user_id'), 'donation', ['user_id'], unique=False)
    op.create_table('feed_address',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('name', sa.String(length=100), server_default='', nullable=False),
        sa.Column('digest', sa.String(length=64), nullable=False),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('last_used', sa.Date(), nullable=True),
        sa.Column('form_key', sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_feed_address_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_feed_address')),
        sa.UniqueConstraint('digest', name='uq_feed_address_digest'),
        sa.UniqueConstraint('form_key', name='uq_feed_address_form_key')
    )
    op.create_index(op.f('ix_feed_address_user_id'), 'feed_address', ['user_id'], unique=False)
    op.create_table('follow',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('follower_id', sa.Integer(), nullable=False),
        sa.Column('followed_id', sa.Integer(), nullable=False),
        sa.Column('blocked', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint('follower_id <> followed_id', name=op.f('ck_follow_another')),
        sa.ForeignKeyConstraint(['followed_id'], ['user_account.id'], name=op.f('fk_follow_followed_id_user_account'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['follower_id'], ['user_account.id'], name=op.f('fk_follow_follower_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_follow')),
        sa.UniqueConstraint('follower_id', 'followed_id', name='uq_follow_follower_id_followed_id')
    )
    op.create_index(op.f('ix_follow_followed_id'), 'follow', ['followed_id'], unique=False)
    op.create_table('form_draft',
        sa.Column('digest', sa.String(length=64), nullable=False),
        sa.Column('form', sa.String(length=60), nullable=True),
        sa.Column('object_id', sa.BigInteger(), nullable=True),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('action', sa.Text(), nullable=False),
        sa.Column('fields', sa.Text(), nullable=False),
        sa.Column('created', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_form_draft_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('digest', name=op.f('pk_form_draft'))
    )
    op.create_index('ix_form_draft_created', 'form_draft', ['created'], unique=False)
    op.create_index(op.f('ix_form_draft_user_id'), 'form_draft', ['user_id'], unique=False)
    op.create_table('history',
        sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column('kind', sa.String(length=40), nullable=False),
        sa.Column('object_id', sa.Integer(), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('type', sa.String(length=1), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=True),
        sa.Column('reason', sa.String(length=100), nullable=True),
        sa.Column('snapshot', postgresql.JSONB(), nullable=False),
        sa.CheckConstraint("type IN ('+', '~', '-')", name=op.f('ck_history_type_choice')),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_history_user_id_user_account'), ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_history'))
    )
    op.create_index('ix_history_at', 'history', ['at', 'id'], unique=False)
    op.create_index('ix_history_object', 'history', ['kind', 'object_id', 'id'], unique=False)
    op.create_index(op.f('ix_history_user_id'), 'history', ['user_id'], unique=False)
    op.create_table('idempotency_key',
        sa.Column('user_id', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('key', sa.String(length=255), nullable=False),
        sa.Column('request', sa.String(length=64), nullable=False),
        sa.Column('status', sa.SmallInteger(), nullable=False),
        sa.Column('body', sa.LargeBinary(), nullable=False),
        sa.Column('created', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_idempotency_key_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('user_id', 'key', name=op.f('pk_idempotency_key'))
    )
    op.create_index('ix_idempotency_key_created', 'idempotency_key', ['created'], unique=False)
    op.create_table('library_act',
        sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('what', sa.String(length=20), server_default='', nullable=False),
        sa.Column('about', sa.String(length=100), server_default='', nullable=False),
        sa.Column('counts', postgresql.JSONB(), server_default='{}', nullable=False),
        sa.Column('undo_asked', sa.DateTime(timezone=True), nullable=True),
        sa.Column('undone', sa.DateTime(timezone=True), nullable=True),
        sa.Column('undoes_id', sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(['undoes_id'], ['library_act.id'], name=op.f('fk_library_act_undoes_id_library_act'), ondelete='SET NULL'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_library_act_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_library_act'))
    )
    op.create_index('ix_library_act_at', 'library_act', ['at'], unique=False)
    op.create_index('ix_library_act_undo_asked', 'library_act', ['undo_asked'], unique=False, postgresql_where=sa.text('undo_asked IS NOT NULL'))
    op.create_index(op.f('ix_library_act_undoes_id'), 'library_act', ['undoes_id'], unique=False)
    op.create_index('ix_library_act_user_id_id', 'library_act', ['user_id', 'id'], unique=False)
    op.create_table('login_session',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('digest', sa.String(length=64), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('begun', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('seen', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('confirmed', sa.DateTime(timezone=True), nullable=True),
        sa.Column('expires', sa.DateTime(timezone=True), nullable=False),
        sa.Column('address', sa.String(length=45), server_default='', nullable=False),
        sa.Column('browser', sa.String(length=255), server_default='', nullable=False),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_login_session_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_login_session')),
        sa.UniqueConstraint('digest', name=op.f('uq_login_session_digest'))
    )
    op.create_index(op.f('ix_login_session_expires'), 'login_session', ['expires'], unique=False)
    op.create_index(op.f('ix_login_session_user_id'), 'login_session', ['user_id'], unique=False)
    op.create_table('outgoing_mail',
        sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=True),
        sa.Column('kind', sa.String(length=40), nullable=False),
        sa.Column('recipient', sa.String(length=254), nullable=False),
        sa.Column('message', sa.LargeBinary(), nullable=False),
        sa.Column('queued', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('attempts', sa.SmallInteger(), server_default='0', nullable=False),
        sa.Column('next_attempt', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=True),
        sa.Column('give_up', sa.DateTime(timezone=True), nullable=False),
        sa.Column('sent', sa.DateTime(timezone=True), nullable=True),
        sa.Column('error', sa.Text(), server_default='', nullable=False),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_outgoing_mail_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_outgoing_mail'))
    )
    op.create_index('ix_outgoing_mail_due', 'outgoing_mail', ['next_attempt', 'id'], unique=False, postgresql_where=sa.text('sent IS NULL'))
    op.create_index('ix_outgoing_mail_sent', 'outgoing_mail', ['sent'], unique=False)
    op.create_index(op.f('ix_outgoing_mail_user_id'), 'outgoing_mail', ['user_id'], unique=False)
    op.create_table('passkey',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('credential_id', sa.LargeBinary(), nullable=False),
        sa.Column('public_key', sa.LargeBinary(), nullable=False),
        sa.Column('sign_count', sa.BigInteger(), nullable=False),
        sa.Column('name', sa.String(length=64), server_default='', nullable=False),
        sa.Column('created', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('last_used', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_passkey_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_passkey')),
        sa.UniqueConstraint('credential_id', name=op.f('uq_passkey_credential_id'))
    )
    op.create_index(op.f('ix_passkey_user_id'), 'passkey', ['user_id'], unique=False)
    op.create_table('poll',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('title', sa.String(length=255), nullable=False),
        sa.Column('titles', postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column('description', sa.Text(), server_default='', nullable=False),
        sa.Column('descriptions', postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column('created_by_id', sa.Integer(), nullable=True),
        sa.Column('start_date', sa.DateTime(timezone=True), nullable=False),
        sa.Column('end_date', sa.DateTime(timezone=True), nullable=False),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint('end_date > start_date', name=op.f('ck_poll_period')),
        sa.ForeignKeyConstraint(['created_by_id'], ['user_account.id'], name=op.f('fk_poll_created_by_id_user_account'), ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_poll'))
    )
    op.create_index(op.f('ix_poll_created_by_id'), 'poll', ['created_by_id'], unique=False)
    op.create_index('ix_poll_start_date', 'poll', ['start_date', 'id'], unique=False)
    op.create_table('public_profile',
        sa.Column('user_id', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('is_public', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('shows_shelf', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('shows_favourites', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('shows_diary', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('shows_year', sa.Boolean(), server_default='false', nullable=False),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_public_profile_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('user_id', name=op.f('pk_public_profile'))
    )
    op.create_table('publisher',
        sa.Column('alt_names', postgresql.ARRAY(sa.String(length=255)), server_default='{}', nullable=False),
        sa.Column('alt_folded', sa.Text(collation='C'), sa.Computed('fold(joined(alt_names))', persisted=True), nullable=False),
        sa.Column('founded', sa.SmallInteger(), nullable=True),
        sa.Column('country', sa.String(length=2), server_default='US', nullable=False),
        sa.Column('image', sa.String(length=100), server_default='', nullable=False),
        sa.Column('image_width', sa.SmallInteger(), nullable=True),
        sa.Column('image_height', sa.SmallInteger(), nullable=True),
        sa.Column('desc', sa.Text(), server_default='', nullable=False),
        sa.Column('created_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('edited_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('cv_id', sa.Integer(), nullable=True),
        sa.Column('gcd_id', sa.Integer(), nullable=True),
        sa.Column('name', sa.String(length=255, collation='C'), nullable=False),
        sa.Column('folded', sa.Text(collation='C'), sa.Computed('fold(name COLLATE "default")', persisted=True), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('slug', sa.String(length=255), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint('cv_id BETWEEN 0 AND 2147483647', name=op.f('ck_publisher_cv_id_range')),
        sa.CheckConstraint('founded BETWEEN 1500 AND 2100', name=op.f('ck_publisher_founded_range')),
        sa.CheckConstraint('gcd_id BETWEEN 0 AND 2147483647', name=op.f('ck_publisher_gcd_id_range')),
        sa.ForeignKeyConstraint(['created_by_id'], ['user_account.id'], name=op.f('fk_publisher_created_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.ForeignKeyConstraint(['edited_by_id'], ['user_account.id'], name=op.f('fk_publisher_edited_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_publisher'))
    )
    op.create_index('ix_publisher_alt_folded_trgm', 'publisher', ['alt_folded'], unique=False, postgresql_using='gin', postgresql_ops={'alt_folded': 'gin_trgm_ops'})
    op.create_index(op.f('ix_publisher_created_by_id'), 'publisher', ['created_by_id'], unique=False)
    op.create_index(op.f('ix_publisher_edited_by_id'), 'publisher', ['edited_by_id'], unique=False)
    op.create_index('ix_publisher_folded_trgm', 'publisher', ['folded'], unique=False, postgresql_using='gin', postgresql_ops={'folded': 'gin_trgm_ops'})
    op.create_index('ix_publisher_modified', 'publisher', ['modified', 'id'], unique=False)
    op.create_index('ix_publisher_name_upper_trgm', 'publisher', [sa.literal_column('upper(name COLLATE "default")').label('upper')], unique=False, postgresql_using='gin', postgresql_ops={'upper': 'gin_trgm_ops'})
    op.create_index('ix_publisher_order', 'publisher', ['folded', 'name', 'id'], unique=False, postgresql_include=['modified'])
    op.create_index('ix_publisher_search', 'publisher', [sa.literal_column('without_article(folded)'), 'name', 'id'], unique=False)
    op.create_index('uq_publisher_cv_id', 'publisher', ['cv_id'], unique=True, postgresql_include=[])
    op.create_index('uq_publisher_gcd_id', 'publisher', ['gcd_id'], unique=True, postgresql_include=[])
    op.create_index('uq_publisher_slug', 'publisher', ['slug'], unique=True)
    op.create_table('pull_list',
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('id', sa.BigInteger(), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_pull_list_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_pull_list')),
        sa.UniqueConstraint('user_id', name='uq_pull_list_user_id')
    )
    op.create_table('reading_list',
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('desc', sa.Text(), server_default='', nullable=False),
        sa.Column('is_private', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('list_type', sa.String(length=10), server_default='EVENT', nullable=False),
        sa.Column('attribution_source', sa.String(length=10), server_default='', nullable=False),
        sa.Column('attribution_url', sa.String(length=200), server_default='', nullable=False),
        sa.Column('previous_id', sa.Integer(), nullable=True),
        sa.Column('next_id', sa.Integer(), nullable=True),
        sa.Column('forked_from_id', sa.Integer(), nullable=True),
        sa.Column('like_count', sa.Integer(), server_default='0', nullable=False),
        sa.Column('rating_count', sa.Integer(), server_default='0', nullable=False),
        sa.Column('rating_sum', sa.BigInteger(), server_default='0', nullable=False),
        sa.Column('rated', sa.DateTime(timezone=True), nullable=True),
        sa.Column('rated_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('image', sa.String(length=100), server_default='', nullable=False),
        sa.Column('image_width', sa.SmallInteger(), nullable=True),
        sa.Column('image_height', sa.SmallInteger(), nullable=True),
        sa.Column('name', sa.String(length=255, collation='C'), nullable=False),
        sa.Column('folded', sa.Text(collation='C'), sa.Computed('fold(name COLLATE "default")', persisted=True), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('slug', sa.String(length=255), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint("attribution_source IN ('', 'CBRO', 'CMRO', 'CBH', 'CBT', 'MG', 'HTLC', 'LOCG', 'OTHER')", name=op.f('ck_reading_list_attribution_source_choice')),
        sa.CheckConstraint("list_type IN ('CREATOR', 'EVENT', 'STORY', 'CHARACTERS', 'TEAMS', 'MASTER')", name=op.f('ck_reading_list_list_type_choice')),
        sa.CheckConstraint('next_id <> id', name=op.f('ck_reading_list_next_not_itself')),
        sa.CheckConstraint('previous_id <> id', name=op.f('ck_reading_list_previous_not_itself')),
        sa.CheckConstraint('previous_id <> next_id', name=op.f('ck_reading_list_two_neighbours')),
        sa.ForeignKeyConstraint(['forked_from_id'], ['reading_list.id'], name=op.f('fk_reading_list_forked_from_id_reading_list'), ondelete='SET NULL'),
        sa.ForeignKeyConstraint(['next_id'], ['reading_list.id'], name=op.f('fk_reading_list_next_id_reading_list'), ondelete='SET NULL'),
        sa.ForeignKeyConstraint(['previous_id'], ['reading_list.id'], name=op.f('fk_reading_list_previous_id_reading_list'), ondelete='SET NULL'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_reading_list_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_reading_list')),
        sa.UniqueConstraint('user_id', 'name', 'attribution_source', name='uq_reading_list_user_id_name_attribution_source')
    )
    op.create_index('ix_reading_list_folded_trgm', 'reading_list', ['folded'], unique=False, postgresql_using='gin', postgresql_ops={'folded': 'gin_trgm_ops'})
    op.create_index(op.f('ix_reading_list_forked_from_id'), 'reading_list', ['forked_from_id'], unique=False)
    op.create_index('ix_reading_list_likes', 'reading_list', [sa.literal_column('like_count DESC'), 'folded', 'id'], unique=False)
    op.create_index('ix_reading_list_modified', 'reading_list', ['modified', 'id'], unique=False)
    op.create_index(op.f('ix_reading_list_next_id'), 'reading_list', ['next_id'], unique=False)
    op.create_index('ix_reading_list_order', 'reading_list', ['folded', 'name', 'id'], unique=False, postgresql_include=['modified'])
    op.create_index(op.f('ix_reading_list_previous_id'), 'reading_list', ['previous_id'], unique=False)
    op.create_index('uq_reading_list_slug', 'reading_list', ['slug'], unique=True)
    op.create_table('recovery_code',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('digest', sa.String(length=64), nullable=False),
        sa.Column('created', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('used', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_recovery_code_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_recovery_code')),
        sa.UniqueConstraint('digest', name=op.f('uq_recovery_code_digest'))
    )
    op.create_index(op.f('ix_recovery_code_user_id'), 'recovery_code', ['user_id'], unique=False)
    op.create_table('security_event',
        sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('kind', sa.String(length=40), nullable=False),
        sa.Column('address', sa.String(length=45), server_default='', nullable=False),
        sa.Column('browser', sa.String(length=255), server_default='', nullable=False),
        sa.Column('details', postgresql.JSONB(), server_default='{}', nullable=False),
        sa.CheckConstraint("kind IN ('logged_in', 'new_device', 'wrong_passwords', 'sessions_ended', 'password_changed', 'password_reset', 'address_changed', 'token_made', 'token_revoked', 'tokens_revoked', 'feed_made', 'feeds_revoked', 'passkey_added', 'passkey_removed', 'totp_added', 'totp_removed', 'recovery_codes_made', 'recovery_code_used', 'second_factor_reset', 'not_me')", name=op.f('ck_security_event_kind_choice')),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_security_event_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_security_event'))
    )
    op.create_index('ix_security_event_at', 'security_event', ['at'], unique=False)
    op.create_index('ix_security_event_user_id', 'security_event', ['user_id', 'id'], unique=False)
    op.create_table('staff_action',
        sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('actor_id', sa.Integer(), nullable=True),
        sa.Column('actor_name', sa.String(length=150), server_default='', nullable=False),
        sa.Column('action', sa.String(length=40), nullable=False),
        sa.Column('kind', sa.String(length=40), nullable=False),
        sa.Column('target_id', sa.Integer(), nullable=True),
        sa.Column('target', sa.String(length=255), server_default='', nullable=False),
        sa.Column('change', postgresql.JSONB(), server_default='{}', nullable=False),
        sa.ForeignKeyConstraint(['actor_id'], ['user_account.id'], name=op.f('fk_staff_action_actor_id_user_account'), ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_action'))
    )
    op.create_index(op.f('ix_staff_action_actor_id'), 'staff_action', ['actor_id'], unique=False)
    op.create_index('ix_staff_action_order', 'staff_action', ['at', 'id'], unique=False)
    op.create_index('ix_staff_action_target', 'staff_action', ['kind', 'target_id', 'id'], unique=False)
    op.create_table('tagged_file',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('digest', sa.String(length=64), nullable=False),
        sa.Column('file', sa.Text(), nullable=False),
        sa.Column('label', sa.Text(), nullable=False),
        sa.Column('known', postgresql.JSONB(), nullable=False),
        sa.Column('fields', postgresql.JSONB(), nullable=False),
        sa.Column('found_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('is_dismissed', sa.Boolean(), server_default='false', nullable=False),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_tagged_file_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_tagged_file')),
        sa.UniqueConstraint('user_id', 'digest', name='uq_tagged_file_user_id_digest')
    )
    op.create_table('team',
        sa.Column('issues_modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('issues_modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('name_changed', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('image', sa.String(length=100), server_default='', nullable=False),
        sa.Column('image_width', sa.SmallInteger(), nullable=True),
        sa.Column('image_height', sa.SmallInteger(), nullable=True),
        sa.Column('desc', sa.Text(), server_default='', nullable=False),
        sa.Column('created_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('edited_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('cv_id', sa.Integer(), nullable=True),
        sa.Column('gcd_id', sa.Integer(), nullable=True),
        sa.Column('name', sa.String(length=255, collation='C'), nullable=False),
        sa.Column('folded', sa.Text(collation='C'), sa.Computed('fold(name COLLATE "default")', persisted=True), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('slug', sa.String(length=255), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint('cv_id BETWEEN 0 AND 2147483647', name=op.f('ck_team_cv_id_range')),
        sa.CheckConstraint('gcd_id BETWEEN 0 AND 2147483647', name=op.f('ck_team_gcd_id_range')),
        sa.ForeignKeyConstraint(['created_by_id'], ['user_account.id'], name=op.f('fk_team_created_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.ForeignKeyConstraint(['edited_by_id'], ['user_account.id'], name=op.f('fk_team_edited_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_team'))
    )
    op.create_index(op.f('ix_team_created_by_id'), 'team', ['created_by_id'], unique=False)
    op.create_index(op.f('ix_team_edited_by_id'), 'team', ['edited_by_id'], unique=False)
    op.create_index('ix_team_folded_trgm', 'team', ['folded'], unique=False, postgresql_using='gin', postgresql_ops={'folded': 'gin_trgm_ops'})
    op.create_index('ix_team_modified', 'team', ['modified', 'id'], unique=False)
    op.create_index('ix_team_order', 'team', ['folded', 'name', 'id'], unique=False, postgresql_include=['modified'])
    op.create_index('ix_team_search', 'team', [sa.literal_column('without_article(folded)'), 'name', 'id'], unique=False)
    op.create_index('uq_team_cv_id', 'team', ['cv_id'], unique=True, postgresql_include=[])
    op.create_index('uq_team_gcd_id', 'team', ['gcd_id'], unique=True, postgresql_include=[])
    op.create_index('uq_team_slug', 'team', ['slug'], unique=True)
    op.create_table('throttle_notice',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('days_throttled', sa.SmallInteger(), nullable=False),
        sa.Column('total_count', sa.Integer(), nullable=False),
        sa.Column('worst_day_count', sa.Integer(), nullable=False),
        sa.Column('sent_at', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_throttle_notice_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_throttle_notice'))
    )
    op.create_index('ix_throttle_notice_order', 'throttle_notice', ['sent_at', 'id'], unique=False)
    op.create_index(op.f('ix_throttle_notice_user_id'), 'throttle_notice', ['user_id'], unique=False)
    op.create_table('tombstone',
        sa.Column('kind', sa.String(length=40), nullable=False),
        sa.Column('object_id', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('slug', sa.String(length=255), nullable=False),
        sa.Column('label', sa.Text(), server_default='', nullable=False),
        sa.Column('gone', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=True),
        sa.Column('reason', sa.String(length=100), server_default='', nullable=False),
        sa.Column('survivor_id', sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_tombstone_user_id_user_account'), ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('kind', 'object_id', name=op.f('pk_tombstone'))
    )
    op.create_index('ix_tombstone_slug', 'tombstone', ['kind', 'slug'], unique=False)
    op.create_index(op.f('ix_tombstone_user_id'), 'tombstone', ['user_id'], unique=False)
    op.create_table('totp',
        sa.Column('user_id', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('secret', sa.String(length=255), nullable=False),
        sa.Column('last_step', sa.BigInteger(), nullable=False),
        sa.Column('created', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_totp_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('user_id', name=op.f('pk_totp'))
    )
    op.create_table('unfinished_act',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('act', sa.String(length=20), nullable=False),
        sa.Column('kind', sa.String(length=40), nullable=False),
        sa.Column('ids', postgresql.ARRAY(sa.Integer()), nullable=False),
        sa.Column('at', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=True),
        sa.Column('reason', sa.String(length=100), server_default='', nullable=False),
        sa.Column('arguments', postgresql.JSONB(), server_default='{}', nullable=False),
        sa.Column('result', postgresql.JSONB(), server_default='{}', nullable=False),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_unfinished_act_user_id_user_account'), ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_unfinished_act'))
    )
    op.create_index(op.f('ix_unfinished_act_user_id'), 'unfinished_act', ['user_id'], unique=False)
    op.create_table('user_group_member',
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('group_id', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['group_id'], ['user_group.id'], name=op.f('fk_user_group_member_group_id_user_group'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_user_group_member_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('user_id', 'group_id', name=op.f('pk_user_group_member'))
    )
    op.create_index('ix_user_group_member_group_id', 'user_group_member', ['group_id', 'user_id'], unique=False)
    op.create_table('webhook',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('url', sa.String(length=1000), nullable=False),
        sa.Column('description', sa.String(length=100), server_default='', nullable=False),
        sa.Column('kinds', postgresql.ARRAY(sa.String(length=40)), server_default='{}', nullable=False),
        sa.Column('state', sa.String(length=10), nullable=False),
        sa.Column('secret', sa.Text(), nullable=False),
        sa.Column('old_secret', sa.Text(), server_default='', nullable=False),
        sa.Column('old_secret_until', sa.DateTime(timezone=True), nullable=True),
        sa.Column('epoch', sa.String(length=32), nullable=False),
        sa.Column('after', sa.BigInteger(), nullable=False),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('form_key', sa.String(length=64), nullable=False),
        sa.CheckConstraint("state IN ('active', 'paused', 'disabled')", name=op.f('ck_webhook_state_choice')),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_webhook_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_webhook')),
        sa.UniqueConstraint('form_key', name='uq_webhook_form_key')
    )
    op.create_index(op.f('ix_webhook_user_id'), 'webhook', ['user_id'], unique=False)
    op.create_table('wish_list',
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('id', sa.BigInteger(), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_wish_list_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_wish_list')),
        sa.UniqueConstraint('user_id', name='uq_wish_list_user_id')
    )
    op.create_table('character_creator',
        sa.Column('character_id', sa.Integer(), nullable=False),
        sa.Column('creator_id', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['character_id'], ['character.id'], name=op.f('fk_character_creator_character_id_character'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['creator_id'], ['creator.id'], name=op.f('fk_character_creator_creator_id_creator'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('character_id', 'creator_id', name=op.f('pk_character_creator'))
    )
    op.create_index('ix_character_creator_creator_id', 'character_creator', ['creator_id', 'character_id'], unique=False)
    op.create_table('character_team',
        sa.Column('character_id', sa.Integer(), nullable=False),
        sa.Column('team_id', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['character_id'], ['character.id'], name=op.f('fk_character_team_character_id_character'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['team_id'], ['team.id'], name=op.f('fk_character_team_team_id_team'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('character_id', 'team_id', name=op.f('pk_character_team'))
    )
    op.create_index('ix_character_team_team_id', 'character_team', ['team_id', 'character_id'], unique=False)
    op.create_table('imprint',
        sa.Column('publisher_id', sa.Integer(), nullable=False),
        sa.Column('founded', sa.SmallInteger(), nullable=True),
        sa.Column('image', sa.String(length=100), server_default='', nullable=False),
        sa.Column('image_width', sa.SmallInteger(), nullable=True),
        sa.Column('image_height', sa.SmallInteger(), nullable=True),
        sa.Column('desc', sa.Text(), server_default='', nullable=False),
        sa.Column('created_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('edited_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('cv_id', sa.Integer(), nullable=True),
        sa.Column('gcd_id', sa.Integer(), nullable=True),
        sa.Column('name', sa.String(length=255, collation='C'), nullable=False),
        sa.Column('folded', sa.Text(collation='C'), sa.Computed('fold(name COLLATE "default")', persisted=True), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('slug', sa.String(length=255), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint('cv_id BETWEEN 0 AND 2147483647', name=op.f('ck_imprint_cv_id_range')),
        sa.CheckConstraint('founded BETWEEN 1500 AND 2100', name=op.f('ck_imprint_founded_range')),
        sa.CheckConstraint('gcd_id BETWEEN 0 AND 2147483647', name=op.f('ck_imprint_gcd_id_range')),
        sa.ForeignKeyConstraint(['created_by_id'], ['user_account.id'], name=op.f('fk_imprint_created_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.ForeignKeyConstraint(['edited_by_id'], ['user_account.id'], name=op.f('fk_imprint_edited_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.ForeignKeyConstraint(['publisher_id'], ['publisher.id'], name=op.f('fk_imprint_publisher_id_publisher'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_imprint'))
    )
    op.create_index(op.f('ix_imprint_created_by_id'), 'imprint', ['created_by_id'], unique=False)
    op.create_index(op.f('ix_imprint_edited_by_id'), 'imprint', ['edited_by_id'], unique=False)
    op.create_index('ix_imprint_folded_trgm', 'imprint', ['folded'], unique=False, postgresql_using='gin', postgresql_ops={'folded': 'gin_trgm_ops'})
    op.create_index('ix_imprint_modified', 'imprint', ['modified', 'id'], unique=False)
    op.create_index('ix_imprint_name_upper_trgm', 'imprint', [sa.literal_column('upper(name COLLATE "default")').label('upper')], unique=False, postgresql_using='gin', postgresql_ops={'upper': 'gin_trgm_ops'})
    op.create_index('ix_imprint_order', 'imprint', ['folded', 'name', 'id'], unique=False, postgresql_include=['modified'])
    op.create_index(op.f('ix_imprint_publisher_id'), 'imprint', ['publisher_id'], unique=False)
    op.create_index('ix_imprint_search', 'imprint', [sa.literal_column('without_article(folded)'), 'name', 'id'], unique=False)
    op.create_index('uq_imprint_cv_id', 'imprint', ['cv_id'], unique=True, postgresql_include=[])
    op.create_index('uq_imprint_gcd_id', 'imprint', ['gcd_id'], unique=True, postgresql_include=[])
    op.create_index('uq_imprint_slug', 'imprint', ['slug'], unique=True)
    op.create_table('library_change',
        sa.Column('act_id', sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column('table_name', sa.String(length=30), nullable=False),
        sa.Column('row_id', sa.BigInteger(), nullable=False),
        sa.Column('before', postgresql.JSONB(), nullable=True),
        sa.Column('after', postgresql.JSONB(), nullable=True),
        sa.Column('issue_id', sa.Integer(), nullable=True),
        sa.Column('series_id', sa.Integer(), nullable=True),
        sa.Column('list_id', sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(['act_id'], ['library_act.id'], name=op.f('fk_library_change_act_id_library_act'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('act_id', 'id', name=op.f('pk_library_change'))
    )
    op.create_table('library_import',
        sa.Column('id', sa.BigInteger(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('payload', postgresql.JSONB(), nullable=False),
        sa.Column('state', sa.String(length=10), server_default='review', nullable=False),
        sa.Column('file', sa.LargeBinary(), nullable=True),
        sa.Column('progress', sa.Integer(), server_default='0', nullable=False),
        sa.Column('total', sa.Integer(), server_default='0', nullable=False),
        sa.Column('counted', postgresql.JSONB(), server_default='{}', nullable=False),
        sa.Column('act_id', sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(['act_id'], ['library_act.id'], name=op.f('fk_library_import_act_id_library_act'), ondelete='SET NULL'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_library_import_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_library_import'))
    )
    op.create_index(op.f('ix_library_import_act_id'), 'library_import', ['act_id'], unique=False)
    op.create_index(op.f('ix_library_import_user_id'), 'library_import', ['user_id'], unique=False)
    op.create_table('picture_draft',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('digest', sa.String(length=64), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('draft', sa.String(length=64), nullable=True),
        sa.Column('name', sa.String(length=255), server_default='', nullable=False),
        sa.Column('cover_hash', sa.String(length=16), server_default='', nullable=False),
        sa.Column('created', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('image', sa.String(length=100), server_default='', nullable=False),
        sa.Column('image_width', sa.SmallInteger(), nullable=True),
        sa.Column('image_height', sa.SmallInteger(), nullable=True),
        sa.ForeignKeyConstraint(['draft'], ['form_draft.digest'], name=op.f('fk_picture_draft_draft_form_draft'), ondelete='SET NULL'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_picture_draft_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_picture_draft')),
        sa.UniqueConstraint('digest', name=op.f('uq_picture_draft_digest'))
    )
    op.create_index('ix_picture_draft_created', 'picture_draft', ['created'], unique=False)
    op.create_index(op.f('ix_picture_draft_draft'), 'picture_draft', ['draft'], unique=False)
    op.create_index(op.f('ix_picture_draft_user_id'), 'picture_draft', ['user_id'], unique=False)
    op.create_table('poll_choice',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('poll_id', sa.Integer(), nullable=False),
        sa.Column('text', sa.String(length=255), nullable=False),
        sa.Column('texts', postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column('order', sa.Integer(), server_default='0', nullable=False),
        sa.CheckConstraint('"order" >= 0', name=op.f('ck_poll_choice_order_range')),
        sa.ForeignKeyConstraint(['poll_id'], ['poll.id'], name=op.f('fk_poll_choice_poll_id_poll'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_poll_choice')),
        sa.UniqueConstraint('poll_id', 'id', name='uq_poll_choice_poll_id_id')
    )
    op.create_table('reading_list_like',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('reading_list_id', sa.Integer(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.ForeignKeyConstraint(['reading_list_id'], ['reading_list.id'], name=op.f('fk_reading_list_like_reading_list_id_reading_list'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_reading_list_like_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_reading_list_like')),
        sa.UniqueConstraint('reading_list_id', 'user_id', name='uq_reading_list_like_reading_list_id_user_id')
    )
    op.create_index('ix_reading_list_like_user_id', 'reading_list_like', ['user_id', 'reading_list_id'], unique=False)
    op.create_table('reading_list_rating',
        sa.Column('reading_list_id', sa.Integer(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('rating', sa.SmallInteger(), nullable=False),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint('rating BETWEEN 1 AND 5', name=op.f('ck_reading_list_rating_rating_range')),
        sa.ForeignKeyConstraint(['reading_list_id'], ['reading_list.id'], name=op.f('fk_reading_list_rating_reading_list_id_reading_list'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_reading_list_rating_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_reading_list_rating')),
        sa.UniqueConstraint('reading_list_id', 'user_id', name='uq_reading_list_rating_reading_list_id_user_id')
    )
    op.create_index('ix_reading_list_rating_user_id', 'reading_list_rating', ['user_id', 'reading_list_id'], unique=False)
    op.create_table('team_creator',
        sa.Column('team_id', sa.Integer(), nullable=False),
        sa.Column('creator_id', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['creator_id'], ['creator.id'], name=op.f('fk_team_creator_creator_id_creator'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['team_id'], ['team.id'], name=op.f('fk_team_creator_team_id_team'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('team_id', 'creator_id', name=op.f('pk_team_creator'))
    )
    op.create_index('ix_team_creator_creator_id', 'team_creator', ['creator_id', 'team_id'], unique=False)
    op.create_table('universe',
        sa.Column('publisher_id', sa.Integer(), nullable=True),
        sa.Column('designation', sa.String(length=255, collation='C'), server_default='', nullable=False),
        sa.Column('designation_folded', sa.Text(collation='C'), sa.Computed('fold(designation COLLATE "default")', persisted=True), nullable=False),
        sa.Column('name_changed', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('image', sa.String(length=100), server_default='', nullable=False),
        sa.Column('image_width', sa.SmallInteger(), nullable=True),
        sa.Column('image_height', sa.SmallInteger(), nullable=True),
        sa.Column('desc', sa.Text(), server_default='', nullable=False),
        sa.Column('created_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('edited_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('cv_id', sa.Integer(), nullable=True),
        sa.Column('gcd_id', sa.Integer(), nullable=True),
        sa.Column('name', sa.String(length=255, collation='C'), nullable=False),
        sa.Column('folded', sa.Text(collation='C'), sa.Computed('fold(name COLLATE "default")', persisted=True), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('slug', sa.String(length=255), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint('cv_id BETWEEN 0 AND 2147483647', name=op.f('ck_universe_cv_id_range')),
        sa.CheckConstraint('gcd_id BETWEEN 0 AND 2147483647', name=op.f('ck_universe_gcd_id_range')),
        sa.ForeignKeyConstraint(['created_by_id'], ['user_account.id'], name=op.f('fk_universe_created_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.ForeignKeyConstraint(['edited_by_id'], ['user_account.id'], name=op.f('fk_universe_edited_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.ForeignKeyConstraint(['publisher_id'], ['publisher.id'], name=op.f('fk_universe_publisher_id_publisher'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_universe'))
    )
    op.create_index(op.f('ix_universe_created_by_id'), 'universe', ['created_by_id'], unique=False)
    op.create_index('ix_universe_designation_folded_trgm', 'universe', ['designation_folded'], unique=False, postgresql_using='gin', postgresql_ops={'designation_folded': 'gin_trgm_ops'})
    op.create_index('ix_universe_designation_order', 'universe', ['folded', 'name', 'designation_folded', 'designation', 'id'], unique=False, postgresql_include=['modified'])
    op.create_index('ix_universe_designation_upper_trgm', 'universe', [sa.literal_column('upper(designation COLLATE "default")').label('upper')], unique=False, postgresql_using='gin', postgresql_ops={'upper': 'gin_trgm_ops'})
    op.create_index(op.f('ix_universe_edited_by_id'), 'universe', ['edited_by_id'], unique=False)
    op.create_index('ix_universe_folded_trgm', 'universe', ['folded'], unique=False, postgresql_using='gin', postgresql_ops={'folded': 'gin_trgm_ops'})
    op.create_index('ix_universe_modified', 'universe', ['modified', 'id'], unique=False)
    op.create_index('ix_universe_order', 'universe', ['folded', 'name', 'id'], unique=False, postgresql_include=['modified'])
    op.create_index('ix_universe_search', 'universe', [sa.literal_column('without_article(folded)'), 'name', 'id'], unique=False)
    op.create_index('uq_universe_cv_id', 'universe', ['cv_id'], unique=True, postgresql_include=[])
    op.create_index('uq_universe_gcd_id', 'universe', ['gcd_id'], unique=True, postgresql_include=[])
    op.create_index('uq_universe_publisher_id_name_designation', 'universe', ['publisher_id', 'name', 'designation'], unique=True, postgresql_nulls_not_distinct=True)
    op.create_index('uq_universe_slug', 'universe', ['slug'], unique=True)
    op.create_table('webhook_delivery',
        sa.Column('id', sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column('webhook_id', sa.Integer(), nullable=False),
        sa.Column('message_id', sa.String(length=40), nullable=False),
        sa.Column('body', sa.Text(), nullable=False),
        sa.Column('changes', sa.Integer(), nullable=False),
        sa.Column('retries', sa.Boolean(), nullable=False),
        sa.Column('attempts', sa.SmallInteger(), server_default='0', nullable=False),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('next_attempt', sa.DateTime(timezone=True), nullable=True),
        sa.Column('sent', sa.DateTime(timezone=True), nullable=True),
        sa.Column('milliseconds', sa.Integer(), nullable=True),
        sa.Column('status', sa.SmallInteger(), nullable=True),
        sa.Column('problem', sa.String(length=20), server_default='', nullable=False),
        sa.Column('answer', sa.String(length=500), server_default='', nullable=False),
        sa.Column('delivered', sa.Boolean(), server_default=sa.text('false'), nullable=False),
        sa.ForeignKeyConstraint(['webhook_id'], ['webhook.id'], name=op.f('fk_webhook_delivery_webhook_id_webhook'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_webhook_delivery'))
    )
    op.create_index('ix_webhook_delivery_due', 'webhook_delivery', ['next_attempt', 'id'], unique=False, postgresql_where=sa.text('next_attempt IS NOT NULL'))
    op.create_index('ix_webhook_delivery_webhook_id', 'webhook_delivery', ['webhook_id', 'id'], unique=False)
    op.create_table('character_universe',
        sa.Column('character_id', sa.Integer(), nullable=False),
        sa.Column('universe_id', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['character_id'], ['character.id'], name=op.f('fk_character_universe_character_id_character'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['universe_id'], ['universe.id'], name=op.f('fk_character_universe_universe_id_universe'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('character_id', 'universe_id', name=op.f('pk_character_universe'))
    )
    op.create_index('ix_character_universe_universe_id', 'character_universe', ['universe_id', 'character_id'], unique=False)
    op.create_table('library_import_row',
        sa.Column('import_id', sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column('index', sa.Integer(), autoincrement=False, nullable=False),
        sa.Column('part', sa.String(length=20), nullable=False),
        sa.Column('line', sa.Integer(), nullable=False),
        sa.Column('list_index', sa.Integer(), nullable=True),
        sa.Column('series', sa.Text(), server_default='', nullable=False),
        sa.Column('says', sa.Text(), server_default='', nullable=False),
        sa.Column('wanted', postgresql.JSONB(), nullable=False),
        sa.Column('values', postgresql.JSONB(), nullable=False),
        sa.Column('state', sa.String(length=10), server_default='', nullable=False),
        sa.Column('match_id', sa.Integer(), nullable=True),
        sa.Column('candidates', postgresql.ARRAY(sa.Integer()), server_default='{}', nullable=False),
        sa.Column('reason', sa.String(length=20), server_default='', nullable=False),
        sa.Column('stored', sa.Boolean(), server_default='false', nullable=False),
        sa.ForeignKeyConstraint(['import_id'], ['library_import.id'], name=op.f('fk_library_import_row_import_id_library_import'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('import_id', 'index', name=op.f('pk_library_import_row'))
    )
    op.create_index('ix_library_import_row_left', 'library_import_row', ['import_id', 'part', 'match_id'], unique=False)
    op.create_table('poll_vote',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('poll_id', sa.Integer(), nullable=False),
        sa.Column('choice_id', sa.Integer(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('voted_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.ForeignKeyConstraint(['poll_id', 'choice_id'], ['poll_choice.poll_id', 'poll_choice.id'], name=op.f('fk_poll_vote_poll_id_choice_id_poll_choice'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['poll_id'], ['poll.id'], name=op.f('fk_poll_vote_poll_id_poll'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_poll_vote_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_poll_vote')),
        sa.UniqueConstraint('poll_id', 'user_id', name='uq_poll_vote_poll_id_user_id')
    )
    op.create_index('ix_poll_vote_poll_id_choice_id', 'poll_vote', ['poll_id', 'choice_id'], unique=False)
    op.create_index(op.f('ix_poll_vote_user_id'), 'poll_vote', ['user_id'], unique=False)
    op.create_table('series',
        sa.Column('sort_name', sa.String(length=255, collation='C'), nullable=False),
        sa.Column('sort_folded', sa.Text(collation='C'), sa.Computed('fold(sort_name COLLATE "default")', persisted=True), nullable=False),
        sa.Column('alt_names', postgresql.ARRAY(sa.String(length=255)), server_default='{}', nullable=False),
        sa.Column('alt_folded', sa.Text(collation='C'), sa.Computed('fold(joined(alt_names))', persisted=True), nullable=False),
        sa.Column('language', sa.String(length=10), server_default='en', nullable=False),
        sa.Column('volume', sa.SmallInteger(), nullable=False),
        sa.Column('year_began', sa.SmallInteger(), nullable=False),
        sa.Column('year_end', sa.SmallInteger(), nullable=True),
        sa.Column('series_type_id', sa.Integer(), nullable=False),
        sa.Column('status', sa.SmallInteger(), server_default='4', nullable=False),
        sa.Column('publisher_id', sa.Integer(), nullable=False),
        sa.Column('imprint_id', sa.Integer(), nullable=True),
        sa.Column('collection', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('issue_count', sa.Integer(), server_default='0', nullable=False),
        sa.Column('last_cover_date', sa.Date(), server_default='0001-01-01', nullable=False),
        sa.Column('rating_average', sa.Double(), sa.Computed('CASE WHEN rating_count > 0 THEN rating_sum::double precision / rating_count::double precision ELSE 0::double precision END', persisted=True), nullable=False),
        sa.Column('issues_modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('issues_modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('rating_count', sa.Integer(), server_default='0', nullable=False),
        sa.Column('rating_sum', sa.BigInteger(), server_default='0', nullable=False),
        sa.Column('rated', sa.DateTime(timezone=True), nullable=True),
        sa.Column('rated_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('desc', sa.Text(), server_default='', nullable=False),
        sa.Column('created_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('edited_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('cv_id', sa.Integer(), nullable=True),
        sa.Column('gcd_id', sa.Integer(), nullable=True),
        sa.Column('name', sa.String(length=255, collation='C'), nullable=False),
        sa.Column('folded', sa.Text(collation='C'), sa.Computed('fold(name COLLATE "default")', persisted=True), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('slug', sa.String(length=255), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint('is_language(language)', name=op.f('ck_series_language_choice')),
        sa.CheckConstraint('cv_id BETWEEN 0 AND 2147483647', name=op.f('ck_series_cv_id_range')),
        sa.CheckConstraint('gcd_id BETWEEN 0 AND 2147483647', name=op.f('ck_series_gcd_id_range')),
        sa.CheckConstraint('status BETWEEN 1 AND 4', name=op.f('ck_series_status_range')),
        sa.CheckConstraint('volume BETWEEN 0 AND 32767', name=op.f('ck_series_volume_range')),
        sa.CheckConstraint('year_began BETWEEN 1500 AND 2100', name=op.f('ck_series_year_began_range')),
        sa.CheckConstraint('year_end BETWEEN 1500 AND 2100', name=op.f('ck_series_year_end_range')),
        sa.ForeignKeyConstraint(['created_by_id'], ['user_account.id'], name=op.f('fk_series_created_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.ForeignKeyConstraint(['edited_by_id'], ['user_account.id'], name=op.f('fk_series_edited_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.ForeignKeyConstraint(['imprint_id'], ['imprint.id'], name=op.f('fk_series_imprint_id_imprint'), ondelete='SET NULL'),
        sa.ForeignKeyConstraint(['publisher_id'], ['publisher.id'], name=op.f('fk_series_publisher_id_publisher'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['series_type_id'], ['series_type.id'], name=op.f('fk_series_series_type_id_series_type'), ondelete='RESTRICT'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_series'))
    )
    op.create_index('ix_series_alt_folded_trgm', 'series', ['alt_folded'], unique=False, postgresql_using='gin', postgresql_ops={'alt_folded': 'gin_trgm_ops'})
    op.create_index(op.f('ix_series_created_by_id'), 'series', ['created_by_id'], unique=False)
    op.create_index(op.f('ix_series_edited_by_id'), 'series', ['edited_by_id'], unique=False)
    op.create_index('ix_series_folded_trgm', 'series', ['folded'], unique=False, postgresql_using='gin', postgresql_ops={'folded': 'gin_trgm_ops'})
    op.create_index(op.f('ix_series_imprint_id'), 'series', ['imprint_id'], unique=False)
    op.create_index('ix_series_issue_count', 'series', ['issue_count', 'id'], unique=False)
    op.create_index('ix_series_language', 'series', ['language'], unique=False)
    op.create_index('ix_series_last_cover_date', 'series', ['last_cover_date', 'id'], unique=False)
    op.create_index('ix_series_modified', 'series', ['modified', 'id'], unique=False)
    op.create_index('ix_series_order', 'series', ['folded', 'name', 'id'], unique=False, postgresql_include=['modified'])
    op.create_index('ix_series_rating_average', 'series', ['rating_average', 'id'], unique=False)
    op.create_index('ix_series_search', 'series', [sa.literal_column('without_article(folded)'), 'name', 'id'], unique=False)
    op.create_index(op.f('ix_series_series_type_id'), 'series', ['series_type_id'], unique=False)
    op.create_index('ix_series_sort_order', 'series', ['sort_folded', 'sort_name', 'year_began', 'id'], unique=False, postgresql_include=['modified'])
    op.create_index('uq_series_cv_id', 'series', ['cv_id'], unique=True, postgresql_include=[])
    op.create_index('uq_series_gcd_id', 'series', ['gcd_id'], unique=True, postgresql_include=[])
    op.create_index('uq_series_publisher_id_name_volume_series_type_id', 'series', ['publisher_id', 'name', 'volume', 'series_type_id'], unique=True)
    op.create_index('uq_series_slug', 'series', ['slug'], unique=True)
    op.create_table('team_universe',
        sa.Column('team_id', sa.Integer(), nullable=False),
        sa.Column('universe_id', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['team_id'], ['team.id'], name=op.f('fk_team_universe_team_id_team'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['universe_id'], ['universe.id'], name=op.f('fk_team_universe_universe_id_universe'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('team_id', 'universe_id', name=op.f('pk_team_universe'))
    )
    op.create_index('ix_team_universe_universe_id', 'team_universe', ['universe_id', 'team_id'], unique=False)
    op.create_table('issue',
        sa.Column('series_id', sa.Integer(), nullable=False),
        sa.Column('number', sa.String(length=25, collation='C'), nullable=False),
        sa.Column('alt_number', sa.String(length=25), server_default='', nullable=False),
        sa.Column('title', sa.String(length=255), server_default='', nullable=False),
        sa.Column('name', postgresql.ARRAY(sa.String(length=150)), server_default='{}', nullable=False),
        sa.Column('cover_date', sa.Date(), nullable=False),
        sa.Column('cover_date_precision', sa.String(length=5), server_default='day', nullable=False),
        sa.Column('store_date', sa.Date(), nullable=True),
        sa.Column('foc_date', sa.Date(), nullable=True),
        sa.Column('rating_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('sku', sa.String(length=12), server_default='', nullable=False),
        sa.Column('isbn', sa.String(length=13), server_default='', nullable=False),
        sa.Column('upc', sa.String(length=20), server_default='', nullable=False),
        sa.Column('page', sa.SmallInteger(), nullable=True),
        sa.Column('desc', sa.Text(), server_default='', nullable=False),
        sa.Column('desc_is_solicitation', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('cover_hash', sa.String(length=16), server_default='', nullable=False),
        sa.Column('rating_count', sa.Integer(), server_default='0', nullable=False),
        sa.Column('rating_sum', sa.BigInteger(), server_default='0', nullable=False),
        sa.Column('rated', sa.DateTime(timezone=True), nullable=True),
        sa.Column('rated_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('image', sa.String(length=100), server_default='', nullable=False),
        sa.Column('image_width', sa.SmallInteger(), nullable=True),
        sa.Column('image_height', sa.SmallInteger(), nullable=True),
        sa.Column('price', sa.Numeric(), nullable=True),
        sa.Column('currency', sa.String(length=3), server_default='USD', nullable=False),
        sa.Column('created_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('edited_by_id', sa.Integer(), server_default='1', nullable=False),
        sa.Column('cv_id', sa.Integer(), nullable=True),
        sa.Column('gcd_id', sa.Integer(), nullable=True),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('slug', sa.String(length=255), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint("cover_date >= DATE '1900-01-01'", name=op.f('ck_issue_cover_date_earliest')),
        sa.CheckConstraint("cover_date_precision IN ('day', 'month', 'year', 'none')", name=op.f('ck_issue_cover_date_precision_choice')),
        sa.CheckConstraint('is_currency(currency)', name=op.f('ck_issue_currency_choice')),
        sa.CheckConstraint("foc_date >= DATE '1900-01-01'", name=op.f('ck_issue_foc_date_earliest')),
        sa.CheckConstraint("store_date >= DATE '1900-01-01'", name=op.f('ck_issue_store_date_earliest')),
        sa.CheckConstraint('cv_id BETWEEN 0 AND 2147483647', name=op.f('ck_issue_cv_id_range')),
        sa.CheckConstraint('gcd_id BETWEEN 0 AND 2147483647', name=op.f('ck_issue_gcd_id_range')),
        sa.CheckConstraint('page BETWEEN 0 AND 32767', name=op.f('ck_issue_page_range')),
        sa.CheckConstraint('price >= 0 AND price < 1000000000', name=op.f('ck_issue_price_range')),
        sa.ForeignKeyConstraint(['created_by_id'], ['user_account.id'], name=op.f('fk_issue_created_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.ForeignKeyConstraint(['edited_by_id'], ['user_account.id'], name=op.f('fk_issue_edited_by_id_user_account'), ondelete='SET DEFAULT'),
        sa.ForeignKeyConstraint(['rating_id'], ['age_rating.id'], name=op.f('fk_issue_rating_id_age_rating'), ondelete='SET DEFAULT'),
        sa.ForeignKeyConstraint(['series_id'], ['series.id'], name=op.f('fk_issue_series_id_series'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_issue')),
        sa.UniqueConstraint('series_id', 'number', name='uq_issue_series_id_number')
    )
    op.create_index('ix_issue_alt_number_upper', 'issue', [sa.literal_column('upper(alt_number)')], unique=False)
    op.create_index('ix_issue_cover_date', 'issue', ['cover_date', 'id'], unique=False, postgresql_include=['series_id'])
    op.create_index('ix_issue_cover_hash_upper', 'issue', [sa.literal_column('upper(cover_hash)')], unique=False)
    op.create_index(op.f('ix_issue_created_by_id'), 'issue', ['created_by_id'], unique=False)
    op.create_index('ix_issue_created_on', 'issue', ['created_on', 'id'], unique=False)
    op.create_index(op.f('ix_issue_edited_by_id'), 'issue', ['edited_by_id'], unique=False)
    op.create_index('ix_issue_foc_date', 'issue', ['foc_date', 'id'], unique=False, postgresql_include=['series_id'])
    op.create_index('ix_issue_id_series_id', 'issue', ['id', 'series_id'], unique=False)
    op.create_index('ix_issue_image', 'issue', ['image'], unique=False, postgresql_using='hash')
    op.create_index('ix_issue_isbn_compact', 'issue', [sa.literal_column("upper(translate(isbn, ' -', ''))").label('compact')], unique=False, postgresql_ops={'compact': 'text_pattern_ops'})
    op.create_index('ix_issue_modified', 'issue', ['modified', 'id'], unique=False, postgresql_include=['series_id'])
    op.create_index('ix_issue_number_upper', 'issue', [sa.literal_column('upper(number COLLATE "default")')], unique=False)
    op.create_index('ix_issue_numbers_folded_trgm', 'issue', [sa.literal_column('fold(number)').label('number'), sa.literal_column('fold(alt_number)').label('alt_number')], unique=False, postgresql_using='gin', postgresql_ops={'number': 'gin_trgm_ops', 'alt_number': 'gin_trgm_ops'})
    op.create_index('ix_issue_rating_id', 'issue', ['rating_id'], unique=False, postgresql_include=['series_id'])
    op.create_index('ix_issue_series_id_number_upper', 'issue', ['series_id', sa.literal_column('upper(number COLLATE "default")')], unique=False)
    op.create_index('ix_issue_series_order', 'issue', ['series_id', 'cover_date', 'store_date', 'number', 'id'], unique=False)
    op.create_index('ix_issue_sku_upper', 'issue', [sa.literal_column('upper(sku)')], unique=False)
    op.create_index('ix_issue_store_date', 'issue', ['store_date', 'id'], unique=False, postgresql_include=['series_id'])
    op.create_index('ix_issue_upc_compact', 'issue', [sa.literal_column("upper(translate(upc, ' -', ''))").label('compact')], unique=False, postgresql_ops={'compact': 'text_pattern_ops'})
    op.create_index('uq_issue_cv_id', 'issue', ['cv_id'], unique=True, postgresql_include=['series_id'])
    op.create_index('uq_issue_gcd_id', 'issue', ['gcd_id'], unique=True, postgresql_include=['series_id'])
    op.create_index('uq_issue_slug', 'issue', ['slug'], unique=True)
    op.create_table('pull_list_series',
        sa.Column('id', sa.BigInteger(), nullable=False),
        sa.Column('pull_list_id', sa.BigInteger(), nullable=False),
        sa.Column('series_id', sa.Integer(), nullable=False),
        sa.Column('pulled', sa.String(length=10), server_default='COVER', nullable=False),
        sa.Column('variant_words', sa.String(length=200), server_default='', nullable=False),
        sa.Column('added_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint("pulled IN ('ALL', 'COVER', 'VARIANTS', 'NONE')", name=op.f('ck_pull_list_series_pulled_choice')),
        sa.ForeignKeyConstraint(['pull_list_id'], ['pull_list.id'], name=op.f('fk_pull_list_series_pull_list_id_pull_list'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['series_id'], ['series.id'], name=op.f('fk_pull_list_series_series_id_series'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_pull_list_series')),
        sa.UniqueConstraint('pull_list_id', 'series_id', name='uq_pull_list_series_pull_list_id_series_id')
    )
    op.create_index(op.f('ix_pull_list_series_series_id'), 'pull_list_series', ['series_id'], unique=False)
    op.create_table('series_associated',
        sa.Column('series_id', sa.Integer(), nullable=False),
        sa.Column('associated_id', sa.Integer(), nullable=False),
        sa.CheckConstraint('series_id <> associated_id', name=op.f('ck_series_associated_not_itself')),
        sa.ForeignKeyConstraint(['associated_id'], ['series.id'], name=op.f('fk_series_associated_associated_id_series'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['series_id'], ['series.id'], name=op.f('fk_series_associated_series_id_series'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('series_id', 'associated_id', name=op.f('pk_series_associated'))
    )
    op.create_index('ix_series_associated_associated_id', 'series_associated', ['associated_id', 'series_id'], unique=False)
    op.create_table('series_genre',
        sa.Column('series_id', sa.Integer(), nullable=False),
        sa.Column('genre_id', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['genre_id'], ['genre.id'], name=op.f('fk_series_genre_genre_id_genre'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['series_id'], ['series.id'], name=op.f('fk_series_genre_series_id_series'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('series_id', 'genre_id', name=op.f('pk_series_genre'))
    )
    op.create_index('ix_series_genre_genre_id', 'series_genre', ['genre_id', 'series_id'], unique=False)
    op.create_table('attribution',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('source', sa.String(length=1), server_default='W', nullable=False),
        sa.Column('url', sa.String(length=200), nullable=False),
        sa.Column('arc_id', sa.Integer(), nullable=True),
        sa.Column('character_id', sa.Integer(), nullable=True),
        sa.Column('creator_id', sa.Integer(), nullable=True),
        sa.Column('imprint_id', sa.Integer(), nullable=True),
        sa.Column('issue_id', sa.Integer(), nullable=True),
        sa.Column('publisher_id', sa.Integer(), nullable=True),
        sa.Column('series_id', sa.Integer(), nullable=True),
        sa.Column('team_id', sa.Integer(), nullable=True),
        sa.Column('universe_id', sa.Integer(), nullable=True),
        sa.CheckConstraint("source IN ('M', 'W', 'G', 'D')", name=op.f('ck_attribution_source_choice')),
        sa.CheckConstraint('num_nonnulls(arc_id, character_id, creator_id, imprint_id, issue_id, publisher_id, series_id, team_id, universe_id) = 1', name=op.f('ck_attribution_one_owner')),
        sa.ForeignKeyConstraint(['arc_id'], ['arc.id'], name=op.f('fk_attribution_arc_id_arc'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['character_id'], ['character.id'], name=op.f('fk_attribution_character_id_character'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['creator_id'], ['creator.id'], name=op.f('fk_attribution_creator_id_creator'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['imprint_id'], ['imprint.id'], name=op.f('fk_attribution_imprint_id_imprint'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_attribution_issue_id_issue'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['publisher_id'], ['publisher.id'], name=op.f('fk_attribution_publisher_id_publisher'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['series_id'], ['series.id'], name=op.f('fk_attribution_series_id_series'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['team_id'], ['team.id'], name=op.f('fk_attribution_team_id_team'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['universe_id'], ['universe.id'], name=op.f('fk_attribution_universe_id_universe'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_attribution'))
    )
    op.create_index('ix_attribution_arc_id', 'attribution', ['arc_id'], unique=False, postgresql_where=sa.text('arc_id IS NOT NULL'))
    op.create_index('ix_attribution_character_id', 'attribution', ['character_id'], unique=False, postgresql_where=sa.text('character_id IS NOT NULL'))
    op.create_index('ix_attribution_creator_id', 'attribution', ['creator_id'], unique=False, postgresql_where=sa.text('creator_id IS NOT NULL'))
    op.create_index('ix_attribution_imprint_id', 'attribution', ['imprint_id'], unique=False, postgresql_where=sa.text('imprint_id IS NOT NULL'))
    op.create_index('ix_attribution_issue_id', 'attribution', ['issue_id'], unique=False, postgresql_where=sa.text('issue_id IS NOT NULL'))
    op.create_index('ix_attribution_publisher_id', 'attribution', ['publisher_id'], unique=False, postgresql_where=sa.text('publisher_id IS NOT NULL'))
    op.create_index('ix_attribution_series_id', 'attribution', ['series_id'], unique=False, postgresql_where=sa.text('series_id IS NOT NULL'))
    op.create_index('ix_attribution_team_id', 'attribution', ['team_id'], unique=False, postgresql_where=sa.text('team_id IS NOT NULL'))
    op.create_index('ix_attribution_universe_id', 'attribution', ['universe_id'], unique=False, postgresql_where=sa.text('universe_id IS NOT NULL'))
    op.create_table('credit',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('creator_id', sa.Integer(), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.ForeignKeyConstraint(['creator_id'], ['creator.id'], name=op.f('fk_credit_creator_id_creator'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_credit_issue_id_issue'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_credit')),
        sa.UniqueConstraint('id', 'issue_id', 'creator_id', name='uq_credit_id_issue_id_creator_id'),
        sa.UniqueConstraint('issue_id', 'creator_id', name='uq_credit_issue_id_creator_id')
    )
    op.create_index('ix_credit_creator_id_issue_id', 'credit', ['creator_id', 'issue_id'], unique=False)
    op.create_table('external_id',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('source', sa.String(length=20), nullable=False),
        sa.Column('external_id', sa.String(length=100), nullable=False),
        sa.Column('scope', sa.String(length=20), server_default='', nullable=False),
        sa.Column('said_by_id', sa.Integer(), nullable=True),
        sa.Column('said_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('arc_id', sa.Integer(), nullable=True),
        sa.Column('character_id', sa.Integer(), nullable=True),
        sa.Column('creator_id', sa.Integer(), nullable=True),
        sa.Column('imprint_id', sa.Integer(), nullable=True),
        sa.Column('issue_id', sa.Integer(), nullable=True),
        sa.Column('publisher_id', sa.Integer(), nullable=True),
        sa.Column('series_id', sa.Integer(), nullable=True),
        sa.Column('team_id', sa.Integer(), nullable=True),
        sa.Column('universe_id', sa.Integer(), nullable=True),
        sa.CheckConstraint('num_nonnulls(arc_id, character_id, creator_id, imprint_id, issue_id, publisher_id, series_id, team_id, universe_id) = 1', name=op.f('ck_external_id_one_owner')),
        sa.ForeignKeyConstraint(['arc_id'], ['arc.id'], name=op.f('fk_external_id_arc_id_arc'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['character_id'], ['character.id'], name=op.f('fk_external_id_character_id_character'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['creator_id'], ['creator.id'], name=op.f('fk_external_id_creator_id_creator'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['imprint_id'], ['imprint.id'], name=op.f('fk_external_id_imprint_id_imprint'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_external_id_issue_id_issue'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['publisher_id'], ['publisher.id'], name=op.f('fk_external_id_publisher_id_publisher'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['said_by_id'], ['user_account.id'], name=op.f('fk_external_id_said_by_id_user_account'), ondelete='SET NULL'),
        sa.ForeignKeyConstraint(['series_id'], ['series.id'], name=op.f('fk_external_id_series_id_series'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['team_id'], ['team.id'], name=op.f('fk_external_id_team_id_team'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['universe_id'], ['universe.id'], name=op.f('fk_external_id_universe_id_universe'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_external_id'))
    )
    op.create_index('ix_external_id_external_id_source', 'external_id', ['external_id', 'source'], unique=False)
    op.create_index(op.f('ix_external_id_said_by_id'), 'external_id', ['said_by_id'], unique=False)
    op.create_index('uq_external_id_arc_id', 'external_id', ['arc_id', 'source', 'external_id', 'scope'], unique=True, postgresql_where=sa.text('arc_id IS NOT NULL'))
    op.create_index('uq_external_id_character_id', 'external_id', ['character_id', 'source', 'external_id', 'scope'], unique=True, postgresql_where=sa.text('character_id IS NOT NULL'))
    op.create_index('uq_external_id_creator_id', 'external_id', ['creator_id', 'source', 'external_id', 'scope'], unique=True, postgresql_where=sa.text('creator_id IS NOT NULL'))
    op.create_index('uq_external_id_imprint_id', 'external_id', ['imprint_id', 'source', 'external_id', 'scope'], unique=True, postgresql_where=sa.text('imprint_id IS NOT NULL'))
    op.create_index('uq_external_id_issue_id', 'external_id', ['issue_id', 'source', 'external_id', 'scope'], unique=True, postgresql_where=sa.text('issue_id IS NOT NULL'))
    op.create_index('uq_external_id_publisher_id', 'external_id', ['publisher_id', 'source', 'external_id', 'scope'], unique=True, postgresql_where=sa.text('publisher_id IS NOT NULL'))
    op.create_index('uq_external_id_series_id', 'external_id', ['series_id', 'source', 'external_id', 'scope'], unique=True, postgresql_where=sa.text('series_id IS NOT NULL'))
    op.create_index('uq_external_id_team_id', 'external_id', ['team_id', 'source', 'external_id', 'scope'], unique=True, postgresql_where=sa.text('team_id IS NOT NULL'))
    op.create_index('uq_external_id_universe_id', 'external_id', ['universe_id', 'source', 'external_id', 'scope'], unique=True, postgresql_where=sa.text('universe_id IS NOT NULL'))
    op.create_table('favourite',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('issue_id', sa.Integer(), nullable=True),
        sa.Column('series_id', sa.Integer(), nullable=True),
        sa.Column('place', sa.SmallInteger(), nullable=False),
        sa.CheckConstraint('num_nonnulls(issue_id, series_id) = 1', name=op.f('ck_favourite_of_one')),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_favourite_issue_id_issue'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['series_id'], ['series.id'], name=op.f('fk_favourite_series_id_series'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_favourite_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_favourite')),
        sa.UniqueConstraint('user_id', 'issue_id', name='uq_favourite_user_id_issue_id'),
        sa.UniqueConstraint('user_id', 'series_id', name='uq_favourite_user_id_series_id')
    )
    op.create_index(op.f('ix_favourite_issue_id'), 'favourite', ['issue_id'], unique=False)
    op.create_index(op.f('ix_favourite_series_id'), 'favourite', ['series_id'], unique=False)
    op.create_table('issue_arc',
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('arc_id', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['arc_id'], ['arc.id'], name=op.f('fk_issue_arc_arc_id_arc'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_issue_arc_issue_id_issue'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('issue_id', 'arc_id', name=op.f('pk_issue_arc'))
    )
    op.create_index('ix_issue_arc_arc_id', 'issue_arc', ['arc_id', 'issue_id'], unique=False)
    op.create_table('issue_character',
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('character_id', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['character_id'], ['character.id'], name=op.f('fk_issue_character_character_id_character'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_issue_character_issue_id_issue'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('issue_id', 'character_id', name=op.f('pk_issue_character'))
    )
    op.create_index('ix_issue_character_character_id', 'issue_character', ['character_id', 'issue_id'], unique=False)
    op.create_table('issue_rating',
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('counted', sa.Boolean(), server_default='true', nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('rating', sa.SmallInteger(), nullable=False),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint('rating BETWEEN 1 AND 5', name=op.f('ck_issue_rating_rating_range')),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_issue_rating_issue_id_issue'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_issue_rating_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_issue_rating')),
        sa.UniqueConstraint('issue_id', 'user_id', name='uq_issue_rating_issue_id_user_id')
    )
    op.create_index('ix_issue_rating_not_counted', 'issue_rating', ['issue_id'], unique=False, postgresql_where=sa.text('NOT counted'))
    op.create_index('ix_issue_rating_user_id', 'issue_rating', ['user_id', 'issue_id'], unique=False)
    op.create_table('issue_reprint',
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('reprint_id', sa.Integer(), nullable=False),
        sa.CheckConstraint('issue_id <> reprint_id', name=op.f('ck_issue_reprint_not_itself')),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_issue_reprint_issue_id_issue'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['reprint_id'], ['issue.id'], name=op.f('fk_issue_reprint_reprint_id_issue'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('issue_id', 'reprint_id', name=op.f('pk_issue_reprint'))
    )
    op.create_index('ix_issue_reprint_reprint_id', 'issue_reprint', ['reprint_id', 'issue_id'], unique=False)
    op.create_table('issue_team',
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('team_id', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_issue_team_issue_id_issue'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['team_id'], ['team.id'], name=op.f('fk_issue_team_team_id_team'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('issue_id', 'team_id', name=op.f('pk_issue_team'))
    )
    op.create_index('ix_issue_team_team_id', 'issue_team', ['team_id', 'issue_id'], unique=False)
    op.create_table('issue_universe',
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('universe_id', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_issue_universe_issue_id_issue'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['universe_id'], ['universe.id'], name=op.f('fk_issue_universe_universe_id_universe'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('issue_id', 'universe_id', name=op.f('pk_issue_universe'))
    )
    op.create_index('ix_issue_universe_universe_id', 'issue_universe', ['universe_id', 'issue_id'], unique=False)
    op.create_table('read_date',
        sa.Column('id', sa.BigInteger(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('read_on', sa.DateTime(timezone=True), nullable=True),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_read_date_issue_id_issue'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_read_date_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_read_date'))
    )
    op.create_index('ix_read_date_issue_id', 'read_date', ['issue_id'], unique=False)
    op.create_index('ix_read_date_user_id_issue_id_read_on', 'read_date', ['user_id', 'issue_id', 'read_on'], unique=False)
    op.create_index('ix_read_date_user_id_read_on', 'read_date', ['user_id', 'read_on'], unique=False)
    op.create_table('reading_list_item',
        sa.Column('id', sa.BigInteger(), nullable=False),
        sa.Column('reading_list_id', sa.Integer(), nullable=False),
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('order', sa.Integer(), nullable=False),
        sa.Column('issue_type', sa.String(length=10), server_default='', nullable=False),
        sa.Column('added_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.CheckConstraint("issue_type IN ('', 'PROLOGUE', 'CORE', 'TIE_IN', 'EPILOGUE')", name=op.f('ck_reading_list_item_issue_type_choice')),
        sa.CheckConstraint('"order" >= 1', name=op.f('ck_reading_list_item_order_from_one')),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_reading_list_item_issue_id_issue'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['reading_list_id'], ['reading_list.id'], name=op.f('fk_reading_list_item_reading_list_id_reading_list'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_reading_list_item')),
        sa.UniqueConstraint('reading_list_id', 'issue_id', name='uq_reading_list_item_reading_list_id_issue_id'),
        sa.UniqueConstraint('reading_list_id', 'order', deferrable=True, initially='IMMEDIATE', name='uq_reading_list_item_reading_list_id_order')
    )
    op.create_index('ix_reading_list_item_issue_id', 'reading_list_item', ['issue_id'], unique=False)
    op.create_table('review',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('text', sa.Text(), server_default='', nullable=False),
        sa.Column('spoils', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('hidden', sa.DateTime(timezone=True), nullable=True),
        sa.Column('hidden_reason', sa.String(length=255), server_default='', nullable=False),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_review_issue_id_issue'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_review_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_review')),
        sa.UniqueConstraint('issue_id', 'user_id', name='uq_review_issue_id_user_id')
    )
    op.create_index('ix_review_user_id_created_on', 'review', ['user_id', 'created_on'], unique=False)
    op.create_table('variant',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('name', sa.String(length=255), server_default='', nullable=False),
        sa.Column('sku', sa.String(length=12), server_default='', nullable=False),
        sa.Column('upc', sa.String(length=20), server_default='', nullable=False),
        sa.Column('cover_hash', sa.String(length=16), server_default='', nullable=False),
        sa.Column('image', sa.String(length=100), server_default='', nullable=False),
        sa.Column('image_width', sa.SmallInteger(), nullable=True),
        sa.Column('image_height', sa.SmallInteger(), nullable=True),
        sa.Column('price', sa.Numeric(), nullable=True),
        sa.Column('currency', sa.String(length=3), server_default='USD', nullable=False),
        sa.CheckConstraint('is_currency(currency)', name=op.f('ck_variant_currency_choice')),
        sa.CheckConstraint('price >= 0 AND price < 1000000000', name=op.f('ck_variant_price_range')),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_variant_issue_id_issue'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_variant'))
    )
    op.create_index('ix_variant_image', 'variant', ['image'], unique=False, postgresql_using='hash')
    op.create_index(op.f('ix_variant_issue_id'), 'variant', ['issue_id'], unique=False)
    op.create_index('ix_variant_sku_upper', 'variant', [sa.literal_column('upper(sku)')], unique=False)
    op.create_index('ix_variant_upc_compact', 'variant', [sa.literal_column("upper(translate(upc, ' -', ''))").label('compact')], unique=False, postgresql_ops={'compact': 'text_pattern_ops'})
    op.create_table('collection_item',
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('variant_id', sa.Integer(), nullable=True),
        sa.Column('quantity', sa.SmallInteger(), server_default='1', nullable=False),
        sa.Column('book_format', sa.String(length=10), server_default='PRINT', nullable=False),
        sa.Column('grade', sa.Numeric(precision=3, scale=1), nullable=True),
        sa.Column('grading_company', sa.String(length=10), server_default='', nullable=False),
        sa.Column('purchase_date', sa.Date(), nullable=True),
        sa.Column('purchase_price', sa.Numeric(), nullable=True),
        sa.Column('purchase_currency', sa.String(length=3), server_default='USD', nullable=False),
        sa.Column('purchase_store', sa.String(length=255), server_default='', nullable=False),
        sa.Column('storage_location', sa.String(length=255), server_default='', nullable=False),
        sa.Column('tags', postgresql.ARRAY(sa.String(length=50)), server_default='{}', nullable=False),
        sa.Column('notes', sa.Text(), server_default='', nullable=False),
        sa.Column('is_read', sa.Boolean(), server_default='false', nullable=False),
        sa.Column('date_read', sa.DateTime(timezone=True), nullable=True),
        sa.Column('rating', sa.SmallInteger(), nullable=True),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('id', sa.BigInteger(), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("book_format IN ('PRINT', 'DIGITAL', 'BOTH')", name=op.f('ck_collection_item_book_format_choice')),
        sa.CheckConstraint("grading_company IN ('', 'CGC', 'CBCS', 'PGX')", name=op.f('ck_collection_item_grading_company_choice')),
        sa.CheckConstraint('is_currency(purchase_currency)', name=op.f('ck_collection_item_purchase_currency_choice')),
        sa.CheckConstraint('grade IN (10.0, 9.9, 9.8, 9.6, 9.4, 9.2, 9.0, 8.5, 8.0, 7.5, 7.0, 6.5, 6.0, 5.5, 5.0, 4.5, 4.0, 3.5, 3.0, 2.5, 2.0, 1.8, 1.5, 1.0, 0.5)', name=op.f('ck_collection_item_grade_scale')),
        sa.CheckConstraint('is_read OR date_read IS NULL', name=op.f('ck_collection_item_read_on_a_date')),
        sa.CheckConstraint('purchase_price >= 0 AND purchase_price < 1000000000', name=op.f('ck_collection_item_purchase_price_range')),
        sa.CheckConstraint('quantity BETWEEN 1 AND 32767', name=op.f('ck_collection_item_quantity_range')),
        sa.CheckConstraint('rating BETWEEN 1 AND 5', name=op.f('ck_collection_item_rating_range')),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_collection_item_issue_id_issue'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_collection_item_user_id_user_account'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['variant_id'], ['variant.id'], name=op.f('fk_collection_item_variant_id_variant'), ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_collection_item'))
    )
    op.create_index('ix_collection_item_issue_id', 'collection_item', ['issue_id'], unique=False)
    op.create_index('ix_collection_item_user_id_book_format', 'collection_item', ['user_id', 'book_format'], unique=False)
    op.create_index('ix_collection_item_user_id_grade', 'collection_item', ['user_id', 'grade'], unique=False)
    op.create_index('ix_collection_item_user_id_grading_company', 'collection_item', ['user_id', 'grading_company'], unique=False)
    op.create_index('ix_collection_item_user_id_is_read', 'collection_item', ['user_id', 'is_read'], unique=False)
    op.create_index('ix_collection_item_user_id_issue_id', 'collection_item', ['user_id', 'issue_id'], unique=False)
    op.create_index('ix_collection_item_user_id_purchase_date', 'collection_item', ['user_id', 'purchase_date'], unique=False)
    op.create_index('ix_collection_item_variant_id', 'collection_item', ['variant_id'], unique=False)
    op.create_table('credit_role',
        sa.Column('credit_id', sa.Integer(), nullable=False),
        sa.Column('role_id', sa.Integer(), nullable=False),
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('creator_id', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['credit_id', 'issue_id', 'creator_id'], ['credit.id', 'credit.issue_id', 'credit.creator_id'], name=op.f('fk_credit_role_credit_id_issue_id_creator_id_credit'), onupdate='CASCADE', ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['role_id'], ['role.id'], name=op.f('fk_credit_role_role_id_role'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('credit_id', 'role_id', name=op.f('pk_credit_role'))
    )
    op.create_index('ix_credit_role_issue_id_role_id', 'credit_role', ['issue_id', 'role_id'], unique=False, postgresql_include=['creator_id'])
    op.create_index('ix_credit_role_role_id_issue_id', 'credit_role', ['role_id', 'issue_id'], unique=False)
    op.create_table('review_report',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('review_id', sa.Integer(), nullable=False),
        sa.Column('user_id', sa.Integer(), nullable=False),
        sa.Column('reason', sa.String(length=500), nullable=False),
        sa.Column('created_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('settled', sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(['review_id'], ['review.id'], name=op.f('fk_review_report_review_id_review'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['user_id'], ['user_account.id'], name=op.f('fk_review_report_user_id_user_account'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_review_report')),
        sa.UniqueConstraint('review_id', 'user_id', name='uq_review_report_review_id_user_id')
    )
    op.create_index('ix_review_report_user_id_created_on', 'review_report', ['user_id', 'created_on'], unique=False)
    op.create_table('wish_list_item',
        sa.Column('wish_list_id', sa.BigInteger(), nullable=False),
        sa.Column('issue_id', sa.Integer(), nullable=False),
        sa.Column('variant_id', sa.Integer(), nullable=True),
        sa.Column('status', sa.String(length=10), server_default='WANTED', nullable=False),
        sa.Column('priority', sa.SmallInteger(), server_default='3', nullable=False),
        sa.Column('desired_grade', sa.Numeric(precision=3, scale=1), nullable=True),
        sa.Column('max_price', sa.Numeric(), nullable=True),
        sa.Column('max_currency', sa.String(length=3), server_default='USD', nullable=False),
        sa.Column('notes', sa.Text(), server_default='', nullable=False),
        sa.Column('added_on', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('id', sa.BigInteger(), nullable=False),
        sa.Column('modified', sa.DateTime(timezone=True), server_default=sa.text('clock_timestamp()'), nullable=False),
        sa.Column('modified_before', sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint('is_currency(max_currency)', name=op.f('ck_wish_list_item_max_currency_choice')),
        sa.CheckConstraint("status IN ('WANTED', 'FOUND', 'ACQUIRED')", name=op.f('ck_wish_list_item_status_choice')),
        sa.CheckConstraint('desired_grade IN (10.0, 9.9, 9.8, 9.6, 9.4, 9.2, 9.0, 8.5, 8.0, 7.5, 7.0, 6.5, 6.0, 5.5, 5.0, 4.5, 4.0, 3.5, 3.0, 2.5, 2.0, 1.8, 1.5, 1.0, 0.5)', name=op.f('ck_wish_list_item_desired_grade_scale')),
        sa.CheckConstraint('max_price >= 0 AND max_price < 1000000000', name=op.f('ck_wish_list_item_max_price_range')),
        sa.CheckConstraint('priority BETWEEN 1 AND 5', name=op.f('ck_wish_list_item_priority_range')),
        sa.ForeignKeyConstraint(['issue_id'], ['issue.id'], name=op.f('fk_wish_list_item_issue_id_issue'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['variant_id'], ['variant.id'], name=op.f('fk_wish_list_item_variant_id_variant'), ondelete='SET NULL'),
        sa.ForeignKeyConstraint(['wish_list_id'], ['wish_list.id'], name=op.f('fk_wish_list_item_wish_list_id_wish_list'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_wish_list_item')),
        sa.UniqueConstraint('wish_list_id', 'issue_id', 'variant_id', name='uq_wish_list_item_wish_list_id_issue_id_variant_id', postgresql_nulls_not_distinct=True)
    )
    op.create_index('ix_wish_list_item_issue_id', 'wish_list_item', ['issue_id'], unique=False)
    op.create_index('ix_wish_list_item_variant_id', 'wish_list_item', ['variant_id'], unique=False)
    op.create_index('ix_wish_list_item_wish_list_id_priority', 'wish_list_item', ['wish_list_id', 'priority'], unique=False)
    op.create_index('ix_wish_list_item_wish_list_id_status', 'wish_list_item', ['wish_list_id', 'status'], unique=False)
