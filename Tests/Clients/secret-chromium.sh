# Chromium across restarts: it encrypts its cookies with a key that it keeps in the Secret Service.
source "$CLIENTS/support/secrets.bash"
client chromium "$(chromium --version | cut -d ' ' -f 2)"
serve cookies "$WORK/cookies"
touch cookies.requests

# browse: starts Chromium, loads a page, and ends Chromium. Prints the cookie that it has sent. Waits until the file of
# cookies has one that is encrypted with a key of the Secret Service: Chromium saves them half a minute after a change.
browse() {
    local before pages chromium
    before=$(wc -l <cookies.requests)
    # Everything that Chromium would ask or fetch at its first start is turned off.
    skr-secrets -- xvfb-run -a chromium --no-sandbox --no-first-run --disable-gpu \
        --disable-background-networking --password-store=gnome-libsecret --user-data-dir="$WORK/profile" \
        "http://127.0.0.1:$port/page" >>chromium.log 2>&1 &
    for _ in {1..300}; do
        pages=$(wc -l <cookies.requests)
        [ "$pages" = "$before" ] || break
        sleep 0.1
    done
    for _ in {1..450}; do
        ! grep -qs v11 profile/Default/Cookies || break
        sleep 0.1
    done
    # The link names the process that uses the profile.
    chromium=$(readlink profile/SingletonLock)
    kill "${chromium##*-}"
    wait $!
    tail -n +$((before + 1)) cookies.requests
}
safe_storage() { skr-secrets -- secret-tool lookup application chromium; }

check "nothing stored" fails safe_storage
check "first start: no cookie" prints "no cookie" browse
key=$(safe_storage)
secrets+=("$key")
check "it has stored its key" says '^.{24}$' safe_storage
check "skr list has it" prints secret kinds
check "search prints the label" says '^label = Chromium Safe Storage$' \
    skr-secrets -- secret-tool search application chromium
check "second start: it can decrypt the cookie" says '^id=[0-9a-f]{16}$' browse
check "second start: the key is the same" prints "$key" safe_storage
check "skr delete with the name that skr list prints" skr delete "$(skr list | cut -f 2)"
check "deleted by skr delete: it can't decrypt the cookie" prints "no cookie" browse
check "deleted by skr delete: it has stored another key" fails prints "$key" safe_storage
check "each service has ended with its command" services_ended
