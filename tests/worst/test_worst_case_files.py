"""Files in the worst shapes: pictures and imports, in every form that takes a file."""

from dataclasses import replace
from itertools import cycle

from tests.soak import SOAK
from tests.worst.asking import Case
from tests.worst.files import FILE, FILES, TEXTS_IN
from tests.worst.pictures import PICTURES
from tests.worst.shapes import TEXTS

HEAD = b'--x\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n'
PICTURE = "image"  # what a field for a picture is called


def multipart(fields: dict[str, str], name: str, content: bytes) -> bytes:
    """A form with a file, as a browser sends it."""
    parts = [HEAD % (each.encode(), b"") + value.encode() + b"\r\n" for each, value in fields.items()]
    return b"".join((*parts, HEAD % (name.encode(), b'; filename="a"'), content, b"\r\n--x--\r\n"))


def uploads(survey, *, pictures: bool):
    """A case for each form with a file, the name of its field and its other fields."""
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    for form in survey.forms.values():
        for name in sorted(form.files):
            if name.endswith(PICTURE) == pictures:
                yield (
                    Case("POST", form.path, name, headers=headers, member=True, uploads=pictures),
                    survey.filled(form),
                )
    for method, path, kind, properties in survey.writes():
        if pictures and kind == "multipart/form-data" and PICTURE in properties:
            yield Case(method, path, PICTURE, headers=headers, member=True, uploads=True), {}


def test_imports(asker, survey):
    for number, (case, fields) in enumerate(uploads(survey, pictures=False)):
        for place, made in TEXTS_IN.items():
            for shape, text in TEXTS.items():
                if number == 0 or SOAK:
                    sent(
                        asker, replace(case, shape=shape), f"{case.place}: {place}", fields, made(text(FILE))
                    )
        for shape, make in FILES.items():
            if number == 0 or SOAK:
                sent(asker, replace(case, shape=shape), case.place, fields, make())
    asker.check()


def sent(asker, case, place, fields, content):
    """A file, and the page that shows what was understood of it."""
    body = multipart(fields, case.place, content)
    with asker.undoing():
        asker.try_one(replace(case, place=place, size=len(content), body=body))
        if asker.status == 303:
            path = asker.location.removeprefix("http://localhost")
            asker.try_one(replace(case, method="GET", path=path, place=f"{place}, its review", headers={}))


def test_pictures(asker, survey):
    """Each picture in one form of the site and of the API, and one of them in each form."""
    made, done = cycle(PICTURES), set()
    for case, fields in uploads(survey, pictures=True):
        surface = case.path.startswith("/api/")
        for shape in [next(made)] if surface in done and not SOAK else list(PICTURES):
            content = PICTURES[shape]()
            body = multipart(fields, case.place, content)
            asker.try_one(replace(case, shape=shape, size=len(content), body=body))
        done.add(surface)
    asker.check()
