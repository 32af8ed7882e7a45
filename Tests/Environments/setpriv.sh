# setpriv keeps its caller's session. Here this is root's session, so it belongs to another user than the process.
from_session() { keyctl session - setpriv --reuid "$1" --regid "$1" --init-groups "${@:2}"; }
check_logins from_session "$user" foreign apart
