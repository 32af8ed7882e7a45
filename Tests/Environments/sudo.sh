# sudo keeps its caller's session.
run_sudo() { sudo -u "$1" -- "${@:2}"; }
check_logins run_sudo root $(inherited root)
check_logins run_sudo "$user" $(inherited "$user")

name=sudo-from-session
# From root's login, sudo keeps root's session for the other user.
sudo_from_session() { keyctl session - sudo -u "$1" -- "${@:2}"; }
check_logins sudo_from_session "$user" foreign apart
