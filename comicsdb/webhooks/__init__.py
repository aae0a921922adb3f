"""Webhooks: programs of accounts are told by HTTP what changed in the catalogue.

Messages are thin: lines of the change feed, signed as Standard Webhooks has it (www.standardwebhooks.com).
Accounts manage them by `endpoints`; `delivery` sends from a thread of each server process.
"""

from pyramid.events import ApplicationCreated

from comicsdb.webhooks.delivery import Deliverer


def includeme(config):
    """Start the thread that sends, if the settings ask for one."""
    if config.get_settings()["comicsdb.webhooks.sender"] == "thread":
        config.add_subscriber(_start_deliverer, ApplicationCreated)


def _start_deliverer(event):
    registry = event.app.registry
    Deliverer(registry["comicsdb.engine"], registry.settings).start()
