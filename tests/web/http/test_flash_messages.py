"""Messages for the next page are sent in a cookie, which must leave room for other cookies."""

import pytest
from pyramid.request import Request
from pyramid.response import Response


@pytest.fixture
def carried(wsgi):
    """`carried(*texts)`: the messages that the next page shows, and the length of the cookie."""
    messages_of = wsgi.request_extensions.descriptors["messages"].wrapped

    def carry(*texts):
        request, response = Request.blank("/"), Response()
        messages = messages_of(request)
        for text in texts:
            messages.add("info", text)
        request._process_response_callbacks(response)
        cookie = response.headers["Set-Cookie"].partition(";")[0]
        following = Request.blank("/", headers={"Cookie": cookie})
        return [message.text for message in messages_of(following).take()], len(cookie)

    return carry


def test_short_ones_are_all_shown(carried):
    assert carried("one", "two", "three")[0] == ["one", "two", "three"]


def test_long_ones_leave_room_for_other_cookies(carried):
    for texts, shown in (
        (("漫" * 1000, "two"), ["漫" * 200 + "…", "two"]),
        (("x" * 1000, "y" * 1000, "z"), ["x" * 1000]),
    ):
        found, size = carried(*texts)
        assert found == shown
        assert size < 2500
