# One session for all logins of a user, with the lines that the page prints, in the start-up files of four shells.

# A secret that PAM puts into the login's own session, as Kerberos does.
echo 'session optional pam_exec.so quiet /usr/bin/keyctl add user ticket x @s' >>/etc/pam.d/sshd

# share SHELL USER FILE LINES: checks two logins of a new user, whose shell reads the page's lines in FILE.
share() {
    local shell=$1 user=$2 file=/home/$2/$3 session
    add_user "$user" "$(command -v "$shell")"
    check "$shell: without the line, PAM's key is in the session" \
        becomes '^[0-9]+$' over_ssh "$user@127.0.0.1" keyctl search @s user ticket
    as "$user" mkdir -p "${file%/*}"
    cat "$4" >>"$file"
    chown "$user" "$file"
    # They start at the same time.
    open_login one "$user"
    open_login two "$user"
    within one 'printf trial | skr set held' >/dev/null
    check "$shell: a login reads another login's secret" is trial within two 'skr get held'
    check "$shell: the session has the name" is work within two 'skr session --current'
    check "$shell: SKR_SESSION has the name" is work within two 'echo "$SKR_SESSION"'
    check "$shell: PAM's key is not in the session" is 1 within one 'keyctl search @s user ticket 2>/dev/null; echo $?'
    check "$shell: nothing is printed" lacks "$work/one.log" 'skr: (error|warning)'
    check "$shell: a command over ssh prints only its output" is fine over_ssh "$user@127.0.0.1" echo fine
    session=$(within one 'keyctl id @s')
    close_login one
    check "$shell: the session outlives the login that created it" is trial within two 'skr get held'
    close_login two
    check "$shell: the session ends with its last process" becomes gone state "$user" "$session"
}
lacks() { [ -s "$1" ] && ! grep -E -- "$2" "$1"; }

share bash cyd .bashrc lines.sh
share zsh dan .zshrc lines.sh
share dash eve .profile lines.sh
share fish fay .config/fish/config.fish lines.fish

# These outlive all logins: a tmux server, and a unit of a lingering user manager.
open_login one cyd
within one 'printf trial | skr set held; tmux new-session -d "sleep 1000"' >/dev/null
session=$(within one 'keyctl id @s')
check "a shell that skr session starts joins, too" is work within one "skr session -- bash -ic 'skr session --current' 2>/dev/null"
{ cat lines.guard; echo 'skr session --current'; } >"$work/guard"
sed "1s/\$/$(sed 's/[&/]/\\&/g' lines.fish-guard)/" lines.fish >"$work/guard.fish"
check "with the page's guard, it stays in its separate session" \
    becomes '^[0-9]+$' within one "skr session -- bash --norc $work/guard"
check "with the guard, a shell whose SKR_SESSION is another session's joins" \
    becomes '^work$' within one "SKR_SESSION=1 keyctl session - bash $work/guard"
check "with the guard, a shell without SKR_SESSION in a revoked session joins" \
    becomes '^work$' within one "env -u SKR_SESSION keyctl session - bash -c 'keyctl revoke @s; bash $work/guard'"
check "fish: with the page's guard, it stays in its separate session" \
    becomes '^[0-9]+$' within one "skr session -- fish --no-config -iC 'source $work/guard.fish; skr session --current; exit'"
check "fish: with the guard, a shell whose SKR_SESSION is another session's joins" becomes '^work$' within one \
    "SKR_SESSION=1 keyctl session - fish --no-config -iC 'source $work/guard.fish; exit' <<<'skr session --current'"
check "without the lines, it is in a separate session" \
    becomes '^[0-9]+$' within one "skr session -- bash --norc -ic 'skr session --current' 2>/dev/null"
close_login one
open_login one cyd
check "tmux keeps the session between logins" is trial within one 'skr get held'
within one "tmux new-window 'exec bash -ic \"skr get held >$work/window; sleep 1\"'" >/dev/null
check "a new window of tmux reads its secrets" becomes '^trial$' cat "$work/window"
within one 'tmux kill-server'
close_login one
check "without tmux, it ends with the login" becomes gone state cyd "$session"

# A tmux server in another session, which is then revoked.
open_login one cyd
within one "skr session -- tmux -L old new-session -d 'sleep 1000'"
close_login one
as cyd env HOME=/home/cyd tmux -S "/tmp/tmux-$(id -u cyd)/old" new-window "keyctl revoke @s; exec bash -ic 'skr session --current >$work/revoked; sleep 1'"
check "a window whose session was revoked joins" becomes '^work$' cat "$work/revoked"
as cyd tmux -S "/tmp/tmux-$(id -u cyd)/old" kill-server

loginctl enable-linger cyd
open_login one cyd
within one 'printf trial | skr set held; systemd-run --user --quiet -u keeper skr session --name work -- sleep 1000' >/dev/null
becomes '^active$' within one 'systemctl --user is-active keeper' >/dev/null
close_login one
open_login one cyd
check "a unit keeps the session between logins" is trial within one 'skr get held'
check "a unit reads a login's secret" is trial within one "systemd-run --user --quiet --pipe --wait skr session --name work -- skr get held"
check "a process outside of all logins joins" is trial as cyd env -u SKR_NAMESPACE HOME=/home/cyd skr session --name work -- skr get held
unit() { within one "systemd-run --user --quiet --pipe --wait $*"; }
manager=$(unit keyctl id @s)
unit skr session --join work >"$work/unit"
check "a unit can't move the user manager" says "$work/unit" "nothing joined 'work': '.*systemd.*' called skr, which moves only shells"
check "the user manager stays in its session" is "$manager" unit keyctl id @s
check "--end ends it" is 0 within one 'skr session --end work; echo $?'
check "then a login gets 69" is 69 within one 'skr get held 2>/dev/null; echo $?'
check "then --end finds none" is 1 within one 'skr session --end work 2>/dev/null; echo $?'
say one 'skr session --join work'
check "the shell can join again, in a new session" is 'work 1' within one 'echo "$(skr session --current) $(skr get held 2>/dev/null; echo $?)"'
close_login one
loginctl disable-linger cyd

# Nobody is locked out. The other user's keyring with the name lets everybody join, also outside of this container.
sed -i 's/\<work\>/skr-trial/' /home/{cyd/.bashrc,dan/.zshrc,eve/.profile,fay/.config/fish/config.fish}
systemd-run --quiet --uid=lin -u trap keyctl session skr-trial bash -c 'keyctl setperm @s 0x3f3f3f3f; touch /run/environments/trap; sleep 1000'
await "$work/trap"
for user in cyd dan eve fay; do
    open_login one "$user"
    check "$user: if another user owns the name, the shell continues" becomes '^[0-9]+$' within one 'skr session --current'
    check "$user: there is one warning" is 1 grep -cE $'skr: (\e\\[[0-9;]*m)?(error|warning)' "$work/one.log"
    check "$user: the warning names the owner" says "$work/one.log" "belongs to user $(id -u lin)"
    close_login one
done
systemctl stop trap
row 'a shell that runs `skr session --join work`' 'all your shells that run it' 'its last process ends, or `--end`' 'see *One session for all logins*'
