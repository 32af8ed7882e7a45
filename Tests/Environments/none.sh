# No session keyring at all, as in plain shells in containers. All of the user's processes then share one.
as_is() { shift; "$@"; }
check_logins as_is root $(inherited root)

dropped() { setpriv --reuid "$1" --regid "$1" --init-groups "${@:2}"; }
check_logins dropped "$user" $(inherited "$user")
