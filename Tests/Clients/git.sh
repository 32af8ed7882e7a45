# git over its own http-backend with basic authentication: clone, push, several users, refusal and expiry.
client git "$(git --version | sed 's/git version //')"
secret amy
secret ben
secret wrong

mkdir repositories
git init -q --bare repositories/one.git
git init -q --bare repositories/two.git
git -C repositories/one.git config http.receivepack true
serve git "$WORK/repositories" <<<"amy $amy"$'\n'"ben $ben"
server=http://127.0.0.1:$port
export GIT_TERMINAL_PROMPT=0 GIT_CONFIG_NOSYSTEM=1
export PATH=$HOME/.local/bin:$PATH
check "the page's lines" follow git 1
git config --global user.email amy@example.com
git config --global user.name Amy
git config --global init.defaultBranch main

approve() { printf 'protocol=http\nhost=127.0.0.1:%s\nusername=%s\npassword=%s\n%s\n' "$port" "$1" "$2" "${3-}" | git credential approve; }
reject() { printf 'protocol=http\nhost=127.0.0.1:%s\nusername=%s\npassword=%s\n\n' "$port" "$1" "$2" | git credential reject; }
fill() { printf 'protocol=http\nhost=127.0.0.1:%s\n%s\n' "$port" "${1-}" | git credential fill; }
clone() { rm -rf clone; git clone -q "$@" clone; }
last_user() { tail -n 1 requests | cut -d ' ' -f 3; }
forget() { local user; for user in amy ben; do skr delete "$server" "$user"; done >/dev/null 2>&1; }

check "nothing stored: clone fails, and git reports what is missing" says 'could not read Username.*terminal prompts disabled' clone "$server/one.git"
check "nothing stored: fill prints no password" says 'could not read Username' fill

# A user types the password once, into the askpass program. From then on, git gets it from the keyring.
printf '#!/bin/sh\ncase $1 in Username*) echo amy ;; *) printenv TYPED ;; esac\n' >type
chmod +x type
typed() { GIT_ASKPASS=$WORK/type TYPED=$amy clone "$server/one.git"; }
check "a password that is typed once is stored" typed
check "clone does not ask for it again" clone "$server/one.git"
check "the server saw the user" prints amy last_user
check "skr get has the same secret" prints "$amy" skr get "$server" amy
push() { (cd clone && echo "$1" >file && git add file && git commit -qm "$1" && git push -q origin HEAD:main); }
check "push" push first
push second
second_is_there() { clone -b main "$server/one.git" && [ "$(<clone/file)" = second ]; }
check "a second clone has the pushed commit" second_is_there
check "fill prints what approve stored" says "^password=$amy\$" fill

forget
approve amy "$wrong"
check "wrong password: clone fails" says 'Authentication failed' clone "$server/one.git"
check "wrong password: git erases it" fails skr get "$server" amy
approve amy "$amy"
reject amy "$wrong"
check "reject of another password leaves the new one" says "^password=$amy\$" fill
reject amy "$amy"
check "reject removes the password" says 'could not read Username' fill

printf 'http://amy:%s@127.0.0.1:%s\n' "$amy" "$port" >~/.git-credentials
check "the page's line stores the secrets of ~/.git-credentials" follow Secrets 1
check "fill prints the password of ~/.git-credentials" says "^password=$amy\$" fill
rm ~/.git-credentials

approve amy "$amy"
approve ben "$ben"
check "two users of one host: the first in the order of names" says '^username=amy$' fill
check "two users: the requested one" says "^password=$ben\$" fill $'username=ben\n'
as_ben() { git config --global "credential.$server.username" ben && clone "$server/one.git"; }
check "credential.URL.username chooses the second user" as_ben
check "the server saw the second user" prints ben last_user
git config --global --unset "credential.$server.username"
check "a user in the URL" clone "http://ben@127.0.0.1:$port/one.git"
check "the server saw the user of the URL" prints ben last_user
skr delete "$server" ben
check "removed with skr delete: the second user is asked for again" fails clone "http://ben@127.0.0.1:$port/one.git"
forget

git config --global --unset-all credential.helper
check "the page's lines, with another timeout" follow git 1 8h 3s
approve amy "$amy"
check "--timeout 3s: found before it expires" clone "$server/one.git"
sleep 3.1
check "--timeout 3s: expired, because a use does not renew it" says 'could not read Username' clone "$server/one.git"
git config --global --replace-all credential.helper skr
forget

git config --global credential.useHttpPath true
path_credential() { printf 'protocol=http\nhost=127.0.0.1:%s\npath=%s\nusername=%s\npassword=%s\n\n' "$port" one.git amy "$amy" | git credential approve; }
path_credential
check "useHttpPath: found for its repository" clone "$server/one.git"
check "useHttpPath: not found for another repository" says 'could not read Username' clone "$server/two.git"
git config --global --unset credential.useHttpPath

# Features that git 2.39 does not have.
driver "git 2.46 and newer" "capability, authtype and state; the driver sends and reads the lines of git-credential(1)"
secret token
helper() { printf 'capability[]=authtype\ncapability[]=state\nprotocol=http\nhost=%s\n%s\n' "$1" "${3-}" | git-credential-skr "$2"; }
plain() { printf 'protocol=http\nhost=%s\n\n' "$1" | git-credential-skr get; }
check "capability" prints $'version 0\ncapability authtype\ncapability state' git-credential-skr capability
check "store of a Bearer token" helper bearer.example store "authtype=Bearer"$'\n'"credential=$token"$'\nstate[]=skr:1\n'
check "get prints the token for a git that supports it" says "^credential=$token\$" helper bearer.example get
first_line() { helper bearer.example get | head -n 1; }
check "get prints the capability first" prints 'capability[]=authtype' first_line
check "get prints the state" says '^state\[\]=skr:1$' helper bearer.example get
check "get prints nothing for an old git" prints '' plain bearer.example
check "ephemeral is not stored" helper once.example store "authtype=Bearer"$'\n'"credential=$token"$'\nephemeral=1\n'
check "ephemeral is not found" prints '' helper once.example get
helper bearer.example erase "authtype=Bearer"$'\n'"credential=$wrong"$'\n'
check "erase of another token leaves it" says "^credential=$token\$" helper bearer.example get
helper bearer.example erase
check "erase" prints '' helper bearer.example get
check "an unknown operation: no output, exit 0" prints '' helper bearer.example frobnicate
expiring() { helper old.example store "username=amy"$'\n'"password=$amy"$'\n'"password_expiry_utc=$1"$'\n'; }
expiring $(($(date +%s) + 2))
check "password_expiry_utc: found before the expiry" says "^password=$amy\$" helper old.example get
check "password_expiry_utc: stored as a credential with an expiry" says '^credential.*old\.example' skr list
sleep 2.3
check "password_expiry_utc: not found after the expiry, no output, exit 0" prints '' helper old.example get
refreshing() { helper oauth.example store "username=amy"$'\n'"password=$amy"$'\n'"oauth_refresh_token=$token"$'\n'"password_expiry_utc=$1"$'\n'; }
refreshing $(($(date +%s) + 2))
check "oauth_refresh_token: get prints the password before its expiry" says "^password=$amy\$" helper oauth.example get
sleep 2.3
check "oauth_refresh_token: after the expiry, get prints the user and the token only" prints "username=amy"$'\n'"oauth_refresh_token=$token" helper oauth.example get
helper oauth.example erase "password=$wrong"$'\n'
check "erase of another password leaves the refresh token" says "^oauth_refresh_token=$token\$" helper oauth.example get
helper oauth.example erase "password=$amy"$'\n'
check "erase of the expired password removes the refresh token" prints '' helper oauth.example get
expiring 9999999999
check "password_expiry_utc=9999999999 is stored" says "^password=$amy\$" helper old.example get
expiring 1
check "password_expiry_utc in the past does not replace it" says "^password_expiry_utc=9999999999\$" helper old.example get
