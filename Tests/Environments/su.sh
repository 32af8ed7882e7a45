# su keeps its caller's session. su - creates a login session.
run_su() { su "$1" -s /bin/bash -c "$(printf '%q ' "${@:2}")"; }
check_logins run_su root $(inherited root)
check_logins run_su "$user" $(inherited "$user")

row '`su` without `-`, `setpriv`' "all programs of its caller's session" "its caller's login ends" 'see *sudo and su*'

name=su-login
run_su_login() { su - "$1" -s /bin/bash -c "$(printf '%q ' "${@:2}")"; }
check_logins run_su_login root login apart
check_logins run_su_login "$user" login apart
row '`su -`, `runuser -l`' 'nobody: each has its own session' 'the login ends' 'nothing'
