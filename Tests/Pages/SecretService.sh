# types 'alice' in 'https://pypi.example.com/simple/': s3cret

# The service of the login. The examples find it at the address that .ci/pages has set for all of them.
address=$DBUS_SESSION_BUS_ADDRESS
eval "$(skr-secrets)"
ln -s "${DBUS_SESSION_BUS_ADDRESS#unix:path=}" "${address#unix:path=}"
# PAGE
failed() { echo "$1"; exit 1; }
lookup() { secret-tool lookup "$@"; }

# The secrets that gh's stand-in and Python's keyring have stored, and one that skr stores.
[ "$(skr get gh:github.com alice)" = s3cret ] || failed gh
[ "$(skr get https://pypi.example.com/simple/ alice)" = s3cret ] || failed keyring
[ "$(lookup service https://pypi.example.com/simple/ username alice)" = s3cret ] || failed 'the secret of another client'
printf s3t | skr set gh:github.com bob
[ "$(lookup service gh:github.com username bob)" = s3t ] || failed 'a secret from skr set'
grep -qx 'cli_auth_credentials_store = "keyring"' ~/.codex/config.toml || failed codex

# The names of the page's table.
printf a | secret-tool store --label=a service web username alice application app target default
printf b | secret-tool store --label=b server example.com user alice protocol https
printf c | secret-tool store --label=c service vsce account bob
names=$(skr list | cut -f 1-3)
for name in $'password\tweb\talice' $'internet\thttps://example.com\talice' $'secret\taccount:bob:service:vsce\t'; do
    grep -qxF "$name" <<<"$names" || failed "$name is not in $names"
done
skr clear account:bob:service:vsce
! lookup service vsce account bob || failed 'a secret that skr clear deleted'

# The rules of the page. /proc/keys rounds the time left down: to hours for 8h, to days for 7d.
skr clear --yes
rules=$("$PAGE_SETUP/../../.ci/pages" --block SecretService 'What is stored' 1)
cat >store <<'END'
for service in gh:github.com https://pypi.example.com/simple/ web; do
    printf s3cret | secret-tool store --label=x service "$service" username alice
done
END
bash -c "${rules% -- *} -- bash -e store"
for expected in gh:github.com=25200 https://pypi.example.com/simple/=3500 web=518400; do
    service=${expected%=*} seconds=${expected##*=}
    skr list "$service" --json | jq -e ".[0].timeLeft | . >= $seconds and . < $seconds * 1.2" >/dev/null || failed "$expected"
done

# The forms of Start it that no example shows.
[ "$(skr session --secrets -- sh -c 'printf n | secret-tool store --label=n service new username u; skr list | cut -f 2')" = new ] ||
    failed 'skr session --secrets'
# A bus that starts no other Secret Service.
cat >bus.conf <<'END'
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
END
cat >attach <<'END'
refused() {
    code=0
    skr-secrets "$@" >printed 2>refusal || code=$?
    [ $code = 73 ] && ! grep -qvx false printed
}
refused
grep -q 'there is a session bus' refusal
skr-secrets --attach 2>attached &
for _ in {1..500}; do ! grep -q 'all your logins' attached || break; sleep 0.01; done
printf u | secret-tool store --label=u service shared username u
[ "$(skr get --scope user shared u)" = u ]
refused --attach
grep -q 'another program has the name org.freedesktop.secrets' refusal
kill %1
END
timeout 60 dbus-run-session --config-file=bus.conf -- bash -e attach 2>log || failed "skr-secrets --attach: $(cat log refusal attached)"
