"""A load generator for machines without wrk: one process, many connections, plain sockets."""

import json
import selectors
import socket
import sys
import time

RECEIVED = 65536  # bytes read at once


class Client:
    """A connection with one request in progress."""

    def __init__(self, port: int):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.begun, self.head, self.length, self.got = 0.0, b"", None, 0

    def ask(self, request: bytes) -> None:
        """Send a request."""
        self.begun, self.head, self.length, self.got = time.perf_counter(), b"", None, 0
        self.socket.sendall(request)

    def receive(self) -> bool:
        """Read available bytes; return True when the response is complete."""
        data = self.socket.recv(RECEIVED)
        if not data:
            raise ConnectionError("closed")
        self.got += len(data)
        if self.length is None:
            self.head += data
            head, end, _ = self.head.partition(b"\r\n\r\n")
            if not end:
                return False
            self.head = head.lower()
            status = self.status
            _, _, length = self.head.partition(b"\r\ncontent-length:")
            body = 0 if status == 304 else int(length.partition(b"\r\n")[0])
            self.length = len(head) + 4 + body
        return self.got >= self.length

    @property
    def status(self) -> int:
        """Return the status of the response."""
        return int(self.head.split(b" ", 2)[1])


def requests(load: dict, at: int):
    """Yield requests as bytes, endlessly."""
    paths, fresh = load["paths"], load["fresh"]
    headers = {"Host": f"127.0.0.1:{load['port']}", **load["headers"]}
    while True:
        at += 1
        path = paths[at % len(paths)]
        if fresh:
            headers["Host"] = f"h{at}.example"
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        body = load["body"].replace("@N@", str(at)).encode()
        lines += f"Content-Length: {len(body)}\r\n" if body else ""
        yield f"{load['method']} {path} HTTP/1.1\r\n{lines}\r\n".encode() + body


def main() -> None:
    """Run the load described on standard input, and print the figures like wrk's script."""
    asked = json.load(sys.stdin)
    load, expected = asked["load"], asked["expected"]
    sent = requests(load, asked["at"])
    times, size, failed, good, hits = [], 0, 0, 0, 0
    waiting = selectors.DefaultSelector()
    begun = time.perf_counter()
    until = begun + asked["seconds"]
    for _ in range(load["connections"]):
        client = Client(load["port"])
        waiting.register(client.socket, selectors.EVENT_READ, client)
        client.ask(next(sent))
    while time.perf_counter() < until:
        for key, _ in waiting.select(1):
            client = key.data
            if not client.receive():
                continue
            times.append(time.perf_counter() - client.begun)
            size += client.got
            failed += client.status >= 400
            good += client.status == expected
            hits += b"\r\nx-cache: hit" in client.head
            client.ask(next(sent))
    seconds, times = time.perf_counter() - begun, sorted(times) or [0.0]
    figures = {
        "requests": len(times),
        "seconds": seconds,
        "size": size / len(times),
        "mean": 1000 * sum(times) / len(times),
        "p50": 1000 * times[len(times) // 2],
        "p99": 1000 * times[len(times) * 99 // 100],
        "failed": failed,
        "expected": good,
        "hits": hits,
    }
    print("BENCH " + json.dumps(figures))


if __name__ == "__main__":
    main()
