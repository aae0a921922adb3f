"""Arrays of ids as parameters of prepared statements."""


def id_array(parameter: str) -> str:
    """The SQL expression for a parameter with a list of ids.

    PostgreSQL assumes that an array of unknown length has ten elements. So a generic plan seems more
    expensive than one for a few given elements, and every execution is planned. The length of a subquery's
    array is unknown to both plans, so the generic one is used.
    """
    return f"ARRAY(SELECT unnest(CAST(:{parameter} AS integer[])))"
