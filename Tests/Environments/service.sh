# A system service. systemd gives each service its own session, which does not link the user keyring. The service runs
# detached, like a process that a daemon starts.
as_service() { setsid --wait setpriv --reuid "$1" --regid "$1" --init-groups keyctl session - env -i PATH="$PATH" "${@:2}"; }
check_logins as_service root private apart
check_logins as_service "$user" private apart

name=daemon
# A daemon of root's that changes its user itself.
as_daemon() { setsid --wait keyctl session - env -i PATH="$PATH" setpriv --reuid "$1" --regid "$1" --init-groups "${@:2}"; }
check_logins as_daemon "$user" foreign apart
