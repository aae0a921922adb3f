"""A real HTTP server for single tests that receives webhooks and responds as configured."""

import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.waiting import POLL


class Receiver:
    """Stores requests as pairs of headers and body; with the files of a certificate, it uses TLS.

    `answers` are the statuses of the next responses, after which it returns 200; `headers` are sent with
    all of them. If `slowly` is set, it sends its responses byte by byte.
    """

    def __init__(self, certificate=None):
        self.received: list[tuple[dict[str, str], bytes]] = []
        self.answers: list[int] = []
        self.headers: dict[str, str] = {}
        self.slowly = False
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.received.append((dict(self.headers), body))
                self.send_response(receiver.answers.pop(0) if receiver.answers else 200)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    while receiver.slowly:
                        self.wfile.write(b".")
                        time.sleep(0.05)
                except OSError:  # the client has closed the connection
                    return
                self.wfile.write(b"Thank <you>")

            def log_message(self, *_words):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/hook?a=1"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            self.url = f"https://localhost:{self.port}/hook"

    def __enter__(self) -> "Receiver":
        threading.Thread(target=self._server.serve_forever, args=(POLL,), daemon=True).start()
        return self

    def __exit__(self, *_failure) -> None:
        self.slowly = False
        self._server.shutdown()
        self._server.server_close()
