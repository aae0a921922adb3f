"""Helpers of tests fail with the values that they compare."""

import pytest

from tests.api.bodies import assert_same_json


def test_a_helper_that_compares_says_what_differs():
    with pytest.raises(AssertionError, match="'name': 'Light'"):
        assert_same_json({"id": 1, "name": "Harbor"}, {"id": 1, "name": "Light"})
