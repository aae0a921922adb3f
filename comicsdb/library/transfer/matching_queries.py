"""The statements by which rows of files find issues and series: whole files at once, by ids and by words.

Each takes `rows`, a JSON array, and gives `place` (the row's), then what `matching.Candidate` is made of.
"""

_ARTICLES = ("the", "a", "an", "il", "lo", "la", "gli", "le", "les", "el", "los", "las", "der", "das")
_AT_AN_END = rf"^({'|'.join(_ARTICLES)}) +|, *({'|'.join(_ARTICLES)})$"
_PUNCTUATION = " .,:;!?''\"`´-–—_/\\()[]{}<>*+=#@%~^|…’‘“”"


def _name_key(folded: str) -> str:
    """A folded name without articles, blanks and punctuation; as it is where nothing would be left.

    Regular expressions cost most of it, so they are asked only where they may find something.
    """
    first = f"split_part({folded}, ' ', 1)"
    articles = ", ".join(f"'{each}'" for each in _ARTICLES)
    bare = f"""CASE WHEN strpos({folded}, ',') > 0 THEN regexp_replace({folded}, '{_AT_AN_END}', '')
        WHEN {first} IN ({articles}) THEN substr({folded}, length({first}) + 1) ELSE {folded} END"""
    quoted = _PUNCTUATION.replace("\\", "\\\\")
    return f"""coalesce(
        nullif(translate(replace({bare}, '&', 'and'), E'{quoted}', ''), ''), {folded})"""


def _number_key(number: str) -> str:
    """A number without case, accents and leading zeros; most numbers are digits, which is quickly seen."""
    return f"""CASE WHEN {number} = '' THEN ''
        WHEN translate({number}, '0123456789', '') = '' THEN coalesce(nullif(ltrim({number}, '0'), ''), '0')
        ELSE regexp_replace(fold({number}), '^0+([0-9])', '\\1') END"""


_NAMES = f"""
    SELECT id, {_name_key("folded")} AS key, false AS alt FROM series
    UNION ALL
    SELECT id, {_name_key("folded")}, true FROM (
        SELECT id, fold(alt.name) AS folded FROM series CROSS JOIN unnest(alt_names) AS alt (name)
    ) AS alternative
"""

# Of the series `series` with its publisher and imprint.
_SERIES_FACTS = """
    series.volume, series.year_began, publisher.name, publisher.alt_names, imprint.name
"""
_HOUSES = """
    JOIN publisher ON publisher.id = series.publisher_id
    LEFT JOIN imprint ON imprint.id = series.imprint_id
"""
_HAS_NAME = f"""
    (wanted.key = {_name_key("series.folded")}
     OR wanted.key IN (
        SELECT {_name_key("folded")} FROM (
            SELECT fold(alt.name) AS folded FROM unnest(series.alt_names) AS alt (name)
        ) AS alternative
     ))
"""
_ASKED_BY_ID = f"""
    SELECT asked.*, {_name_key("folded")} AS key, {_number_key("number")} AS number_key
    FROM (
        SELECT *, fold(btrim(name)) AS folded
        FROM jsonb_to_recordset(CAST(:rows AS jsonb))
        AS asked (place integer, name text, number text, id integer, cv_id integer, gcd_id integer, upc text)
    ) AS asked
"""


def _ids(kind: str) -> str:
    """What ids lead to, also those of merged objects: (place, rank, id)."""
    return f"""
        SELECT place, 1 AS rank, {kind}.id FROM wanted JOIN {kind} ON {kind}.id = wanted.id
        UNION
        SELECT place, 1, tombstone.survivor_id FROM wanted
        JOIN tombstone ON tombstone.kind = '{kind}' AND tombstone.object_id = wanted.id
        UNION
        SELECT place, 2, {kind}.id FROM wanted JOIN {kind} ON {kind}.cv_id = wanted.cv_id
        UNION
        SELECT place, 2, {kind}.id FROM wanted JOIN {kind} ON {kind}.gcd_id = wanted.gcd_id
    """


BY_ID = f"""
    WITH wanted AS MATERIALIZED ({_ASKED_BY_ID}),
    found AS (
        {_ids("issue")}
        UNION
        SELECT place, 3, issue.id FROM wanted JOIN issue ON upper(translate(issue.upc, ' -', '')) = wanted.upc
        WHERE wanted.upc <> ''
        UNION
        SELECT place, 3, variant.issue_id FROM wanted
        JOIN variant ON upper(translate(variant.upc, ' -', '')) = wanted.upc
        WHERE wanted.upc <> ''
    )
    SELECT place, issue.id, found.rank, {_HAS_NAME} AS named, true AS exact,
        wanted.number_key IN ({_number_key("issue.number")}, {_number_key("issue.alt_number")}),
        {_SERIES_FACTS}, issue.cover_date, issue.store_date
    FROM found JOIN wanted USING (place) JOIN issue ON issue.id = found.id
    JOIN series ON series.id = issue.series_id {_HOUSES}
    ORDER BY place, found.rank, issue.id
"""

SERIES_BY_ID = f"""
    WITH wanted AS MATERIALIZED ({_ASKED_BY_ID}),
    found AS ({_ids("series")})
    SELECT place, series.id, found.rank, {_HAS_NAME}, true, true,
        {_SERIES_FACTS}, CAST(NULL AS date), CAST(NULL AS date)
    FROM found JOIN wanted USING (place) JOIN series ON series.id = found.id {_HOUSES}
    ORDER BY place, found.rank, series.id
"""

_BY_NAME = f"""
    wanted AS MATERIALIZED (
        SELECT place, folded, {_name_key("folded")} AS key, {_number_key("number")} AS number
        FROM (
            SELECT *, fold(btrim(name)) AS folded
            FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS asked (place integer, name text, number text)
        ) AS asked
    ),
    names AS MATERIALIZED ({_NAMES}),
    named AS MATERIALIZED (
        SELECT place, wanted.folded, wanted.number, names.id AS series_id, bool_and(names.alt) AS alt
        FROM wanted JOIN names ON names.key = wanted.key
        GROUP BY place, wanted.folded, wanted.number, names.id
    )
"""

# A row without a number means the only issue of a series; without any issue, the series alone is known.
BY_WORDS = f"""
    WITH {_BY_NAME},
    issues AS MATERIALIZED (
        SELECT id, series_id, number, alt_number FROM issue
        WHERE series_id IN (SELECT series_id FROM named)
    ),
    numbers AS MATERIALIZED (
        SELECT id, series_id, {_number_key("number")} AS number, true AS main FROM issues
        UNION ALL
        SELECT id, series_id, {_number_key("alt_number")}, false FROM issues WHERE alt_number <> ''
        UNION ALL
        SELECT min(id), series_id, '', true FROM issues GROUP BY series_id HAVING count(*) = 1
    ),
    found AS (
        SELECT place, named.folded, named.series_id, named.alt, numbers.id, bool_or(numbers.main) AS main
        FROM named
        LEFT JOIN numbers ON numbers.series_id = named.series_id AND numbers.number = named.number
        GROUP BY place, named.folded, named.series_id, named.alt, numbers.id
    )
    SELECT place, issue.id, 0, true, NOT found.alt AND series.folded = found.folded, found.main,
        {_SERIES_FACTS}, issue.cover_date, issue.store_date
    FROM found JOIN series ON series.id = found.series_id {_HOUSES}
    LEFT JOIN issue ON issue.id = found.id
    ORDER BY place, issue.id
"""

SERIES_BY_WORDS = f"""
    WITH {_BY_NAME}
    SELECT place, series.id, 0, true, NOT named.alt AND series.folded = named.folded, true,
        {_SERIES_FACTS}, CAST(NULL AS date), CAST(NULL AS date)
    FROM named JOIN series ON series.id = named.series_id {_HOUSES}
    ORDER BY place, series.id
"""
