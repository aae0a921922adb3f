"""A client that sends bodies, and pictures to upload, for the tests of writes."""

import json
from urllib.parse import urlencode

from PIL import Image

from tests.api.conftest import Client
from tests.pictures import encoded

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


class WritingClient(Client):
    """A client that writes; each call sends JSON, a form (pairs or a dict), or a form in parts with files."""

    def write(self, method, path, status, *, json=None, form=None, files=None, headers=None):
        """Send a request with a body; `files` are (field, name, bytes)."""
        if json is not None:
            return self.raw(method, path, status, to_json(json), JSON, headers)
        pairs = [
            (name, each)
            for name, value in (form.items() if isinstance(form, dict) else form or ())
            for each in (value if isinstance(value, list) else [value])
        ]
        if files is None:
            return self.raw(method, path, status, urlencode(pairs).encode(), FORM, headers)
        content_type, body = self.testapp.encode_multipart([(k, str(v)) for k, v in pairs], files)
        return self.raw(method, path, status, body, content_type, headers)

    def raw(self, method, path, status, body, content_type, headers=None):
        """Send a request with these bytes."""
        sent = self.headers | {"Content-Type": content_type} | (headers or {})
        answer = self.testapp.request(path, method=method, body=body, headers=sent, expect_errors=True)
        assert answer.status_int == status, answer.text[:500]
        return answer

    def post(self, path, status=201, **body):
        """Send a POST request; returns the body of the response."""
        return self.write("POST", path, status, **body).json

    def put(self, path, status=200, **body):
        """Send a PUT request; returns the body of the response."""
        return self.write("PUT", path, status, **body).json

    def patch(self, path, status=200, **body):
        """Send a PATCH request; returns the body of the response."""
        return self.write("PATCH", path, status, **body).json


def to_json(value) -> bytes:
    """A value as JSON."""
    return json.dumps(value).encode()


def picture(colour=(200, 30, 30), size=(60, 90), form="PNG") -> bytes:
    """A small picture in two colours, as all plain pictures have the same hash."""
    image = Image.new("RGB", size, colour)
    image.paste((20, 20, 90), (0, 0, size[0] // 2, size[1] // 3))
    return encoded(image, form)


PICTURE_FILES = [("image", "cover.png", picture())]


def storage_key(address: str) -> str:
    """The storage key of a picture, from its URL."""
    return address.partition("/media/")[2]
