"""Rows for bench/library.py and bench/misses.py: a reader's library with large lists, and twenty others.

The reader has 5,000 issues of nearly every series, half of them with prices in three currencies, most of them
read up to three times; follows the 300 longest series; wishes for 5,000 issues; and has a reading list of
2,000. A third of the catalog is released around today, which is many times more than in reality.
"""

from datetime import date

from sqlalchemy import Connection, text

from comicsdb.models.choices import GRADES
from tests import large

ITEMS, FOLLOWED, WISHES, LISTED, OTHERS = 5_000, 300, 5_000, 2_000, 20

# Generated deterministically by the functions of tests/large.py, which the connection still has.
STATEMENTS = (
    """UPDATE issue SET store_date = CAST(:today AS date) - 14 + id / 3 % 120 WHERE id % 3 = 0""",
    """INSERT INTO user_account (username, email, password)
    SELECT 'other' || n, 'other' || n || '@example.org', '!' FROM generate_series(1, :others) n""",
    """CREATE TEMPORARY TABLE owner ON COMMIT DROP AS
    SELECT id AS user_id, CASE WHEN id = :reader THEN :items ELSE :items / 5 END AS items FROM user_account
    WHERE id = :reader OR username LIKE 'other%'""",
    """INSERT INTO collection_item (user_id, issue_id, quantity, book_format, grade, grading_company,
        purchase_date, purchase_price, purchase_currency, purchase_store, storage_location, notes, rating)
    SELECT user_id, id, 1 + n % 3, (ARRAY['PRINT', 'PRINT', 'DIGITAL', 'BOTH'])[1 + n % 4],
        CASE WHEN n % 5 = 0 THEN (CAST(:grades AS numeric[]))[1 + n % 25] END,
        (ARRAY['', '', '', 'CGC', 'CBCS'])[1 + n % 5],
        CAST(:today AS date) - n % 4000, CASE WHEN n % 2 = 0 THEN 1 + n % 40 END,
        CASE WHEN n % 2 = 0 THEN (ARRAY['USD', 'USD', 'EUR', 'GBP'])[1 + n / 2 % 4] ELSE 'USD' END,
        'Store ' || n % 150, 'Box ' || n % 90, CASE WHEN n % 9 = 0 THEN 'Signed by number ' || n ELSE '' END,
        CASE WHEN n % 3 = 0 THEN 1 + n % 5 END
    FROM (
        SELECT user_id, items, issue.id,
            row_number() OVER (PARTITION BY user_id ORDER BY pg_temp.chance(issue.id, user_id))::integer AS n
        FROM owner, issue
    ) AS drawn WHERE n <= items""",
    """INSERT INTO read_date (user_id, issue_id, read_on)
    SELECT user_id, issue_id,
        CAST(:today AS timestamptz) - id % 900 * interval '7 hours' - each * interval '31 days'
    FROM collection_item, generate_series(0, 2) each WHERE id % 5 < 3 AND each <= id % 3""",
    """INSERT INTO issue_rating (user_id, issue_id, rating)
    SELECT user_id, issue_id, rating FROM collection_item WHERE rating IS NOT NULL""",
    """INSERT INTO pull_list (user_id) SELECT user_id FROM owner""",
    """INSERT INTO pull_list_series (pull_list_id, series_id)
    SELECT id, series_id FROM pull_list,
        (SELECT series_id FROM issue GROUP BY series_id ORDER BY count(*) DESC LIMIT :followed) AS longest""",
    """INSERT INTO wish_list (user_id) SELECT user_id FROM owner""",
    """INSERT INTO wish_list_item (wish_list_id, issue_id, status, priority, desired_grade, max_price)
    SELECT id, issue_id, (ARRAY['WANTED', 'FOUND', 'ACQUIRED'])[1 + n % 3], 1 + n % 5,
        CASE WHEN n % 4 = 0 THEN 8.0 END, CASE WHEN n % 2 = 0 THEN 10 END
    FROM wish_list, (
        SELECT id AS issue_id, row_number() OVER (ORDER BY pg_temp.chance(id, 3)) AS n FROM issue
        LIMIT :wishes
    ) AS drawn""",
    # List 1 is the reader's long one; the others belong to all owners in turn, and every tenth is private.
    """INSERT INTO reading_list (id, slug, name, user_id, is_private, list_type, attribution_source,
        rating_count, rating_sum)
    SELECT n, 'list-' || n, 'The ' || pg_temp.surname(n, 5) || ' list ' || n,
        CASE WHEN n = 1 THEN :reader ELSE owners[1 + n % cardinality(owners)] END, n % 10 = 0,
        (ARRAY['EVENT', 'STORY', 'MASTER'])[1 + n % 3], (ARRAY['', 'CBRO'])[1 + n % 2], n % 4, n % 4 * 4
    FROM generate_series(1, 1000) n, (SELECT array_agg(user_id) AS owners FROM owner) AS all_owners""",
    """INSERT INTO reading_list_item (reading_list_id, issue_id, "order", issue_type)
    SELECT 1, id, row_number() OVER (ORDER BY cover_date, id),
        (ARRAY['', 'PROLOGUE', 'CORE', 'TIE_IN'])[1 + id % 4]
    FROM (SELECT id, cover_date FROM issue ORDER BY pg_temp.chance(id, 4) LIMIT :listed) AS drawn
    UNION ALL
    SELECT n, 1 + (n * 37 + each * 11) % (SELECT max(id) FROM issue), each, ''
    FROM generate_series(2, 1000) n, generate_series(1, 40) each""",
    """SELECT setval(pg_get_serial_sequence('reading_list', 'id'), 1000)""",
)


def fill(connection: Connection, reader: int, today: date, issues: int, items: int = ITEMS) -> None:
    """Fill a migrated database that only contains an account; `connection` belongs to a superuser."""
    large.fill(connection, issues)
    values = {
        "reader": reader,
        "today": today,
        "items": items,
        "followed": FOLLOWED,
        "wishes": WISHES,
        "listed": LISTED,
        "others": OTHERS,
        "grades": list(GRADES),
    }
    connection.execute(text("SET LOCAL session_replication_role = replica"))
    for statement in STATEMENTS:
        connection.execute(text(statement), values)
    connection.commit()
    with connection.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as vacuuming:
        vacuuming.execute(text("VACUUM ANALYZE"))
