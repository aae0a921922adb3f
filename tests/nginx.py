"""nginx with the file of deploy/, adapted to ports and paths."""

import re
import subprocess
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.certificate import CERTIFICATE, KEY
from tests.needs import program
from tests.serving import free_port
from tests.waiting import wait_until

HOST = "comics.example.org"
DEPLOYED = Path(__file__).parent.parent / "deploy" / "nginx.conf"
MAIN = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log; {user}
events {{ worker_connections 512; }}
http {{
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    include {folder}/conf.d/*.conf;
    include {folder}/sites-enabled/*;
}}
"""


@dataclass
class Nginx:
    """A running nginx: the ports of http and https, and the access log of the site."""

    http: int
    https: int
    log: Path


@contextmanager
def nginx(folder: Path, nodes: Sequence[int], *, sites: str = "", files: bool = True):
    """Run nginx in front of the ports of `nodes`, beside the text of other `sites` with the standard ports.

    Without `files`, the application serves pictures and dumps.
    """
    ports = {"80": free_port(), "443": free_port()}
    for name in ("conf.d", "sites-enabled"):
        (folder / name).mkdir(parents=True)
    (folder / "fullchain.pem").write_text(CERTIFICATE)
    (folder / "privkey.pem").write_text(KEY)
    site = DEPLOYED.read_text()
    line = re.search(r" +server 127\.0\.0\.1:8000.*;\n", site)[0]
    site = site.replace(line, "".join(line.replace(":8000", f":{port}") for port in nodes))
    site = site.replace(f"/etc/letsencrypt/live/{HOST}", str(folder)).replace("/var/log/nginx", str(folder))
    if not files:
        site, count = re.subn(
            r"\n    # Serves pictures from a local folder.*?(?=\n    # Metrics)", "", site, flags=re.DOTALL
        )
        assert count == 1
    (folder / "conf.d" / "comicsdb.conf").write_text(with_ports(site, ports))
    (folder / "sites-enabled" / "default").write_text(with_ports(sites, ports))
    user = "user root;" if Path("/proc/self").owner() == "root" else ""  # the owner of the folders
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=user))
    command = [program("nginx"), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: process.poll() is not None or (folder / "nginx.pid").exists())
        assert process.poll() is None, process.stderr.read()
        yield Nginx(ports["80"], ports["443"], folder / "comicsdb.log")
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


def with_ports(site: str, ports: dict[str, int]) -> str:
    """A site with other ports, on the addresses of this machine only."""
    text = re.sub(r"listen \[::\]:(\d+)", lambda match: f"listen [::1]:{ports[match[1]]}", site)
    return re.sub(r"listen (80|443)\b", lambda match: f"listen 127.0.0.1:{ports[match[1]]}", text)
