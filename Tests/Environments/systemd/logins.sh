# Two ssh logins of a user, with Debian's PAM and logind.
add_user ada
open_login one ada
open_login two ada
one=$(within one 'keyctl id @s')
two=$(within two 'keyctl id @s')
check "two ssh logins have two sessions" differ "$one" "$two"
within one 'printf trial | skr set held' >/dev/null
check "a program of the login reads its secret" is trial within one 'skr get held'
check "the other login does not" is 1 within two 'skr get held 2>/dev/null; echo $?'
check "the session's number is its name" is "$one" within one 'skr session --current'
within one "setsid bash -c 'until [ -e $work/over ]; do sleep 0.1; done; skr get held; echo \$? >$work/late' >/dev/null 2>&1 &"
close_login one
check "the session is revoked when the login ends" becomes 'revoked|gone' state ada "$one"
touch "$work/over"
check "a program that outlives its login gets 69" becomes '^69$' cat "$work/late"
check "the other login keeps its session" is alive state ada "$two"
row 'two ssh windows' 'nobody: each has its own session' 'its connection ends' 'nothing, or *One session for all logins*'
row 'VS Code over ssh (derived)' 'all its terminals' 'the first connection ends' 'see *VS Code*'
close_login two
