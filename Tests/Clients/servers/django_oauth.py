"""An OAuth server on django-oauth-toolkit: django_oauth.py GRACE

Prints its address. Everybody is logged in as alice, and has approved the public client skr and the client confidential,
whose secret is s3cret. It rotates refresh tokens, revokes a whole login if it sees an old one after GRACE seconds, and
names itself in its answers (RFC 9207). /count answers with the numbers of refresh tokens, and of those not revoked.
"""
import sys
from wsgiref.simple_server import WSGIRequestHandler

import django
from django.conf import settings
from django.core.management import call_command
from django.core.servers.basehttp import WSGIServer
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import include, path

settings.configure(
    SECRET_KEY="test", ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider"],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware",
                "django.contrib.auth.middleware.AuthenticationMiddleware", f"{__name__}.logged_in"],
    OAUTH2_PROVIDER={
        "ACCESS_TOKEN_EXPIRE_SECONDS": 600, "ROTATE_REFRESH_TOKEN": True, "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": int(sys.argv[1]), "SCOPES": {"read": "read"},
        "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https"], "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True})
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from oauth2_provider.models import Application, RefreshToken  # noqa: E402


def logged_in(get_response):
    def answer(request):
        if request.path.startswith("/authorize"):
            request.user = User.objects.get(username="alice")
        return get_response(request)
    return answer


def count(_):
    return JsonResponse({"all": RefreshToken.objects.count(),
                         "live": RefreshToken.objects.filter(revoked__isnull=True).count()})


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


urlpatterns = [path("count", count), path("", include("oauth2_provider.urls", namespace="oauth2_provider"))]
call_command("migrate", verbosity=0)
user = User.objects.create_user("alice")
for name, kind in [("skr", Application.CLIENT_PUBLIC), ("confidential", Application.CLIENT_CONFIDENTIAL)]:
    Application.objects.create(
        client_id=name, client_secret="s3cret", client_type=kind, user=user, skip_authorization=True,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE, redirect_uris="http://127.0.0.1/")
# In one thread, because the database is in its memory.
server = WSGIServer(("127.0.0.1", 0), QuietHandler)
server.set_app(get_wsgi_application())
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
