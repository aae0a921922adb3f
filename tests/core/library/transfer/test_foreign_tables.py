"""Tables of other programs: columns by their names, with any encoding, delimiter and date order."""

import io
import zipfile
from datetime import date

import pytest

from comicsdb.catalog import InvalidError
from comicsdb.library.transfer.format import COLLECTION, RATINGS, READS, WISHES, resolve_currencies
from comicsdb.library.transfer.reading import read_file

# In the formats of these sites, with made-up comics.
LOCG = """\
Publisher Name,Series Name,Full Title,Release Date,In Collection,In Wish List,Marked Read,My Rating,\
Media Format,Price Paid,Date Purchased,Condition,Notes,Tags,Storage Box,Owner,Purchase Store,Signature,\
Slabbing,Grading,Grading Company
Harbor House,The Lamplighter (2018 - 2022),The Lamplighter #12.HU,2018-07-11,2,0,1,4,Print,$3.99,2018-07-14,,\
"Signed, twice",gift;blue,Long box 3,,Corner Shop,,CGC,9.8,CGC
Harbor House,The Lamplighter,The Lamplighter Vol. 2 TP,2019-01-02,0,1,0,0,,,,,for later,,,,,,,,
Harbor House,Night Crew,Night Crew #1 Foil Variant,2020-02-30,0,0,1,3.5,Digital,,,,,,,,,,,,
Harbor House,Night Crew,Night Crew #2,2020-03-04,0,0,1,5,,,,,,,,,,,,,
"""
CLZ = """\
Series;Issue Nr;Variant;Publisher;Release Date;Cover Date;Format;Added Date;Collection Status;Quantity;\
Grade;Grading Company;Purchase Date;Purchase Price;Purchase Store;Storage Box;Notes;Read It;\
Reading Date;My Rating;Barcode
Lamplighter, Vol. 2 (2018);3A;A;Harbor House;;Mar 2018;Comic;05/11/2020;In Collection;2;9.4 NM;;17/11/2020;\
1.234,50 €;Fumetteria È;Box 1;Così;Yes;31/12/2020;8;7 59606 08936 5 00111
Lamplighter, Vol. 2;4;;Harbor House;;;;;On Wish List;;;;;;;;;No;;;
Lamplighter, Vol. 2;5;;Harbor House;;;;;In Collection;0;perfect;XYZ;;12 CHX;;;;;;7;
"""
GCD = """\
series,publisher,series year,issue,grade,acquisition date,location,purchase location,was read,price paid,,\
description,tags
The Lamplighter,Harbor House,2018,v2#3 [Direct],14,2019-05-??,7,Corner Shop,True,2.50,GBP,\
first printing,red; blue
The Lamplighter,Harbor House,2018,nn,NM,2019-05-01,Attic,,False,,,,
"""


def rows(data, **more):
    return read_file(data if isinstance(data, bytes) else data.encode(), rows=5000, megabytes=5, **more).rows


def test_title_of_league_of_comic_geeks_names_annual_and_format():
    table = (
        "Series Name,Full Title,In Collection\n"
        "The Lamplighter (2018 - 2022),The Lamplighter Annual #2,1\n"
        "The Lamplighter,The Lamplighter Vol. 1 TP,1\n"
    )
    annual, book = (row.wanted for row in rows(table))
    assert (annual.series, annual.number, annual.year) == ("The Lamplighter Annual", "2", 2018)
    assert (book.series, book.number, book.format) == ("The Lamplighter", "1", "TP")


def test_league_of_comic_geeks():
    upload = read_file(LOCG.encode(), rows=10, megabytes=1)
    assert (upload.form, upload.skipped) == ("locg", 0)
    owned, wished, odd, rated, read = upload.rows
    assert (owned.part, owned.line) == (COLLECTION, 2)
    assert (owned.wanted.series, owned.wanted.number, owned.wanted.year) == ("The Lamplighter", "12.HU", 2018)
    assert (owned.wanted.publisher, owned.wanted.store_date) == ("Harbor House", date(2018, 7, 11))
    assert owned.values == {
        "quantity": 2,
        "is_read": True,
        "rating": 4,
        "book_format": "PRINT",
        "purchase_price": "3.99",
        "purchase_currency": "USD",
        "purchase_date": "2018-07-14",
        "notes": "Signed, twice",
        "tags": ["blue", "gift"],
        "storage_location": "Long box 3",
        "purchase_store": "Corner Shop",
        "grade": "9.8",
        "grading_company": "CGC",
    }
    assert (wished.part, wished.wanted.number) == (WISHES, "2")
    assert wished.values == {"status": "WANTED", "notes": "for later"}
    assert (odd.part, odd.values) == (READS, {"read_dates": []})
    assert odd.unclear == [("rating", "3.5"), ("release_date", "2020-02-30")]
    assert (rated.part, rated.values) == (RATINGS, {"rating": 5})
    assert (read.part, read.values) == (READS, {"read_dates": []})
    assert (rated.line, read.line) == (5, 5)


@pytest.mark.parametrize(
    ("state", "parts"),
    [
        ("In Collection", [COLLECTION]),
        ("For Sale", [COLLECTION]),
        ("On Order", [WISHES, RATINGS]),
        ("Sold", [RATINGS]),
        ("Not in Collection", [RATINGS]),
    ],
)
def test_clz_also_lists_what_is_not_owned(state, parts):
    upload = rows(f"Series;Issue Nr;Collection Status;My Rating\nLamplighter;5;{state};8\n")
    assert [each.part for each in upload] == parts


def test_clz_with_semicolons_days_first_and_another_currency():
    upload = read_file(CLZ.encode("cp1252"), rows=10, megabytes=1)
    assert upload.form == "clz"
    owned, wished, odd = upload.rows
    assert (owned.wanted.series, owned.wanted.number) == ("Lamplighter", "3")
    assert (owned.wanted.volume, owned.wanted.year) == (2, 2018)
    assert (owned.wanted.cover_date, owned.wanted.upc) == (date(2018, 3, 1), "75960608936500111")
    assert owned.values == {
        "quantity": 2,
        "book_format": "PRINT",
        "grade": "9.4",
        "purchase_date": "2020-11-17",
        "purchase_price": "1234.50",
        "purchase_currency": "EUR",
        "purchase_store": "Fumetteria È",
        "storage_location": "Box 1",
        "notes": "Così",
        "read_dates": ["2020-12-31T12:00:00+00:00"],
        "rating": 4,
        "added": "2020-11-05T12:00:00+00:00",
    }
    assert wished.part == WISHES
    assert odd.values == {}
    assert dict(odd.unclear) == {
        "grade": "perfect",
        "grading_company": "XYZ",
        "purchase_price": "12 CHX",
        "rating": "7",
    }


def test_gcd_whose_own_numbers_of_grades_are_no_grades():
    first, second = rows(GCD)
    assert (first.wanted.series, first.wanted.number, first.wanted.volume) == ("The Lamplighter", "3", 2)
    assert first.wanted.year == 2018
    assert first.values == {
        "purchase_price": "2.50",
        "purchase_currency": "GBP",
        "purchase_store": "Corner Shop",
        "is_read": True,
        "notes": "first printing",
        "tags": ["blue", "red"],
    }
    assert dict(first.unclear) == {"grade": "14", "storage_location": "7", "purchase_date": "2019-05-??"}
    assert second.wanted.number == ""
    assert (second.values["grade"], second.values["storage_location"]) == ("9.4", "Attic")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_delimiters_and_ends_of_lines(encoding, delimiter, end):
    text = end.join(("Notes;Number;Series", '"À la\n""carte""";#1;Été', "", ";2;Été", "")).replace(
        ";", delimiter
    )
    first, second = rows(text.encode(encoding))
    assert (first.wanted.series, first.wanted.number) == ("Été", "1")
    assert first.values["notes"] == 'À la\n"carte"'
    assert (second.wanted.number, second.values) == ("2", {})


def test_what_excel_adds_is_understood():
    (row,) = rows("sep=;\r\nTitle;Issue;Price paid;Format\r\nLamplighter;'-1;=1+1;ebook\r\n")
    assert (row.wanted.series, row.wanted.number) == ("Lamplighter", "-1")
    assert row.values == {"book_format": "DIGITAL"}
    assert row.unclear == [("purchase_price", "=1+1")]


def test_months_first_unless_a_day_says_otherwise():
    head = "Series,Number,Purchase date\n"
    assert rows(f"{head}A,1,03/05/2019\n")[0].values["purchase_date"] == "2019-03-05"
    assert [row.values["purchase_date"] for row in rows(f"{head}A,1,03/05/2019\nA,2,13/05/2019\n")] == [
        "2019-05-03",
        "2019-05-13",
    ]


def test_dates_as_spreadsheets_and_people_write_them():
    day = "2019-05-03"
    for text in ("2019/5/3", "3.5.2019", "3.5.19", "3-May-19", "03-mag-2019", "3 maggio 2019", "3. Mai 2019"):
        (row,) = rows(f'Series,Number,Purchase date\nA,1,"{text}"\n')
        assert (row.values.get("purchase_date"), row.unclear) == (day, []), text
    more = ("May 3, 2019", day), ("5/3/19", day), ("5/3/63", "1963-05-03"), ("May-19", "2019-05-01")
    for text, read in (*more, ("août 2016", "2016-08-01"), ("sett. 2016", "2016-09-01")):
        (row,) = rows(f'Series,Number,Purchase date\nA,1,"{text}"\n')
        assert row.values.get("purchase_date") == read, text
    for text in ("3-May", "13-13-19", "5/3/1", "3.5.198", "Marvel 2019", "13/2019", "2019"):
        (row,) = rows(f"Series,Number,Purchase date\nA,1,{text}\n")
        assert (row.values, row.unclear) == ({}, [("purchase_date", text)])


def test_cover_date_without_day_is_read_as_far_as_it_is_known():
    texts = "08/2016;8.2016;Aug 2016;August, 2016;Aug-16;2016-08;2016/8;2016-08-00;1963".split(";")
    table = "Series,Issue,Cover date,Publisher\n" + "".join(f'A,1,"{text}",B\n' for text in texts)
    *months, year = rows(table)
    assert [(row.wanted.cover_date, row.unclear) for row in months] == [(date(2016, 8, 1), [])] * 8
    assert (year.wanted.cover_date, year.wanted.published, year.unclear) == (None, 1963, [])


def test_words_of_grades_and_truth_as_spreadsheets_have_them():
    grades = {"F/VF": "7.0", "VG/F": "5.0", "F": "6.0", "G/VG": "3.0", "G": "2.0", "FA": "1.0", "P": "0.5"}
    table = "Series,Number,Grade\n" + "".join(f"A,1,{each}\n" for each in grades)
    assert [row.values.get("grade") for row in rows(table)] == list(grades.values())
    read, unread = rows("Series;Number;Read\nA;1;VERO\nA;2;FALSO\n")
    assert (read.values, unread.values) == ({"is_read": True}, {"is_read": False})
    for text, grade in (("9.40", "9.4"), ("10,00", "10.0"), ("9.400 NM", "9.4"), ("10", "10.0")):
        (row,) = rows(f"Series;Number;Grade\nA;1;{text}\n")
        assert (row.values, row.unclear) == ({"grade": grade}, []), text
    for text in ("100", "CGC 100", "1000"):  # not a ten with further zeros
        (row,) = rows(f"Series;Number;Grade\nA;1;{text}\n")
        assert (row.values, row.unclear) == ({}, [("grade", text)]), text


def test_ratings_of_a_readers_own_table_are_out_of_five_or_ten():
    head = "Series,Issue,Cover date,Publisher,Rating\n"  # which CLZ might have, but for My Rating
    for values, stars in ((("4", "5"), [4, 5]), (("4", "9", "10"), [2, None, 5])):
        table = head + "".join(f"A,1,,B,{each}\n" for each in values)
        assert [row.values.get("rating") for row in rows(table)] == stars


def test_a_grade_may_name_its_company():
    first, second, third = rows("Series,Number,Grade,Graded by\nA,1,CGC 9.8,\nA,2,9.4 (cbcs),\nA,3,9.4,\n")
    assert [each.values.get("grading_company") for each in (first, second, third)] == ["CGC", "CBCS", None]
    (row,) = rows("Series,Number,Grade,Grading company\nA,1,CGC 9.8,PGX\n")
    assert row.values == {"grade": "9.8", "grading_company": "PGX"}


def test_midnight_is_how_spreadsheets_write_a_date_without_time():
    times = "2020-01-05 00:00:00", "20200105T0000", "2020-01-05 08:30:00"
    table = "Series,Number,Date read\n" + "".join(f"A,1,{each}\n" for each in times)
    assert [row.values["read_dates"] for row in rows(table)] == [
        ["2020-01-05T12:00:00+00:00"],
        ["2020-01-05T12:00:00+00:00"],
        ["2020-01-05T08:30:00+00:00"],
    ]


def test_a_spreadsheet_is_refused_with_the_remedy():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("xl/workbook.xml", "<workbook/>")
    for data in (packed.getvalue(), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)):
        with pytest.raises(InvalidError) as refused:
            rows(data)
        assert str(refused.value.errors["file"][0]).endswith("spreadsheet as CSV.")


def test_titles_of_a_readers_own_table():
    for titles in ("Series;Issue Number", "Title;Issue Number", "Series Name;Issue", "Title;Issue No."):
        (row,) = rows(f"\n{titles};Price paid\nA;n. 12;3,50 euro\n")
        assert (row.wanted.series, row.wanted.number) == ("A", "12"), titles
        assert row.values == {"purchase_price": "3.50", "purchase_currency": "EUR"}


def archive(method: int, *replaced: tuple[bytes, bytes]) -> bytes:
    """A ZIP archive of one of our tables, in which bytes are replaced."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as made:
        made.writestr("collection.csv", "issue_id,quantity\n" + "1,1\n" * 30)
        made.writestr("caf\u00e9.txt", "")
    data = packed.getvalue()
    for old, new in replaced:
        assert len(old) == len(new)
        assert old in data
        data = data.replace(old, new)
    return data


def archive_with_damaged_content() -> bytes:
    data = archive(zipfile.ZIP_LZMA)
    start = data.index(b"collection.csv") + len("collection.csv")
    return data[: start + 4] + b"\xff" * 5 + data[start + 9 :]


BAD = {
    "archive with damaged content": archive_with_damaged_content(),
    "archive with a damaged name": archive(zipfile.ZIP_DEFLATED, ("caf\u00e9".encode(), b"caf\xc3\xff")),
    "archive with a wrong offset": archive(zipfile.ZIP_DEFLATED)[:-6] + b"\xff\xff\xff\x00\x00\x00",
    "empty below the titles": b"Series,Number\n\n\n",
    "one line": b"Series,Number",
    "blanks": b"  \n ",
    "one unknown column": b"Colour\nblue\n",
    "binary": bytes(range(256)) * 20,
    "NUL": b"Series,Number\nA\0,1\n",
    "broken UTF-16": b"\xff\xfeS\x00e",
    "picture": b"\x89PNG\r\n\x1a\n\x00\x00",
    "huge cell": b"Series,Number\n" + b"A" * 200_000 + b",1\n",
    "wide": b"Series,Number" + b",x" * 600 + b"\nA,1\n",
    "open quote": b'Series,Number\n"A,1\n' + b"B,2\n" * 40_000,
    "long": b"Series,Number\n" + b"A,1\n" * 5001,
    "large": b"Series,Number\n" + b"A,1\n" * 2_000_000,
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_table_is_refused_with_a_reason(name):
    with pytest.raises(InvalidError) as refused:
        rows(BAD[name])
    assert list(refused.value.errors) == ["file"]


def test_odd_cells_leave_a_row_usable():
    cells = [
        "9" * 5000,
        "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
        "=cmd|' /C calc'!A0",
        "-5",
        "NaN",
    ]
    for cell in cells:
        quoted = '"' + cell.replace('"', '""') + '"'
        line = ",".join(["Lamplighter", "1", *[quoted] * 6])
        (row,) = rows(
            f"Series,Number,Quantity,Grade,Purchase Price,Purchase Date,Rating,Reading Date\n{line}\n"
        )
        assert row.values == {} or cell == "-5", (cell, row.values)
        assert len(row.unclear) >= 5
        assert all(len(shown) <= 60 for _name, shown in row.unclear)


def test_an_amount_of_any_length_is_unclear():
    for amount in ("9" * 26, "9" * 27, "9" * 58, f"${'9' * 27}", f"{'9' * 57} KWD", f"1.{'234.' * 14}234"):
        (row,) = rows(f"Series,Number,Purchase Price\nLamplighter,1,{amount}\n")
        resolve_currencies(row, "USD")
        assert (row.values, [name for name, _shown in row.unclear]) == ({}, ["purchase_price"]), amount


def test_an_amount_among_blanks_is_given_up_at_once():
    blanks = " " * 50_000  # a pattern with backtracking would take minutes
    table = f"Series,Number,Purchase Price\nLamplighter,1,1{blanks}-\nLamplighter,2,{blanks}$ 1{blanks}\n"
    unclear, clear = rows(table)
    assert [name for name, _shown in unclear.unclear] == ["purchase_price"]
    assert (clear.values["purchase_price"], clear.unclear) == ("1.00", [])


# Columns by name, whoever wrote them.


# The columns of comicbookdb's own files: gcd-django, issue 470.
COMICBOOKDB = """\
Title,Issue Number,Issue Name,Variant Name,Publisher,Imprint,Cover Date Month,Cover Date Year,Cover Price,\
Condition,Quantity,Storage Method,Storage Location,Notes,Price Paid,Writer(s),Read/Unread,Date Acquired,\
Location Acquired
Salt Tide (1994),3,The Ferry,,Harbor House,,July,1995,2.95,NM,2,Bag,Long box 1,first print,3.5,A. Writer,\
Read,08/02/1995,Corner Shop
Salt Tide (1994),4,,,Harbor House,,8,1995,2.95,,1,,,,,,Unread,,
Salt Tide (1994),5,,,Harbor House,,Smarch,1995,2.95,,1,,,,,,Unread,,
"""
# Properties of books in ComicRack, as its lists are exported.
COMICRACK = """\
Series;Number;Volume;Title;Year;Month;Day;Publisher;Web;Notes;Rating;Book Price;Book Condition;Book Store;\
Book Location;Book Notes;Book Collection Status
Salt Tide;3;1994;The Ferry;1995;7;-1;Harbor House;https://comicvine.gamespot.com/salt-tide-3/4000-77123/;\
Tagged with ComicTagger 1.3 [CVDB77123];4.0;3.5;NM;Corner Shop;Shelf;signed;
Salt Tide;4;1994;;1995;8;12;Harbor House;;;0;;;;;;Wanted
"""


def test_table_of_comicbookdb_has_its_title_month_and_year():
    upload = read_file(COMICBOOKDB.encode(), rows=10, megabytes=1)
    first, second, odd = upload.rows
    assert upload.form == "comicbookdb"
    assert (first.wanted.series, first.wanted.year, first.wanted.number) == ("Salt Tide", 1994, "3")
    assert [row.wanted.cover_date for row in (first, second)] == [date(1995, 7, 1), date(1995, 8, 1)]
    assert first.values == {
        "grade": "9.4",
        "quantity": 2,
        "storage_location": "Long box 1",
        "notes": "first print",
        "purchase_price": "3.50",
        "is_read": True,
        "purchase_date": "1995-08-02",
        "purchase_store": "Corner Shop",
    }
    assert (odd.unclear, odd.wanted.published) == ([("cover_date", "Smarch 1995")], 1995)
    left = [column.title for column in upload.columns]
    assert left == ["Issue Name", "Cover Price", "Storage Method", "Writer(s)"]  # those with cells


def test_table_of_comicrack_has_ids_in_address_and_notes():
    upload = read_file(COMICRACK.encode(), rows=10, megabytes=1)
    owned, wished = upload.rows
    assert upload.form == "comicrack"
    assert (owned.wanted.ids, owned.wanted.volume, owned.wanted.published) == ("comicvine 77123", 1994, 1995)
    assert (wished.part, wished.wanted.cover_date) == (WISHES, date(1995, 8, 12))
    assert owned.values["notes"] == "Tagged with ComicTagger 1.3 [CVDB77123]\nsigned"
    assert (owned.values["rating"], owned.values["purchase_price"]) == (4, "3.50")
    assert [column.title for column in upload.columns] == ["Title"]


def test_ids_of_any_source_are_read_from_columns_named_after_it():
    titles = "cv_id,GCD ID,metron_id,LoCG ID,Comic Vine Volume ID,gcd_series_id,ISBN,Wikidata,Link"
    row = "4000-123,77.0,55,9001,4050-18,12,978-1-302-92049-4,Q5,https://www.comics.org/issue/78/"
    (found,) = rows(f"Series,Number,{titles}\nSalt Tide,1,{row}\n")
    assert found.wanted.ids == "gcd 77 comicvine 123 metron 55 locg 9001"
    assert found.wanted.series_ids == "comicvine 18 gcd 12"
    assert found.wanted.isbn == "9781302920494"
    (bare,) = rows("gcd_id,Grade,x\n77,9.4,\n")
    assert (bare.wanted.ids, bare.says, bare.values) == ("gcd 77", "gcd 77", {"grade": "9.4"})


def test_an_id_of_something_else_is_named_and_not_taken():
    (row,) = rows("Series,Number,cv_id,metron_id\nSalt Tide,1,4050-18,none of them\n")
    assert row.wanted.ids == ""
    assert row.unclear == [("comicvine_issue", "4050-18"), ("metron_issue", "none of them")]


def test_what_a_spreadsheet_made_of_codes_and_numbers_is_named_and_not_taken():
    rounded = ("7.59606E+16", "7,59606E+16", "9.78130E+12", "1E+17")
    for text in rounded:
        (row,) = rows(f'Series,Number,UPC\nSalt Tide,1,"{text}"\n')
        assert (row.wanted.upc, row.unclear) == ("", [("upc", text)]), text
    for text in ("2-Jan", "02-gen", "Mar-19", "2026-01-02", "5/3/2019"):
        (row,) = rows(f"Series,Number\nSalt Tide,{text}\n")
        assert (row.wanted.number, row.unclear) == ("", [("number", text)]), text
    for number in ("1/2", "½", "2019/5", "1963", "3-D", "-1", "1.MU", "1,000,000"):
        (row,) = rows(f'Series,Number\nSalt Tide,"{number}"\n')
        assert (row.wanted.number, row.unclear) == (number, []), number


def test_title_of_clz_names_the_annual_of_a_volume():
    table = "Series;Issue Nr;Cover Date\n" + "\n".join(
        (
            *("Salt Tide, Vol. 1 Annual;2;Jul 1995", "Salt Tide, Vol. 2 Holiday Special (1996);;1996"),
            *("Salt Tide, Vol. 2;TP-3;May 21, 1997", "Salt Tide;1HC-E;", "Salt Tide;NN;", "Salt Tide;½-A;"),
        )
    )
    found = [row.wanted for row in rows(table)]
    assert [(query.series, query.year, query.volume, query.number, query.format) for query in found] == [
        ("Salt Tide Annual", None, None, "2", "Annual"),
        ("Salt Tide Holiday Special", 1996, None, "", ""),
        ("Salt Tide", None, 2, "3", "TP"),
        ("Salt Tide", None, None, "1", "HC"),
        ("Salt Tide", None, None, "", ""),
        ("Salt Tide", None, None, "½", ""),
    ]
    assert found[0].cover_date == date(1995, 7, 1)


def test_letters_of_covers_are_no_part_of_the_number_of_clz():
    table = "Series;Issue;Issue Nr;Variant;Cover Date;Publisher\n" + "".join(
        f"Salt Tide;{line};;\n"
        for line in ("-1A;-1;A", "3AB;3;AB", "6AU;6;", "7C;7;Foil", "½-B;;", "NN;5;", "8;8;A", "9;;")
    )
    numbers = ["-1", "3", "6AU", "7", "½", "5", "8", "9"]
    assert [row.wanted.number for row in rows(table)] == numbers


def test_a_year_is_the_first_of_the_series_if_each_series_has_one():
    of_series = rows("Series,Number,Year\nA,1,1994\nA,2,1994\nB,1,2001\nB,2,\n")
    assert [(row.wanted.year, row.wanted.published) for row in of_series[:3]] == [
        *([(1994, None)] * 2),
        (2001, None),
    ]
    of_issues = rows("Series,Number,Year\nA,1,1994\nA,2,1995\nB,1,2001\n")
    assert [(row.wanted.year, row.wanted.published) for row in of_issues] == [
        *((None, 1994), (None, 1995)),
        (None, 2001),
    ]


def test_columns_that_are_not_understood_are_named_with_some_of_their_cells():
    table = "Series,Number,Colour,,Colour,Empty\nA,1,red,x,dark,\nA,2,blue,,,\nA,3,red,y,,\n"
    upload = read_file(table.encode(), rows=10, megabytes=1)
    named = [(column.name, column.title, column.cells) for column in upload.columns]
    assert named == [
        ("colour", "Colour", ["red", "blue"]),
        (" 4", "(4)", ["x", "y"]),
        ("colour 5", "Colour", ["dark"]),
    ]
    (row,) = read_file(b"Series,Number,Notes\nA,1,one,two,,three\n", rows=10, megabytes=1).rows
    assert (row.values, row.unclear) == ({"notes": "one"}, [("extra_cells", "two three")])


def test_a_mapping_gives_columns_to_fields_or_leaves_them_out():
    table = b"Was,Welche,Bemerkung,Store,Cover Date\nSalt Tide,4,signed,Corner Shop,Mai 2019\n"
    plain = read_file(table, rows=10, megabytes=1)
    assert [column.name for column in plain.columns] == ["was", "welche", "bemerkung"]
    assert plain.rows[0].wanted.series == ""
    mapping = {"was": "series", "welche": "number", "bemerkung": "", "store": "notes", "gone": "grade"}
    mapped = read_file(table, rows=10, megabytes=1, mapping=mapping)
    (row,) = mapped.rows
    assert (row.wanted.series, row.wanted.number, row.wanted.cover_date) == (
        "Salt Tide",
        "4",
        date(2019, 5, 1),
    )
    assert row.values == {"notes": "Corner Shop"}
    fields = {column.name: column.field for column in mapped.columns}
    assert fields == {"was": "series", "welche": "number", "bemerkung": "", "store": "notes"}
    assert mapped.headers == ("was", "welche", "bemerkung", "store", "coverdate")


def test_a_column_that_was_added_to_our_own_table_is_named():
    upload = read_file(b"issue_id,quantity,My remarks\n7,2,signed\n", rows=10, megabytes=1)
    assert [(column.title, column.cells) for column in upload.columns] == [("My remarks", ["signed"])]
    assert upload.rows[0].values == {"quantity": 2}
