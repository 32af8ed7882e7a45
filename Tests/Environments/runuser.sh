# runuser has PAM create a session if there isn't one. runuser -l always does.
run_runuser() { runuser "$1" -s /bin/bash -c "$(printf '%q ' "${@:2}")"; }
if [ "$outer" = none ]; then
    check_logins run_runuser root login apart
    check_logins run_runuser "$user" login apart
else
    check_logins run_runuser root $(inherited root)
    check_logins run_runuser "$user" $(inherited "$user")
fi

name=runuser-login
run_runuser_login() { runuser -l "$1" -s /bin/bash -c "$(printf '%q ' "${@:2}")"; }
check_logins run_runuser_login root login apart
check_logins run_runuser_login "$user" login apart
