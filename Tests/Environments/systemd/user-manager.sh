# The units of a user manager (systemd --user), which starts what a desktop starts.
add_user max
open_login one max
login=$(within one 'keyctl id @s')
unit() { within one "systemd-run --user --quiet --pipe --wait $*"; }
manager=$(unit keyctl id @s)
check "a unit is not in the login's session" differ "$manager" "$login"
check "each unit is in the same session" is "$manager" unit keyctl id @s
unit "bash -c 'printf manager | skr set held'" >/dev/null
check "a unit reads another unit's secret" is manager unit skr get held
check "a login does not" is 1 within one 'skr get held 2>/dev/null; echo $?'
within one "systemd-run --user --quiet --on-active=1s --timer-property=AccuracySec=100ms \
    bash -c 'skr get held >$work/timer 2>&1; keyctl id @s >$work/timer.session'"
check "a timer's unit reads it" becomes '^manager$' cat "$work/timer"
check "a timer's unit is in the same session" becomes "^$manager\$" cat "$work/timer.session"
# D-Bus starts programs as units of the user manager, if they name one, as GNOME Terminal does.
install -d -o max /home/max/.local{,/share{,/dbus-1{,/services}}} /home/max/.config{,/systemd{,/user}}
printf '[D-BUS Service]\nName=org.example.Terminal\nExec=/bin/false\nSystemdService=terminal.service\n' \
    >/home/max/.local/share/dbus-1/services/org.example.Terminal.service
printf '[Service]\nType=oneshot\nExecStart=sh -c "skr get held >%s/terminal; keyctl id @s >%s/terminal.session"\n' "$work" "$work" \
    >/home/max/.config/systemd/user/terminal.service
within one 'systemctl --user daemon-reload; dbus-send --session --dest=org.freedesktop.DBus / org.freedesktop.DBus.ReloadConfig
    dbus-send --session --dest=org.freedesktop.DBus --print-reply --reply-timeout=2000 / org.freedesktop.DBus.StartServiceByName \
        string:org.example.Terminal uint32:0 >/dev/null 2>&1 &'
check "a terminal that D-Bus starts reads it" becomes '^manager$' cat "$work/terminal"
check "a terminal that D-Bus starts is in the same session" becomes "^$manager\$" cat "$work/terminal.session"
check "systemd-run --user --scope stays in its caller's session" is "$login" within one 'systemd-run --user --quiet --scope keyctl id @s'

close_login one
check "the login's session ends with the login" becomes 'revoked|gone' state max "$login"
check "the user manager's outlives it" is alive state max "$manager"
check "the user manager's session ends when the last login has ended" becomes 'revoked|gone' state max "$manager"
row '`systemd-run --user --scope`' "all programs of its caller's session" "its caller's login ends" 'nothing'
row 'VS Code (derived)' 'all units of the user manager' 'soon after all your logins have ended' 'nothing'
row 'a terminal of GNOME or KDE (derived)' 'all units of the user manager' 'soon after all your logins have ended' 'nothing'
