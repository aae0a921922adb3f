"""The demo's two polls, one open and one closed, and its announcement."""

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from comicsdb import admin
from comicsdb.community import polls
from comicsdb.models import User
from comicsdb.models.choices import AnnouncementStyle

STAFF = "admin"
DAY = timedelta(days=1)
# `choices` are names, which need no translation; `days` are the start and the end, in days from now; `votes`
# has the index of each account's choice. `reader` has not voted in the open poll.
POLLS = (
    {
        "title": "Who deserves a series of their own?",
        "titles": {"it": "Chi merita una serie tutta sua?"},
        "description": "One vote each, and no canvassing in the letter columns.",
        "descriptions": {"it": "Un voto a testa, e niente comizi nella pagina della posta."},
        "choices": ("Admiral Squeak", "Baciccia", "Miss Thistlewood", "The Postmaster"),
        "days": (-5, 25),
        "votes": {"ashtonic": 1, "bedephile": 2, "carruggi89": 1, "tankobon": 3},
    },
    {
        "title": "Your publisher of the year?",
        "titles": {"it": "L'editore dell'anno?"},
        "description": "Twelve months of comics, one favourite house.",
        "descriptions": {"it": "Dodici mesi di fumetti, una sola casa editrice del cuore."},
        "choices": ("Harbor Light Comics", "Edizioni Lanterna Cieca", "Copper Moth Press", "Kettle & Crow"),
        "days": (-60, -30),
        "votes": {"editor": 1, "reader": 0, "ashtonic": 0, "bedephile": 1, "carruggi89": 1, "tankobon": 2},
    },
)
ANNOUNCEMENT = {
    "title": "Welcome to the demo",
    "titles": {"it": "Benvenuti nella demo"},
    "content": (
        "<p>Look around, log in as <strong>reader</strong> and try everything: nothing here is real."
        ' The staff has <a href="/polls/">a question</a> for you.</p>'
    ),
    "contents": {
        "it": (
            "<p>Curiosate, entrate come <strong>reader</strong> e provate tutto: qui niente è vero."
            ' La redazione ha <a href="/polls/">una domanda</a> per voi.</p>'
        )
    },
    "display_type": AnnouncementStyle.PRIMARY.value,
    "active": True,
}


def add_community(session: Session, now: datetime) -> int:
    """Create polls, votes and announcement through the services; returns the number of votes.

    The caller has to commit. Does nothing if the demo's accounts do not exist.
    """
    voters = {name for poll in POLLS for name in poll["votes"]}
    accounts = session.scalars(select(User).where(User.username.in_({STAFF, *voters})))
    named = {user.username: user for user in accounts}
    if not named.keys() >= {STAFF, *voters}:
        return 0
    for each in POLLS:
        start, end = (now + days * DAY for days in each["days"])
        values = {name: each[name] for name in ("title", "titles", "description", "descriptions", "choices")}
        values |= {"start_date": start, "end_date": end}
        poll = admin.create_poll(session, named[STAFF], values)
        answers = polls.choices(session, poll.id)
        for name, place in each["votes"].items():
            polls.vote(session, poll.id, answers[place].id, named[name].id, start)
    values = {**ANNOUNCEMENT, "start_date": None, "end_date": None}
    admin.create_announcement(session, named[STAFF], values)
    return sum(len(each["votes"]) for each in POLLS)
