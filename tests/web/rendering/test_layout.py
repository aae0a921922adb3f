"""Header and footer are cached for all readers who see the same, and never show another reader's data."""

from comicsdb.accounts.passwords import Passwords
from tests.web.conftest import log_in, soup


def header(testapp, address):
    """The header of a page, parsed."""
    return soup(testapp.get(address)).select_one("header.top")


def current(found):
    """The addresses of the menu entries of the current page."""
    return {each["href"] for each in found.select("[aria-current=page]")}


def test_header_of_cached_menus_marks_the_entry_of_its_page(testapp, wsgi):
    wsgi.registry["comicsdb_web.menus"].clear()
    for address, entry in (
        ("/series/?page=1", {"/series/"}),
        ("/character/", {"/character/"}),
        ("/search/?q=a%22b", set()),
        ("/accounts/login/?next=/series/", set()),
        ("/series/search?q=x", set()),
    ):
        for _ in range(2):
            found = header(testapp, address)
            assert current(found) == entry
            assert {each["value"] for each in found.select("[name=next]")} == {address}
            typed = found.select_one("#quick-q")["value"]
            assert typed == ('a"b' if address.startswith("/search/") else "")
    # One for all pages without a menu entry, and one for each page that a menu links to.
    assert len(wsgi.registry["comicsdb_web.menus"]) == 3


def test_a_header_shows_nobody_what_is_another_readers(testapp, make, member):
    other = make.user("Otto", password="correct horse", passwords=Passwords("fast"), is_staff=True)
    make.session.commit()
    seen = {}
    for name in (member.username, other.username):
        log_in(testapp, name)
        found = header(testapp, "/polls/")
        assert {each.get_text(strip=True) for each in found.select(".account-name")} == {name}
        seen[name] = found.select_one("[name=csrf_token]")["value"]
        testapp.reset()
    assert len(set(seen.values())) == 2
    found = header(testapp, "/polls/")
    assert not found.select(".account-name, [name=csrf_token]")
    assert found.select_one('[href="/accounts/login/"]') is not None


def test_the_first_rows_of_an_issues_blocks_are_those_that_its_other_pages_show(testapp, make, world):
    roles = [make.role("Writer").id, make.role("Inker").id]
    with make.single_commit():
        people = [make.creator(name=f"Hand {number}") for number in range(31)]
        faces = [make.character(name=f"Face {number}") for number in range(31)]
    make.catalog.update(
        world.first,
        {
            "credits": [{"creator": each.id, "roles": roles} for each in people],
            "characters": [each.id for each in faces],
        },
    )
    make.session.commit()
    page = soup(testapp.get(f"/issue/{world.first.slug}/"))
    for block in ("credits", "characters", "teams", "universes"):
        begun = soup(testapp.get(f"/issue/{world.first.slug}/{block}/load-more/?offset=0"))
        rows = [str(each) for each in page.select(f"#{block} > li")]
        assert rows
        assert rows == [str(each) for each in begun.select("main > ul > li")]
