# docker-credential-secretservice, alone and with docker, against docker-registry with htpasswd.
source "$CLIENTS/support/secrets.bash"
secret amy
secret wrong
htpasswd -niB amy <<<"$amy" | grep . >users
serve_registry
export DOCKER_HOST=unix://$WORK/no-engine
helper=docker-credential-secretservice
client "$helper" "$($helper version)"

# One service for all commands of the scenario, as for all commands of a login.
eval "$(skr-secrets)"
check "eval sets the address of the service" says '^unix:path=/' echo "$DBUS_SESSION_BUS_ADDRESS"
check "a second eval prints nothing" prints '' skr-secrets

put() { printf '{"ServerURL":"%s","Username":"%s","Secret":"%s"}' "$1" "$2" "$3" | $helper store; }
get() { $helper get <<<"$1"; }
server=https://registry.example:5000/v1/
check "nothing stored: list is empty" prints '{}' $helper list
check "nothing stored: get" says '^credentials not found in native keychain$' get "$server"
check "nothing stored: get ends with 1" fails_with 1 get "$server"
check "store" put "$server" amy "$amy"
check "list" prints "{\"$server\":\"amy\"}" $helper list
check "get" prints "{\"ServerURL\":\"$server\",\"Username\":\"amy\",\"Secret\":\"$amy\"}" get "$server"
check "skr list has it" prints secret kinds
check "store of another secret" put "$server" amy "$wrong"
check "it has replaced the first one" says "\"Secret\":\"$wrong\"" get "$server"
listed=$(skr list | cut -f 2)
check "skr get with the name that skr list prints" prints "$wrong" skr get "$listed"
check "skr delete with the name that skr list prints" skr delete "$listed"
check "deleted by skr delete: get" says '^credentials not found in native keychain$' get "$server"
check "deleted by skr delete: list is empty" prints '{}' $helper list
put "$server" amy "$amy"
check "erase" $helper erase <<<"$server"
check "erased: get" says '^credentials not found in native keychain$' get "$server"
# Another service has the same items, and can have other options.
printf '{"ServerURL":"%s","Username":"amy","Secret":"%s"}' "$server" "$amy" | skr-secrets --timeout 2s -- $helper store
check "--timeout 2s: listed before it expires" prints "{\"$server\":\"amy\"}" $helper list
sleep 2.1
check "expired: list is empty" prints '{}' $helper list
check "expired: get" says '^credentials not found in native keychain$' get "$server"

client docker "$(docker --version | sed -E 's/Docker version ([^,]*).*/\1/')"
mkdir -p ~/.docker
echo '{"credsStore":"secretservice"}' >~/.docker/config.json
login() { docker login --username amy --password-stdin "$registry" <<<"$1"; }
check "wrong password: login fails" says 'unauthorized|401' login "$wrong"
check "wrong password: nothing is stored" prints '{}' $helper list
check "login" says 'Login Succeeded' login "$amy"
check "config.json has no credential" fails grep -E '"auth"|identitytoken' ~/.docker/config.json
check "the helper has the credentials" says "\"Username\":\"amy\",\"Secret\":\"$amy\"" get "$registry"
# With stored credentials, docker logs in only through its engine, and no engine runs here.
check "a second login uses the stored credentials" \
    says '^Authenticating with existing credentials' docker login "$registry"
check "logout" says 'Removing login credentials' docker logout "$registry"
check "logout has removed the credentials" prints '{}' $helper list

name=$helper
secret large "$(head -c 18750 /dev/urandom | base64 -w 0)"
too_large() {
    limited 61103 'put() { printf "{\"ServerURL\":\"a.example\",\"Username\":\"amy\",\"Secret\":\"%s\"}" "$1" |
            skr-secrets -- docker-credential-secretservice store; }
        read -r small large; put "$small" || exit
        put "$large"; echo "ended with $?"
        skr-secrets -- docker-credential-secretservice get <<<a.example' <<<"$amy $large" 2>&1
}
printed=$(too_large)
check "25,000 bytes with a quota of 20,000: store fails" says '^ended with 1$' echo "$printed"
check "too large: the error names the size and a way out" says 'has 25000 bytes.*skr-quota' echo "$printed"
check "too large: the secret that it would have replaced is still there" says "\"Secret\":\"$amy\"" echo "$printed"

# In another login, with its own session keyring, the service of that login ends with it.
other_login() {
    env -u DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR="$WORK/other" setsid -w keyctl session - bash -c '
        eval "$(skr-secrets)"
        printf "{\"ServerURL\":\"a.example\",\"Username\":\"amy\",\"Secret\":\"x\"}" | $1 store
        $1 list' bash $helper
}
mkdir -m 700 other
check "another login has its own service" says '^{"a.example":"amy"}$' other_login
check "this login does not see its items" prints '{}' $helper list
XDG_RUNTIME_DIR=$WORK/other
check "the other login's service has ended with it" services_ended
