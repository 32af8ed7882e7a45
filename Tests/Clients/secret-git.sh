# git with its contributed helper on libsecret, next to our helper: both have the same items.
source "$CLIENTS/support/secrets.bash"
secret amy
secret ben
secret wrong
mkdir bin
build() {
    cp -r /usr/share/doc/git/contrib/credential/libsecret helper && make -s -C helper &&
        mv helper/git-credential-libsecret bin
}
if ! build >make.log 2>&1; then
    skipped "git-credential-libsecret" "it can't be built: $(tail -n 1 make.log)"
    return
fi
export PATH=$PWD/bin:$PATH
client git-credential-libsecret "$(git --version | sed 's/git version //')"

mkdir repositories
git init -q --bare repositories/one.git
serve git "$WORK/repositories" <<<"amy $amy"$'\n'"ben $ben"
server=http://127.0.0.1:$port
export GIT_TERMINAL_PROMPT=0 GIT_CONFIG_NOSYSTEM=1
git config --global credential.helper libsecret

with() { skr-secrets "${options[@]}" -- "$@"; }
credential() { printf 'protocol=%s\nhost=%s\n%s\n' "${@:2}" | with git credential "$1"; }
approve() { credential approve http "$host" "username=$1"$'\n'"password=$2"$'\n'; }
reject() { credential reject http "$host" "username=$1"$'\n'"password=$2"$'\n'; }
fill() { credential fill http "$host" "${1-}"; }
clone() { rm -rf clone; with git clone -q "$@" clone; }
host=git.example
origin=http://$host

check "nothing stored: fill" says 'could not read Username' fill
check "approve" approve amy "$amy"
check "fill" says "^password=$amy\$" fill
check "skr get has the same secret" prints "$amy" skr get "$origin" amy
check "skr list" prints internet$'\t'$origin$'\t'amy$'\t'${#amy}$'\t'- skr list
ours() { git -c credential.helper= -c credential.helper=skr credential "$1"; }
our_fill() { printf 'protocol=http\nhost=%s\n\n' "$host" | ours fill; }
check "our helper has it, too" says "^password=$amy\$" our_fill
approve amy "$ben"
check "another password has replaced it" prints "$ben" skr get "$origin" amy
check "reject" reject amy "$ben"
check "rejected: fill" says 'could not read Username' fill
check "rejected: skr get does not find it" fails_with 1 skr get "$origin" amy
printf 'protocol=http\nhost=%s\nusername=ben\npassword=%s\n\n' "$host" "$ben" | ours approve
check "a password that our helper has stored" says "^password=$ben\$" fill
approve amy "$amy"
check "two users: the requested one" says "^password=$ben\$" fill $'username=ben\n'
check "two users: the other one" says "^password=$amy\$" fill $'username=amy\n'
skr delete "$origin" ben
check "deleted by skr delete: not found" says 'could not read Password' fill $'username=ben\n'
check "deleted by skr delete: the other user is still found" says "^password=$amy\$" fill
options=(--timeout 2s)
approve amy "$amy"
options=()
check "--timeout 2s: found before it expires" says "^password=$amy\$" fill
sleep 2.1
check "expired: fill" says 'could not read Username' fill

# With a port or a path, the helper has more attributes than our helper: the kind `secret`.
host=127.0.0.1:$port
check "nothing stored: clone fails" says 'could not read Username' clone "$server/one.git"
approve amy "$wrong"
check "with a port: skr list has it" prints secret kinds
check "wrong password: clone fails" says 'Authentication failed' clone "$server/one.git"
check "wrong password: git erases it" prints '' skr list
printf '#!/bin/sh\ncase $1 in Username*) echo amy ;; *) printenv TYPED ;; esac\n' >type.sh
chmod +x type.sh
typed() { GIT_ASKPASS=$WORK/type.sh TYPED=$amy clone "$server/one.git"; }
check "a password that is typed once is stored" typed
check "clone does not ask for it again" clone "$server/one.git"
listed=$(skr list | cut -f 2)
check "skr delete with the name that skr list prints" skr delete "$listed"
check "deleted by skr delete: clone fails" says 'could not read Username' clone "$server/one.git"

# This helper reads lines of at most 1,023 bytes, so only a nearly full quota is too small for it.
secret large "$(head -c 675 /dev/urandom | base64 -w 0)"
full() {
    limited "$2" 'git() { skr-secrets -- git -c credential.helper=libsecret credential "$1"; }
        line() { printf "protocol=https\nhost=git.example\nusername=%s\npassword=%s\n\n" "$@"; }
        export PATH=$2:$PATH GIT_TERMINAL_PROMPT=0
        read -r small large; line amy "$small" | git approve
        head -c 19000 /dev/zero | skr set filling || exit
        line "$1" "$large" | git approve
        skr get https://git.example amy; echo
        skr list | cut -f 3,4' "$1" "$WORK/bin" <<<"$amy $large"
}
printed=$(full ben 61104 2>&1)
check "full quota: the helper reports the quota and a way out" says 'store failed: .*quota.*skr-quota' echo "$printed"
check "full quota: nothing is stored" fails says '^ben' echo "$printed"
printed=$(full amy 61105 2>&1)
check "full quota: another password for the same user is refused" says 'store failed: .*quota' echo "$printed"
check "full quota: the password that it would have replaced is still there" says "^$amy\$" echo "$printed"
check "each service has ended with its command" services_ended
