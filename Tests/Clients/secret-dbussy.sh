# DBussy, on libdbus. Its proxies introspect each object.
source "$CLIENTS/support/libraries.bash"
client DBussy "$(dpkg-query -W -f '${Version}' python3-dbussy)"
driver=(/usr/bin/python3 "$CLIENTS/drivers/secret-dbussy.py")
check_library 61111
