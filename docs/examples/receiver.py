"""A webhook receiver that listens, with nothing but Python's own library (3.9 and later).

WEBHOOK_SECRET=whsec_... PORT=9000 python3 receiver.py
"""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from webhooks import is_authentic

SECRET = os.environ["WEBHOOK_SECRET"]
LARGEST = 1_048_576
# Ids of deliveries that were acted on: in a database of yours, so that a restart forgets none.
taken = set()


class Receiver(BaseHTTPRequestHandler):
    timeout = 30

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > LARGEST:
            return self.answer(413)
        # The bytes as they came: parsed and written again they would have another signature.
        body = self.rfile.read(length)
        if not is_authentic(body, self.headers.get("X-Service-Signature", ""), SECRET):
            return self.answer(401)
        # Answered within 8 seconds; what takes longer is done after the answer.
        self.answer(200)
        delivery = self.headers["X-Service-Delivery"]
        if delivery in taken:
            return
        taken.add(delivery)
        sent = json.loads(body)
        print(json.dumps({"id": delivery, "event": sent["event"], "data": sent["data"]}), flush=True)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 9000))), Receiver)
    print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
