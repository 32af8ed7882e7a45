# Subversion with its provider gnome-keyring, on libsecret. It keeps the user's name in a file, and looks for an item with
# {domain, user} and the schema of networks. The domain contains the server's realm.
source "$CLIENTS/support/secrets.bash"
client Subversion "$(svn --version --quiet)"
secret amy
secret ben
secret wrong
svnadmin create repository
serve svn "$WORK/repository" <<<"amy $amy"$'\n'"ben $ben"
server=svn://127.0.0.1:$port
domain="<$server> orchard"
mkdir -p ~/.subversion
printf '[auth]\npassword-stores = gnome-keyring\n' >~/.subversion/config

with() { skr-secrets "${options[@]}" -- "$@"; }
show() { with svn ls --non-interactive "$@" "$server"; }
# show_with PASSWORD [ARGUMENT...]: svn stores a password that the server has accepted.
show_with() { show --password-from-stdin "${@:2}" <<<"$1"; }
lookup() { with secret-tool lookup domain "$domain" "$@"; }
# put PASSWORD DOMAIN SCHEMA: stores an item for the user amy.
put() { printf %s "$1" | with secret-tool store --label=svn domain "$2" user amy xdg:schema "$3"; }
denied() { says "Can't get username or password" show "$@"; }

check "nothing stored: svn has no password" denied --username amy
check "a wrong password" says 'Password incorrect' show_with "$wrong" --username amy
check "a wrong password is not stored" prints '' skr list
check "a password" show_with "$amy" --username amy
check "svn does not ask for it again" show
check "svn auth names the store" says '^Password cache: gnome-keyring$' with svn auth
check "skr list has it" prints secret kinds
listed=$(skr list | cut -f 2)
check "skr get with the name that skr list prints" prints "$amy" skr get "$listed"
check "lookup with the schema of networks" prints "$amy" lookup xdg:schema org.gnome.keyring.NetworkPassword
check "lookup with another schema" fails_with 1 lookup xdg:schema org.git.Password
check "lookup without a schema" prints "$amy" lookup
check "another user has no password" denied --username ben
check "a password for another user" show_with "$ben" --username ben
check "another user: svn does not ask for it again" show --username ben
check "another user: the first password is still stored" prints "$amy" lookup user amy
check "another user: two items" prints 'secret secret ' echo "$(kinds | tr '\n' ' ')"
check "the first user again" show --username amy

# A password that the server does not accept any longer.
put "$wrong" "$domain" org.gnome.keyring.NetworkPassword
check "a wrong password in the store" says 'Password incorrect|previous' show --username amy
check "a wrong password in the store: another user's is unchanged" show --username ben
check "the password that is typed then" show_with "$amy" --username amy
check "it has replaced the wrong one" prints "$amy" lookup user amy
check "still two items" prints 'secret secret ' echo "$(kinds | tr '\n' ' ')"

# An item of another schema, or of another server.
keyctl clear @s
put "$amy" "$domain" org.example.Other
check "an item with another schema is not used" denied --username amy
check "a password, next to an item with another schema" show_with "$amy" --username amy
check "next to an item with another schema: both are stored" prints 'secret secret ' echo "$(kinds | tr '\n' ' ')"
keyctl clear @s
printf %s "$amy" | with secret-tool store --label=bare domain "$domain" user amy
check "an item without a schema is not used" denied --username amy
keyctl clear @s
put "$amy" "<$server> meadow" org.gnome.keyring.NetworkPassword
check "an item of another realm is not used" denied --username amy
keyctl clear @s
show_with "$amy" --username amy
skr delete "$(skr list | cut -f 2)"
check "deleted by skr delete: svn has no password" denied
options=(--timeout 4s)
show_with "$amy" --username amy
options=()
check "--timeout 4s: found before it expires" show
sleep 4.1
check "expired: svn has no password" denied
check "each service has ended with its command" services_ended
