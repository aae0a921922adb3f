"""A large, realistic, always identical catalog for tests of plans and benchmarks, made by set-based SQL.

    fill(connection)                 # 100,000 issues
    fill(connection, issues=20_000)  # everything in proportion

At 100,000 issues there are 3,000 series, 20,000 objects of each other kind, 1,000,000 credits with
1,200,000 roles, and 1,000,000 appearances. Frequent objects are very frequent: the role `Writer` (1) is on
nearly every issue, character 1 on about a third. Casts and crews belong to series, so links come in
clusters. The last character, creator, team and universe appear only in the series that sort last: the worst
case for a plan that reads a list in its order until a page is full.
"""

from sqlalchemy import Connection, text

ISSUES = 100_000
NAMED = ("publisher", "imprint", "universe", "creator", "team", "character", "arc")

# chance(n, seed): a number in [0, 1) that looks random and is always the same.
# skewed(n, seed, count): a number from 1 to count, small ones far more often than large ones.
# PostgreSQL inlines them; `moment` only if it is STABLE, as sums with intervals are.
FUNCTIONS = """
CREATE FUNCTION pg_temp.chance(n bigint, seed bigint) RETURNS float LANGUAGE sql IMMUTABLE AS
$$ SELECT (hashint8extended(n, seed) & 1073741823)::float / 1073741824 $$;
CREATE FUNCTION pg_temp.skewed(n bigint, seed bigint, count bigint) RETURNS integer LANGUAGE sql IMMUTABLE AS
$$ SELECT 1 + floor(count * pg_temp.chance(n, seed) ^ 3)::integer $$;
CREATE FUNCTION pg_temp.one_of(words text[], n bigint, seed bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT words[1 + floor(cardinality(words) * pg_temp.chance(n, seed))::integer] $$;
CREATE FUNCTION pg_temp.syllable(n bigint, seed bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT pg_temp.one_of(
    '{ka,ro,mi,ne,sal,ver,di,go,tan,bel,lu,mar,ste,fo,ril,qua,dö,éli,ña,çe,hal,wen,or,ush,pen,gri,zo,yar}',
    n, seed) $$;
CREATE FUNCTION pg_temp.surname(n bigint, seed bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT initcap(
    pg_temp.syllable(n, seed + 1) || pg_temp.syllable(n, seed + 2) || pg_temp.syllable(n, seed + 3)) $$;
CREATE FUNCTION pg_temp.first_name(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT pg_temp.one_of('{Ada,Bruno,Chiara,Dário,Élodie,Frank,Grace,Hugo,Inés,Jack,Kim,Luca,María,Noor,
    Olga,Pablo,Quinn,René,Siân,Tom,Ursula,Víctor,Wanda,Xavier,Yuki,Zoë}', n, 901) $$;
CREATE FUNCTION pg_temp.title(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT pg_temp.one_of('{The,Amazing,Crimson,Silent,Última,New,Secret,Iron,Lost,Electric,Élektra}', n, 911)
    || ' ' || pg_temp.one_of('{Harbor,Spider,Signal,Città,Avenger,Night,Robot,Storm,Détective,Über}', n, 912)
    || ' ' || pg_temp.surname(n, 913) $$;
CREATE FUNCTION pg_temp.moment(n bigint, seed bigint) RETURNS timestamptz LANGUAGE sql STABLE AS
$$ SELECT timestamptz '2020-01-01 00:00:00+00' + pg_temp.chance(n, seed) * interval '2300 days' $$;
"""

# Columns that all named kinds have, over a generate_series n.
COMMON = {
    "id": "n",
    "slug": "'s' || n",
    "created_on": "pg_temp.moment(n, 1)",
    "modified": "pg_temp.moment(n, 1) + pg_temp.chance(n, 2) * interval '200 days'",
    '"desc"': "repeat('What is told about number ' || n || '. ', 8)",
    "gcd_id": "CASE WHEN n % 3 = 0 THEN 7 * n END",
    "cv_id": "CASE WHEN n % 10 < 7 THEN 4000 + n END",
}
PERSON = "pg_temp.first_name(n) || ' ' || pg_temp.surname(n, 20)"
ALIAS = {
    "alias": "CASE WHEN n % 4 = 0 THEN ARRAY['The ' || pg_temp.surname(n, 40), 'N. ' || n] ELSE '{}' END"
}
PUBLISHER = {"publisher_id": "pg_temp.skewed(n, 50, :named)"}
KINDS = {
    "publisher": {
        "name": "pg_temp.surname(n, 10) || (ARRAY[' Comics', ' Press', ' Éditions', ' Books'])[1 + n % 4]",
        "alt_names": "CASE WHEN n % 5 = 0 THEN ARRAY[pg_temp.surname(n, 41), 'House ' || n] ELSE '{}' END",
        "founded": "1900 + n % 120",
    },
    "imprint": {"name": "pg_temp.surname(n, 11) || (ARRAY[' Ink', ' Línea'])[1 + n % 2]", **PUBLISHER},
    "universe": {
        "name": "pg_temp.surname(n, 12) || '-verse ' || n % greatest(50, :named / 400)",
        "designation": "CASE WHEN n % 2 = 0 THEN 'Earth-' || n ELSE '' END",
        **PUBLISHER,
    },
    "creator": {"name": PERSON, **ALIAS},
    "team": {"name": "pg_temp.surname(n, 13) || ' ' || (ARRAY['Force', 'Léague', 'Five'])[1 + n % 3]"},
    "character": {"name": f"CASE WHEN n % 3 = 0 THEN {PERSON} ELSE pg_temp.title(n) END", **ALIAS},
    "arc": {"name": "'The ' || pg_temp.surname(n, 14) || ' ' || (ARRAY['Saga', 'War', 'Año'])[1 + n % 3]"},
}  # fmt: skip
SERIES = {
    "name": "pg_temp.title(n)",
    "sort_name": "regexp_replace(pg_temp.title(n), '^The ', '')",
    "alt_names": "CASE WHEN n % 3 = 0 THEN ARRAY['Città ' || pg_temp.surname(n, 42), 'A' || n] ELSE '{}' END",
    "language": "(ARRAY['en', 'en', 'en', 'it', 'fr', 'es', ''])[1 + n % 7]",
    "volume": "1 + n % 4",
    "year_began": "1940 + n % 80",
    "year_end": "CASE WHEN n % 2 = 0 THEN 1942 + n % 80 END",
    "series_type_id": "(ARRAY[13, 13, 13, 11, 10, 8, 6, 5, 12])[1 + n % 9]",
    "status": "1 + n % 4",
    "publisher_id": "pg_temp.skewed(n, 51, :named)",
    "imprint_id": "CASE WHEN n % 3 = 0 THEN pg_temp.skewed(n, 52, :named) END",
}  # fmt: skip
# n is the issue's id, s its series, k its place in the series.
ISSUE = {
    "series_id": "s",
    "number": "k::text",
    "number_key": "k::text",
    "alt_number": "CASE WHEN k % 10 = 0 THEN (500 + k)::text || 'A' ELSE '' END",
    "title": "''",
    "name": "ARRAY['Chapter ' || k, pg_temp.surname(n, 60)]",
    "cover_date": "make_date(1940 + s % 80, 1, 1) + (k - 1) % 900 * 30",
    "store_date": "CASE WHEN n % 20 <> 0 THEN make_date(1940 + s % 80, 1, 1) + (k - 1) % 900 * 30 - 60 END",
    "foc_date": "CASE WHEN n % 3 = 0 THEN make_date(1940 + s % 80, 1, 1) + (k - 1) % 900 * 30 - 90 END",
    "rating_id": "(ARRAY[1, 1, 1, 2, 3, 3, 4, 5, 6, 7])[1 + n % 10]",
    "price": "0.99 + n % 6",
    "sku": "CASE WHEN n % 2 = 0 THEN 'S' || lpad(n::text, 8, '0') ELSE '' END",
    "upc": "CASE WHEN n % 5 <> 0 THEN lpad((s * 7919)::text, 12, '7') || lpad(k::text, 5, '0') ELSE '' END",
    "isbn": "CASE WHEN n % 7 = 0 THEN '978' || lpad(n::text, 10, '0') ELSE '' END",
    "page": "20 + n % 40",
    "image": "'issue/2026/01/02/' || md5(n::text) || '.jpg'",
    "image_width": "600",
    "image_height": "900",
    "cover_hash": "substr(md5('h' || n), 1, 16)",
}  # fmt: skip

# Sizes of series have a long tail: series 1 has many hundreds of issues, most have a dozen or two. `late` is
# the issues of the series that sort last: only there does the last object of each kind appear.
PLACES = """
CREATE TEMPORARY TABLE place ON COMMIT DROP AS
SELECT row_number() OVER (ORDER BY s, k)::integer AS n, s, k::integer
FROM (
    SELECT s, row_number() OVER (PARTITION BY s ORDER BY draw) AS k
    FROM (
        SELECT draw, CASE WHEN draw <= :series THEN draw
            ELSE 1 + floor(:series * pg_temp.chance(draw, 61) ^ 2) END::integer AS s
        FROM generate_series(1, :issues) draw
    ) drawn
) counted
"""
LATE = """
CREATE TEMPORARY TABLE late ON COMMIT DROP AS
SELECT place.n, place.s FROM place JOIN (
    SELECT id FROM series ORDER BY sort_folded DESC, sort_name DESC, id DESC LIMIT :series / 10
) last ON last.id = place.s
"""

# Objects drawn for an issue: in the first `own` slots those of its series, which change every 40 issues;
# in the others any.
DRAWN = """
    CASE WHEN slot <= {own} THEN pg_temp.skewed(place.s * 64 + slot + (place.k / 40) * 9, {seed}, :named - 1)
    ELSE pg_temp.skewed(place.n::bigint * 64 + slot, {seed} + 1, :named - 1) END
"""
LINKS = """
INSERT INTO issue_{kind} (issue_id, {kind}_id)
SELECT place.n, {drawn} FROM place, generate_series(1, {slots}) slot
WHERE pg_temp.chance(place.n::bigint * 64 + slot, {seed} + 2) < {share}
UNION SELECT late.n, :named FROM late ORDER BY 1, 2
"""
# kind: slots of an issue, how many of them are for objects of its series, and the share that is filled
APPEARANCES = {
    "character": (15, 10, 0.68),
    "team": (3, 2, 0.5),
    "universe": (2, 1, 0.6),
    "arc": (2, 1, 0.15),
}
CREDITS = """
CREATE TEMPORARY TABLE crew ON COMMIT DROP AS
SELECT row_number() OVER (ORDER BY n, slot)::integer AS id, n, creator, slot
FROM (
    SELECT DISTINCT ON (n, creator) place.n, slot, {drawn} AS creator
    FROM place, generate_series(1, 10) slot ORDER BY 1, 3, 2
) drawn
UNION ALL SELECT (SELECT 10 * count(*) FROM place) + n, n, :named, 11 FROM late
"""
# The slot determines the role: writer, penciller, inker, colorist, letterer, cover, editor; then any. Every
# fifth credit has a second role, unless that is the same.
ROLES = """
INSERT INTO credit_role (credit_id, issue_id, creator_id, role_id)
SELECT id, n, creator, unnest(CASE WHEN id % 5 <> 0 OR role = other THEN ARRAY[role]
    ELSE ARRAY[least(role, other), greatest(role, other)] END)
FROM (
    SELECT id, n, creator, 22 + id % 6 AS other, CASE
        WHEN slot <= 7 THEN (ARRAY[1, 7, 11, 15, 21, 22, 23])[slot]
        ELSE 1 + (hashint8extended(id, 81) & 1023)::integer % 42 END AS role
    FROM crew ORDER BY id
) roles
"""
PAIRS = {
    "character_creator": ("character_id", "creator_id"),
    "character_team": ("character_id", "team_id"),
    "character_universe": ("character_id", "universe_id"),
    "team_creator": ("team_id", "creator_id"),
    "team_universe": ("team_id", "universe_id"),
}
MORE = (
    """INSERT INTO series_genre (series_id, genre_id)
    SELECT DISTINCT n, 1 + (hashint8extended(n, each) & 1023)::integer % 19
    FROM generate_series(1, :series) n, generate_series(1, 2) each""",
    """INSERT INTO variant (issue_id, name, price, sku, upc, image)
    SELECT n, 'Variant ' || each, 4.99, 'V' || n, lpad((s * 7919)::text, 12, '8') || each,
        'variants/2026/01/02/' || md5(n || '-' || each)
    FROM (
        SELECT n, s, each FROM place, generate_series(1, 3) each WHERE each <= n % 4 ORDER BY n, each
    ) many""",
    """INSERT INTO issue_reprint (issue_id, reprint_id)
    SELECT n, n + 1 FROM place WHERE n % 50 = 0 AND n < :issues
    UNION SELECT n + 1, n FROM place WHERE n % 50 = 0 AND n < :issues""",
    """INSERT INTO attribution (source, url, issue_id)
    SELECT 'W', 'https://example.org/' || n, n FROM place WHERE n % 10 = 0""",
)


FILLED = (
    *NAMED,
    *(f"issue_{kind}" for kind in (*APPEARANCES, "reprint")),
    *PAIRS,
    *("series", "series_genre", "issue", "variant", "credit", "credit_role", "attribution"),
)
# Keys and indexes are built when their tables are full, which takes a third of the time.
LATER = """
UPDATE pg_index SET indisready = false, indisvalid = false
WHERE indrelid = ANY (CAST(:filled AS regclass[]))
RETURNING indrelid::regclass::text
"""
# Triggers that fire nevertheless would find nothing to correct: prices are already rounded.
ALWAYS = """
SELECT format('ALTER TABLE %s DISABLE TRIGGER %I', tgrelid::regclass, tgname),
    format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', tgrelid::regclass, tgname)
FROM pg_trigger WHERE tgenabled = 'A' AND tgrelid = ANY (CAST(:filled AS regclass[]))
"""


def fill(connection: Connection, issues: int = ISSUES) -> None:
    """Fill a migrated, empty database, commit, and gather the planner's statistics.

    `connection` belongs to a superuser: the rows are consistent, and need not be checked one by one.
    """
    sizes = {"issues": issues, "series": max(issues * 3 // 100, 20), "named": max(issues // 5, 20)}

    def run(statement: str, **parts) -> None:
        connection.execute(text(statement.format(**parts) if parts else statement), sizes)

    run("SET LOCAL session_replication_role = replica")  # foreign keys are not checked row by row
    run("SET LOCAL work_mem = '256MB'")
    run("SET LOCAL maintenance_work_mem = '256MB'")
    run("SET LOCAL jit = off")
    indexed = sorted(set(connection.scalars(text(LATER), {"filled": list(FILLED)})))
    triggers = connection.execute(text(ALWAYS), {"filled": list(FILLED)}).all()
    run("; ".join(disable for disable, _ in triggers))
    connection.exec_driver_sql(FUNCTIONS)
    for kind in NAMED:
        run(_insert(kind, COMMON | KINDS[kind], "generate_series(1, :named) n"))
    run(_insert("series", COMMON | SERIES, "generate_series(1, :series) n"))
    run(PLACES)
    run(_insert("issue", COMMON | ISSUE, "place ORDER BY n"))
    run(LATE)
    for seed, (kind, (slots, own, share)) in enumerate(APPEARANCES.items(), 1):
        drawn = DRAWN.format(own=own, seed=100 * seed)
        run(LINKS, kind=kind, drawn=drawn, slots=slots, share=share, seed=100 * seed)
    run(CREDITS, drawn=DRAWN.format(own=7, seed=900))
    run("INSERT INTO credit (id, issue_id, creator_id) SELECT id, n, creator FROM crew")
    run(ROLES)
    for seed, (table, (own, other)) in enumerate(PAIRS.items(), 70):
        run(
            f"INSERT INTO {table} ({own}, {other})"
            f" SELECT DISTINCT n, pg_temp.skewed(n * 4 + each, {seed}, :named)"
            " FROM generate_series(1, :named) n, generate_series(1, 2) each"
        )
    for statement in MORE:
        run(statement)
    run("; ".join(enable for _, enable in triggers))
    for table in indexed:
        run(f"REINDEX TABLE {table}")
    run("SELECT figure_series(array_agg(id)), order_issues(array_agg(id)) FROM series")
    for table in (*NAMED, "series", "issue", "credit"):
        run(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}")
    for table in (*NAMED, "series", "issue"):
        run(f"UPDATE version SET number = (SELECT count(*) FROM {table}) WHERE kind = '{table}'")
    connection.commit()
    with connection.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as vacuuming:
        vacuuming.execute(text("VACUUM FULL issue"))  # the order of its rows has just been written to all
        vacuuming.execute(text("VACUUM ANALYZE"))


def _insert(table: str, columns: dict[str, str], source: str) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(columns.values())} FROM {source}"
