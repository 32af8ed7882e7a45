# The Secret Service of a login, with lingering and with a program that outlives the login.
add_user sec
add_user sid
loginctl enable-linger sec
open_login one sec
open_login two sec
one=$(within one 'keyctl id @s')

# From its line on, the login's shell has the service's address.
say one "unset DBUS_SESSION_BUS_ADDRESS; runtime=\$XDG_RUNTIME_DIR; unset XDG_RUNTIME_DIR; eval \"\$(skr-secrets)\"; export XDG_RUNTIME_DIR=\$runtime"
say one "echo \${DBUS_SESSION_BUS_ADDRESS#unix:path=} >$work/socket; printf trial | skr set held; nohup sleep 1000 >/dev/null 2>&1 & touch $work/started"
await "$work/started"
socket=$(cat "$work/socket")
check "the login's Secret Service has its secret" \
    becomes '^collection: login \(items: 1\)$' within one 'skr-secrets --status'
check "the user's other login can reach the socket" \
    becomes '^collection: login \(items: 1\)$' within two "DBUS_SESSION_BUS_ADDRESS=unix:path=$socket skr-secrets --status"
check "another user can't" is "no Secret Service answers at unix:path=$socket" as sid env "DBUS_SESSION_BUS_ADDRESS=unix:path=$socket" skr-secrets --status
check "next to the bus of the user manager, eval refuses" \
    becomes "use 'skr-secrets -- CMD' for one program, or 'skr-secrets --attach' for the bus" within two 'eval "$(skr-secrets)"'
check "a command has a Secret Service anyway" is 'bus: private' within two 'skr-secrets -- skr-secrets --status | grep bus:'
close_login one
check "after the logout, the service has ended, in spite of lingering and nohup" \
    becomes "^stat: cannot statx? '$socket'" stat "$socket"
check "and the session is revoked" becomes 'revoked|gone' state sec "$one"
check "what nohup has started still runs" becomes '^[0-9]+$' pgrep -u sec -x sleep

# On the bus of the user manager, which all logins share.
within two 'systemd-run --user --quiet -u secrets skr-secrets --attach' >/dev/null
check "--attach serves the user's bus, with the scope user" \
    becomes '^scope: user$' within two 'until skr-secrets --status >/dev/null; do sleep 0.1; done; skr-secrets --status | grep scope'
check "only once" becomes "another program has the name org.freedesktop.secrets" within two 'skr-secrets --attach'
within two 'systemctl --user stop secrets' >/dev/null
pkill -u sec -x sleep
close_login two
loginctl disable-linger sec
