# txdbus, D-Bus for Twisted. It can only connect to a bus that agrees to pass descriptors.
source "$CLIENTS/support/libraries.bash"
client txdbus "$(dpkg-query -W -f '${Version}' python3-txdbus)"
driver=(/usr/bin/python3 "$CLIENTS/drivers/secret-txdbus.py")
if ! with collections >connection.log 2>&1; then
    skipped "all checks" "it does not connect: $(tail -n 1 connection.log)"
    return
fi
check_library 61113
