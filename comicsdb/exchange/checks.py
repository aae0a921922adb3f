"""What can only be judged once all files are read: unique sets, and ids that point somewhere."""

from psycopg import sql

from comicsdb.exchange.fields import Field, File
from comicsdb.exchange.format import ATTRIBUTIONS, BY_KIND, BY_NAME
from comicsdb.exchange.problems import Problems
from comicsdb.models.attribution import OWNERS


def check(cursor, files: tuple[File, ...], problems: Problems) -> None:
    """Note every id or unique set that occurs twice and every id that points nowhere."""
    for file in files:
        for words, expressions in (("id", ("id",)), *file.unique):
            _unique(cursor, file, words, expressions, problems)
        for field in file.pointers:
            if BY_NAME[field.target] in files:
                _points(cursor, file, field, problems)
    if ATTRIBUTIONS in files:
        for kind in OWNERS:
            _attributed(cursor, BY_KIND[kind], problems)


def _unique(cursor, file: File, words: str, expressions: tuple[str, ...], problems: Problems) -> None:
    """Values of a unique set that an earlier line has already; null is not compared."""
    columns = sql.SQL(", ".join(expressions))
    table = sql.Identifier(file.staged)
    given = sql.SQL(" AND ".join(f"{each} IS NOT NULL" for each in expressions))
    cursor.execute(
        sql.SQL("SELECT EXISTS (SELECT FROM {} WHERE {} GROUP BY {} HAVING count(*) > 1)").format(
            table, given, columns
        )
    )
    if not cursor.fetchone()[0]:
        return
    cursor.execute(
        sql.SQL(
            "SELECT line, earlier, value FROM (SELECT line, concat_ws(', ', {columns}) AS value,"
            " min(line) OVER (PARTITION BY {columns}) AS earlier FROM {table} WHERE {given}) x"
            " WHERE line > earlier ORDER BY line LIMIT %s"
        ).format(columns=columns, table=table, given=given),
        (problems.room,),
    )
    for line, earlier, value in cursor.fetchall():
        problems.add(file.file_name, line, words, f"{value} was used on line {earlier} already")


def _points(cursor, file: File, field: Field, problems: Problems) -> None:
    """Ids that the file they point into does not have, and rows that point at themselves."""
    names = {
        "table": sql.Identifier(file.staged),
        "column": sql.Identifier(field.column),
        "target": sql.Identifier(BY_NAME[field.target].staged),
    }
    source = (
        sql.SQL("{table} s, unnest(s.{column}) AS u (id)") if field.link else sql.SQL("{table} s")
    ).format(**names)
    pointer = sql.SQL("u.id") if field.link else sql.SQL("s.{column}").format(**names)
    cursor.execute(
        sql.SQL(
            "SELECT s.line, {pointer} FROM {source} WHERE {pointer} IS NOT NULL"
            " AND NOT EXISTS (SELECT FROM {target} t WHERE t.id = {pointer}) ORDER BY 1, 2 LIMIT %s"
        ).format(pointer=pointer, source=source, **names),
        (problems.room,),
    )
    for line, missing in cursor.fetchall():
        if not problems.is_broken(field.target, missing):
            problems.add(file.file_name, line, field.key, f"{field.target}.jsonl has no id {missing}")
    if field.target == file.name:
        cursor.execute(
            sql.SQL("SELECT line FROM {table} WHERE id = ANY({column}) ORDER BY line LIMIT %s").format(
                **names
            ),
            (problems.room,),
        )
        for (line,) in cursor.fetchall():
            problems.add(file.file_name, line, field.key, "names the row itself")


def _attributed(cursor, owner: File, problems: Problems) -> None:
    cursor.execute(
        sql.SQL(
            "SELECT s.line, s.entity_id FROM {} s WHERE s.entity = %s"
            " AND NOT EXISTS (SELECT FROM {} t WHERE t.id = s.entity_id) ORDER BY 1 LIMIT %s"
        ).format(sql.Identifier(ATTRIBUTIONS.staged), sql.Identifier(owner.staged)),
        (owner.kind, problems.room),
    )
    for line, missing in cursor.fetchall():
        if not problems.is_broken(owner.name, missing):
            problems.add(ATTRIBUTIONS.file_name, line, "entity_id", f"{owner.file_name} has no id {missing}")


def complete_symmetric(cursor, file: File, field: Field) -> int:
    """Add the other direction of links that a set gives in one direction only; the number of rows changed."""
    names = {"table": sql.Identifier(file.staged), "column": sql.Identifier(field.column)}
    cursor.execute(
        sql.SQL(
            "UPDATE {table} t SET {column} = t.{column} || lacking.ids FROM ("
            " SELECT u.id, array_agg(s.id ORDER BY s.id) AS ids"
            " FROM {table} s, unnest(s.{column}) AS u (id) JOIN {table} o ON o.id = u.id"
            " WHERE NOT s.id = ANY(o.{column}) GROUP BY u.id"
            ") lacking WHERE t.id = lacking.id"
        ).format(**names)
    )
    return cursor.rowcount
