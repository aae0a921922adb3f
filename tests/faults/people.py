"""Simulated users of a site whose processes are killed all the time: what they request and must get.

Each writer has objects of its own with a number in their text, which it increments. A reader must get at
least the number that was confirmed when the request began, by a response to the writer or to any reader. If
there is no response, or a 502 or 504 of the balancer, the request was carried out once or not at all.
"""

import http.client
import json
import random
import re
import socket
import ssl
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

from comicsdb.imaging.metadata import strip_metadata
from tests.faults.balanced import HOST
from tests.site.test_crash import BOUNDARY, cover, form

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PARTS = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
PAUSE = 0.1  # seconds between two actions of a user
RETRY_PAUSE = 0.2  # seconds before the next request if there was no response
REVISION = re.compile(rb"revision (\d+)\.")
TIMES_READ = re.compile(rb'"read_count": ?(\d+)')


@dataclass
class TrackedObject:
    """An object with a number in its text, written by one user only."""

    path: str  # in the API
    page: str  # on the site
    name: str
    number: re.Pattern = REVISION
    begun: int = 1  # no response may show a greater number
    confirmed: int = 1  # no response may show a smaller one
    answered: list[int] = field(default_factory=lambda: [1])
    picture: bytes | None = None  # as it must be served; none if unknown
    seen: int = 0  # responses that showed it


class SharedState:
    """What all users share: the objects, the counts of responses, and the errors."""

    def __init__(self, port: int):
        self.port = port
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.wrong: list[str] = []
        self.statuses: Counter[tuple[str, object]] = Counter()
        self.slowest = 0.0
        self.things: list[TrackedObject] = []
        self.tried: Counter[str] = Counter()  # names that were sent without a response
        self.begun = 0  # arcs that may exist

    def check_number(self, thing: TrackedObject, floor: int, number: int, words: str) -> None:
        """Check that a response may show this number of an object."""
        with self.lock:
            thing.seen += 1
            if not floor <= number <= thing.begun:
                self.wrong.append(f"{words}: {thing.name} {number}, not {floor} to {thing.begun}")
            thing.confirmed = max(thing.confirmed, number)

    def run(self, people) -> list[threading.Thread]:
        """Start the threads of the users, which run until `ended`."""

        def live(person):
            try:
                while not self.ended.is_set() and not self.wrong:
                    person.act()
                    time.sleep(PAUSE)
            except Exception as error:  # reported at the end
                self.wrong.append(f"{type(person).__name__}: {error!r}")
            finally:
                person.leave()

        threads = [threading.Thread(target=live, args=(person,)) for person in people]
        for thread in threads:
            thread.start()
        return threads


class Connection(http.client.HTTPSConnection):
    """A TLS connection to the balancer, with the site's name as server name."""

    def __init__(self, port: int):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        super().__init__("127.0.0.1", port, timeout=90, context=context)

    def connect(self) -> None:
        """Connect, and send the site's name as server name."""
        plain = socket.create_connection((self.host, self.port), self.timeout)
        self.sock = self._context.wrap_socket(plain, server_hostname=HOST)


class SimulatedUser:
    """A user whose browser or program keeps its connection."""

    def __init__(self, crowd: SharedState, number: int, basic: str | None = None):
        self.crowd, self.number = crowd, number
        self.chance = random.Random(f"{type(self).__name__} {number}")
        self.headers = {"Host": HOST} | ({"Authorization": basic} if basic else {})
        self.connection = None
        self.known: dict[str, tuple[str, int]] = {}  # by path: tag and number

    def ask(self, method: str, path: str, *expected: int, body: bytes | None = None, **headers: str):
        """Status, headers and body; None if there was no response. Unexpected statuses count as wrong."""
        begun = time.monotonic()
        try:
            status, received, data = self._ask(method, path, body, headers)
        except (OSError, http.client.HTTPException):
            self.leave()
            status = "lost"
        with self.crowd.lock:
            self.crowd.statuses[method, status] += 1
            self.crowd.slowest = max(self.crowd.slowest, time.monotonic() - begun)
        if status in {"lost", 502, 504}:
            time.sleep(RETRY_PAUSE)
            return None
        if status not in expected:
            self.crowd.wrong.append(f"{method} {path}: {status} {data[:1500]!r}")
        return status, received, data

    def leave(self) -> None:
        """Close the connection."""
        if self.connection:
            self.connection.close()
        self.connection = None

    def _ask(self, method, path, body, headers):
        if self.connection is None:
            self.connection = Connection(self.crowd.port)
        self.connection.request(method, path, body, self.headers | headers)
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def read(self, thing: TrackedObject, path: str, *, condition: bool = False) -> bytes:
        """Read an object, perhaps with its earlier tag, until there is a response; returns the body."""
        while True:
            floor = thing.confirmed
            tag, before = self.known.get(path, ("", 0)) if condition else ("", 0)
            answer = self.ask("GET", path, 200, 304, **({"If-None-Match": tag} if tag else {}))
            if answer is None:
                if self.crowd.ended.is_set():
                    return b""
                continue
            status, headers, body = answer
            numbers = [before] if status == 304 else [int(each) for each in thing.number.findall(body)]
            if status not in {200, 304} or not numbers:
                self.crowd.wrong.append(f"GET {path} {tag}: {status} without its text {body[:1500]!r}")
                return b""
            for number in numbers:
                self.crowd.check_number(thing, floor, number, f"GET {path} {tag} {status}")
            self.known[path] = (headers.get("ETag", ""), numbers[0])
            return body


class Editor(SimulatedUser):
    """Creates arcs with pictures and changes them, without retries."""

    def __init__(self, *given):
        super().__init__(*given)
        self.own: list[TrackedObject] = []
        self.made = 0

    def act(self) -> None:
        """Create an arc, or write the next number to a recent one."""
        if not self.own or self.chance.random() < 0.25:
            self.make()
        else:
            self.change(self.chance.choice(self.own[-8:]))

    def make(self) -> None:
        """Create an arc with a picture."""
        self.made += 1
        name, image = f"Arc {self.number}x{self.made:05}", cover(self.chance)
        with self.crowd.lock:
            self.crowd.begun += 1
        body = form({"name": name, "desc": "revision 1."}, image)
        answer = self.ask("POST", "/api/arc/", 201, body=body, **PARTS)
        if answer is None or answer[0] != 201:
            self.crowd.tried[name] += 1
            return
        told = json.loads(answer[2])
        page = urlsplit(told["resource_url"]).path
        thing = TrackedObject(f"/api/arc/{told['id']}/", page, name, picture=strip_metadata(image)[0])
        with self.crowd.lock:
            self.crowd.things.append(thing)
        self.own.append(thing)
        self.look(thing)

    def change(self, thing: TrackedObject) -> None:
        """Write the next number, sometimes with another picture; with If-Match if the last one was read."""
        with self.crowd.lock:
            thing.begun += 1
        number, image, headers = thing.begun, None, {}
        body, headers = urlencode({"desc": f"revision {number}."}).encode(), dict(FORM)
        if self.chance.random() < 0.2:
            image = cover(self.chance)
            body, headers = form({"desc": f"revision {number}."}, image), dict(PARTS)
        tag, known = self.known.get(thing.path, ("", 0))
        if known == number - 1 == thing.answered[-1]:
            headers["If-Match"] = tag
        answer = self.ask("PATCH", thing.path, 200, body=body, **headers)
        if answer is None or answer[0] != 200:
            if image:
                thing.picture = None
            return
        if json.loads(answer[2])["desc"] != f"revision {number}.":
            self.crowd.wrong.append(f"PATCH {thing.path} {number}: {answer[2]!r}")
        with self.crowd.lock:
            thing.confirmed = number
            thing.answered.append(number)
        if image:
            thing.picture = strip_metadata(image)[0]
        self.look(thing)

    def look(self, thing: TrackedObject) -> None:
        """Check that a write is visible in the API and on the object's page, and sometimes its picture."""
        body = self.read(thing, thing.path, condition=True)
        self.read(thing, thing.page)
        if body and thing.picture and self.chance.random() < 0.3:
            check_picture(self, thing, json.loads(self.read(thing, thing.path) or "{}").get("image"))


def check_picture(person: SimulatedUser, thing: TrackedObject, address: str | None) -> None:
    """Request a picture and compare it, if there is a response."""
    if address:
        path = urlsplit(address).path
        answer = person.ask("GET", path, 200)
        if answer and answer[2] != thing.picture:
            person.crowd.wrong.append(f"GET {path}: not the picture of {thing.name}")


class Maker(SimulatedUser):
    """Creates publishers with an idempotency key, repeating each request until there is a response."""

    def __init__(self, *given):
        super().__init__(*given)
        self.written: dict[str, int] = {}
        self.again = 0

    def act(self) -> None:
        """Create a publisher, which must then be found by its name."""
        name = f"Publisher {len(self.written) + 1}"
        headers = FORM | {"Idempotency-Key": name.replace(" ", "-")}
        body = urlencode({"name": name}).encode()
        # Even after the other users have ended, as it is unknown whether the publisher was created.
        while not (answer := self.ask("POST", "/api/publisher/", 201, body=body, **headers)):
            self.again += 1
        self.written[name] = json.loads(answer[2])["id"]
        answer = self.ask("GET", f"/api/publisher/?{urlencode({'name': name})}", 200)
        if answer and self.written[name] not in [each["id"] for each in json.loads(answer[2])["results"]]:
            self.crowd.wrong.append(f"{name} is not in the list: {answer[2]!r}")


class Owner(SimulatedUser):
    """Keeps a collection through the API: adds each issue once, and records reads of it."""

    def __init__(self, crowd, number, basic, issues: list[int]):
        super().__init__(crowd, number, basic)
        self.issues, self.own, self.tried = issues, {}, []

    def act(self) -> None:
        """Sometimes add an issue; then record a read of one, and check it and the list."""
        if self.issues and (not self.own or self.chance.random() < 0.2):
            issue = self.issues.pop()
            body = urlencode({"issue_id": issue}).encode()
            answer = self.ask("POST", "/api/collection/add/", 201, body=body, **FORM)
            if answer is None or answer[0] != 201:
                self.tried.append(issue)
                return
            path = f"/api/collection/{json.loads(answer[2])['id']}/"
            self.own[issue] = TrackedObject(
                path, path, f"issue {issue}", TIMES_READ, begun=0, confirmed=0, answered=[]
            )
        if not self.own:
            return
        issue, thing = self.chance.choice(list(self.own.items()))
        with self.crowd.lock:
            thing.begun += 1
        body = urlencode({"issue_id": issue}).encode()
        answer = self.ask("POST", "/api/collection/scrobble/", 200, body=body, **FORM)
        if answer and answer[0] == 200:
            with self.crowd.lock:
                thing.answered.append(1)
                thing.confirmed = max(thing.confirmed, len(thing.answered))
        self.read(thing, thing.path, condition=self.chance.random() < 0.5)
        answer = self.ask("GET", "/api/collection/", 200)
        if answer and not len(self.own) <= json.loads(answer[2])["count"] <= len(self.own) + len(self.tried):
            self.crowd.wrong.append(f"a collection of {len(self.own)} has {answer[2][:100]!r}")


class Member(SimulatedUser):
    """Logs in on the site and rates an issue; must stay logged in."""

    def __init__(self, crowd, number, username: str, password: str, page: str):
        super().__init__(crowd, number)
        self.username, self.password, self.page = username, password, page
        self.headers |= {"Origin": f"https://{HOST}"}
        self.cookies: dict[str, str] = {}
        self.stars, self.entered = {0}, False

    def _ask(self, method, path, body, headers):
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        status, received, data = super()._ask(method, path, body, headers | {"Cookie": cookies})
        for cookie in received.get_all("Set-Cookie", []):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return status, received, data

    def act(self) -> None:
        """Log in if that is not done yet, or else read the issue's page and rate the issue."""
        page = path = self.page if self.entered else "/accounts/login/"
        answer = self.ask("GET", page, 200)
        if answer is None:
            return
        token = re.search(rb'name="csrf_token" value="([^"]+)"', answer[2])[1].decode()
        fields = {"csrf_token": token, "username": self.username, "password": self.password}
        if self.entered:
            self.check(answer[2])
            path = re.search(rb'class="rate" method="post" action="([^"]+)"', answer[2])[1].decode()
            given = self.chance.randint(1, 5)
            fields = {"csrf_token": token, "rating": str(given)}
            self.stars |= {given}  # both are possible until there is a response
        answer = self.ask("POST", path, 303, body=urlencode(fields).encode(), **FORM)
        if answer and answer[0] == 303:
            if self.entered:
                self.stars = {given}
            self.entered = True

    def check(self, page: bytes) -> None:
        """Check that a page is that of a logged-in member and shows the rating given."""
        shown = re.search(rb'name="rating" value="(\d)"[^>]* aria-pressed="true"', page)
        stars = int(shown[1]) if shown else 0
        if stars not in self.stars or b'action="/accounts/logout/"' not in page:
            self.crowd.wrong.append(f"{self.page}: {stars} stars, not {self.stars}; or logged out")
        self.stars = {stars}


class Reader(SimulatedUser):
    """Reads details and lists of the API."""

    def act(self) -> None:
        """Read the detail of an arc, or the list of all arcs."""
        things = self.crowd.things
        if things and self.chance.random() < 0.7:
            thing = self.chance.choice(things[-30:])
            self.read(thing, thing.path, condition=self.chance.random() < 0.7)
            return
        floor = len(things)
        answer = self.ask("GET", "/api/arc/", 200)
        if answer and not floor <= json.loads(answer[2])["count"] <= self.crowd.begun:
            self.crowd.wrong.append(f"of {floor} to {self.crowd.begun} arcs there are {answer[2][:100]!r}")


class Visitor(SimulatedUser):
    """Reads pages without an account."""

    def act(self) -> None:
        """Read the page of an arc, a search for its name, or another page."""
        things = self.crowd.things
        draw = self.chance.random()
        if things and draw < 0.6:
            thing = self.chance.choice(things[-30:])
            self.read(thing, thing.page, condition=self.chance.random() < 0.5)
        elif things and draw < 0.8:
            thing = self.chance.choice(things)
            answer = self.ask("GET", f"/arc/search?{urlencode({'q': thing.name})}", 200)
            if answer and f'href="{thing.page}"'.encode() not in answer[2]:
                self.crowd.wrong.append(f"{thing.name} is not in its list")
        else:
            self.ask("GET", self.chance.choice(["/", "/arc/", "/publisher/", "/issue/", "/health/"]), 200)


def settle(person: SimulatedUser, thing: TrackedObject) -> None:
    """Check the number and picture of an object after the faults."""
    body = person.read(thing, thing.path)
    if thing.picture:
        check_picture(person, thing, json.loads(body)["image"])
