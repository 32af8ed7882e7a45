# setpriv keeps the session of its caller, here root's: one that belongs to another user than the process.
from_session() { keyctl session - setpriv --reuid "$1" --regid "$1" --init-groups "${@:2}"; }
check_logins from_session "$user" foreign apart
