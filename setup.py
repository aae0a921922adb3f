"""Umbrella distribution: has no code, but installs the parts in this checkout; `demo` is an extra."""

from pathlib import Path

from setuptools import setup

HERE = Path(__file__).parent.resolve()
PARTS = {"comicsdb": "comicsdb", "comicsdb-api": "comicsdb_api", "comicsdb-web": "comicsdb_web"}

setup(
    name="comicsdb-site",
    version="0.1.0",
    description="A community comics-metadata database: site and REST API",
    license="MIT",
    python_requires=">=3.11",
    packages=[],
    install_requires=[f"{name} @ {(HERE / folder).as_uri()}" for name, folder in PARTS.items()],
    extras_require={"demo": [f"comicsdb-demo @ {(HERE / 'comicsdb_demo').as_uri()}"]},
)
