"""A name server that rebinds its names, and listeners that note who connects; run in namespaces of their own.

Prints, for each name, the problem of `outgoing.post`, the addresses that were connected to, and the number of
queries for its address.
"""

import ipaddress
import json
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

from comicsdb.http import outgoing

PUBLIC, PRIVATE = "93.184.216.34", "127.0.0.1"
A, AAAA = 1, 28
# What each name resolves to: the addresses of the first response, and those of all later ones.
NAMES = {
    "later-private.example": ([PUBLIC], [PRIVATE]),
    "later-public.example": ([PRIVATE], [PUBLIC]),
    "both.example": ([PUBLIC, PRIVATE], [PUBLIC]),
    "loopback6.example": ([PUBLIC, "::1"], [PUBLIC]),
    "mapped.example": ([PUBLIC, "::ffff:127.0.0.1"], [PUBLIC]),
    "nat64.example": (["64:ff9b::7f00:1"], [PUBLIC]),
    "unspecified.example": (["0.0.0.0"], [PUBLIC]),  # noqa: S104
    "metadata.example": (["169.254.169.254"], [PUBLIC]),
}


def answer_queries(server: socket.socket, asked: dict[tuple[str, int], int]) -> None:
    """Answer queries, with a lifetime of 0 seconds, and count them by name and type."""
    while True:
        query, client = server.recvfrom(512)
        labels, place = [], 12
        while length := query[place]:
            labels.append(query[place + 1 : place + 1 + length].decode())
            place += 1 + length
        name, (form,) = ".".join(labels).lower(), struct.unpack(">H", query[place + 1 : place + 3])
        before = asked.get((name, form), 0)
        asked[name, form] = before + 1
        addresses = NAMES.get(name, ([], []))[before > 0]
        records = list(filter(None, (record(address, form) for address in addresses)))
        head = query[:2] + struct.pack(">HHHHH", 0x8180, 1, len(records), 0, 0)
        server.sendto(head + query[12 : place + 5] + b"".join(records), client)


def record(address: str, form: int) -> bytes:
    """A record for the name of the question; empty if its type was not asked for."""
    packed = ipaddress.ip_address(address).packed
    kind = A if len(packed) == 4 else AAAA
    return b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(packed)) + packed if kind == form else b""


def note_connections(address: str, connected: list[str]) -> None:
    """Accept connections at an address and close them."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.create_server((address, 443), family=family)

    def accept():
        while True:
            connection, _client = listener.accept()
            connected.append(address)
            connection.close()

    threading.Thread(target=accept, daemon=True).start()


def main() -> None:
    """Send a message to each name; the network namespace has nothing but its own loopback."""
    for words in ("link set lo up", f"address add {PUBLIC}/32 dev lo"):
        subprocess.run(["ip", *words.split()], check=True)
    for name, content in (("resolv.conf", "nameserver 127.0.0.1\n"), ("nsswitch.conf", "hosts: dns\n")):
        path = Path(sys.argv[1]) / name
        path.write_text(content)
        subprocess.run(["mount", "--bind", path, f"/etc/{name}"], check=True)
    server, asked = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), {}
    server.bind(("127.0.0.1", 53))
    threading.Thread(target=answer_queries, args=(server, asked), daemon=True).start()
    connected: list[str] = []
    for address in (PUBLIC, PRIVATE, "::1"):
        note_connections(address, connected)
    found = {}
    for name in NAMES:
        del connected[:]
        try:
            outgoing.post(f"https://{name}/", b"{}", {})
            problem = ""
        except outgoing.OutgoingError as error:
            problem = error.problem
        found[name] = [problem, list(connected), asked.get((name, A), 0)]
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
