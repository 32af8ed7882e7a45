# System services, each in its own session; cron, whose jobs share the session of cron.service.
add_user sam
service() { systemd-run --quiet --pipe --wait --setenv SKR_NAMESPACE="$SKR_NAMESPACE" "$@"; }
check "two services have two sessions" differ "$(service keyctl id @s)" "$(service keyctl id @s)"
check "a service's session belongs to its user" is "$(id -u sam)" service --uid=sam sh -c 'keyctl rdescribe @s | cut -d ";" -f 2'
check "a service can store and read" is trial service --uid=sam sh -c 'printf trial | skr set held; skr get held'
check "with KeyringMode=inherit, it has the manager's session" \
    is "$(service -p KeyringMode=inherit keyctl id @s)" service -p KeyringMode=inherit keyctl id @s
row 'a systemd system service' 'nobody: each has its own session' 'it stops' 'nothing'

name=cron
printf '%s\n' SHELL=/bin/bash PATH=/usr/local/bin:/usr/bin:/bin "SKR_NAMESPACE=$SKR_NAMESPACE" \
    "@reboot root (keyctl id @s; printf cron | skr set held; skr get held) >$work/cron.root 2>&1; touch $work/cron.done" \
    "@reboot sam until [ -e $work/cron.done ]; do sleep 0.1; done; (keyctl id @s; skr get held; echo; printf x | skr set mine; echo \$?) >$work/cron.sam 2>&1; touch $work/cron.done.sam" \
    >/etc/cron.d/environment
chmod 644 /etc/cron.d/environment
# cron runs these jobs once after each start of the machine.
rm -f /run/crond.reboot
systemctl restart cron
await "$work/cron.done.sam"
cron=$(head -n 1 "$work/cron.root")
check "root's job stores and reads" grep -qx cron "$work/cron.root"
check "another user's job is in the same session" holds "$work/cron.sam" "$cron
cron"
check "another user's job can't store" says "$work/cron.sam" '^77$'
rm /etc/cron.d/environment
systemctl stop cron
check "the session ends with cron.service" becomes gone state root "$cron"
row 'cron under systemd' 'all jobs of all users; root owns it' '`cron.service` stops' 'see *cron, timers and services*'

name=sudo
add_user sue
echo 'sam ALL=(sue) NOPASSWD: ALL' >/etc/sudoers.d/environment
open_login one sam
one=$(within one 'keyctl id @s')
within one 'printf trial | skr set held' >/dev/null
check "the other user is in the caller's session" is "$one" within one 'sudo -u sue keyctl id @s'
check "the other user reads the caller's secret" is trial within one "sudo -u sue skr get held"
check "the other user can't store" is 77 within one 'printf x | sudo -u sue skr set mine 2>/dev/null; echo $?'
close_login one
row '`sudo`' "all programs of its caller's session" "its caller's login ends" 'see *sudo and su*'

name=tmux
open_login one sam
within one "tmux new-session -d 'keyctl id @s >$work/tmux; until [ -e $work/tmux.go ]; do sleep 0.1; done; skr get held 2>/dev/null; echo \$? >$work/tmux.late'"
await "$work/tmux"
check "a window is in the session of the login that started the server" becomes "^$(within one 'keyctl id @s')\$" cat "$work/tmux"
close_login one
touch "$work/tmux.go"
check "after that login, a window gets 69" becomes '^69$' cat "$work/tmux.late"
row '`tmux`' 'the login that started the server' 'that login ends' 'see *tmux and screen*'
row 'Bazel, Gradle (derived)' 'the login that started the server' 'that login ends' 'see *Build servers*'

