"""A server on loopback that speaks as OpenAI does, and sends each piece after the first
when it is told to.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread

WAIT = 20  # s


@contextmanager
def chat_server(pieces: Sequence[str], go_on: Event) -> Iterator[str]:
    """Its address. Each time `go_on` is set, it goes one piece further, and at last to
    the end of the answer.
    """

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for piece in pieces:
                self._send({"delta": {"content": piece}, "finish_reason": None})
                go_on.wait(WAIT)
                go_on.clear()
            self._send({"delta": {}, "finish_reason": "stop"})
            self.wfile.write(b"data: [DONE]\n\n")

        def _send(self, choice: dict[str, object]) -> None:
            made = {
                "id": "1",
                "object": "chat.completion.chunk",
                "created": 1,
                "model": "m",
            }
            chunk = {**made, "choices": [{"index": 0, **choice}]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.flush()

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        go_on.set()
        server.shutdown()
        thread.join()
        server.server_close()
