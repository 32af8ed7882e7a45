# keyctl session -: a session of its own, without the user keyring. As root, and as an ordinary user.
in_session() { setpriv --reuid "$1" --regid "$1" --init-groups keyctl session - "${@:2}"; }
check_logins in_session root private apart
check_logins in_session "$user" private apart
