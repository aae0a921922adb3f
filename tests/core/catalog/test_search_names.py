"""Names as searches compare them: the database functions `name_key` and `near_keys`."""

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select, text

from comicsdb.catalog.search import UNCOUNTED
from comicsdb.matching.words import ARTICLES

SAME = (
    ("Moth-Man", "moth man", "MOTHMAN", "Moth‑Man", "Mòth·man", "The Moth-Man", "Moth-Man, The"),
    ("S.P.E.A.R.", "SPEAR", "s.p.e.a.r", "Spear"),
    ("The Meek & the Bold", "Meek and Bold", "the meek the bold", "Meek und Bold"),
    ("L'Ombra della Luna", "l’ombra della luna", "ombra della luna", "L' Ombra della Luna"),
    ("O'Dell: Year One", "odell year one", "O’Dell - Year One!"),
    ("A Foghorn", "Foghorn", "Il Foghorn", "der foghorn", "Los Foghorn"),
    ("進撃の灯台", "進撃・の灯台", "「進撃の灯台」"),
    ("The", "the!"),
    ("???", "? ? ?"),
    ("&", " & "),
    ("💥", "The 💥"),
)
LETTERS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=20)


def key(session, name: str) -> str:
    return session.scalar(select(func.name_key(func.fold(name))))


def test_keys_of_names_that_differ_in_what_does_not_count_are_equal(session):
    keys = [{name: key(session, name) for name in names} for names in SAME]
    assert [set(each.values()) for each in keys if len(set(each.values())) > 1] == []
    assert len({next(iter(each.values())) for each in keys}) == len(SAME)
    for name in ("A-9", "X-9", "Foghorn A", "Andy", "Theory", "Diehard", "Étoile", "東京", "!!!"):
        assert key(session, name) not in ("", key(session, "9")), name


def test_words_that_do_not_count_are_the_same_in_python_and_in_the_database(session):
    for word in UNCOUNTED:
        assert session.scalar(select(func.name_words(f"moth {word} man"))) == "moth man", word
        assert session.scalar(select(func.name_words(word))) == word
    assert {word for word in ARTICLES if len(word) > 1 and word != "l'"} <= UNCOUNTED
    for article in ARTICLES:
        name = article + ("tide" if article.endswith("'") else " tide")
        assert key(session, name) == "tide", article


@given(name=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30))
def test_any_name_has_a_key_which_is_its_own_key(engine, name):
    with engine.connect() as connection:
        of_name = connection.scalar(select(func.name_key(func.fold(name))))
        assert bool(of_name) == bool(connection.scalar(select(func.btrim(func.fold(name)))))
        assert " " not in of_name


@given(data=st.data(), name=LETTERS)
def test_names_with_one_typing_error_have_something_in_common(engine, data, name):
    place = data.draw(st.integers(0, len(name) - 1))
    letter = data.draw(st.sampled_from("aeiqz"))
    before, after = name[:place], name[place + 1 :]
    typed = [before + after, before + letter + name[place:], before + letter + after]
    if after and place + 1 != len(name) // 2:
        typed.append(before + after[0] + name[place] + after[1:])
    query = text("SELECT near_keys(ARRAY[:name]) && near_keys(ARRAY[:typed], '{-1,0,1}')")
    with engine.connect() as connection:
        for each in typed:
            if each != "the" and name != "the":
                assert connection.scalar(query, {"name": name, "typed": each}), each


def test_names_that_differ_more_have_nothing_in_common(session):
    query = text("SELECT near_keys(ARRAY[:name]) && near_keys(ARRAY[:typed], '{-1,0,1}')")
    for name, typed in (
        ("tarn", "moth"),
        ("tarn", "tarnished"),
        ("300", "301"),
        ("foghorn press", "moth and men"),
    ):
        assert not session.scalar(query, {"name": name, "typed": typed}), typed
