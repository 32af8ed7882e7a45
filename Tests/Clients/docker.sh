# docker, skopeo and buildah against docker-registry with htpasswd. docker can log in without an engine.
secret amy
secret ben
secret wrong
{ htpasswd -niB amy <<<"$amy"; htpasswd -niB ben <<<"$ben"; } | grep . >users
serve_registry
export DOCKER_HOST=unix://$WORK/no-engine

login() { "$docker" login --username "$1" --password-stdin "$registry" <<<"$2"; }
stored_for() { docker-credential-skr get <<<"$registry"; }
scenario() {
    rm -rf ~/.docker
    check "the page's lines" follow docker 1
    check "nothing stored: list is empty" prints '{}' docker-credential-skr list
    check "nothing stored: get prints the error on standard output" prints 'credentials not found in native keychain' stored_for
    check "nothing stored: get ends with 1" fails_with 1 stored_for
    check "wrong password: login fails" says 'unauthorized|401' login amy "$wrong"
    check "wrong password: nothing is stored" prints '{}' docker-credential-skr list
    check "login" says 'Login Succeeded' login amy "$amy"
    check "list" prints "{\"$registry\":\"amy\"}" docker-credential-skr list
    check "get" prints "{\"ServerURL\":\"$registry\",\"Username\":\"amy\",\"Secret\":\"$amy\"}" stored_for
    # With stored credentials, docker logs in only through its engine, and no engine runs here.
    check "a second login uses the stored credentials" says '^Authenticating with existing credentials' "$docker" login "$registry"
    check "skr get has the same secret" prints "$amy" skr get "$registry" amy
    check "config.json has no credential" fails grep -E '"auth"|identitytoken' ~/.docker/config.json
    check "login of another user" says 'Login Succeeded' login ben "$ben"
    check "a registry has one user" prints "{\"$registry\":\"ben\"}" docker-credential-skr list
    check "logout" says 'Removing login credentials' "$docker" logout "$registry"
    check "logout has removed the credentials" prints '{}' docker-credential-skr list
    check "logout without stored credentials" "$docker" logout "$registry"
    printf '{"auths":{"%s":{"auth":"%s"}}}' "$registry" "$(printf 'amy:%s' "$amy" | base64 -w 0)" >~/.docker/config.json
    check "the page's line stores the secrets of config.json" follow Secrets 2
    check "get prints the secret of config.json" prints "{\"ServerURL\":\"$registry\",\"Username\":\"amy\",\"Secret\":\"$amy\"}" stored_for
    rm ~/.docker/config.json
    docker-credential-skr erase <<<"$registry"
}
# Debian's docker, and another one from the caller's PATH if there is one.
for docker in "$(command -v docker)" "$(PATH=$OUTER_PATH command -v docker)"; do
    [ -z "$docker" ] || [ "$docker" = "${last-}" ] && continue
    last=$docker
    client docker "$("$docker" --version | sed -E 's/Docker version ([^,]*).*/\1/')"
    scenario
done

name=docker-credential-skr
check "version" says '^docker-credential-skr .* v[0-9.]+$' docker-credential-skr version
check "no server" says '^no credentials server URL$' docker-credential-skr get <<<''
refused() { printf '{"ServerURL":"a.example","Username":"","Secret":"x"}' | docker-credential-skr store; }
check "no user" says '^no credentials username$' refused
token() { printf '{"ServerURL":"token.example:5000","Username":"<token>","Secret":"%s"}' "$amy" | docker-credential-skr store; }
token
check "an identity token" says '"Username":"<token>"' docker-credential-skr get <<<token.example:5000
docker-credential-skr erase <<<token.example:5000

# skopeo and buildah read the helper's name from their credentials file, auth.json.
page docker 2 registry.example.com "$registry" >auth.json
mkdir -p empty/layout
printf '{"default":[{"type":"insecureAcceptAnything"}]}\n' >policy.json
tar -C empty -cf layer.tar layout
python3 "$CLIENTS/servers/image.py" layer.tar image
client skopeo "$(skopeo --version | sed 's/skopeo version //')"
skopeo_copy() { skopeo --policy policy.json copy --quiet --authfile auth.json --dest-tls-verify=false oci:image "docker://$registry/one:1"; }
skopeo_inspect() { skopeo inspect --authfile auth.json --tls-verify=false "docker://$registry/one:1"; }
skopeo_login() { skopeo login --authfile auth.json --tls-verify=false --username "$1" --password-stdin "$registry" <<<"$2"; }
check "nothing stored: copy is refused" says 'unauthorized|authentication required' skopeo_copy
check "login with a wrong password" says 'invalid username/password' skopeo_login amy "$wrong"
check "login" says 'Login Succeeded' skopeo_login amy "$amy"
check "copy to the registry" skopeo_copy
check "inspect" says '"Digest": "sha256:' skopeo_inspect
check "auth.json has no credential" fails grep '"auth":' auth.json
expire() { printf '{"ServerURL":"%s","Username":"amy","Secret":"%s"}' "$registry" "$amy" | docker-credential-skr --timeout 3s store; }
skopeo logout --authfile auth.json "$registry" >/dev/null
check "logged out: inspect is refused" says 'unauthorized|authentication required' skopeo_inspect
check "stored with --timeout 3s" expire
check "inspect before the expiry" skopeo_inspect
sleep 3.1
check "expired: inspect is refused" says 'unauthorized|authentication required' skopeo_inspect
check "expired between list and get: the text for a missing item" prints 'credentials not found in native keychain' stored_for

client buildah "$(buildah --version | sed -E 's/buildah version ([^ ]*).*/\1/')"
buildah_login() { buildah login --authfile auth.json --tls-verify=false --username "$1" --password-stdin "$registry" <<<"$2"; }
check "login with a wrong password" says 'invalid username/password' buildah_login ben "$wrong"
check "login" says 'Login Succeeded' buildah_login ben "$ben"
check "the registry's user" says '^ben$' buildah login --authfile auth.json --get-login "$registry"
check "skopeo uses the credentials that buildah stored" skopeo_inspect
check "logout" says 'Removed login credentials' buildah logout --authfile auth.json "$registry"
check "removed: inspect is refused" says 'unauthorized|authentication required' skopeo_inspect
