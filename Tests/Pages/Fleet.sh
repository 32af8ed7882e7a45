# types vault: s.t0ken

echo 0123456789abcdef0123456789abcdef >machine-id

# This etcdctl records its calls and the process ID of a watch. The watch ends with the terminal, as etcd does.
cat >bin/etcdctl <<'EOF'
#!/bin/sh
echo "$*" >>"$PAGE_FOLDER/asked"
case $1 in watch) echo $$ >"$PAGE_FOLDER/watch.pid" ;; esac
ETCDCTL_API=3 ETCDCTL_ENDPOINTS=$(cat "$PAGE_FOLDER/endpoint") exec /usr/bin/etcdctl "$@"
EOF
cp $PAGE_SETUP/start-etcd bin
chmod +x bin/etcdctl
start-etcd
printf %s s3cret | etcdctl put secret/db >/dev/null
# PAGE
failed() { echo "$1"; exit 1; }
is_kept() { skr list --json | jq -e --arg key "$1" 'any(.[]; .service == "etcd" and .account == $key)' >/dev/null; }
# left KEY: prints how many seconds the item has left.
left() { skr list --json | jq --arg key "$1" '.[] | select(.service == $key or .account == $key) | .timeLeft'; }
fetches() { grep -c "^get --print-value-only .* $1\$" asked || true; }
gone() { for i in {1..800}; do is_kept "$1" || return 0; sleep 0.01; done; failed "$1 is still there"; }
cached() { skr cached etcd --key "$1" --timeout 15m -- etcd-get "$1"; }
leased() { skr cached etcd --key "$1" --timeout 15m --timeout-from-json .ttl -- etcd-leased "$1"; }

# The page fetched the key once: its second call found what the first had fetched. Twenty calls at the same time also
# fetch once.
[ "$(fetches secret/db)" = 1 ] || failed "secret/db was fetched $(fetches secret/db) times"
skr cached --forget etcd --key secret/db
for i in {1..20}; do cached secret/db >>together & done
wait $(jobs -p)
[ "$(sort together | uniq -c | tr -s ' ')" = ' 20 s3cret' ] || failed "together: $(cat together)"
[ "$(fetches secret/db)" = 2 ] || failed "twenty calls at the same time fetched $(fetches secret/db) times"

# A missing key is an error and is not kept. An empty value is a value.
! cached secret/none 2>/dev/null || failed 'a missing key was printed as a value'
! is_kept secret/none
etcdctl put secret/empty '' >/dev/null
[ "$(cached secret/empty | od -An -c | tr -d ' ')" = '\n' ]

# A lease's time becomes the timeout. A key without a lease is an error, and so is a missing key.
[ "$(leased secret/leased | jq -r .value)" = s3cret ]
lease=$(etcdctl lease grant 40 | cut -d ' ' -f 2)
printf %s short | etcdctl put --lease="$lease" secret/short >/dev/null
leased secret/short >/dev/null
[ "$(left secret/short)" -le 40 ] && [ "$(left secret/short)" -ge 30 ] || failed "a lease of 40 s: $(left secret/short) s left"
code=0; skr cached unleased --timeout-from-json .ttl -- etcd-leased secret/db 2>/dev/null || code=$?
[ $code = 65 ] || failed "without a lease: exit code $code"
! leased secret/none >/dev/null 2>&1 || failed 'a missing key was printed with a lease'

# etcd-forget drops a key after each change: a new value, a deletion, an ended lease, or a change while nothing
# was watching.
cached secret/db >/dev/null
printf %s s3cond | etcdctl put secret/db >/dev/null
[ "$(cached secret/db)" = s3cret ]
mkfifo logout
# This is the page's line.
bash -c 'setpriv --pdeathsig TERM etcd-forget secret/ & read -r <logout' &
gone secret/db
until [ -e watch.pid ]; do sleep 0.01; done
[ "$(cached secret/db)" = s3cond ]
printf %s th1rd | etcdctl put secret/db >/dev/null
gone secret/db
[ "$(cached secret/db)" = th1rd ]
leased secret/short >/dev/null
etcdctl lease revoke "$lease" >/dev/null
gone secret/short
is_kept secret/db || failed 'a key was forgotten although it did not change'
! leased secret/short >/dev/null 2>&1 || failed 'a key with a revoked lease was printed'
printf %s brief | etcdctl put --lease="$(etcdctl lease grant 3 | cut -d ' ' -f 2)" secret/brief >/dev/null
# Waits until the watch has handled the put itself.
sleep 0.5
cached secret/brief >/dev/null
is_kept secret/brief
gone secret/brief
etcdctl del secret/db >/dev/null
gone secret/db
! cached secret/db >/dev/null 2>&1 || failed 'a deleted key was printed as a value'
# If a key is forgotten during a fetch, the fetched value is not kept.
skr cached etcd --key slow --timeout 1m -- sh -c 'echo >begun; sleep 0.5; echo old' >/dev/null &
until [ -e begun ]; do sleep 0.01; done
! skr cached --forget etcd --key slow 2>/dev/null
wait $!
! is_kept slow || failed 'the value of a forgotten fetch was kept'
# The watch ends with its login.
watch=$(cat watch.pid)
kill -0 "$watch"
echo >logout
# Process 1 can take seconds to reap it.
runs() { grep -qs '^State:.[^Z]' "/proc/$1/status"; }
for i in {1..100}; do runs "$watch" || break; sleep 0.02; done
! runs "$watch" || failed 'the watch outlives its shell'

# Vault: the request that it got, the lease's time, and refused requests.
jq -es '[.[] | select(.path == "/v1/database/creds/app" and .headers["X-Vault-Token"] == "s.t0ken")] | length == 1' \
    "$PAGE_REQUESTS" >/dev/null || failed "unexpected requests to vault: $(cat "$PAGE_REQUESTS")"
[ "$(left vault-db)" -le 600 ] && [ "$(left vault-db)" -ge 540 ] || failed "a lease of 600 s: $(left vault-db) s left"
reads() { jq -s '[.[] | select(.path == "/v1/secret/data/app/db")] | length' "$PAGE_REQUESTS"; }
before=$(reads)
[ "$(skr cached vault-kv --key app/db --timeout 15m -- vault-read secret/data/app/db | jq -r .data.data.password)" = k3pt ]
[ "$(reads)" = "$before" ] || failed 'a kept value was read from the engine again'
code=0; skr cached no-lease --timeout-from-json .lease_duration -- vault-read secret/data/app/db 2>/dev/null || code=$?
[ $code = 65 ] || failed "a lease_duration of 0: exit code $code"
printf %s wrong | skr set vault
code=0; skr cached refused --timeout 1m -- vault-read database/creds/app 2>/dev/null || code=$?
[ $code = 22 ] || failed "a wrong token: exit code $code"
skr delete vault
! skr cached refused --timeout 1m -- vault-read database/creds/app 2>/dev/null || failed 'a request without a token succeeded'
[ "$(jq -s '[.[] | select(.path == "/v1/database/creds/app")] | length' "$PAGE_REQUESTS")" = 2 ] || failed 'a request was sent without a token'

# The engine is down. The kept value is still served, even when its refresh is due, but not after its timeout, which no
# attempt extends. Once the engine is back, the value is fetched again.
printf %s f0urth | etcdctl put secret/db >/dev/null
short() { skr cached etcd --key short --timeout 6s --refresh-before 4s "$@" -- etcd-get secret/db; }
[ "$(short)" = f0urth ]
start=$SECONDS
kill "$(cat etcd.pid)"
before=$(fetches secret/db)
[ "$(short)" = f0urth ] && [ "$(fetches secret/db)" = "$before" ] || failed 'the value was fetched before it was due'
sleep 2.2
[ "$(short 2>/dev/null)" = f0urth ] && [ "$(fetches secret/db)" = $((before + 1)) ] || failed 'the due value was not served, or not fetched once'
[ "$(short --stale-while-refreshing)" = f0urth ] || failed 'the due value was not served'
while ((SECONDS - start < 7)); do sleep 0.1; done
code=0; output=$(short 2>/dev/null) || code=$?
[ "$code/$output" = 1/ ] || failed "after the timeout: $code/$output"
start-etcd
[ "$(short)" = f0urth ]
