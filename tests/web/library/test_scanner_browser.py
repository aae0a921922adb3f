"""The scanner in a real browser, with a camera that shows a printed barcode."""

from types import SimpleNamespace

import pytest
from sqlalchemy import select

from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.models import CollectionItem
from tests.barcodes import check_digit, picture
from tests.factories import Factories
from tests.needs import CHROMIUM_ARGUMENTS, chromium
from tests.web.conftest import PASSWORD, page_of, signed_in

STEM = "977123456700"
STEM += check_digit(STEM)
OTHER = "076194123456"
OTHER += check_digit(OTHER)


@pytest.fixture(scope="module")
def site(served):
    """The site, with an account and issues with barcodes."""
    with served.sessions() as session:
        make = Factories(Catalog(session))
        make.user("Nora", password=PASSWORD, passwords=Passwords("fast"))
        series = make.series(name="Lamplight")
        make.issue(series=series, number="1", upc=f"{STEM}00111")
        second = make.issue(series=series, number="2", upc=f"{STEM}00211")
        foil = make.variant(second, name="Foil", upc=f"{STEM}00221")
        make.variant(second, name="Sketch", upc=f"{STEM}00231")
        third = make.issue(series=series, number="3", upc=OTHER[1:])
        ids = SimpleNamespace(second=second.id, foil=foil.id, third=third.id)
    return SimpleNamespace(**vars(served), ids=ids)


@pytest.fixture
def seeing(tmp_path, browser):
    """A browser with a camera that shows a variant's barcode; it needs `browser`, which runs Playwright."""
    film = tmp_path / "camera.mjpeg"
    picture(STEM, "00221").save(film, "JPEG", quality=90)
    arguments = ("use-fake-device-for-media-stream", "use-fake-ui-for-media-stream")
    arguments += (f"use-file-for-fake-video-capture={film}",)
    launched = browser.browser_type.launch(
        executable_path=chromium(), args=[*CHROMIUM_ARGUMENTS, *(f"--{each}" for each in arguments)]
    )
    yield launched
    launched.close()


def test_a_printed_barcode_adds_its_variant_and_scans_wait_for_a_connection(seeing, site):
    with signed_in(seeing, site, width=390, height=844) as context, page_of(context) as page:
        page.goto("/collection/scan/")
        page.evaluate("navigator.serviceWorker.ready.then(() => null)")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.get_by_role("button", name="Start the camera").click()
        row = page.locator(f'[data-code="{STEM}00221"]')
        row.get_by_role("checkbox", name="Lamplight (2020) #2 Foil").and_(page.locator(":checked")).wait_for()
        page.get_by_role("button", name="Stop the camera").click()
        assert page.locator("#scan-rows > li").count() == 1

        # Offline, the list is continued on the page that the service worker returns.
        page.context.set_offline(True)
        page.goto("/collection/scan/")
        page.get_by_text("You are offline.").wait_for()
        assert "Nora" not in page.content()
        page.get_by_role("button", name="Start the camera").click()
        page.get_by_text(f"{STEM}00221 is already in the list.").first.wait_for()
        page.locator("#codes").fill(OTHER)
        page.keyboard.press("Enter")
        waiting = page.locator(".scan-waiting")
        assert [each.get_attribute("data-code") for each in waiting.all()] == [OTHER, f"{STEM}00221"]

        page.context.set_offline(False)
        page.get_by_role("checkbox", name="Lamplight (2020) #3").wait_for()
        page.locator("#codes").fill(STEM)
        page.keyboard.press("Enter")
        page.get_by_label("The 2 or 5 digits beside the barcode").fill("00299")
        page.get_by_text("No issue has exactly this barcode.").wait_for()
        page.get_by_role("radio", name="None of these").check()

        page.evaluate("document.getElementById('scan').elements.csrf_token.value = 'of an ended session'")
        for typed, code in (
            ("7–59606–99999", "75960699999"),
            ("https://shop.example/abc", "HTTPSSHOPEXAMPLEABC"),
        ):
            page.locator("#codes").fill(typed)
            page.keyboard.press("Enter")
            row = page.locator(f'[data-code="{code}"]')
            row.get_by_text("This is not a barcode").wait_for()
            row.get_by_role("button", name="Remove").click()

        page.get_by_role("button", name="Add all").click()
        page.get_by_text("2 copies were added to your collection.").wait_for()
        page.wait_for_function("!location.search")
        assert page.locator("#scan-rows > li").count() == 0
        page.reload()  # now the page has no message
        assert page.locator("#scan-rows > li").count() == 0
    with site.sessions() as session:
        rows = session.execute(select(CollectionItem.issue_id, CollectionItem.variant_id)).all()
        assert sorted(map(tuple, rows)) == [(site.ids.second, site.ids.foil), (site.ids.third, None)]
