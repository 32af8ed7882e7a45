# msmtp, on libsecret. It only reads: first an item with {host, service, user}, then one with the schema of networks and
# {server, protocol, user}, such as git send-email stores.
source "$CLIENTS/support/secrets.bash"
client msmtp "$(dpkg-query -W -f '${Version}' msmtp)"
secret amy
secret ben
secret wrong
composed=$'zo\u00eb' decomposed=$'zoe\u0308'
serve smtp "$WORK/messages" <<<"amy $amy"$'\n'"ben $ben"$'\n'"$composed $amy"
cat >~/.msmtprc <<CONFIG
defaults
auth plain
tls off
host 127.0.0.1
port $port
from amy@example
CONFIG
for user in amy ben "$composed" "$decomposed"; do printf 'account %s\nuser %s\n' "$user" "$user" >>~/.msmtprc; done
chmod 600 ~/.msmtprc

with() { skr-secrets "${options[@]}" -- "$@"; }
put() { printf %s "$1" | with secret-tool store --label=mail "${@:2}"; }
# deliver USER: succeeds if the server has got a message from this user.
deliver() {
    rm -f messages
    with msmtp --account="$1" ben@example <<<"hello" && [ "$(cat messages)" = "$1" ]
}
denied() { says 'authentication method PLAIN needs a password' deliver "$1"; }
smtp=(host 127.0.0.1 service smtp user)
network=(server 127.0.0.1 protocol smtp xdg:schema org.gnome.keyring.NetworkPassword user)

check "nothing stored: msmtp has no password" denied amy
check "store with secret-tool, as msmtp documents it" put "$amy" "${smtp[@]}" amy
check "msmtp sends with it" deliver amy
check "another user has no password" denied ben
check "skr list has it" prints secret kinds
check "a wrong password" put "$wrong" "${smtp[@]}" amy
check "a wrong password: the server refuses it" says 'authentication failed' deliver amy
check "the right password" put "$amy" "${smtp[@]}" amy
check "it has replaced the wrong one" deliver amy
check "replaced: there is one item" prints secret kinds
put "$ben" "${smtp[@]}" ben
check "two users: each has their own password" deliver ben
check "two users: the first one" deliver amy
listed=$(skr list | cut -f 2 | grep amy)
check "skr get with the name that skr list prints" prints "$amy" skr get "$listed"
check "skr delete with the name that skr list prints" skr delete "$listed"
check "deleted by skr delete: msmtp has no password" denied amy
check "deleted by skr delete: the other user's is still found" deliver ben
keyctl clear @s

put "$amy" host 127.0.0.2 service smtp user amy
check "another host: msmtp has no password" denied amy
put "$amy" host 127.0.0.1 service imap user amy
check "another service: msmtp has no password" denied amy
put "$amy" host 127.0.0.1 service smtp
check "an item without the user: msmtp has no password" denied amy
put "$amy" "${smtp[@]}" "$composed"
check "a user with é in one code point" deliver "$composed"
check "the same user with two code points has no password" denied "$decomposed"
keyctl clear @s
put "$amy" "${smtp[@]}" amy xdg:schema de.marlam.msmtp.password
check "an item with msmtp's schema" deliver amy
keyctl clear @s

# The schema of networks.
check "store with the schema of networks" put "$amy" "${network[@]}" amy
check "the schema of networks: msmtp sends with it" deliver amy
check "the schema of networks: another user has no password" denied ben
check "the schema of networks: skr list" prints internet$'\t'smtp://127.0.0.1$'\t'amy$'\t'${#amy}$'\t'- skr list
check "the schema of networks: skr get" prints "$amy" skr get smtp://127.0.0.1 amy
skr delete smtp://127.0.0.1 amy
check "deleted by skr delete: msmtp has no password either" denied amy
put "$amy" server 127.0.0.1 protocol smtp user amy
check "without a schema: msmtp has no password" denied amy
keyctl clear @s
put "$amy" server 127.0.0.1 protocol smtp user amy xdg:schema org.example.Other
check "another schema: msmtp has no password" denied amy
put "$ben" "${network[@]}" amy
check "another schema: its item is not replaced" prints "$amy" \
    with secret-tool lookup user amy xdg:schema org.example.Other
put "$amy" "${network[@]}" amy
check "next to another schema: msmtp sends" deliver amy
keyctl clear @s
git_stores() {
    printf 'protocol=smtp\nhost=127.0.0.1\nusername=amy\npassword=%s\n\n' "$amy" |
        git -c credential.helper= -c credential.helper=skr credential approve
}
check "git stores with our helper, as git send-email does" git_stores
check "stored by our helper: msmtp sends with it" deliver amy
keyctl clear @s

options=(--timeout 4s)
put "$amy" "${smtp[@]}" amy
options=()
check "--timeout 4s: found before it expires" deliver amy
sleep 4.1
check "expired: msmtp has no password" denied amy
check "each service has ended with its command" services_ended
