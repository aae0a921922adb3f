"""Searches and sorted pages use indexes, according to PostgreSQL's query plans at 5,000 rows."""

import pytest
from sqlalchemy import create_engine, text

from comicsdb.catalog import ranked_search
from comicsdb.catalog.kinds import KINDS
from comicsdb.db.read_pool import ReadPool, connector
from comicsdb.models.base import all_names

ROWS = 5_000
NAMED = ("publisher", "creator", "character", "arc", "team", "imprint", "universe", "series")


@pytest.fixture(scope="module")
def filled(cluster, template):
    """A connection to a database with 5,000 rows of each kind in NAMED, with names as varied as real ones."""
    cluster.clone_database(template, "search")
    engine = create_engine(cluster.url("search"))
    words = "ARRAY['Élektra','Crimson','Ünder','Spider','Iron','Salt','Nuages','Città']"
    name = f"({words})[1 + n % 8] || ' ' || md5(n::text)"
    with engine.begin() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))  # without change log
        for kind in NAMED:
            columns, values = "name, slug", f"{name}, 's' || n"
            if kind in ("imprint", "universe", "series"):
                columns, values = columns + ", publisher_id", values + ", 1 + n % 100"
            if kind == "series":
                columns += ", sort_name, volume, year_began, series_type_id"
                values += f", {name}, 1, 1950 + n % 70, 13"
            if kind in ("publisher", "series"):
                columns, values = columns + ", alt_names", values + ", ARRAY['Other ' || md5('a' || n)]"
            if kind in ("creator", "character"):
                columns, values = columns + ", alias", values + ", ARRAY['Alias ' || md5('b' || n)]"
            rows = f"SELECT {values} FROM generate_series(1, {ROWS}) n"
            connection.execute(text(f"INSERT INTO {kind} ({columns}) {rows}"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"VACUUM ANALYZE {', '.join(NAMED)}"))
        yield connection
    engine.dispose()
    cluster.drop_database("search")


def nodes(connection, query, **values):
    """The nodes of the plan of a query, as [type, index or None]."""
    (plan,) = connection.execute(text(f"EXPLAIN (FORMAT JSON) {query}"), values).scalar_one()
    found = []

    def walk(node):
        found.append([node["Node Type"], node.get("Index Name")])
        for child in node.get("Plans", ()):
            walk(child)

    walk(plan["Plan"])
    return found


@pytest.mark.parametrize("kind", NAMED)
def test_a_name_is_found_by_its_indexes(filled, kind):
    for condition, index in (
        ("name_key(folded) LIKE key_pattern(:word)", "folded_key_trgm"),
        ("near_keys({names}) && near_keys(ARRAY[:word], '{{-1,0,1}}')", "near"),
    ):
        names = all_names(KINDS[kind].other_names)
        query = f"SELECT id FROM {kind} WHERE {condition.format(names=names)}"
        assert ["Bitmap Index Scan", f"ix_{kind}_{index}"] in nodes(filled, query, word="Élektra-c4")
    equal = nodes(filled, f"SELECT id FROM {kind} WHERE name_key(folded) = 'elektrac4'")
    assert f"ix_{kind}_key" in [name for _, name in equal]
    plan = nodes(filled, f"SELECT id FROM {kind} WHERE folded LIKE fold_pattern(:word)", word="ÉLEKTRA C4")
    assert ["Bitmap Index Scan", f"ix_{kind}_folded_trgm"] in plan
    assert "Seq Scan" not in [node for node, _ in plan]


def test_search_statement_is_planned_once_per_connection(filled):
    pool = ReadPool(connector(filled.engine))
    for query in ("Crimson", "Spider 7", "the iron", "Salt 1999", "Élektra", "Ünder", "citta", "nuages 1 2"):
        ranked_search.best_hits(
            pool, ranked_search.search_parameters(pool, query, "localhost", limit=20).values
        )
    plans = "SELECT generic_plans FROM pg_prepared_statements WHERE length(statement) > 10000"
    assert pool.with_connection(lambda connection: connection.scalars(text(plans)).all()) == [3]
    pool.close()


@pytest.mark.parametrize(
    ("kind", "column"),
    [
        ("publisher", "alt_folded"),
        ("series", "alt_folded"),
        ("creator", "alias_folded"),
        ("character", "alias_folded"),
    ],
)
def test_either_name_or_other_names_are_found_without_reading_the_table(filled, kind, column):
    query = (
        f"SELECT id FROM {kind} WHERE folded LIKE fold_pattern(:word) OR {column} LIKE fold_pattern(:word)"
    )
    plan = nodes(filled, query, word="élektra c4")
    assert ["Bitmap Index Scan", f"ix_{kind}_folded_trgm"] in plan
    assert ["Bitmap Index Scan", f"ix_{kind}_{column}_trgm"] in plan
    assert "Seq Scan" not in [node for node, _ in plan]


def test_a_misspelt_name_is_found_by_the_same_index(filled):
    with filled.engine.begin() as connection:
        connection.execute(text("INSERT INTO character (name, slug) VALUES ('Spider-Woman', 'spider-woman')"))
        connection.execute(text("SET LOCAL pg_trgm.word_similarity_threshold = 0.4"))
        query = (
            "SELECT name FROM character WHERE fold(:q) <% folded"
            " ORDER BY word_similarity(fold(:q), folded) DESC, folded, name, id LIMIT 5"
        )
        plan = nodes(connection, query, q="spidr woman")
        assert ["Bitmap Index Scan", "ix_character_folded_trgm"] in plan
        assert "Spider-Woman" in connection.scalars(text(query), {"q": "spidr woman"}).all()
        connection.rollback()


@pytest.mark.parametrize("kind", [kind for kind in NAMED if kind not in ("series", "universe")])
def test_the_first_page_in_order_reads_an_index_and_sorts_nothing(filled, kind):
    plan = nodes(filled, f"SELECT id, name, slug FROM {kind} ORDER BY folded, name, id LIMIT 100")
    assert plan == [["Limit", None], ["Index Scan", f"ix_{kind}_order"]]


def test_series_and_universes_have_an_index_for_their_own_order(filled):
    series = "SELECT id FROM series ORDER BY sort_folded, sort_name, year_began, id LIMIT 100"
    universes = "SELECT id FROM universe ORDER BY folded, name, designation_folded, designation, id LIMIT 100"
    for query, index in ((series, "ix_series_sort_order"), (universes, "ix_universe_designation_order")):
        plan = nodes(filled, query)
        assert "Sort" not in [node for node, _ in plan]
        assert index in [name for _, name in plan]


def test_accents_stand_beside_their_base_letters(connection):
    for number, name in enumerate(["Zeta", "étoile", "Eton", "Etoile", "etna"]):
        connection.execute(
            text("INSERT INTO arc (name, slug) VALUES (:name, :slug)"), {"name": name, "slug": f"s{number}"}
        )
    ordered = connection.scalars(text("SELECT name FROM arc ORDER BY folded, name, id")).all()
    assert ordered == ["etna", "Etoile", "étoile", "Eton", "Zeta"]


@pytest.mark.parametrize("column", ["issue_count", "last_cover_date", "rating_average"])
def test_a_sorted_page_of_series_is_read_from_an_index(filled, column):
    plan = nodes(filled, f"SELECT id FROM series ORDER BY {column} DESC, id DESC LIMIT 28")
    assert plan == [["Limit", None], ["Index Only Scan", f"ix_series_{column}"]]
