mkdir -p ~/.ssh ~/.local/bin
ssh-keygen -q -t ed25519 -N s3cret -f ~/.ssh/id_ed25519
# The agent ends with the terminal.
ssh-agent -D -a "$SSH_AUTH_SOCK" >/dev/null &
until [ -S "$SSH_AUTH_SOCK" ]; do sleep 0.01; done
printf %s s3cret >vault-password
echo 'what: is secret' >secrets.yml
ansible-vault encrypt --vault-id "prod@vault-password" secrets.yml 2>/dev/null
rm vault-password
echo 'https://alice:p%40ss@git.example.com' >~/.git-credentials
mkdir ~/.docker
printf '{"auths":{"ghcr.io":{"auth":"%s"},"empty.example.com":{}}}\n' "$(printf alice:s3cret | base64)" >~/.docker/config.json
# PAGE
failed() { echo "$1"; exit 1; }
grep -qF 'cargo-credential-skr' ~/.cargo/config.toml || failed cargo
[ "$(keyring get https://pypi.example.com/simple/ alice)" = s3cret ] || failed keyring
[ "$(skr helper go https://go.example.com/private/a | sed -n 3p)" = 'Authorization: Bearer s3cret' ] || failed go
echo '{"uri":"https://cache.example.com/x"}' | "$(sed -n 's/.*example.com=//p' .bazelrc)" get | grep -q 'Bearer s3cret' || failed bazel
[ "$("$(sed -n 's/.*tokenHelper=//p' ~/.npmrc)")" = 'Bearer s3cret' ] || failed npm
[ "$(skr helper headers mcp)" = '{"Authorization":"Bearer s3cret"}' ] || failed headers
grep -q 'credentials_helper "skr"' ~/.terraformrc || failed terraform
printf t0ken | "$(sed -n 's/token_helper = "\(.*\)"/\1/p' ~/.vault)" store
[ "$(skr get https://example.com)" = t0ken ] || failed vault
ssh-add -l | grep -q ED25519 || failed ssh-add
jq -es '.[] | select(.headers.Authorization == "Basic '"$(printf alice:s3cret | base64)"'")' "$PAGE_REQUESTS" >/dev/null || failed netrc
# Runs the command in the aws profile.
eval "$(sed -n 's/^credential_process = //p' ~/.aws/config)" | jq -e '.SecretAccessKey == "s3cret"' >/dev/null || failed aws
# The page's last lines remove the setup of git and docker. They fail if nothing is set up.
! grep credsStore ~/.docker/config.json && ! git config --get-all credential.helper || failed 'uninstall left configuration'
[ "$(skr get https://git.example.com alice)" = p@ss ] || failed git-credentials
echo ghcr.io | skr helper docker get | jq -e '.Username == "alice" and .Secret == "s3cret"' >/dev/null || failed config.json
