# terraform's credentials helper.
secret token
secret wrong
value=$token

# terraform is not in Debian, so it comes from the caller's PATH.
terraform=$(PATH=$OUTER_PATH command -v terraform)
if [ -n "$terraform" ]; then
    client terraform "$("$terraform" version | sed -nE '1s/Terraform v//p')"
    certificate
    mkdir -p files/.well-known files/modules/acme/orchard/local project
    echo '{"modules.v1":"/modules/"}' >files/.well-known/terraform.json
    echo '{"modules":[{"versions":[{"version":"1.0.0"}]}]}' >files/modules/acme/orchard/local/versions
    serve files "$WORK/files" --tls "$WORK/certificate.pem" "$WORK/key.pem" <<<"header amy Bearer $token"
    check "the page's lines" follow terraform 1
    page terraform 2 >~/.terraformrc
    echo "module \"orchard\" { source = \"127.0.0.1:$port/acme/orchard/local\" }" >project/main.tf
    export SSL_CERT_FILE=$WORK/ca.pem CHECKPOINT_DISABLE=1
    # If terraform finds the module's version, the server has accepted the token. The module itself doesn't exist.
    get() { (cd project && rm -rf .terraform && timeout 60 "$terraform" get -no-color); }
    put() { printf '{"token":"%s"}' "$1" | terraform-credentials-skr "${@:2}" store "127.0.0.1:$port"; }
    found='Downloading .* 1\.0\.0 for orchard'
    check "nothing stored: refused" fails says "$found" get
    put "$wrong"
    check "wrong token: refused" fails says "$found" get
    put "$token"
    check "get finds the version of the module" says "$found" get
    check "the server saw the user" says '^GET /modules/acme/orchard/local/versions amy$' cat files.requests
    put "$wrong"
    put "$token" --timeout 3s
    check "with a timeout" says "$found" get
    sleep 3.1
    check "expired: refused" fails says "$found" get
    put "$token"
    check "logout" "$terraform" logout -no-color "127.0.0.1:$port"
    check "removed: refused" fails says "$found" get
fi

driver "terraform login" "get, store and forget, as 'terraform login' and 'logout' call them"
put() { printf '%s' "$1" | terraform-credentials-skr store app.example; }
get() { terraform-credentials-skr get app.example; }
check "nothing stored: {}" prints '{}' get
check "nothing stored: exit 0" get
check "store" put "{\"token\":\"$token\"}"
check "get" prints "{\"token\":\"$token\"}" get
check "store with another property is refused" fails put "{\"token\":\"$wrong\",\"more\":1}"
check "the stored token is unchanged" prints "{\"token\":\"$token\"}" get
check "forget" terraform-credentials-skr forget app.example
check "removed: {}" prints '{}' get
check "forget without a token" terraform-credentials-skr forget app.example
printf '{"token":"%s"}' "$token" | terraform-credentials-skr --timeout 1s store app.example
sleep 1.3
check "expired: {}" prints '{}' get
