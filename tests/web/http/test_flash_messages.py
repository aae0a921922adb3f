"""Messages for the next page are sent in a cookie, which must leave room for other cookies."""

import pytest
from pyramid.request import Request, apply_request_extensions
from pyramid.response import Response


@pytest.fixture
def carried(wsgi):
    """`carried(*texts)`: the messages that the next page shows, and the length of the cookie."""

    def request_with(**headers):
        request = Request.blank("/", headers=headers)
        request.registry = wsgi.registry
        apply_request_extensions(request)
        return request

    def carry(*texts):
        request, response = request_with(), Response()
        for text in texts:
            request.messages.add("info", text)
        request._process_response_callbacks(response)
        cookie = response.headers["Set-Cookie"].partition(";")[0]
        following = request_with(Cookie=cookie)
        return [message.text for message in following.messages.take()], len(cookie)

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
