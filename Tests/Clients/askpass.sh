# ssh-add and git, which ask for secrets through an askpass program.
secret key
secret amy
secret wrong
askpass=$(command -v skr-askpass)

client ssh-add "$(ssh -V 2>&1 | sed -E 's/OpenSSH_([^ ,]*).*/\1/')"
export SSH_AUTH_SOCK=$WORK/agent
start agent ssh-agent -D -a "$SSH_AUTH_SOCK"
for _ in {1..100}; do [ -S "$SSH_AUTH_SOCK" ] && break; sleep 0.05; done
# ssh-keygen takes the passphrase of a new key from argv or a terminal, so this script types it on a terminal.
python3 "$CLIENTS/support/type-passphrase.py" ssh-keygen -q -t ed25519 -C scenario -f "$WORK/id" <<<"$key"
add() { SSH_ASKPASS=$askpass SSH_ASKPASS_REQUIRE=force timeout 20 ssh-add "$WORK/id"; }
keys() { ssh-add -l | grep -c SHA256: || true; }
value=$key

check "nothing stored: ssh-add fails" fails add
check "nothing stored: the agent has no key" prints 0 keys
store "$WORK/id"
check "ssh-add" add
check "the agent has the key" prints 1 keys
ssh-add -q -D
printf %s "$wrong" | skr set "$WORK/id"
check "wrong passphrase: ssh-add ends with an error" fails add
check "wrong passphrase: the agent has no key" prints 0 keys
store "$WORK/id" --timeout 3s
check "with a timeout" add
ssh-add -q -D
sleep 3.1
check "expired: ssh-add fails" fails add
store "$WORK/id"
skr delete "$WORK/id"
check "removed: ssh-add fails" fails add

client ssh "$(ssh -V 2>&1 | sed -E 's/OpenSSH_([^ ,]*).*/\1/')"
ssh-keygen -q -t ed25519 -N '' -f "$WORK/host"
printf 'HostKey %s/host\nUsePAM no\n' "$WORK" >sshd.conf
# In a user namespace, where sshd isn't root, it needs neither a user nor a folder for its unprivileged part.
sshd="env LD_LIBRARY_PATH=$INSTALLED/debian/usr/lib/$(uname -m)-linux-gnu unshare --user $INSTALLED/debian/usr/sbin/sshd -i -f $WORK/sshd.conf"
new_host() {
    SSH_ASKPASS=$askpass SSH_ASKPASS_REQUIRE=force SKR_ASKPASS=named timeout 20 \
        ssh -o ProxyCommand="$sshd" -o UserKnownHostsFile="$WORK/known" new.example true
}
store named
check "a new host: an error explains that a person has to answer" says '^skr: error: this is a yes-or-no question' new_host
check "a new host: ssh does not connect" says '^Host key verification failed' new_host
check "a new host: ssh does not add it" fails test -e "$WORK/known"
skr delete named

client "git with GIT_ASKPASS" "$(git --version | sed 's/git version //')"
mkdir repositories
git init -q --bare repositories/one.git
serve git "$WORK/repositories" <<<"amy $amy"
server=http://127.0.0.1:$port
export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=$askpass
listing() { timeout 20 git ls-remote "http://amy@127.0.0.1:$port/one.git"; }
put() { printf 'protocol=http\nhost=127.0.0.1:%s\nusername=amy\npassword=%s\n' "$port" "$1" | git-credential-skr "${@:2}" store; }
check "nothing stored: refused" fails listing
put "$wrong"
check "wrong password: refused" says 'Authentication failed' listing
put "$amy"
check "ls-remote" listing
check "ls-remote, with the user's name from the keyring too" timeout 20 git ls-remote "$server/one.git"
put "$wrong"
put "$amy" --timeout 3s
check "with a timeout" listing
sleep 3.1
check "expired: refused" fails listing
put "$amy"
skr delete "$server" amy
check "removed: refused" fails listing

name=skr-askpass
check "an unknown prompt is not answered" fails skr-askpass 'What is your quest? '
