"""Advisory rules: an import stores what breaks them, counts it and names the first places in its report."""

from sqlalchemy import Text, cast, column, func, select, table

from comicsdb.catalog.advice import RULES
from comicsdb.exchange.format import FILES
from comicsdb.exchange.report import EXAMPLES
from comicsdb.exchange.run import Run


def advise(run: Run) -> None:
    """Look for breaches among the rows of the set, once they are stored."""
    files = {file.model: file for file in FILES}
    for rule in RULES:
        file = files[rule.model]
        staged = table(file.staged, column("line"), column("db_id"), column("slug"))
        named = staged.c.slug if hasattr(rule.model, "slug") else None
        found = func.coalesce(func.nullif(cast(rule.found, Text), ""), named)
        rows = run.session.execute(
            select(staged.c.line, found, func.count().over())
            .join_from(staged, rule.model, rule.model.id == staged.c.db_id)
            .where(rule.condition)
            .order_by(staged.c.line)
            .limit(EXAMPLES)
        ).all()
        for line, words, _number in rows:
            run.report.advise(str(rule.title), file.file_name, line, words)
        if rows:
            run.report.advice[str(rule.title)].count = rows[0][2]
