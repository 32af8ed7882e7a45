packages=(pass gnupg)
where="encrypted file" expires="no" isolation="no" daemon="gpg-agent" pace=slow

# A key without a passphrase: the agent has nothing to ask, as when it remembers the passphrase.
prepare() {
    mkdir -m 700 "$GNUPGHOME"
    gpg --batch --quiet --passphrase '' --quick-generate-key compare default default never
    pass init compare >/dev/null
    cold_write "pass insert" '<' "$work/secret.txt" pass insert --multiline --force compare
    cold_read "pass show" pass show compare
}
