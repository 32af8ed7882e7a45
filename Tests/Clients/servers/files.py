"""Files behind authentication. Prints its port: files.py FOLDER [--tls CERTIFICATE KEY]

Standard input has a line for each user who can read: `basic USER PASSWORD`, or `header NAME VALUE` for a client that sends
that value of Authorization. FOLDER.requests records the requests with their users. The answer for a folder is its file
`index`. The server discards uploads.
"""
import base64
import http.server
import pathlib
import ssl
import sys

# The body that Kubernetes sends with a 401. Other clients do not read it.
REFUSAL = b'{"kind":"Status","apiVersion":"v1","status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}'

root = pathlib.Path(sys.argv[1])
readers = {}
for line in sys.stdin:
    kind, name, value = line.rstrip("\n").split(" ", 2)
    readers["Basic " + base64.b64encode(f"{name}:{value}".encode()).decode() if kind == "basic" else value] = name


class Files(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        value = self.headers.get("Authorization")
        reader = readers.get(value)
        path = self.path.partition("?")[0].strip("/")
        with open(f"{root}.requests", "a") as log:
            log.write(f"{self.command} /{path} {reader or ('refused' if value else 'nobody')}\n")
        file = root / path
        if file.is_dir():
            file = file / "index"
        status, content = (200, b"") if reader else (401, REFUSAL)
        if reader and self.command not in ("GET", "HEAD"):
            content = b'{"ok":true}'
        elif reader:
            status, content = (200, file.read_bytes()) if file.is_file() else (404, b"")
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="files"')
        is_json, is_page = content.startswith(b"{"), content.startswith(b"<")
        self.send_header(
            "Content-Type", "application/json" if is_json else "text/html" if is_page else "application/octet-stream")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_POST = do_HEAD = do_PUT = do_DELETE = do_GET

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
if "--tls" in sys.argv:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[-2:])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
