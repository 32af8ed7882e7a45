# sudo -A, for a user that this scenario creates and removes.
client sudo "$(sudo -V | sed -nE '1s/Sudo version //p')"
secret password
secret wrong
trap 'remove_sudo_user; end_servers' EXIT
remove_sudo_user
useradd --no-create-home --home-dir /nonexistent --shell /bin/bash --groups sudo "$sudo_user"
chpasswd <<<"$sudo_user:$password"

# ask SCRIPT <<<PASSWORD: runs SCRIPT as that user, in a new session keyring as in a login. SCRIPT reads the password
# from standard input.
ask() {
    setpriv --reuid "$sudo_user" --regid "$sudo_user" --init-groups --reset-env env PATH="$PATH" USER="$sudo_user" \
        SUDO_ASKPASS="$(command -v skr-askpass)" timeout 30 keyctl session - bash -c "cd /; $1"
}
# With -k and a command, sudo neither reads nor updates its cached credentials.
sudo='sudo -A -k -- id -u'

check "nothing stored: sudo fails" says 'no password was provided|no such item' ask "$sudo"
check "nothing stored: the command did not run" fails ask "$sudo"
check "sudo -A" says '^0$' ask "skr set sudo $sudo_user && $sudo" <<<"$password"
german="sudo -A -k -p '[sudo] Passwort für %p: ' -- id -u"
check "sudo -A with a translated prompt" says '^0$' ask "skr set sudo $sudo_user && $german" <<<"$password"
check "wrong password: refused" says 'incorrect password|Sorry, try again' ask "skr set sudo $sudo_user && $sudo" <<<"$wrong"
check "wrong password: the command did not run" fails ask "skr set sudo $sudo_user && $sudo" <<<"$wrong"
check "expired: sudo fails" fails ask "skr set sudo $sudo_user --timeout 1s && sleep 1.3 && $sudo" <<<"$password"
check "removed: sudo fails" fails ask "skr set sudo $sudo_user && skr delete sudo $sudo_user && $sudo" <<<"$password"
