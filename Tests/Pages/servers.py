"""The servers for the examples: HTTPS with Vault's paths, which records its requests, and PostgreSQL up to the password."""
import http.server
import json
import pathlib
import shutil
import socketserver
import ssl
import struct
import subprocess
import tempfile
import threading


# A credential with a lease, and an item of a version 2 kv engine, which has no lease.
VAULT = {
    "/v1/database/creds/app": {
        "lease_id": "database/creds/app/1", "lease_duration": 600, "renewable": True,
        "data": {"username": "v-app", "password": "l3ased"}},
    "/v1/secret/data/app/db": {
        "lease_id": "", "lease_duration": 0, "renewable": False,
        "data": {"data": {"password": "k3pt"}, "metadata": {"version": 1}}},
}


def vault_answer(path, token):
    if token != "s.t0ken":
        return 403, {"errors": ["permission denied"]}
    return (200, VAULT[path]) if path in VAULT else (404, {"errors": []})


class Requests(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        with open(self.server.log, "a") as log:
            log.write(json.dumps({"path": self.path, "headers": dict(self.headers), "body": body}) + "\n")
        code, answer = 200, {"access_token": "acc3ss", "expires_in": 3600}
        if self.path.startswith("/v1/"):
            code, answer = vault_answer(self.path, self.headers.get("X-Vault-Token"))
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode() + b"\n")

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Postgres(socketserver.StreamRequestHandler):
    """Asks for the password, reports success, and records the input."""

    def handle(self):
        def message():
            return self.rfile.read(struct.unpack("!I", self.rfile.read(4))[0] - 4)

        while struct.unpack("!I", (start := message())[:4])[0] == 80877103:
            self.wfile.write(b"N")
        self.wfile.write(b"R" + struct.pack("!II", 8, 3))
        self.rfile.read(1)
        password = message().rstrip(b"\0").decode()
        # The protocol version, followed by alternating names and values.
        words = start[4:].split(b"\0")
        user = words[words.index(b"user") + 1].decode()
        with open(self.server.log, "a") as log:
            log.write(json.dumps({"user": user, "password": password}) + "\n")
        self.wfile.write(b"R" + struct.pack("!II", 8, 0) + b"Z" + struct.pack("!Ic", 5, b"I"))
        self.rfile.read()


class Servers:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="skr-servers-"))
        key, certificate, self.log = (self.folder / name for name in ("key", "certificate", "requests"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
             "-subj", "/CN=example.com", "-addext", "subjectAltName=DNS:example.com", "-keyout", key, "-out", certificate],
            check=True, capture_output=True)
        https = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Requests)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        https.socket = context.wrap_socket(https.socket, server_side=True)
        postgres = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Postgres)
        for server in (https, postgres):
            server.log, server.daemon_threads = self.log, True
            threading.Thread(target=server.serve_forever, daemon=True).start()
        # Makes the host names in the examples lead to this server.
        (self.folder / ".curlrc").write_text(
            f'connect-to = "::127.0.0.1:{https.server_address[1]}"\ncacert = "{certificate}"\nno-progress-meter\n')
        self.environment = {
            "CURL_HOME": str(self.folder), "PGHOSTADDR": "127.0.0.1", "PGPORT": str(postgres.server_address[1]),
            "PGSSLMODE": "disable", "PGGSSENCMODE": "disable", "PAGE_REQUESTS": str(self.log)}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)
