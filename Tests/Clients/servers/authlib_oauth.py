"""An OAuth server on Authlib, with the device flow: authlib_oauth.py

Prints its address. The user approves each code at /enter?code=CODE. It rotates refresh tokens, and revokes a login as
soon as it sees an old one. /report answers with the numbers of grants and of refused tokens.
"""
import os
import secrets
import threading
import time

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
from authlib.integrations.flask_oauth2 import AuthorizationServer  # noqa: E402
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants  # noqa: E402
from authlib.oauth2.rfc8628 import (  # noqa: E402
    DEVICE_CODE_GRANT_TYPE, DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict)
from flask import Flask, jsonify, request  # noqa: E402
from werkzeug.serving import make_server  # noqa: E402

lock = threading.Lock()
codes, approved, tokens = {}, set(), []
counts = {"grants": 0, "refused": 0}


class Client(ClientMixin):
    client_id = "skr"

    def get_client_id(self):
        return self.client_id

    def get_allowed_scope(self, scope):
        return scope

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "none"

    def check_grant_type(self, kind):
        return True


class Token(TokenMixin):
    def __init__(self, values, family):
        self.values, self.family, self.is_used, self.issued = values, family, False, time.time()

    def check_client(self, client):
        return True

    def get_scope(self):
        return self.values.get("scope", "")

    def get_user(self):
        return "alice"

    def get_client(self):
        return Client()


class Refresh(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, text):
        with lock:
            token = next((token for token in tokens if token.values.get("refresh_token") == text), None)
            if token is None or token.is_used:
                counts["refused"] += 1
                for other in tokens:
                    if token is not None and other.family == token.family:
                        other.is_used = True
                return None
            # Used up here, as by a server that hands out nothing twice.
            token.is_used = True
            counts["grants"] += 1
            self.family = token.family
            return token

    def authenticate_user(self, credential):
        return "alice"

    def revoke_old_credential(self, credential):
        pass


class DeviceEndpoint(DeviceAuthorizationEndpoint):
    CLIENT_AUTH_METHODS = ["none"]
    INTERVAL = 1

    def get_verification_uri(self):
        return f"{address}/enter"

    def save_device_credential(self, client_id, scope, data):
        codes[data["device_code"]] = data | {"scope": scope, "expires_at": time.time() + 60}


class Device(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    asked = {}

    def query_device_credential(self, code):
        data = codes.get(code)
        return data and DeviceCredentialDict(data | {"client_id": "skr"})

    def query_user_grant(self, user_code):
        return ("alice", True) if user_code in approved else None

    def should_slow_down(self, credential):
        return False


app = Flask(__name__)


def save(values, oauth_request):
    with lock:
        old = next((token for token in tokens
                    if token.values.get("refresh_token") == oauth_request.form.get("refresh_token")), None)
        tokens.append(Token(values, old.family if old else secrets.token_hex(4)))


server = AuthorizationServer(app, query_client=lambda name: Client() if name == "skr" else None, save_token=save)
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {"refresh_token": 600, DEVICE_CODE_GRANT_TYPE: 600}
server.load_config(app.config)
server.register_token_generator("default", server.create_bearer_token_generator(app.config))
server.register_grant(Refresh)
server.register_grant(Device)
server.register_endpoint(DeviceEndpoint)


@app.get("/.well-known/openid-configuration")
def metadata():
    return jsonify(issuer=address, token_endpoint=f"{address}/token", device_authorization_endpoint=f"{address}/device")


@app.post("/device")
def device():
    return server.create_endpoint_response("device_authorization")


@app.post("/token")
def token():
    return server.create_token_response()


@app.get("/enter")
def enter():
    approved.add(request.args["code"])
    return "approved"


@app.get("/report")
def report():
    return jsonify(counts)


listener = make_server("127.0.0.1", 0, app, threaded=True)
address = f"http://127.0.0.1:{listener.server_port}"
print(address, flush=True)
listener.serve_forever()
