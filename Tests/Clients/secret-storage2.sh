# SecretStorage 2, on dbus-python and libdbus. Its create_item does not replace by default.
source "$CLIENTS/support/libraries.bash"
python=$INSTALLED/storage2/bin/python
version() { "$python" -c 'import importlib.metadata as m, sys; print(m.version(sys.argv[1]))' "$1"; }
client "SecretStorage with dbus-python" "$(version SecretStorage) and $(version dbus-python)"
# It uses a function of cryptography that is deprecated.
driver=("$python" -W ignore "$CLIENTS/drivers/secret-storage2.py")
check_library 61114
