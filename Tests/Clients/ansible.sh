# ansible-vault. It runs a file as a client script only if the file's name ends in -client.
client ansible-vault "$(ansible-vault --version | sed -nE '1s/.*core ([^]]*)].*/\1/p')"
secret value
secret wrong
export ANSIBLE_LOCAL_TEMP=$WORK/tmp ANSIBLE_HOME=$WORK/ansible
vault() { ansible-vault "$1" --vault-id "prod@$(command -v skr-client)" "${@:2}"; }
echo 'answer: 42' >plain.yml

check "unknown id: exit 2" fails_with 2 skr-client --vault-id prod
check "nothing stored: encrypt fails" says 'prod|ERROR' fails vault encrypt --output vault.yml plain.yml
check "nothing stored: nothing was written" fails test -e vault.yml
store prod
check "encrypt" vault encrypt --output vault.yml plain.yml
check "the vault's id is in the file" says '^\$ANSIBLE_VAULT;1\.2;AES256;prod$' cat vault.yml
check "view" prints 'answer: 42' vault view vault.yml
play() { printf -- '- hosts: localhost\n  gather_facts: false\n  vars_files: [vault.yml]\n  tasks: [{debug: {var: answer}}]\n' >play.yml
    ansible-playbook --vault-id "prod@$(command -v skr-client)" play.yml; }
check "ansible-playbook decrypts it" says '"answer": (42|"42")' play
printf %s "$wrong" | skr set prod
check "wrong password: view fails" says 'Decryption failed' vault view vault.yml
store prod --timeout 3s
check "with a timeout: the client script answers" prints "$value" skr-client --vault-id prod
sleep 3.1
check "expired: exit 2" fails_with 2 skr-client --vault-id prod
check "expired: view fails" fails vault view vault.yml
store prod
check "view once more" prints 'answer: 42' vault view vault.yml
skr delete prod
check "removed: view fails" fails vault view vault.yml
