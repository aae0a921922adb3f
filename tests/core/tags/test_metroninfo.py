"""MetronInfo: every element, against the published schema, and text that could break XML."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from comicsdb.tags import metroninfo
from tests.tag_schemas import BARE, FULL, credit, named, valid_metroninfo

EVERYTHING = """
<MetronInfo>
  <IDS>
    <ID source="Comic Vine">51</ID>
    <ID source="Grand Comics Database">52</ID>
  </IDS>
  <Publisher>
    <Name>Nimbus Comics</Name>
    <Imprint>Stratus &amp; Sons</Imprint>
  </Publisher>
  <Series lang="ja">
    <Name>Harbor Lights</Name>
    <SortName>Harbor Lights</SortName>
    <Volume>1</Volume>
    <Format>Single Issue</Format>
    <StartYear>2019</StartYear>
    <AlternativeNames>
      <AlternativeName>Luci del porto</AlternativeName>
    </AlternativeNames>
  </Series>
  <CollectionTitle>Collected &lt;Harbor&gt;</CollectionTitle>
  <Number>½</Number>
  <AlternativeNumber>103</AlternativeNumber>
  <Stories>
    <Story>Low Water</Story>
    <Story>Ebb</Story>
  </Stories>
  <Summary>Tide &amp; time:\n“no one” waits.</Summary>
  <Prices>
    <Price country="GB">3.90</Price>
  </Prices>
  <CoverDate>2019-06-01</CoverDate>
  <StoreDate>2019-04-17</StoreDate>
  <PageCount>32</PageCount>
  <Notes>Ids: comicsdb 7, Comic Vine 51, Grand Comics Database 52. [CVDB51]</Notes>
  <Genres>
    <Genre>Manga</Genre>
    <Genre>Romance</Genre>
  </Genres>
  <Arcs>
    <Arc>
      <Name>Apex</Name>
    </Arc>
    <Arc>
      <Name>Zénith</Name>
    </Arc>
  </Arcs>
  <Characters>
    <Character>Gale</Character>
    <Character>Old Salt</Character>
  </Characters>
  <Teams>
    <Team>Wardens</Team>
  </Teams>
  <Universes>
    <Universe>
      <Name>Sky</Name>
    </Universe>
  </Universes>
  <Reprints>
    <Reprint>Anchor (2021) #5</Reprint>
  </Reprints>
  <GTIN>
    <ISBN>9780306406157</ISBN>
    <UPC>75960608936900311</UPC>
  </GTIN>
  <AgeRating>Teen Plus</AgeRating>
  <CommunityRating>
    <AverageRating>4.33</AverageRating>
    <RatingCount>3</RatingCount>
  </CommunityRating>
  <URLs>
    <URL primary="true">https://comics.example/issue/harbor-lights-2019-12/</URL>
    <URL>https://comicvine.gamespot.com/issue/4000-51/</URL>
    <URL>https://www.comics.org/issue/52/</URL>
  </URLs>
  <Credits>
    <Credit>
      <Creator>Ada Penwell</Creator>
      <Roles>
        <Role>Writer</Role>
        <Role>Cover</Role>
      </Roles>
    </Credit>
    <Credit>
      <Creator>Sam Reed, Jr.</Creator>
      <Roles>
        <Role>Artist</Role>
      </Roles>
    </Credit>
    <Credit>
      <Creator>Zoe</Creator>
    </Credit>
    <Credit>
      <Creator>Lin</Creator>
      <Roles>
        <Role>Other</Role>
      </Roles>
    </Credit>
  </Credits>
  <LastModified>2026-11-23T13:00:00.123456Z</LastModified>
</MetronInfo>
"""


def test_an_issue_with_everything():
    found = metroninfo.write(FULL)
    valid_metroninfo(found)
    assert found.decode().partition("?>")[2] == EVERYTHING


def test_an_issue_with_nothing_has_no_empty_elements():
    root = valid_metroninfo(metroninfo.write(BARE))
    names = "Publisher Series Number CoverDate Notes AgeRating URLs LastModified"
    assert [each.tag for each in root] == names.split()
    assert root.find("Series").attrib == {}


@pytest.mark.parametrize(
    ("code", "name"), [("metron", "Metron"), ("anilist", "AniList"), ("mangaupdates", "MangaUpdates")]
)
def test_ids_of_the_sources_that_it_names(code, name):
    root = valid_metroninfo(metroninfo.write(FULL, [(code, "8"), ("asin", "B00X")]))
    assert {each.get("source"): each.text for each in root.iter("ID")} == {name: "8"}
    assert root.findtext("Notes").endswith(" 8, Amazon B00X.")


@pytest.mark.parametrize(
    ("currency", "language", "country"),
    [("USD", "fr", "US"), ("ITL", "", "IT"), ("EUR", "de", "DE"), ("EUR", "en", None), ("", "it", None)],
)
def test_a_price_has_a_country(currency, language, country):
    series = FULL["series"] | {"language": language}
    root = valid_metroninfo(metroninfo.write(FULL | {"price_currency": currency, "series": series}))
    found = root.find("Prices/Price")
    assert (found is None) == (country is None)
    assert found is None or found.get("country") == country


def test_every_word_of_the_reference_data_is_in_the_schema():
    for role in metroninfo.ROLES:
        root = valid_metroninfo(metroninfo.write(BARE | {"credits": [credit("Ada", role)]}))
        assert root.findtext(".//Role") == role
    for rating in metroninfo.AGE_RATINGS:
        root = valid_metroninfo(metroninfo.write(BARE | {"rating": {"id": 1, "name": rating}}))
        assert root.findtext("AgeRating") == rating
    for name, shown in metroninfo.TYPES.items():
        series = BARE["series"] | {"series_type": {"id": 1, "name": name}}
        assert (
            valid_metroninfo(metroninfo.write(BARE | {"series": series})).findtext("Series/Format") == shown
        )


def test_other_words_are_left_out():
    series = BARE["series"] | {"series_type": {"id": 1, "name": "Fanzine"}, "language": "und"}
    odd = BARE | {"rating": {"id": 1, "name": "12+"}, "series": series}
    root = valid_metroninfo(metroninfo.write(odd))
    assert root.find("AgeRating") is None
    assert root.find("Series/Format") is None
    assert root.find("Series").attrib == {}


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=20), st.sampled_from(["]]>", "&", "<", "\0", "\ud800", "\ufffe", "\r\n", '"']))
def test_no_text_breaks_it(text, bad):
    odd = f"{text}{bad}x"
    texts = {"desc": odd, "name": [odd], "number": odd, "isbn": odd, "arcs": named(odd)}
    others = {
        "credits": [credit(odd, "Writer")],
        "series": FULL["series"] | {"name": odd, "alt_names": [odd]},
    }
    written = metroninfo.write(FULL | texts | others, [("metron", odd)])
    assert etree.fromstring(written).findtext("Arcs/Arc/Name").endswith("x")
