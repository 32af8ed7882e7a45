#!/usr/bin/env python3
"""An OAuth server for tests, which judges its clients.

    judge.py [--tokens SECONDS] [--grace SECONDS] [--kill N] [--slow] [--no-NAME] [--issuer URL]

Prints its address, and ends when its standard input ends. It rotates each refresh token, and revokes the whole login as
soon as it sees an old one after the grace. `GET /report` answers with the counts. `POST /next` sets how the token
endpoint treats its next requests, as lines "STATUS BODY" (without acting), "close" (no answer after acting),
"delay SECONDS" (before acting) or "late SECONDS" (between acting and the answer). With --kill, it kills the client
between each N-th refresh and its answer.
"""

import base64
import hashlib
import json
import secrets
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def option(name, usual):
    return float(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else usual


TOKENS, GRACE = option("--tokens", 3600), option("--grace", 0)
KILL = int(option("--kill", 0))
lock = threading.Lock()
counts = {name: 0 for name in ["grants", "graced", "invalid_grant", "reuse", "revoked", "device", "received", "killed"]}
codes, devices, logins, ends, nexts, requests = {}, {}, {}, {}, [], []


class Login:
    """A family of refresh tokens."""

    def __init__(self):
        self.current, self.generation, self.old, self.is_revoked = None, 0, {}, False


def find(token):
    return next((login for login in logins.values() if token == login.current or token in login.old), None)


def issue(login, scope):
    if login.current:
        login.old[login.current] = time.monotonic()
    login.current = secrets.token_urlsafe(32)
    login.generation += 1
    access = f"access-{login.generation}-{secrets.token_urlsafe(8)}"
    ends[access] = time.monotonic() + TOKENS
    tokens = {"access_token": access, "token_type": "Bearer", "expires_in": int(TOKENS), "scope": scope}
    return 200, tokens if "--no-refresh" in sys.argv else tokens | {"refresh_token": login.current}


def new_login(scope):
    login = Login()
    logins[secrets.token_hex(4)] = login
    return issue(login, scope)


def token(form):
    kind = form.get("grant_type")
    if kind == "authorization_code":
        code = codes.pop(form.get("code"), None)
        if not code:
            return 400, {"error": "invalid_grant"}
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(digest).decode().rstrip("=") != code["challenge"]:
            return 400, {"error": "invalid_grant", "error_description": "wrong verifier"}
        if form.get("redirect_uri") != code["redirect"]:
            return 400, {"error": "invalid_grant", "error_description": "wrong redirect"}
        return new_login(code["scope"])
    if kind == "urn:ietf:params:oauth:grant-type:device_code":
        device = devices.get(form.get("device_code"))
        if not device:
            return 400, {"error": "expired_token"}
        device["asked"] += 1
        if device["asked"] < 2 and "--slow" in sys.argv:
            return 400, {"error": "slow_down"}
        return new_login(device["scope"])
    if kind == "refresh_token":
        sent = form.get("refresh_token")
        login = find(sent)
        if login and not login.is_revoked and sent == login.current:
            counts["grants"] += 1
            return issue(login, "")
        if login and not login.is_revoked and time.monotonic() - login.old[sent] < GRACE:
            counts["graced"] += 1
            return issue(login, "")
        if login and not login.is_revoked:
            counts["reuse"] += 1
            login.is_revoked = True
        counts["invalid_grant"] += 1
        return 400, {"error": "invalid_grant"}
    return 400, {"error": "unsupported_grant_type"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    @property
    def issuer(self):
        if "--issuer" in sys.argv:
            return sys.argv[sys.argv.index("--issuer") + 1]
        return f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, status, body, **headers):
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        issuer = self.issuer
        if url.path == "/.well-known/oauth-authorization-server":
            names = {"authorization_endpoint": "authorize", "token_endpoint": "token",
                     "device_authorization_endpoint": "device", "revocation_endpoint": "revoke",
                     "userinfo_endpoint": "user"}
            for name in sys.argv[1:]:
                if name.startswith("--no-"):
                    names.pop(f"{name[5:]}_endpoint", None)
            metadata = {"issuer": issuer, "authorization_response_iss_parameter_supported": True,
                        "scopes_supported": ["offline_access"]}
            self.answer(200, metadata | {name: f"{issuer}/{path}" for name, path in names.items()})
        elif url.path == "/authorize":
            code = secrets.token_urlsafe(16)
            codes[code] = {"challenge": query.get("code_challenge"), "redirect": query["redirect_uri"],
                           "scope": query.get("scope", "")}
            answer = {"code": code, "state": query["state"], "iss": issuer}
            requests.append(query)
            self.answer(302, "", Location=f"{query['redirect_uri']}?{urllib.parse.urlencode(answer)}")
        elif url.path == "/user":
            ok = ends.get(self.headers.get("Authorization", "").removeprefix("Bearer "), 0) > time.monotonic()
            self.answer(200 if ok else 401, {"email": "alice@example.com"})
        elif url.path == "/report":
            with lock:
                self.answer(200, counts | {"requests": requests, "generation": max(
                    [login.generation for login in logins.values()] + [0])})
        else:
            self.answer(404, {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        form = dict(urllib.parse.parse_qsl(body))
        issuer = self.issuer
        if self.path == "/next":
            nexts.extend(line for line in body.split("\n") if line)
            self.answer(200, {})
        elif self.path == "/revoke":
            with lock:
                counts["revoked"] += 1
                login = find(form.get("token"))
                if login:
                    login.is_revoked = True
            self.answer(200, "")
        elif self.path == "/device" and "--no-device-client" in sys.argv:
            self.answer(401, {"error": "invalid_client"})
        elif self.path == "/device":
            with lock:
                code = secrets.token_urlsafe(16)
                devices[code] = {"asked": 0, "scope": form.get("scope", "")}
                counts["device"] += 1
            self.answer(200, {"device_code": code, "user_code": "ABCD-EFGH", "interval": 1, "expires_in": 30,
                              "verification_uri": f"{issuer}/enter",
                              "verification_uri_complete": f"{issuer}/enter?code=ABCD-EFGH"})
        elif self.path == "/token":
            self.token(form)
        else:
            self.answer(404, {})

    def token(self, form):
        with lock:
            counts["received"] += 1
            step = nexts.pop(0) if nexts else ""
        word, _, rest = step.partition(" ")
        if word.isdigit():
            return self.answer(int(word), rest)
        if word == "delay":
            time.sleep(float(rest))
        with lock:
            before = counts["grants"]
            status, body = token(form)
            is_killed = KILL and counts["grants"] > before and counts["grants"] % KILL == 0
        if is_killed:
            client = f"skr-oauth token .*issuer={self.issuer}( |$)"
            counts["killed"] += subprocess.run(["pkill", "-KILL", "-f", client], check=False).returncode == 0
        if word == "close" or is_killed:
            self.close_connection = True
            return
        if word == "late":
            time.sleep(float(rest))
        try:
            self.answer(status, body)
        except OSError:
            pass


# Ctrl-C on the test's terminal is for the client.
signal.signal(signal.SIGINT, signal.SIG_IGN)
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(f"http://127.0.0.1:{server.server_port}", flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
