# Logins to real OAuth servers, and the tokens with git, kubectl and curl.
version() { python3 -c 'import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))' "$1"; }
unset SSH_CONNECTION
mkdir bin
printf '#!/bin/sh\nexec curl -sL -o "$HOME/page" "$1"\n' >bin/browser
chmod +x bin/browser
export BROWSER=$WORK/bin/browser
# value NAME FIELD: prints a field of an account's login.
value() { keyctl pipe "%user:credential:$1:" | sed -n "s/.*\"$2\":\"\\{0,1\\}\\([^\",}]*\\).*/\\1/p"; }
refresh() { skr delete "$1"; skr get "$1" >/dev/null; }
kept() { secrets+=("$(value "$1" refresh_token)" "$(skr get "$1")"); }

client django-oauth-toolkit "$(version django-oauth-toolkit)"
start strict python3 "$CLIENTS/servers/django_oauth.py" 0
await_port strict '^http:..127.0.0.1:([0-9]+)$'
strict=http://127.0.0.1:$port
start lenient python3 "$CLIENTS/servers/django_oauth.py" 60
await_port lenient '^http:..127.0.0.1:([0-9]+)$'
lenient=http://127.0.0.1:$port
live() { curl -s "$1/count" | sed 's/.*"live": \([0-9]*\).*/\1/'; }
ask_again() { curl -s -d "grant_type=refresh_token&client_id=skr&refresh_token=$2" "$1/token/"; }

check "login with a browser, with PKCE and the issuer in the answer" says '^skr: work: logged in$' \
    skr login work --issuer "$strict" --client-id skr --oauth-scope read
check "the login is declared" says '^work --oauth http' cat ~/.config/skr/sources
kept work
old=$(value work refresh_token)
check "a refresh" refresh work
check "the refresh token was replaced" fails test "$old" = "$(value work refresh_token)"
kept work
many() {
    local number readers=()
    skr delete work
    for number in {1..16}; do { skr get work | sha256sum >"token$number"; } & readers+=($!); done
    wait "${readers[@]}"
    cat token[0-9]* | sort -u | wc -l
}
check "16 readers get the same new token" prints 1 many
check "that took one refresh" prints 2 value work generation
kept work
check "another program sends an old token: the server refuses it" says invalid_grant ask_again "$strict" "$old"
skr delete work
check "the server has revoked the login: a reader ends with 1" fails_with 1 skr get work
check "the reader names the login" says '^skr: hint: skr login work$' skr get work
check "login again, as declared" says '^skr: work: logged in$' skr login work
kept work
check "logout" skr logout work
check "the server has revoked the login" prints 0 live "$strict"
printf s3cret | skr set client
check "a client with a secret" says '^skr: own: logged in$' \
    skr login own --issuer "$strict" --client-id confidential --client-secret skr://client --oauth-scope read
kept own
check "a refresh with the client's secret" refresh own
skr login gentle --issuer "$lenient" --client-id skr --oauth-scope read 2>/dev/null
old=$(value gentle refresh_token)
kept gentle
refresh gentle
check "a server with a grace period answers an old token" says access_token ask_again "$lenient" "$old"
check "a scope that the server doesn't have: login fails" says 'the server answered invalid_scope' \
    skr login bad --issuer "$strict" --client-id skr --oauth-scope offline_access
check "a client that the server doesn't know, or a wrong redirect: login waits, and Ctrl-C ends it" fails_with 124 \
    timeout --signal INT 3 skr login bad --issuer "$strict" --client-id unknown

client Authlib "$(version Authlib)"
start authlib python3 "$CLIENTS/servers/authlib_oauth.py"
await_port authlib '^http:..127.0.0.1:([0-9]+)$'
authlib=http://127.0.0.1:$port
by_device() {
    SSH_CONNECTION=x skr login phone --issuer "$authlib" --client-id skr --oauth-scope read 2>shown &
    local code=
    for _ in {1..200}; do
        code=$(sed -n '/enter the code/,$s/^    \(.*\)/\1/p' shown)
        [ -n "$code" ] && break
        sleep 0.05
    done
    curl -s "$authlib/enter?code=$code" >entered
    wait $!
}
check "the device flow, while the user enters the code elsewhere" by_device
kept phone
old=$(value phone refresh_token)
for number in 1 2 3 4 5; do refresh phone; done
check "five refreshes, each with the token of the last one" prints '{"grants":5,"refused":0}' curl -s "$authlib/report"
kept phone
check "another program sends an old token: the server refuses it" says invalid_grant \
    curl -s -d "grant_type=refresh_token&client_id=skr&refresh_token=$old" "$authlib/token"
skr delete phone
check "the server has revoked the login: a reader ends with 1" fails_with 1 skr get phone

# The token with clients that know nothing of OAuth.
token=$(skr get own)
mkdir files
echo done >files/page
serve files "$WORK/files" <<<"header amy Bearer $token"
client curl "$(curl --version | awk 'NR == 1 { print $2 }')"
get_page() { echo 'header = "Authorization: Bearer {{ skr://own }}"' | skr inject | curl -s -K - "http://127.0.0.1:$port/page"; }
check "skr inject" prints "done" get_page
serve_cluster "$token"
client kubectl "$(kubectl version --client 2>/dev/null | sed -n 's/.*v\([0-9.]*[0-9]\).*/\1/p' | head -n 1)"
configure
cat >>~/.kube/config <<'CONFIG'
users: [{name: me, user: {exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: skr, args: [helper, kubernetes, own]}}}]
CONFIG
check "get namespaces" prints namespace/orchard timeout 30 kubectl get namespaces -o name
client git "$(git --version | sed 's/git version //')"
skr login http://127.0.0.1 oauth2 --issuer "$lenient" --client-id skr --oauth-scope read 2>/dev/null
token=$(skr get http://127.0.0.1 oauth2)
mkdir repositories
git init -q --bare repositories/one.git
serve git "$WORK/repositories" <<<"oauth2 $token"
export GIT_TERMINAL_PROMPT=0 GIT_CONFIG_NOSYSTEM=1 PATH=$HOME/.local/bin:$PATH
git config --global "credential.http://127.0.0.1:$port.helper" '!f() { sed "s/^host=.*/host=127.0.0.1/" | skr helper git "$1"; }; f'
check "git clones with the token as password of oauth2" git clone -q "http://127.0.0.1:$port/one.git" clone
