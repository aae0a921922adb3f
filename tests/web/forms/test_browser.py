"""The forms in a real browser: entry by keyboard, concurrent edits, suggestions, drafts, expired sessions."""

import io
from datetime import date
from decimal import Decimal
from types import SimpleNamespace

import pytest
from PIL import Image
from playwright.sync_api import expect

from comicsdb.accounts.drafts import discard_draft
from comicsdb.accounts.passwords import Passwords
from comicsdb.catalog import Catalog
from comicsdb.models import FormDraft, Issue, User
from comicsdb_web.forms.drafts import state_of
from tests.factories import Factories
from tests.web.conftest import PASSWORD, type_log_in

USED_KEY = "0" * 64  # of a draft


@pytest.fixture(scope="module")
def site(served):
    """The site, with two accounts, a series and creators to credit."""
    with served.sessions() as session:
        make = Factories(Catalog(session))
        for name in ("Nora", "Otto"):
            make.user(name, password=PASSWORD, passwords=Passwords("fast"), groups=["editor"])
        with make.single_commit():
            series = make.series(name="Lamplight").id
            for name in ("Ada Pencil", "Bo Brush", "Cy Quill"):
                make.creator(name=name)
    return SimpleNamespace(**vars(served), series=series)


@pytest.fixture(scope="module")
def states():
    """The browser storage of each account that has logged in, by name."""
    return {}


@pytest.fixture
def enter(browser, site, states):
    """`enter(name)`: a page of a logged-in account; script errors and violations of the CSP fail the test.

    Each account logs in once for all tests, and again if a test asks for a new session by `anew`.
    """
    contexts, complaints = [], []

    def entered(name, *, anew=False, **options):
        state = None if anew else states.get(name)
        # With smooth scrolling, the page could still move when the pointer clicks.
        context = browser.new_context(
            base_url=site.url, reduced_motion="reduce", storage_state=state, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda line: complaints.append(line.text) if "Content Security" in line.text else None,
        )
        if state is None:
            type_log_in(page, site, name)
            states.setdefault(name, context.storage_state())
        return page

    yield entered
    for context in contexts:
        context.close()
    assert complaints == []


def png(colour):
    """A picture, as a file to upload."""
    file = io.BytesIO()
    Image.new("RGB", (40, 60), colour).save(file, "PNG")
    return {"name": f"{colour}.png", "mimeType": "image/png", "buffer": file.getvalue()}


def pick(page, field, text, label):
    """Choose an object with the keyboard only."""
    box = page.get_by_role("combobox", name=f"Find: {field}").last
    box.focus()
    page.keyboard.type(text)
    page.get_by_role("option", name=label).wait_for()
    assert box.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    assert page.locator(f"#{box.get_attribute('aria-activedescendant')}").inner_text().startswith(label)
    page.keyboard.press("Enter")
    page.get_by_label(label, exact=False).and_(page.locator(":checked")).last.wait_for()
    assert box.input_value() == ""


def test_an_issue_is_made_by_keyboard_with_a_cover_three_credits_and_two_variants(enter, site):
    page = enter("Nora")
    page.goto("/issue/create/")
    pick(page, "Series", "lampl", "Lamplight (2020)")
    page.get_by_label("Number (required)").fill("1")
    page.get_by_label("Cover date").fill("2020-05-01")
    page.locator("#image").set_input_files(png("teal"))
    for number, (creator, role) in enumerate(
        (("Ada Pencil", "Writer"), ("Bo Brush", "Inker"), ("Cy Quill", "Letterer"))
    ):
        page.get_by_role("button", name="Add a credit").press("Enter")
        page.locator(f"#credits-{number}-creator-q:focus").wait_for()  # has the focus
        pick(page, "Creator", creator[:4], creator)
        # Enter before any option is shown chooses the first one once it arrives.
        page.get_by_role("combobox", name="Find: Roles").last.focus()
        page.keyboard.type(role[:3].lower())
        page.keyboard.press("Enter")
        page.locator(f"#credits-{number}-roles").get_by_label(role, exact=True).wait_for()
    page.locator("summary").filter(has_text="Variant covers").press("Enter")
    for number, colour in enumerate(("red", "blue")):
        page.get_by_role("button", name="Add a variant").press("Enter")
        page.locator(f"#variants-{number}-image").set_input_files(png(colour))
        page.locator(f"#variants-{number}-name").fill(colour)
    assert page.get_by_role("button", name="Find").count() == 0  # not needed with the script
    # Leaving the page asks for a confirmation, which is dismissed.
    with page.expect_event("dialog") as asked:
        page.evaluate("setTimeout(() => location.assign('/'))")
    assert asked.value.type == "beforeunload"
    asked.value.dismiss()
    page.get_by_label("Number (required)").press("Enter")  # Enter saves
    page.wait_for_url("**/issue/lamplight-2020-1/")
    assert "was added to the catalog" in page.locator("#messages").inner_text()
    with site.sessions() as session:
        issue = session.query(Issue).one()
        state = state_of(session, issue)
    assert (issue.image_width, len(issue.cover_hash), state["series"]) == (40, 16, site.series)
    assert [len(credit["roles"]) for credit in state["credits"]] == [1, 1, 1]
    assert [variant["name"] for variant in state["variants"]] == ["red", "blue"]


def test_two_people_edit_at_once_both_keep_their_work_and_one_reverts_it_all(enter, site):
    with site.sessions() as session:
        issue = Factories(Catalog(session)).issue(series=site.series, number="2")
    address = f"/issue/{issue.slug}/update/"
    nora, otto = enter("Nora"), enter("Otto", viewport={"width": 390, "height": 844})
    nora.goto(address)
    otto.goto(address)
    nora.fill("#desc", "By Nora.")
    nora.fill("#page", "32")
    nora.get_by_role("button", name="Save", exact=True).click()
    nora.wait_for_url(f"**/issue/{issue.slug}/")
    otto.fill("#desc", "By Otto.")
    otto.get_by_role("heading", name="Codes").click()
    otto.fill("#sku", "OTTO1")
    otto.get_by_role("button", name="Save", exact=True).click()
    notice = otto.get_by_role("alert").filter(has_text="Somebody else saved in the meantime")
    notice.wait_for()
    assert "By Nora." in notice.inner_text()
    assert "By Otto." in notice.inner_text()
    assert otto.input_value("#page") == "32"
    assert otto.evaluate("document.documentElement.scrollWidth") == 390
    otto.get_by_role("button", name="Save", exact=True).click()
    otto.wait_for_url(f"**/issue/{issue.slug}/")
    with site.sessions() as session:
        now = session.get(Issue, issue.id)
        assert (now.desc, now.page, now.sku) == ("By Otto.", 32, "OTTO1")
    nora.goto(f"/issue/{issue.slug}/history/")
    nora.get_by_role("link", name="Revert to this version").last.click()
    nora.wait_for_url(f"**/issue/{issue.slug}/history/*/revert/")
    assert "By Otto." in nora.inner_text("main")
    nora.get_by_role("button", name="Revert", exact=True).click()
    nora.wait_for_url(f"**/issue/{issue.slug}/")
    with site.sessions() as session:
        now = session.get(Issue, issue.id)
        assert (now.desc, now.page, now.sku) == ("", None, "")


def test_the_search_box_of_every_page_suggests_what_it_finds(browser, site):
    page = browser.new_page(base_url=site.url)
    page.goto("/help/")
    page.keyboard.press("/")
    box, found = page.get_by_role("combobox", name="Search the whole database"), page.locator("#quick-found")
    chosen = found.get_by_role("option", selected=True)
    page.keyboard.type("lamp")  # "/" has moved the focus to the field
    chosen.wait_for()
    assert chosen.inner_text() == "Lamplight (2020)"
    assert box.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    page.keyboard.press("ArrowUp")
    assert chosen.inner_text() == "All results for “lamp”"
    page.keyboard.press("Escape")
    assert (found.is_hidden(), box.input_value(), box.get_attribute("aria-expanded")) == (
        True,
        "lamp",
        "false",
    )
    page.keyboard.press("Control+k")
    page.keyboard.type("lampligth")  # replaces the previous text
    page.keyboard.press("Enter")  # before anything is suggested
    page.wait_for_url("**/series/lamplight-2020/")
    page.close()


def test_enter_that_accepts_the_text_of_an_input_method_chooses_nothing(enter):
    """Japanese and Chinese are typed by composing: Enter and arrows then belong to the input method."""
    page = enter("Nora")
    page.goto("/issue/create/")
    suggested = page.locator("#quick-found").get_by_role("option", selected=True)
    series = page.get_by_role("combobox", name="Find: Series")
    for box, option in (
        (page.locator("#quick-q"), suggested),
        (series, page.get_by_role("option", name="Lamplight (2020)")),
    ):
        box.focus()
        page.keyboard.type("lampl")
        option.wait_for()
        before = box.get_attribute("aria-activedescendant")
        # In Safari, the composition has ended by then, and only the code of the key tells.
        for way in ({"isComposing": True}, {"keyCode": 229}):
            for key in ("ArrowUp", "Enter"):
                event = {"key": key, "bubbles": True, "cancelable": True} | way
                left = box.evaluate("(box, e) => box.dispatchEvent(new KeyboardEvent('keydown', e))", event)
                assert (left, box.get_attribute("aria-activedescendant")) == (True, before), event
        assert (option.is_visible(), box.input_value()) == (True, "lampl")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Lamplight (2020)")).to_be_checked()


def test_enter_finds_names_that_are_too_short_for_suggestions(enter, site):
    with site.sessions() as session:
        Factories(Catalog(session)).series(name="It")
    page = enter("Nora")
    page.goto("/issue/create/")
    page.get_by_label("Number (required)").fill("7")
    page.get_by_role("combobox", name="Find: Series").focus()
    page.keyboard.type("it")
    page.keyboard.press("Enter")
    page.get_by_role("radio", name="It (2020)").check()
    assert page.get_by_label("Number (required)").input_value() == "7"


def test_the_form_fits_and_buttons_that_fill_in_a_field_cover_neither_its_label_nor_its_input(enter, site):
    page = enter("Nora")
    page.context.add_cookies([{"name": "language", "value": "it", "url": site.url}])  # the longer words
    page.goto("/issue/create/")
    for width in (320, 390, 820, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(COVERED) == [False] * 3, width
        assert page.evaluate("document.documentElement.scrollWidth") == width


COVERED = """() => [...document.querySelectorAll("[name=propose], .pick [name=copy]")].map(button => {
    const field = button.closest("fieldset"), label = document.createRange();
    label.selectNodeContents(field.querySelector("legend"));
    const box = button.getBoundingClientRect();
    return [label, field.querySelector(".finder input")].some(each => {
        const other = each.getBoundingClientRect();
        return box.left < other.right && other.left < box.right
            && box.top < other.bottom && other.top < box.bottom;
    });
})"""


@pytest.mark.parametrize("act", ["row", "picker"])
def test_what_was_typed_comes_back_when_the_session_ends_before_a_row_or_a_pick(enter, site, act):
    page = enter("Nora")
    page.goto("/issue/create/")
    page.get_by_label("Number (required)").fill("77")
    page.context.clear_cookies(name="session")
    if act == "row":
        page.get_by_role("button", name="Add a credit").click()
    else:
        page.get_by_role("combobox", name="Find: Series").press_sequentially("lampl")
    page.wait_for_url("**/accounts/login/**")
    page.fill("#username", "Nora")
    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/issue/create/**")
    assert page.get_by_label("Number (required)").input_value() == "77"


TAKE = """([name, kind, text]) => {
    const canvas = document.createElement("canvas");
    canvas.width = 40, canvas.height = 60;
    return new Promise(done => canvas.toBlob(blob => {
        const data = new DataTransfer();
        data.items.add(new File([blob], `${name}.png`, {type: "image/png"}));
        if (text) data.setData("text/plain", text);
        const field = document.querySelector(`#${name}`).closest(".picture");
        const options = {bubbles: true, cancelable: true};
        field.dispatchEvent(kind === "drop" ? new DragEvent("drop", {...options, dataTransfer: data})
            : new ClipboardEvent("paste", {...options, clipboardData: data}));
        done();
    }));
}"""


def test_a_form_of_an_earlier_session_says_that_its_draft_is_no_longer_kept(enter, site):
    page = enter("Otto", anew=True)
    page.goto("/arc/create/")
    page.context.clear_cookies(name="session")
    other = page.context.new_page()  # another tab, in which he logs in again
    type_log_in(other, site, "Otto")
    page.fill("#name", "Unkept")
    state = page.locator("#draft-state")
    expect(state).to_have_text("Your session has ended: the draft is no longer updated.")


def test_the_next_issue_takes_few_strokes_and_survives_the_end_of_the_session(enter, site):
    with site.sessions() as session:
        make = Factories(Catalog(session))
        role = make.role("Writer").id
        values = {"cover_date": date(2026, 3, 1), "price": Decimal("4.99"), "page": 32, "upc": "761941341826"}
        with make.single_commit():
            people = [make.creator(name=f"Hand {number} of the Harbor").id for number in range(7)]
            named = [{"creator": each, "roles": [role, make.role("Inker").id]} for each in people]
            tide = make.series(name="Tidewater")
            issue = make.issue(series=tide, number="70", credits=named, **values)
        discard_draft(session, session.query(User.id).filter_by(username="Nora").scalar(), USED_KEY)
        session.commit()
    page = enter("Nora", viewport={"width": 1280, "height": 900})
    page.goto(f"/issue/{issue.slug}/update/")
    assert page.locator("[id^=credits-][data-row]").count() == 7
    assert page.locator("#edit").evaluate("form => form.getBoundingClientRect().height") <= 2000
    strokes = 0
    page.goto(f"/issue/{issue.slug}/")
    for press in (
        page.locator(".acts > a").click,
        page.locator("button[name=copy][value=credits]").click,
        page.locator("#name").click,
        lambda: page.keyboard.insert_text("The Tide Turns"),
    ):
        press()
        strokes += 1
    # The browser's Back can bring a form whose key was used when it was saved: the draft gets another one.
    page.locator("[name=draft_key]").evaluate("(field, key) => { field.value = key; }", USED_KEY)
    # Only a draft is saved so far; it is available after the session has ended.
    for name, kind in (("image", "drop"), ("image", "paste")):
        page.evaluate(TAKE, [name, kind])
        page.locator(".picture canvas").wait_for()
    page.locator("#draft-state").filter(has_text="Draft saved at").wait_for()
    page.context.clear_cookies(name="session")
    page.close(run_before_unload=False)
    page = enter("Nora", anew=True, viewport={"width": 1280, "height": 900})
    page.goto("/issue/create/")
    page.get_by_role("link", name="Continue editing").click()
    expect(page.locator("#name")).to_have_value("The Tide Turns")
    # Unknown objects are created in place.
    page.get_by_role("combobox", name="Find: Characters").fill("Tidewatcher")
    page.get_by_role("option", name="Tidewatcher New character").wait_for()
    page.keyboard.press("Enter")
    page.evaluate(TAKE, ["image", "paste", "from a spreadsheet"])
    assert page.locator(".picture canvas").count() == 0
    page.evaluate(TAKE, ["image", "paste"])
    page.locator(".picture canvas").wait_for()
    page.get_by_role("button", name="Save", exact=True).click()
    strokes += 1
    page.wait_for_url("**/issue/tidewater-2020-71/")
    assert strokes < 25
    with site.sessions() as session:
        made = session.query(Issue).filter_by(number="71").one()
        state = state_of(session, made)
        assert session.query(FormDraft).filter(FormDraft.form != "").count() == 0
    assert (made.cover_date, made.price, made.page) == (date(2026, 4, 1), Decimal("4.99"), 32)
    assert (made.image_width, made.name, len(state["credits"])) == (40, ["The Tide Turns"], 7)
    assert len(state["characters"]) == 1


def test_chosen_series_selects_the_currency_of_its_publishers_country(enter, site):
    with site.sessions() as session:
        make = Factories(Catalog(session))
        make.series(name="Notte Blu", year_began=1974, publisher=make.publisher(country="IT"))
    page = enter("Nora")
    page.goto("/issue/create/")
    page.get_by_role("combobox", name="Find: Series").focus()
    page.keyboard.type("notte")
    page.get_by_role("option", name="Notte Blu (1974)").click()
    expect(page.locator("[name=price_currency]")).to_have_value("ITL")
    page.locator("button[data-kind=variants]").dispatch_event("click")
    expect(page.locator("[name=variants-0-price_currency]")).to_have_value("ITL")
