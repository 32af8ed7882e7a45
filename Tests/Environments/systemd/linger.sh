# A user manager that stays after the last login.
add_user lin
loginctl enable-linger lin
open_login one lin
manager=$(within one 'systemd-run --user --quiet --pipe --wait keyctl id @s')
within one "systemd-run --user --quiet -u keeper bash -c 'printf trial | skr set held; sleep 1000'" >/dev/null
close_login one
# Without lingering, the manager would end after this time.
sleep 7
check "with lingering, the session stays" is alive state lin "$manager"
open_login one lin
check "a later login's unit reads the secret" is trial within one 'systemd-run --user --quiet --pipe --wait skr get held'
close_login one
loginctl disable-linger lin
check "without lingering again, it ends" becomes 'revoked|gone' state lin "$manager"
row 'a user timer, `systemctl --user`' 'all units of the user manager' 'soon after all your logins have ended; with lingering, at shutdown' 'see *cron, timers and services*'
