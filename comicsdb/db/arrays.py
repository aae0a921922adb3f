"""Arrays of ids as parameters of prepared statements."""


def id_array(parameter: str) -> str:
    """The SQL expression for a parameter with a list of ids.

    PostgreSQL takes an unknown array to have ten elements, so that a general plan seems dearer than one for
    the few that are given, and it plans each execution. The length of a subquery's array is as unknown in
    both, so that it plans once.
    """
    return f"ARRAY(SELECT unnest(CAST(:{parameter} AS integer[])))"
