"""Webhooks: programs of accounts are notified over HTTP of changes in the catalogue.

Messages are thin: lines of the change feed, signed as specified by Standard Webhooks
(www.standardwebhooks.com). Accounts manage their webhooks by `endpoints`; `delivery` sends messages from a
thread of each server process.
"""

from pyramid.events import ApplicationCreated

from comicsdb.webhooks.delivery import Deliverer


def includeme(config):
    """Start the sending thread if the settings ask for one."""
    if config.get_settings()["comicsdb.webhooks.sender"] == "thread":
        config.add_subscriber(_start_deliverer, ApplicationCreated)


def _start_deliverer(event):
    registry = event.app.registry
    Deliverer(registry["comicsdb.engine"], registry.settings).start()
