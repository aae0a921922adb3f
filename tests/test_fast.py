"""The tests that `make test-fast` runs."""

from tests.fast import ALWAYS, affected_tests


def test_a_change_touches_the_tests_of_its_name_that_start_no_server():
    found = affected_tests(
        ["comicsdb_web/pages/library/collection.py", "tests/core/schemas/test_values.py", "README.md"]
    )
    assert found[0] == "tests/core/schemas/test_values.py"
    assert {
        "tests/web/library/test_collection.py",
        "tests/web/library/test_collection_item.py",
        *ALWAYS,
    } <= set(found)
    assert "tests/web/library/test_collection_browser.py" not in found
    assert "tests/core/library/test_collection.py" not in found


def test_a_package_is_a_name_too_and_an_s_at_the_end_does_not_count():
    found = affected_tests(["comicsdb/accounts/ratings.py"])
    assert {"tests/core/accounts/test_signup.py", "tests/core/library/test_list_ratings.py"} <= set(found)
    assert affected_tests([]) == list(ALWAYS)
