"""People at work on a site that is dying all the time: what they ask for, and what they must be told.

Each writer has objects of its own that carry a number in their text; it takes them from one number to the
next. Whoever reads must find a number at least as high as was sure when the request began: one that a
writer was answered, or that somebody has seen. Where there is no answer, or 502 or 504 of the balancer, what
was asked for was done once or not at all.
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
PAUSE = 0.1  # seconds from what one person has done to what it does next
RETRY_PAUSE = 0.2  # seconds until somebody who got no answer asks again
REVISION = re.compile(rb"revision (\d+)\.")
TIMES_READ = re.compile(rb'"read_count": ?(\d+)')


@dataclass
class TrackedObject:
    """An object with a number in its text, written by one user only."""

    path: str  # in the API
    page: str  # on the site
    name: str
    number: re.Pattern = REVISION
    begun: int = 1  # nobody has seen a greater number
    confirmed: int = 1  # nobody sees a smaller one any more
    answered: list[int] = field(default_factory=lambda: [1])
    picture: bytes | None = None  # as it must be served; none if unknown
    seen: int = 0  # answers that showed it


class SharedState:
    """What all users share: the objects, what was answered, and what was wrong."""

    def __init__(self, port: int):
        self.port = port
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.wrong: list[str] = []
        self.statuses: Counter[tuple[str, object]] = Counter()
        self.slowest = 0.0
        self.things: list[TrackedObject] = []
        self.tried: Counter[str] = Counter()  # names that were sent without an answer
        self.begun = 0  # arcs that may be there

    def check_number(self, thing: TrackedObject, floor: int, number: int, words: str) -> None:
        """Whether an answer may show this number of a thing."""
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
            except Exception as error:  # told at the end
                self.wrong.append(f"{type(person).__name__}: {error!r}")
            finally:
                person.leave()

        threads = [threading.Thread(target=live, args=(person,)) for person in people]
        for thread in threads:
            thread.start()
        return threads


class Connection(http.client.HTTPSConnection):
    """A connection to the balancer, which is asked for the site by name."""

    def __init__(self, port: int):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        super().__init__("127.0.0.1", port, timeout=90, context=context)

    def connect(self) -> None:
        """Connect, saying the name of the site."""
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
        """Status, headers and body; None where there was no answer. Other than expected ones are wrong."""
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
        """Look at a thing, perhaps with the tag of before, until there is an answer; gives its body."""
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
    """Makes arcs with pictures and changes them, each request sent once."""

    def __init__(self, *given):
        super().__init__(*given)
        self.own: list[TrackedObject] = []
        self.made = 0

    def act(self) -> None:
        """A new arc, or the next number for one of the last ones."""
        if not self.own or self.chance.random() < 0.25:
            self.make()
        else:
            self.change(self.chance.choice(self.own[-8:]))

    def make(self) -> None:
        """A new arc with a picture."""
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
        """The next number, now and then with another picture, or only if it is as this editor knows it."""
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
        """What was written is there, in the API and on its page; so is its picture."""
        body = self.read(thing, thing.path, condition=True)
        self.read(thing, thing.page)
        if body and thing.picture and self.chance.random() < 0.3:
            check_picture(self, thing, json.loads(self.read(thing, thing.path) or "{}").get("image"))


def check_picture(person: SimulatedUser, thing: TrackedObject, address: str | None) -> None:
    """Ask for a picture and compare it; nothing is done where no answer came."""
    if address:
        path = urlsplit(address).path
        answer = person.ask("GET", path, 200)
        if answer and answer[2] != thing.picture:
            person.crowd.wrong.append(f"GET {path}: not the picture of {thing.name}")


class Maker(SimulatedUser):
    """Makes publishers by idempotency key: the same request again until it is answered."""

    def __init__(self, *given):
        super().__init__(*given)
        self.written: dict[str, int] = {}
        self.again = 0

    def act(self) -> None:
        """One publisher, which is then found by its name."""
        name = f"Publisher {len(self.written) + 1}"
        headers = FORM | {"Idempotency-Key": name.replace(" ", "-")}
        body = urlencode({"name": name}).encode()
        # Until it is there, also after the others have gone: nobody knows yet whether it was done.
        while not (answer := self.ask("POST", "/api/publisher/", 201, body=body, **headers)):
            self.again += 1
        self.written[name] = json.loads(answer[2])["id"]
        answer = self.ask("GET", f"/api/publisher/?{urlencode({'name': name})}", 200)
        if answer and self.written[name] not in [each["id"] for each in json.loads(answer[2])["results"]]:
            self.crowd.wrong.append(f"{name} is not in the list: {answer[2]!r}")


class Owner(SimulatedUser):
    """Keeps a collection by the API: each issue once, and how often it was read."""

    def __init__(self, crowd, number, basic, issues: list[int]):
        super().__init__(crowd, number, basic)
        self.issues, self.own, self.tried = issues, {}, []

    def act(self) -> None:
        """One issue more, or another time that one was read; then a look at it and at the list."""
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
    """Is logged in on the site, and gives stars to an issue; nobody logs it out."""

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
        """Log in where that is not done yet, then look at the issue and give it stars."""
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
            self.stars |= {given}  # until it is answered, either
        answer = self.ask("POST", path, 303, body=urlencode(fields).encode(), **FORM)
        if answer and answer[0] == 303:
            if self.entered:
                self.stars = {given}
            self.entered = True

    def check(self, page: bytes) -> None:
        """Whether a page is that of a member, and has the stars that were given."""
        shown = re.search(rb'name="rating" value="(\d)"[^>]* aria-pressed="true"', page)
        stars = int(shown[1]) if shown else 0
        if stars not in self.stars or b'action="/accounts/logout/"' not in page:
            self.crowd.wrong.append(f"{self.page}: {stars} stars, not {self.stars}; or logged out")
        self.stars = {stars}


class Reader(SimulatedUser):
    """Reads details and lists of the API."""

    def act(self) -> None:
        """The detail of an arc, or the list of all."""
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
    """Looks at pages without an account."""

    def act(self) -> None:
        """The page of an arc, its list by name, or a page of no arc."""
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
    """Look at a thing when all is quiet again: at its number, and at its picture."""
    body = person.read(thing, thing.path)
    if thing.picture:
        check_picture(person, thing, json.loads(body)["image"])
