# keyctl session - starts a new session, which does not link the user keyring. Checked as root and as an ordinary user.
in_session() { setpriv --reuid "$1" --regid "$1" --init-groups keyctl session - "${@:2}"; }
check_logins in_session root private apart
check_logins in_session "$user" private apart
row '`skr session`, `keyctl session -`' 'nobody: each has its own session' 'its last process ends' 'nothing'
