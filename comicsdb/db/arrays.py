"""Arrays as parameters of statements."""

from sqlalchemy import ARRAY, func, literal
from sqlalchemy.sql.selectable import TableValuedAlias


def id_array(parameter: str) -> str:
    """The SQL expression for a parameter with a list of ids.

    PostgreSQL assumes that an array of unknown length has ten elements. So a generic plan seems more
    expensive than one for a few given elements, and every execution is planned. The length of a subquery's
    array is unknown to both plans, so the generic one is used.
    """
    return f"ARRAY(SELECT unnest(CAST(:{parameter} AS integer[])))"


def table_of_arrays(name: str, /, **columns) -> TableValuedAlias:
    """A table of arrays of equal length; the keywords name its columns, each with its type and values."""
    arrays = [literal(list(values), ARRAY(kind)) for kind, values in columns.values()]
    return func.unnest(*arrays).table_valued(*columns, name=name).render_derived(name=name)
