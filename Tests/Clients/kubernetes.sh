# kubectl against a server that checks the bearer token.
secret token
secret wrong
certificate
mkdir -p files/api/v1 files/apis
echo '{"kind":"APIVersions","versions":["v1"]}' >files/api/index
echo '{"kind":"APIGroupList","apiVersion":"v1","groups":[]}' >files/apis/index
echo '{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"namespaces","singularName":"","namespaced":false,"kind":"Namespace","verbs":["get","list"],"shortNames":["ns"]}]}' >files/api/v1/index
echo '{"kind":"NamespaceList","apiVersion":"v1","metadata":{},"items":[{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"orchard"}}]}' >files/api/v1/namespaces
serve files "$WORK/files" --tls "$WORK/certificate.pem" "$WORK/key.pem" <<<"header amy Bearer $token"
server=https://127.0.0.1:$port
value=$token

# What a company's own command would do.
cat >issue-token <<'SCRIPT'
#!/bin/bash
echo run >>"$WORK/runs"
printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"%s","expirationTimestamp":"%s"}}' \
    "$ISSUED" "$(date -u -d "$(cat "$WORK/lifetime")" +%Y-%m-%dT%H:%M:%SZ)"
SCRIPT
chmod +x issue-token
export ISSUED=$token
runs() { cat runs 2>/dev/null | wc -l; }

# configure VERSION ARGUMENTS
configure() {
    mkdir -p ~/.kube
    cat >~/.kube/config <<CONFIG
apiVersion: v1
kind: Config
clusters: [{name: one, cluster: {server: "$server", certificate-authority: "$WORK/ca.pem"}}]
contexts: [{name: one, context: {cluster: one, user: amy}}]
current-context: one
users:
- name: amy
  user: {exec: {apiVersion: client.authentication.k8s.io/$1, command: skr, args: [$2], interactiveMode: Never}}
CONFIG
}
names() { rm -rf ~/.kube/cache; timeout 30 "$kubectl" get namespaces -o name; }
refused='Unauthorized|must be logged in|provide credentials|401'

scenario() {
    configure "$1" 'helper, kubernetes, cluster'
    keyctl clear @s
    check "$1: nothing stored: says why" says 'cluster: no such item, or it has expired' names
    printf %s "$wrong" | skr set cluster
    check "$1: wrong token: refused" says "$refused" names
    store cluster
    check "$1: get namespaces" prints namespace/orchard names
    check "$1: the server saw the user" says ' amy$' tail -n 1 files.requests
    store cluster --timeout 1s
    sleep 1.3
    check "$1: expired: says why" says 'cluster: no such item, or it has expired' names
    store cluster
    skr delete cluster
    check "$1: removed: says why" says 'cluster: no such item, or it has expired' names

    configure "$1" "helper, kubernetes, cluster, --, $WORK/issue-token"
    rm -f runs
    echo '1 hour' >lifetime
    check "$1: by a command" prints namespace/orchard names
    check "$1: again" prints namespace/orchard names
    check "$1: the command ran once for both" prints 1 runs
    keyctl clear @s
    rm -f runs
    echo '3 seconds' >lifetime
    check "$1: a token of 3 seconds" prints namespace/orchard names
    local before
    before=$(runs)
    sleep 3.2
    echo '1 hour' >lifetime
    check "$1: after its end" prints namespace/orchard names
    check "$1: after its end the command ran once more" prints $((before + 1)) runs
}

# Debian's, and a newer one where there is one.
last=
for kubectl in "$(command -v kubectl)" "$(PATH=$OUTER_PATH command -v kubectl)"; do
    [ -z "$kubectl" ] || [ "$kubectl" = "$last" ] && continue
    last=$kubectl
    client kubectl "$("$kubectl" version --client -o yaml 2>/dev/null | sed -nE 's/ *gitVersion: v//p' | head -n 1)"
    scenario v1beta1
    # 1.22 and newer.
    if [[ $name != *" 1.20."* ]]; then scenario v1; new=yes; fi
done
if [ -z "${new-}" ]; then
    driver "kubectl 1.22 and newer" "v1 of the protocol, which Debian's does not know"
    asks() { KUBERNETES_EXEC_INFO='{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}' skr helper kubernetes cluster; }
    keyctl clear @s
    check "nothing stored" fails_with 1 asks
    store cluster
    check "v1 is answered with v1" says '"apiVersion": ?"client\.authentication\.k8s\.io/v1"' asks
    check "the token" says "\"token\": ?\"$token\"" asks
fi
