# kubectl against a server that checks the bearer token.
secret token
secret wrong
serve_cluster "$token"
value=$token

# Stands in for a company's own command. It records each run in the file runs.
mkdir bin
PATH=$WORK/bin:$PATH
cat >bin/kube-login <<'SCRIPT'
#!/bin/bash
echo run >>"$WORK/runs"
printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"%s","expirationTimestamp":"%s"}}' \
    "$ISSUED" "$(date -u -d "$(cat "$WORK/lifetime")" +%Y-%m-%dT%H:%M:%SZ)"
SCRIPT
chmod +x bin/kube-login
export ISSUED=$token

by_command() { configure && follow kubectl 1 "$@"; }
by_file() { configure && page kubectl 2 "$@" >>~/.kube/config; }
names() { rm -rf ~/.kube/cache; timeout 30 kubectl get namespaces -o name; }
refused='Unauthorized|must be logged in|provide credentials|401'

# scenario HOW: follows the page as a user does. It first leaves out the words from '--' on, as the page describes for a
# stored token.
scenario() {
    local without=(' --exec-arg=-- --exec-arg=kube-login' '')
    [ "$1" = by_command ] || without=(', --, kube-login' '')
    keyctl clear @s
    check "the page's lines, without a command" "$1" "${without[@]}"
    check "nothing stored: the error gives the reason" says 'cluster: no such item, or it has expired' names
    printf %s "$wrong" | skr set cluster
    check "wrong token: refused" says "$refused" names
    store cluster
    check "get namespaces" prints namespace/orchard names
    check "the server saw the user" says ' amy$' tail -n 1 files.requests
    store cluster --timeout 1s
    sleep 1.3
    check "expired: the error gives the reason" says 'cluster: no such item, or it has expired' names
    store cluster
    skr delete cluster
    check "removed: the error gives the reason" says 'cluster: no such item, or it has expired' names

    check "the page's lines" "$1"
    rm -f runs
    echo '1 hour' >lifetime
    check "the command's token" prints namespace/orchard names
    check "a second time" prints namespace/orchard names
    check "the command ran once for both" prints 1 runs
    keyctl clear @s
    rm -f runs
    echo '3 seconds' >lifetime
    check "a token that lasts 3 seconds" prints namespace/orchard names
    local before
    before=$(runs)
    sleep 3.2
    echo '1 hour' >lifetime
    check "after its expiry" prints namespace/orchard names
    check "after its expiry the command ran once more" prints $((before + 1)) runs
}

# with KUBECTL HOW: runs the scenario with that kubectl.
with() {
    ln -sf "$1" bin/kubectl
    client kubectl "$(kubectl version --client -o yaml 2>/dev/null | sed -nE 's/ *gitVersion: v//p' | head -n 1)"
    name+=", $2"
    scenario "$2"
}

with "$INSTALLED/debian/usr/bin/kubectl" by_file
with "$INSTALLED/kubectl/kubectl" by_command
with "$INSTALLED/kubectl/kubectl" by_file

# Follows the lines that skr helper install prints, with the page's user and item in place of the printed ones.
printed() {
    local lines
    lines=$(skr helper install kubernetes | sed -nE '/^ +kubectl config/,/[^\\]$/ { s/set-credentials work/set-credentials me/; s/=work/=cluster/; p }')
    configure && bash -e -c "$lines"
}
name="skr helper install kubernetes"
check "kubectl accepts the lines that skr helper install prints" printed
store cluster
check "get namespaces" prints namespace/orchard names
