# The token helper for Vault and OpenBao. Neither of them is in Debian.
driver "vault, bao" "get, store and erase, with the server in VAULT_ADDR or BAO_ADDR"
secret token
secret other
export VAULT_ADDR=https://vault.example:8200
store_token() { printf %s "$1" | skr-vault store; }
bytes() { skr-vault get | wc -c; }
check "nothing stored: no output" prints '' skr-vault get
check "nothing stored: exit 0" skr-vault get
check "store" store_token "$token"
check "get" prints "$token" skr-vault get
check "get has no newline" prints "${#token}" bytes
at() { VAULT_ADDR=$1 skr-vault get; }
check "another server has no token" prints '' at https://other.example:8200
check "an address with a final slash is the same server" prints "$token" at https://vault.example:8200/
in_namespace() { VAULT_NAMESPACE=$1 skr-vault get; }
check "another namespace has no token" prints '' in_namespace team
bao() { env -u VAULT_ADDR BAO_ADDR=https://vault.example:8200 skr-vault get; }
check "BAO_ADDR" prints "$token" bao
check "store another token" store_token "$other"
check "the other token has replaced the first" prints "$other" skr-vault get
check "erase" skr-vault erase
check "removed: no output" prints '' skr-vault get
check "erase without a token: exit 0" skr-vault erase
printf %s "$token" | skr-vault --timeout 3s store
check "with a timeout" prints "$token" skr-vault get
sleep 3.1
check "expired: no output, exit 0" prints '' skr-vault get
