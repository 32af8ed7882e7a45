# sd-bus, with the package sdbus-secrets and with busctl. A command of busctl makes a single call, so it can't use a
# session, and sees no secret.
source "$CLIENTS/support/libraries.bash"
python=$INSTALLED/venv/bin/python
version() { "$python" -c 'import importlib.metadata as m, sys; print(m.version(sys.argv[1]))' "$1"; }
client "sdbus-secrets with sdbus" "$(version sdbus-secrets) and $(version sdbus)"
driver=("$python" "$CLIENTS/drivers/secret-sdbus.py")
check_library 61115

client busctl "$(dpkg-query -W -f '${Version}' systemd)"
keyctl clear @s
eval "$(skr-secrets)"
root=/org/freedesktop/secrets prefix=org.freedesktop.Secret
call() { busctl --user call org.freedesktop.secrets "$1" "$prefix.$2" "${@:3}"; }
property() { busctl --user get-property org.freedesktop.secrets "$1" "$prefix.$2" "$3"; }
change() { busctl --user set-property org.freedesktop.secrets "$1" "$prefix.$2" "${@:3}"; }
# The first path of the answer.
find_item() { call $root Service SearchItems 'a{ss}' $(($# / 2)) "$@" | cut -d ' ' -f 3 -s | tr -d '"'; }

check "list has the service" says '^org\.freedesktop\.secrets ' busctl --user list
check "introspect has the methods" says '^\.CreateItem +method +a\{sv\}\(oayays\)b +oo ' \
    busctl --user introspect org.freedesktop.secrets $root/collection/login
check "the alias" prints "o \"$root/collection/login\"" call $root Service ReadAlias s default
check "another alias" prints 'o "/"' call $root Service ReadAlias s other
check "nothing stored" prints 'aoao 0 0' call $root Service SearchItems 'a{ss}' 1 service orchard
create "$amy" "The label" "${account[@]}"
item=$(find_item "${account[@]}")
check "tree has the collections" says '/org/freedesktop/secrets/collection/session$' busctl --user tree org.freedesktop.secrets
check "tree has the item" says "$item\$" busctl --user tree org.freedesktop.secrets
check "the attributes" prints 'a{ss} 2 "service" "orchard" "username" "amy"' property "$item" Item Attributes
check "the label" prints 's "The label"' property "$item" Item Label
check "it is not locked" prints 'b false' property "$item" Item Locked
check "change the label" change "$item" Item Label s other
check "the changed label" prints other search "${account[@]}"
check "a property of another type" says 'Failed to set property' change "$item" Item Label u 1
check "a property that can't be changed" says 'Failed to set property' change "$item" Item Locked b true
check "an unknown property" says 'Failed to get property' property "$item" Item Nothing
check "another object" says 'no such object' property $root/collection/login/other Item Label
check "an unknown method" says 'no such method' call "$item" Item Nothing
check "a session that has ended with its client" says 'session does not exist' \
    call "$item" Item GetSecret o "$(call $root Service OpenSession sv plain s '' | cut -d '"' -f 4)"
check "it is not locked, and nothing locks it" prints 'aoo 0 "/"' call $root Service Lock ao 1 "$item"
check "delete" prints 'o "/"' call "$item" Item Delete
check "deleted: skr get does not find it" fails_with 1 skr get orchard amy
check "deleted: the object does not exist" says 'no such object' property "$item" Item Label
