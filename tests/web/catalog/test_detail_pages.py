"""The detail pages of all kinds, with everything that they show: fields, links, credits and pictures."""

import json
from datetime import date, timedelta

import pytest
from sqlalchemy import select

from comicsdb.models import CATALOG, Role
from tests.lists import make_list
from tests.web.conftest import details, labels, soup, start_session

KINDS = [model.__tablename__ for model in CATALOG]


def path(entity, *more):
    return f"/{entity.__tablename__}/{entity.slug}/" + "".join(f"{each}/" for each in more)


LABELS = {"universe": "Prime — Earth 7", "series": "Lamplight (2019)", "issue": "Lamplight (2019) #1"}


def objects(world):
    """One object of each kind, with its label."""
    found = [getattr(world, "first" if kind == "issue" else kind) for kind in KINDS]
    return [(each, LABELS.get(kind) or each.name) for kind, each in zip(KINDS, found, strict=True)]


def test_every_kind_has_a_page_with_its_name_its_number_and_the_day_of_its_last_change(testapp, world):
    for entity, label in objects(world):
        page = soup(testapp.get(path(entity)))
        assert " ".join(page.h1.get_text(" ", strip=True).split()) == label
        assert label in page.title.get_text()
        assert page.select_one(f'.ids button[data-copy="{entity.id}"]') is not None
        assert page.select_one(".edited").get_text().startswith("Last edited on ")
        assert page.find("link", rel="canonical")["href"] == f"http://localhost{path(entity)}"


def test_a_publisher_shows_its_facts_and_what_belongs_to_it(testapp, world):
    response = testapp.get(path(world.publisher))
    assert details(response) == {
        "Series": "2 series",
        "Founded": "1938",
        "Country": "Italy",
        "Also known as": "Porto Press",
    }
    page = soup(response)
    assert [each.get_text(strip=True) for each in page.select("#imprints .card-label")] == ["Little Harbor"]
    assert page.select_one("#imprints .card-foot").get_text(strip=True) == "1 series"
    assert [each.get_text(strip=True) for each in page.select("#universes .card-label")] == [
        "Prime — Earth 7"
    ]
    assert page.select_one("#universes .card-foot").get_text(strip=True) == "1 issue"
    assert [str(each) for each in page.select(".summary p")] == [
        "<p>First.</p>",
        "<p>Second<br>line.</p>",
    ]


def test_the_name_of_a_closed_account_leads_nowhere(testapp, session, make, world, reader):
    """There is no profile to link to any more."""
    gone = make.user("Otto")
    order = make_list(session, gone, name="Dusk")
    for each in (world.first, world.arc):
        each.edited_by_id = gone.id
    session.commit()
    pages = [path(world.first), path(world.arc), path(order).replace("reading_list", "reading-lists")]
    link = '.edited a[href="/accounts/Otto/"], .list-by a[href="/accounts/Otto/"]'
    assert [len(soup(testapp.get(each)).select(link)) for each in pages] == [1, 1, 1]
    gone.is_active = False
    session.commit()
    for each in pages:
        page = soup(testapp.get(each))
        assert "by Otto" in page.select_one(".edited, .list-by").get_text()
        assert page.select('a[href="/accounts/Otto/"]') == []


def test_the_latest_five_appearances_are_shown(testapp, world, make):
    with make.single_commit():
        for day in range(1, 7):
            cover = date(2021, 1, day)
            make.issue(series=world.series, number=f"9{day}", cover_date=cover, characters=[world.character])
    found = labels(testapp.get(path(world.character)))
    assert found == [f"Lamplight (2019) #9{day}" for day in (6, 5, 4, 3, 2)]


def test_an_imprint_shows_its_publisher(testapp, world):
    assert details(testapp.get(path(world.imprint))) == {
        "Publisher": "Harbor House",
        "Series": "1 series",
        "Founded": "1999",
    }


def test_a_universe_shows_who_lives_there_and_where_it_appears(testapp, world):
    response = testapp.get(path(world.universe))
    assert details(response) == {
        "Publisher": "Harbor House",
        "Designation": "Earth 7",
        "Issues": "1 issue",
        "First appearance": "Lamplight (2019) #1",
    }
    page = soup(response)
    assert page.select_one("#characters .card-label").get_text(strip=True) == "Lamplighter"
    assert page.select_one("#teams .card-label").get_text(strip=True) == "Night Crew"
    link = page.select_one("#series .appearance-label")
    assert link["href"] == path(world.universe, world.series.slug)
    assert link.get_text(strip=True) == "Lamplight (2019)"


def test_a_series_shows_its_facts_its_issues_and_who_is_in_most_of_them(testapp, world):
    response = testapp.get(path(world.series))
    assert details(response) == {
        "Publisher": "Harbor House",
        "Imprint": "Little Harbor",
        "Type": "Single Issue",
        "Status": "Completed",
        "Language": "Italian",
        "Volume": "1",
        "Began": "2019",
        "Ended": "2021",
        "Issues": "3 issues",
        "Also known as": "Luce",
    }
    page = soup(response)
    assert [each.get_text(strip=True) for each in page.select(".card-label")] == ["#1", "#2", "#3"]
    assert page.select_one(".detail-cover img")["src"].endswith(
        "/media/thumb/cover/issue/2026/01/02/cover.png.webp"
    )
    top = [each.get_text(" ", strip=True) for each in page.select(".lines-people .credit-text")]
    assert top == ["Ada Pencil 1 issue", "Bo Brush 1 issue", "Lamplighter 2 issues"]
    assert [each.get_text(strip=True) for each in page.select(".breadcrumb li")] == [
        "Harbor House",
        "Series",
        "Lamplight (2019)",
    ]


def test_a_series_counts_the_ratings_of_all_its_issues(testapp, world):
    rating = soup(testapp.get(path(world.series))).select_one(".rating")
    assert rating.get_text(" ", strip=True) == "3.5 (2 ratings)"
    assert rating.svg["aria-label"] == "3.5 of 5 stars"
    assert [each["data-fill"] for each in rating.select("[data-fill]")] == ["100", "100", "100", "50"]


def test_an_object_without_ratings_shows_no_stars(testapp, world):
    assert soup(testapp.get(path(world.second))).select_one(".stars") is None


def test_associated_series_and_genres_are_shown(testapp, make, world, session):
    other = make.series(
        name="Lamplight Annual", publisher=world.publisher, series_type=6, associated=[world.series]
    )
    make.catalog.update(world.series, {"genres": [10, 8]})
    session.commit()
    page = soup(testapp.get(path(world.series)))
    assert page.select_one(f'.facts a[href="{path(other)}"]').get_text() == "Lamplight Annual (2020)"
    assert [each.get_text() for each in page.select("ul.tags li")] == ["Romance", "Super-Hero"]


def test_an_issue_shows_everything_about_it(testapp, world):
    response = testapp.get(path(world.first))
    shown = details(response)
    assert shown.pop("Final order cut-off") == "March 11, 2019 (past)"
    assert {name: value for name, value in shown.items() if name not in ("SKU", "UPC")} == {
        "Publisher": "Harbor House",
        "Imprint": "Little Harbor",
        "Series": "Lamplight (2019)",
        "Number": "1",
        "Cover date": "May 1, 2019",
        "In stores": "April 3, 2019",
        "Price": "$3.99",
        "Pages": "32",
        "Age rating": "Teen",
    }
    page = soup(response)
    assert page.select_one('.facts button[data-copy="76194134182600111"]') is not None
    assert [each.get_text(strip=True) for each in page.select(".stories li")] == ["A Spark", "Ashes"]
    shown = [each.get_text("|", strip=True) for each in page.select("#credits .credit-text")]
    assert shown == ["Ada Pencil|Writer, Penciller", "Bo Brush|Inker"]
    assert page.select_one("#characters .card-label").get_text(strip=True) == "Lamplighter"
    assert page.select_one("#teams .card-label").get_text(strip=True) == "Night Crew"
    assert page.select_one("#universes .card-label").get_text(strip=True) == "Prime — Earth 7"
    assert page.select_one(".kicker").get_text(" ", strip=True) == "May 2019 Teen"
    assert page.select_one(f'a.tag[href="{path(world.arc)}"]').get_text(strip=True) == "The Long Dusk"
    variant = page.select_one(".card-variant")
    assert variant.select_one(".card-label").get_text(strip=True) == "Foil"
    assert variant.select_one(".card-foot").get_text(" ", strip=True) == "$4.99 JAN190002"


def test_credits_are_in_the_order_of_a_title_page(testapp, make, session):
    role = dict(session.execute(select(Role.name, Role.id)).all())
    people = {
        "Abe": ["Editor"], "Bea": [], "Cid": ["Cover", "Inker"], "Dot": ["Colorist"], "Eve": ["Penciller"],
        "Fay": ["Cover", "Writer"], "Gil": ["Penciller"],
    }  # fmt: skip
    made = [
        {"creator": make.creator(name=name).id, "roles": [role[each] for each in roles]}
        for name, roles in people.items()
    ]
    issue = make.issue(credits=made)
    page = soup(testapp.get(path(issue)))
    shown = [each.get_text("|", strip=True) for each in page.select("#credits .credit-text")]
    assert shown == [
        "Fay|Writer, Cover", "Eve|Penciller", "Gil|Penciller", "Cid|Inker, Cover", "Dot|Colorist",
        "Abe|Editor", "Bea",
    ]  # fmt: skip
    more = soup(testapp.get(f"{path(issue)}credits/load-more/"))
    assert [each.get_text("|", strip=True) for each in more.select(".credit-text")] == shown


def test_a_description_from_the_publisher_is_called_so(testapp, make):
    note = "From the publisher's announcement"
    for values, noted in (
        ({"desc": "Soon.", "desc_is_solicitation": True}, [note]),
        ({"desc": "Soon."}, []),
        ({"desc_is_solicitation": True}, []),
    ):
        page = soup(testapp.get(path(make.issue(**values))))
        assert [each.get_text() for each in page.select(".summary .origin")] == noted


def test_a_reprint_is_named_by_which_came_first(testapp, world):
    newer = soup(testapp.get(path(world.first))).select_one("#reprints-title").parent
    assert newer.li.get_text(" ", strip=True) == "in Lamplight Collected TPB (2020) #1 Jan 2020"
    older = soup(testapp.get(path(world.reprint))).select_one("#reprints-title").parent
    assert older.li.get_text(" ", strip=True) == "from Lamplight (2019) #1 May 2019"


def test_an_unknown_age_rating_makes_no_tag(testapp, world):
    assert soup(testapp.get(path(world.second))).select_one(".kicker .tag") is None


def test_a_final_order_cut_off_is_open_until_its_day_is_over(testapp, make, wsgi):
    from comicsdb.clock import business_day

    today = business_day(wsgi.registry.settings["comicsdb.timezone"])
    issue = make.issue(foc_date=today)
    assert details(testapp.get(path(issue)))["Final order cut-off"].endswith("(open)")
    issue = make.issue(foc_date=today - timedelta(days=1))
    assert details(testapp.get(path(issue)))["Final order cut-off"].endswith("(past)")


def test_a_chapter_is_called_a_chapter(testapp, make):
    series = make.series(name="Webbed", series_type=12)
    issue = make.issue(series=series, number="4")
    heading = soup(testapp.get(path(issue))).h1.get_text(" ", strip=True)
    assert " ".join(heading.split()) == "Webbed (2020) Digital Chapter #4"


def test_a_creator_shows_life_aliases_and_credits(testapp, world):
    response = testapp.get(path(world.creator))
    assert details(response) == {"Issues": "1 issue", "Born": "March 2, 1950", "Also known as": "The Line"}
    assert soup(response).select_one("#series .appearance-label").get_text(strip=True) == "Lamplight (2019)"


def test_a_character_shows_makers_teams_and_first_appearance(testapp, world):
    response = testapp.get(path(world.character))
    assert details(response) == {
        "Issues": "2 issues",
        "First appearance": "Lamplight (2019) #1",
        "Also known as": "Wick",
        "Creators": "Ada Pencil",
        "Teams": "Night Crew",
        "Universes": "Prime — Earth 7",
    }
    assert labels(response) == ["Lamplight (2019) #2", "Lamplight (2019) #1"]


def test_names_in_the_facts_stand_in_the_order_of_the_lists(testapp, make, world):
    creators = [make.creator(name=name) for name in ("Zora", "Éve", "Evelyn", "adam")]
    teams = [make.team(name=name, creators=creators) for name in ("Öre", "Pack", "Orb")]
    character = make.character(name="Kin", creators=creators, teams=teams)
    shown = details(testapp.get(path(character)))
    assert shown["Creators"] == details(testapp.get(path(teams[0])))["Creators"] == "adam Éve Evelyn Zora"
    assert shown["Teams"] == "Orb Öre Pack"
    for name in ("Zwei", "Über uns", "Uhr"):
        make.series(name=name, publisher=world.publisher, associated=[world.series])
    assert details(testapp.get(path(world.series)))["See also"] == "Über uns (2020) Uhr (2020) Zwei (2020)"


def test_a_team_shows_its_members(testapp, world):
    response = testapp.get(path(world.team))
    assert details(response) == {
        "Issues": "1 issue",
        "Creators": "Ada Pencil",
        "Universes": "Prime — Earth 7",
    }
    assert soup(response).select_one("#members .card-label").get_text(strip=True) == "Lamplighter"


def test_an_arc_shows_its_issues_in_reading_order(testapp, make, world):
    make.issue(series=world.book, number="0", cover_date=date(2018, 1, 1), arcs=[world.arc])
    response = testapp.get(path(world.arc))
    assert labels(response) == [
        "Lamplight Collected TPB (2020) #0",
        "Lamplight (2019) #1",
        "Lamplight (2019) #2",
    ]
    assert details(response) == {"Issues": "3 issues"}


def test_external_numbers_link_to_their_databases(testapp, world):
    links = {a["href"]: a for a in soup(testapp.get(path(world.first))).select(".ids a")}
    assert set(links) == {"https://comicvine.gamespot.com/issue/4000-21/", "https://www.comics.org/issue/22/"}
    assert all("noopener" in a["rel"] and a["target"] == "_blank" for a in links.values())
    links = {a["href"] for a in soup(testapp.get(path(world.creator))).select(".ids a")}
    assert links == {"https://comicvine.gamespot.com/creator/4040-11/", "https://www.comics.org/creator/12/"}


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("W", "CC BY-SA 3.0"),
        ("M", "Data provided by Marvel"),
        ("G", "CC BY-SA 4.0"),
        ("D", "© and ™ DC"),
    ],
)
def test_each_source_has_its_own_sentence(testapp, make, source, words):
    arc = make.arc(attributions=[{"source": source, "url": "https://example.org/x"}])
    box = soup(testapp.get(path(arc))).select_one(".attribution")
    assert words in box.get_text()
    assert "noopener" in box.a["rel"]


def test_ids_in_other_databases_lead_there(testapp, make):
    ids = [("metron", "4711", ""), ("locg", "9", "series")]
    arc = make.arc(
        cv_id=5,
        external_ids=[dict(zip(("source", "external_id", "scope"), each, strict=True)) for each in ids],
    )
    box = soup(testapp.get(path(arc))).select_one(".ids")
    shown = [each.get_text() for each in box.select("dt")]
    assert shown == ["comicsdb", "Comic Vine", "League of Comic Geeks (series)", "Metron"]
    assert box.select("dt a")[1]["href"] == "https://metron.cloud/arc/4711/"
    assert [each.get_text() for each in box.select("dd code")] == [str(arc.id), "5", "9", "4711"]


def test_a_source_that_is_no_web_address_is_no_link(testapp, make, session):
    from comicsdb.models import Attribution

    arc = make.arc()
    session.add(Attribution(source="W", url="javascript:alert(1)", arc_id=arc.id))
    session.commit()
    assert soup(testapp.get(path(arc))).select_one(".attribution a") is None


def test_previous_and_next_skip_nobody_of_the_same_name(testapp, make):
    twins = [make.creator(name="Zwilling") for _ in range(3)]
    seen = [twins[0].slug]
    while len(seen) < 4:
        following = soup(testapp.get(f"/creator/{seen[-1]}/")).select_one('.neighbours a[rel="next"]')
        if following is None:
            break
        seen.append(following["href"].split("/")[2])
    assert seen == [each.slug for each in twins]
    previous = soup(testapp.get(path(twins[2]))).select_one('.neighbours a[rel="prev"]')
    assert previous["href"] == path(twins[1])


def test_previous_and_next_of_an_issue_stay_in_its_series_and_follow_the_cover_dates(testapp, make, world):
    make.issue(series=world.book, number="9", cover_date=date(2019, 5, 15))
    page = soup(testapp.get(path(world.second)))
    assert page.select_one('a[rel="prev"]')["href"] == path(world.first)
    assert page.select_one('a[rel="next"]')["href"] == path(world.third)
    assert soup(testapp.get(path(world.third))).select_one('a[rel="next"]') is None


def test_names_are_escaped_everywhere(testapp, make):
    nasty = "<script>alert(\"x\")</script> & 'co'"
    publisher = make.publisher(name=nasty, desc=nasty, alt_names=[nasty])
    series = make.series(name=nasty, sort_name=nasty, publisher=publisher, desc=nasty)
    issue = make.issue(series=series, number="<b>1", title="", name=[nasty], desc=nasty)
    pages = ("/", "/publisher/", "/series/", "/issue/", path(publisher), path(series), path(issue))
    for address in (*pages, "/search/?q=%3Cscript%3E", "/series/search?q=%3Cscript%3E"):
        page = soup(testapp.get(address))
        scripts = [each for each in page.find_all("script") if each.get("type") != "application/ld+json"]
        assert [each.get("src", "").rsplit("/", 1)[-1] for each in scripts] == ["site.js"], address
        for block in page.find_all("script", type="application/ld+json"):
            assert "<" not in block.string, address
            assert json.loads(block.string)
        assert page.find("b", string="1") is None
        assert nasty in page.get_text() or 'alert("x")' in page.get_text(), address


def test_an_enlarged_cover_is_a_page_and_a_fragment(testapp, world):
    link = soup(testapp.get(path(world.first))).select_one("a.enlarge")["href"]
    page = soup(testapp.get(link))
    assert page.select_one("figure img")["src"].endswith("/thumb/cover_large/issue/2026/01/02/cover.png.webp")
    fragment = soup(testapp.get(link, headers={"X-Fragment": "1"}))
    assert [each["data-target"] for each in fragment.find_all("template")] == ["dialog-body"]
    variant = world_variant(testapp, world)
    page = soup(testapp.get(variant))
    assert page.select_one(".frame-wide img")["src"].endswith("wide.png.webp")


def world_variant(testapp, world):
    return soup(testapp.get(path(world.first))).select_one(".card-variant .card-label")["href"]


@pytest.mark.parametrize("variant", ["", "x", "0", "99999999999999999999", "²"])
def test_a_cover_that_does_not_exist_is_not_found(testapp, world, variant):
    testapp.get(path(world.first, "cover"), {"variant": variant}, status=404)
    testapp.get(path(world.second, "cover"), status=404)


def test_pictures_have_a_size_an_alternative_text_and_the_frame_of_their_shape(testapp, world):
    page = soup(testapp.get(path(world.first)))
    cover = page.select_one(".detail-cover img")
    assert (cover["width"], cover["height"]) == ("320", "480")
    assert cover["alt"] == "Cover of Lamplight (2019) #1"
    wide = page.select_one(".card-variant .frame-wide img")
    assert (wide["width"], wide["height"]) == ("480", "320")
    assert wide["loading"] == "lazy"
    placeholder = soup(testapp.get(path(world.second))).select_one(".detail-cover .placeholder")
    assert placeholder["aria-label"] == "Cover of Lamplight (2019) #2"


def test_the_picture_of_a_page_is_its_social_picture(testapp, world):
    page = soup(testapp.get(path(world.first)))
    assert page.find("meta", property="og:image")["content"].endswith("/media/issue/2026/01/02/cover.png")
    assert page.find("meta", attrs={"name": "description"})["content"] == "It begins."


def test_readers_get_the_tags_of_an_issue_and_of_a_series_from_their_pages(testapp, member, world):
    kinds = {world.first: "application/vnd.", world.series: "application/zip"}
    for entity in kinds:
        assert not soup(testapp.get(path(entity))).select("a[download]")
    start_session(testapp, member)
    for entity, kind in kinds.items():
        links = soup(testapp.get(path(entity))).select("a[download]")
        assert [link.get_text() for link in links] == ["ComicInfo", "MetronInfo"]
        for link in links:
            assert testapp.get(link["href"]).content_type.startswith(kind)
