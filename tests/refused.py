"""Values that the core refuses."""

import pytest

from comicsdb.catalog import InvalidError


def refused(function, *arguments, **options) -> set[str]:
    """Call a function, which must raise InvalidError; returns the fields that it names."""
    with pytest.raises(InvalidError) as caught:
        function(*arguments, **options)
    return set(caught.value.errors)
