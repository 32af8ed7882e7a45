# The servers that several scenarios use.

# Starts a registry for the users in the file users, which htpasswd has made. Sets registry to its address.
serve_registry() {
    cat >registry.yml <<'YAML'
version: 0.1
log: {accesslog: {disabled: true}}
storage: {inmemory: {}}
http: {addr: "127.0.0.1:0"}
auth: {htpasswd: {realm: registry, path: users}}
YAML
    start registry docker-registry serve registry.yml
    await_port registry 'listening on 127.0.0.1:([0-9]+)'
    registry=127.0.0.1:$port
}

# Starts a server that stands for AWS and checks credentials and signatures. Sets access_key and secret_key to those of a
# user, who can assume the role deploy.
serve_aws() {
    local admin_user=(env AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any aws iam)
    # moto accepts the first six requests without authentication. They create the user, her key and a role.
    INITIAL_NO_AUTH_ACTION_COUNT=6 start moto moto_server -H 127.0.0.1 -p 0
    await_port moto 'Running on http:..127\.0\.0\.1:([0-9]+)'
    export AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_DEFAULT_REGION=eu-central-1 AWS_EC2_METADATA_DISABLED=true AWS_PAGER= AWS_MAX_ATTEMPTS=1
    "${admin_user[@]}" create-user --user-name amy >user.json
    "${admin_user[@]}" put-user-policy --user-name amy --policy-name all \
        --policy-document '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}'
    read -r access_key secret_key < <("${admin_user[@]}" create-access-key --user-name amy --query 'AccessKey.[AccessKeyId,SecretAccessKey]' --output text)
    secrets+=("$secret_key")
    # A role that the user can assume, with the same permissions.
    "${admin_user[@]}" create-role --role-name deploy --assume-role-policy-document \
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:user/amy"},"Action":"sts:AssumeRole"}]}' >role.json
    "${admin_user[@]}" put-role-policy --role-name deploy --policy-name all \
        --policy-document '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}'
    # This is the sixth request without authentication. From here on, moto checks credentials.
    "${admin_user[@]}" list-users >/dev/null
}

# Starts a cluster that has one namespace, orchard, and asks for this token. Sets server to its address.
serve_cluster() {
    local token=$1
    certificate
    mkdir -p files/api/v1 files/apis
    echo '{"kind":"APIVersions","versions":["v1"]}' >files/api/index
    echo '{"kind":"APIGroupList","apiVersion":"v1","groups":[]}' >files/apis/index
    echo '{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"namespaces","singularName":"","namespaced":false,"kind":"Namespace","verbs":["get","list"],"shortNames":["ns"]}]}' >files/api/v1/index
    echo '{"kind":"NamespaceList","apiVersion":"v1","metadata":{},"items":[{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"orchard"}}]}' >files/api/v1/namespaces
    serve files "$WORK/files" --tls "$WORK/certificate.pem" "$WORK/key.pem" <<<"header amy Bearer $token"
    server=https://127.0.0.1:$port
}

# Writes a configuration with this scenario's server and a context for the page's user. The callers add the page's lines
# to it.
configure() {
    mkdir -p ~/.kube
    cat >~/.kube/config <<CONFIG
apiVersion: v1
kind: Config
clusters: [{name: one, cluster: {server: "$server", certificate-authority: "$WORK/ca.pem"}}]
contexts: [{name: one, context: {cluster: one, user: me}}]
current-context: one
CONFIG
}
