# A system service: systemd gives each a session of its own that does not link the user keyring. It runs detached, as what a
# daemon starts.
as_service() { setsid --wait setpriv --reuid "$1" --regid "$1" --init-groups keyctl session - env -i PATH="$PATH" "${@:2}"; }
check_logins as_service root private apart
check_logins as_service "$user" private apart

name=daemon
# A daemon of root's that changes its user by itself.
as_daemon() { setsid --wait keyctl session - env -i PATH="$PATH" setpriv --reuid "$1" --regid "$1" --init-groups "${@:2}"; }
check_logins as_daemon "$user" foreign apart
