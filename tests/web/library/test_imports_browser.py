"""An import in a real browser: its pages fit the screen, are readable, and work without scripts."""

import os
from pathlib import Path

import pytest

from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from tests.core.library.library_files import create_catalog
from tests.factories import Factories
from tests.web.account.test_browser import OUTSIDE
from tests.web.conftest import PASSWORD
from tests.web.test_browser import CONTRAST

PICTURES = os.environ.get("COMICSDB_PICTURES")  # a folder for screenshots of the tested pages
ROWS = """Series,Number,Grade,Series year,Notes,Zustandsbeschreibungsergaenzungsvermerk,Colour
The Lamplighter,1,9.8,2018,x,the corners are a little blunt and there is more to say of it,red
The Lamplighter,3,perfect in all the ways that a comic can be perfect and then some,,
The Lamplighter,4,,2018,
Donaudampfschifffahrtsgesellschaftskapitaensmuetzenabzeichen,17,,1999,
Night & Crew,-1,NM?,1999,
The Lamplighter,5,,1963,
"""


@pytest.fixture(scope="module")
def address(served):
    """The address of a site with a member and a few comics."""
    with served.sessions() as session:
        make = Factories(Catalog(session))
        make.user("Nora", password=PASSWORD, passwords=Passwords("fast"))
        create_catalog(make)
    return served.url


def look(page, name):
    """The parts of a page that do not fit or are hard to read, on a phone and a desktop, in both themes."""
    wrong = []
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        wrong += page.evaluate(OUTSIDE)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            wrong += page.evaluate(CONTRAST.replace("document.body", "document.querySelector('main')"))
            if PICTURES:
                page.screenshot(path=Path(PICTURES) / f"{name}-{width}-{scheme}.png", full_page=True)
    return wrong


def test_a_file_is_imported_by_keyboard_without_a_script(browser, address, tmp_path):
    context = browser.new_context(java_script_enabled=False, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{address}/accounts/login/?next=/collection/import/")
    page.fill("#username", "Nora")
    page.fill("#password", PASSWORD)
    page.press("#password", "Enter")
    page.wait_for_url(f"{address}/collection/import/")
    assert look(page, "form") == []
    file = tmp_path / "mine.csv"
    file.write_text(ROWS)
    page.set_input_files("#file", file)
    page.get_by_role("button", name="Upload and review").press("Enter")
    page.wait_for_url(f"{address}/collection/import/*/")
    assert look(page, "review") == []
    page.get_by_role("link", name="Find the series").press("Enter")
    page.get_by_role("textbox", name="Find: Series").fill("night")
    page.get_by_role("textbox", name="Find: Series").press("Enter")
    page.get_by_role("radio", name="Night & Crew").wait_for()
    assert look(page, "finder") == []
    page.get_by_role("link", name="Back to the import").press("Enter")
    page.locator("li", has_text="The Lamplighter (1963)").get_by_role(
        "link", name="Choose row by row"
    ).click()
    page.wait_for_url(f"{address}/collection/import/*/?series=*")
    assert look(page, "rows") == []
    page.get_by_role("radio", name="None of these").press("Space")
    page.get_by_role("button", name="Save these choices").press("Enter")
    page.get_by_role("combobox", name="Night & Crew").select_option(index=1)
    page.get_by_role("checkbox", name="Leave out: The Lamplighter (2018) #4").press("Space")
    page.get_by_role("button", name="Import", exact=True).press("Enter")
    page.wait_for_url(f"{address}/collection/")
    assert page.locator(".message").first.inner_text().startswith("3 issues were added to your collection.")
    page.goto(f"{address}/collection/import/")
    page.get_by_role("link", name="mine.csv").click()
    assert look(page, "result") == []
    page.goto(f"{address}/accounts/export/")
    assert look(page, "data") == []
    context.close()
