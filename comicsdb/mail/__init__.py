"""Mail: letters are stored with the transaction they tell of, and leave after its commit.

A letter is a subject and blocks; both parts of the mail, text and HTML, are made of the same blocks. `queue`
stores it as a row. Rows are sent by the command `comicsdb mail send` or by a thread of each server process.
"""

from pyramid.events import ApplicationCreated

from comicsdb.mail.delivery import Sender
from comicsdb.mail.letter import Facts, Items, Letter, Link, Paragraph
from comicsdb.mail.outbox import queue, queue_to_administrators

__all__ = ["Facts", "Items", "Letter", "Link", "Paragraph", "queue", "queue_to_administrators"]


def includeme(config):
    """Find the core's texts; start the thread that sends, where the settings want one."""
    config.add_translation_dirs("comicsdb:locale")
    if config.get_settings()["comicsdb.mail.sender"] == "thread":
        config.add_subscriber(_start_sender, ApplicationCreated)


def _start_sender(event):
    registry = event.app.registry
    Sender(registry["comicsdb.engine"], registry.settings).start()
