"""Mail: letters are stored in the transaction that causes them and sent after its commit.

A letter is a subject and blocks, from which both the text and the HTML part are rendered. `queue` stores it
as a row. Rows are sent by the command `comicsdb mail send` or by a thread of each server process.
"""

from pyramid_mailer import get_mailer
from pyramid_mailer.interfaces import IMailer

from comicsdb.mail.delivery import Sender, mailer_from_settings
from comicsdb.mail.letter import Facts, Items, Letter, Link
from comicsdb.mail.outbox import queue, queue_to_administrators
from comicsdb.ops.worker import add_worker


def includeme(config):
    """Register the mailer and the core's translations; start the sending thread if so set."""
    config.include("pyramid_mailer")
    config.registry.registerUtility(mailer_from_settings(config.registry.settings), IMailer)
    config.add_translation_dirs("comicsdb:locale")
    add_worker(
        config,
        "comicsdb.mail.sender",
        lambda registry: Sender(registry["comicsdb.engine"], get_mailer(registry)),
    )
