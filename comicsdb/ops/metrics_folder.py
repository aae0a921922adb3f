"""The folder in which a server's processes keep their metrics; independent of the rest of the application."""

import atexit
import os
import shutil
import tempfile

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # prometheus_client's variable for the folder of the processes' files


def create_shared_folder() -> None:
    """Create the folder for the metrics of this process and its children."""
    if FOLDER in os.environ:
        return
    folder, owner = tempfile.mkdtemp(prefix="comicsdb-metrics-"), os.getpid()
    os.environ[FOLDER] = folder  # before the library is imported, which reads it only once
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(folder, ignore_errors=True))
