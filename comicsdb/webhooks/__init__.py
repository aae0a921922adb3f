"""Webhooks: programs of accounts are notified over HTTP of changes in the catalog.

Messages are thin: lines of the change feed, signed as specified by Standard Webhooks
(www.standardwebhooks.com). Accounts manage their webhooks by `endpoints`; `delivery` sends messages from a
thread of each server process.
"""

from comicsdb.ops.worker import add_worker
from comicsdb.webhooks.delivery import Deliverer


def includeme(config):
    """Start the sending thread if the settings ask for one."""
    add_worker(
        config,
        "comicsdb.webhooks.sender",
        lambda registry: Deliverer(registry["comicsdb.engine"], registry.settings),
    )
