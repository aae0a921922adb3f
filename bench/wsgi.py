"""The application of the ini file BENCH_INI, for servers that load a module: `bench.wsgi:application`."""

import os

from pyramid.paster import get_app, setup_logging

setup_logging(os.environ["BENCH_INI"])
application = get_app(os.environ["BENCH_INI"])
