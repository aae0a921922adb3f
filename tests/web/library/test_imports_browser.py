"""The review of an import in a real browser: it fits, it can be read, and works without a script."""

import os
from pathlib import Path

import pytest

from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from tests.core.library.library_files import create_catalogue
from tests.factories import Factories
from tests.web.account.test_browser import OUTSIDE
from tests.web.conftest import PASSWORD
from tests.web.test_browser import CONTRAST

PICTURES = os.environ.get("COMICSDB_PICTURES")  # a folder, to look at what was tested
ROWS = """Series,Number,Grade,Series year,Notes
The Lamplighter,1,9.8,2018,x
The Lamplighter,3,perfect in all the ways that a comic can be perfect and then some,,
The Lamplighter,4,,,
Donaudampfschifffahrtsgesellschaftskapitaensmuetzenabzeichen,17,,1999,
Night & Crew,-1,NM?,1999,
The Lamplighter,5,,1963,
"""


@pytest.fixture(scope="module")
def address(served):
    """A site with a member and a few comics."""
    with served.sessions() as session:
        make = Factories(Catalog(session))
        make.user("Nora", password=PASSWORD, passwords=Passwords("fast"))
        create_catalogue(make)
    return served.url


def look(page, name):
    """What does not fit or cannot be read on a page, at both ends of widths and in both themes."""
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
    page.get_by_role("button", name="View").press("Enter")
    page.wait_for_url(f"{address}/collection/import/*/")
    assert look(page, "review") == []
    page.locator("fieldset", has_text="Night & Crew").get_by_role("radio").first.press("Space")
    page.get_by_role("checkbox", name="Leave out: The Lamplighter #4").press("Space")
    page.get_by_role("button", name="Import", exact=True).press("Enter")
    page.wait_for_url(f"{address}/collection/")
    assert page.locator(".message").first.inner_text().startswith("3 issues came into your collection.")
    page.goto(f"{address}/accounts/export/")
    assert look(page, "data") == []
    context.close()
