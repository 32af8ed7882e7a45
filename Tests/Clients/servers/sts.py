"""Exchanges the token from standard input for another token, as a security token service does (RFC 8693). Prints its port."""
import http.server
import json
import sys
import urllib.parse

token = sys.stdin.readline().rstrip("\n")


class Exchange(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        fields = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        is_right = fields.get("subject_token") == [token]
        answer = {
            "access_token": "exchanged", "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
            "token_type": "Bearer", "expires_in": 3600} if is_right else {"error": "invalid_grant"}
        self.send_response(200 if is_right else 400)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Exchange)
print(server.server_address[1], flush=True)
server.serve_forever()
