"""A webhook endpoint without dependencies, for Python 3.9 and later.

WEBHOOK_SECRET=whsec_... PORT=9000 python3 receiver.py
"""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from webhooks import is_authentic

SECRET = os.environ["WEBHOOK_SECRET"]
MAX_BODY_BYTES = 1_048_576
# The IDs of processed deliveries. Store them in your database, so that they survive a restart.
processed = set()


class Receiver(BaseHTTPRequestHandler):
    timeout = 30

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > MAX_BODY_BYTES:
            return self.answer(413)
        # Verify the original bytes: parsing and serializing them again would change the signature.
        body = self.rfile.read(length)
        if not is_authentic(body, self.headers.get("X-Service-Signature", ""), SECRET):
            return self.answer(401)
        # Respond within 8 seconds. Do slow work after the response.
        self.answer(200)
        delivery = self.headers["X-Service-Delivery"]
        if delivery in processed:
            return
        processed.add(delivery)
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
