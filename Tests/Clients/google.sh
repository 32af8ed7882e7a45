# Google's Python library with a credential file that names an executable, against a server that exchanges the
# executable's token.
client google-auth "$(python3 -c 'import google.auth; print(google.auth.__version__)')"
secret token
secret wrong
value=$token
serve sts <<<"$token"
cat >ask.py <<'PYTHON'
import sys
import google.auth.exceptions
import google.auth.pluggable
import google.auth.transport.requests
try:
    credentials = google.auth.pluggable.Credentials.from_file("credentials.json", scopes=["https://example.com/all"])
    credentials.refresh(google.auth.transport.requests.Request())
except google.auth.exceptions.GoogleAuthError as error:
    sys.exit(str(error))
print(credentials.token)
PYTHON
configure() {
    cat >credentials.json <<JSON
{"type":"external_account","audience":"//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
"subject_token_type":"urn:ietf:params:oauth:token-type:id_token","token_url":"http://127.0.0.1:$port/v1/token",
$(page Google 1 "work -- id-token" "$1")}
JSON
}
configure prod
eval "$(page Google 2)"
ask() { python3 ask.py; }
check "nothing stored: the error gives the reason" says 'the item does not exist or has expired' ask
store prod
check "the token is exchanged" prints exchanged ask
printf %s "$wrong" | skr set prod
check "wrong token: refused" says 'invalid_grant' ask
store prod --timeout 1s
sleep 1.3
check "expired: the error gives the reason" says 'the item does not exist or has expired' ask
store prod
skr delete prod
check "removed: the error gives the reason" says 'the item does not exist or has expired' ask

cat >issue-token <<'SCRIPT'
#!/bin/bash
echo run >>"$WORK/runs"
printf '{"id_token":"%s","expires_in":%s}' "$ISSUED" "$(cat "$WORK/lifetime")"
SCRIPT
chmod +x issue-token
export ISSUED=$token
echo 3600 >lifetime
configure "prod -- $WORK/issue-token"
check "the command's token" prints exchanged ask
check "a second time" prints exchanged ask
check "the command ran once for both" prints 1 runs
keyctl clear @s
echo 2 >lifetime
check "a token that lasts 2 seconds" prints exchanged ask
before=$(runs)
sleep 2.5
echo 3600 >lifetime
check "after its expiry" prints exchanged ask
check "after its expiry the command ran once more" prints $((before + 1)) runs
