"""Gives each new browser a cookie that lasts a day. Prints its port: cookies.py FOLDER

FOLDER.requests records the requests for pages, each with the cookie that the browser has sent.
"""
import http.server
import secrets
import sys


class Cookies(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        cookie = self.headers.get("Cookie", "no cookie")
        if self.path == "/page":
            with open(f"{sys.argv[1]}.requests", "a") as log:
                log.write(cookie + "\n")
        self.send_response(200)
        if cookie == "no cookie":
            self.send_header("Set-Cookie", f"id={secrets.token_hex(8)}; Max-Age=86400")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cookies)
print(server.server_port, flush=True)
server.serve_forever()
