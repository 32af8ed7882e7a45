# The aws CLI against moto's server, which checks credentials and signatures.
client aws "$(aws --version 2>&1 | sed -E 's/aws-cli\/([^ ]*).*/\1/')"
serve_aws

# Stands in for a company's own command. It records each run in the file runs.
cat >issue-credentials <<'SCRIPT'
#!/bin/bash
echo run >>"$WORK/runs"
[ -e "$WORK/refuse" ] && { echo "no credentials for you" >&2; exit 3; }
sleep 0.3
printf '{"Version":1,"AccessKeyId":"%s","SecretAccessKey":"%s","Expiration":"%s"}' \
    "$ISSUED_ID" "$ISSUED_KEY" "$(date -u -d "$(cat "$WORK/lifetime")" +%Y-%m-%dT%H:%M:%SZ)"
SCRIPT
chmod +x issue-credentials
export ISSUED_ID=$access_key ISSUED_KEY=$secret_key
echo '1 hour' >lifetime
mkdir ~/.aws
cat >~/.aws/config <<CONFIG
[profile prod]
credential_process = skr helper aws prod -- $WORK/issue-credentials
CONFIG
page aws 4 arn:aws:iam::1: arn:aws:iam::123456789012: >>~/.aws/config
key="{\"AccessKeyId\":\"$access_key\",\"SecretAccessKey\":\"$secret_key\"}"
who() { aws sts get-caller-identity --query Arn --output text --profile "$1"; }
forget() { keyctl clear @s; rm -f runs; }

check "without credentials the server refuses" fails env AWS_ACCESS_KEY_ID=AKIAWRONG AWS_SECRET_ACCESS_KEY=wrong aws sts get-caller-identity
check "a stored key that does not exist" says 'static: no such item, or it has expired' skr helper aws static
check "first use: the command's credentials" prints arn:aws:iam::123456789012:user/amy who prod
check "first use: the command ran once" prints 1 runs
check "second use: from the keyring" prints arn:aws:iam::123456789012:user/amy who prod
check "second use: the command did not run" prints 1 runs
check "the helper's answer has the client's format" says '"Version": ?1' skr helper aws prod -- "$WORK/issue-credentials"

twenty() {
    local one clients=()
    for one in {1..20}; do skr helper aws prod -- "$WORK/issue-credentials" >"answer.$one" & clients+=($!); done
    for one in "${clients[@]}"; do wait "$one" || return 1; done
    for one in {1..20}; do
        python3 -c 'import json, os, sys; sys.exit(json.load(sys.stdin)["SecretAccessKey"] != os.environ["ISSUED_KEY"])' <"answer.$one" || return 1
    done
}
forget
check "20 at once: each gets the credentials" twenty
check "20 at once: one run of the command" prints 1 runs
rm -f answer.*
four() {
    local one clients=()
    for one in {1..4}; do who prod & clients+=($!); done
    for one in "${clients[@]}"; do wait "$one" || return 1; done
}
forget
check "4 of the aws CLI at once" four
check "4 of the aws CLI at once: one run of the command" prints 1 runs

# The helper keeps credentials until 5 minutes before they expire.
forget
echo '5 minutes 2 seconds' >lifetime
check "5 minutes and 2 seconds before the expiry: used" who prod
first_runs=$(runs)
sleep 2.5
echo '1 hour' >lifetime
check "5 minutes before the expiry: fetched again" who prod
check "5 minutes before the expiry: the command ran once more" prints $((first_runs + 1)) runs
forget
touch refuse
check "the command fails: aws shows its error" says 'no credentials for you' who prod
rm refuse
forget
check "after the failure: it works again" who prod
ISSUED_KEY=wrong-$RANDOM
forget
check "wrong secret: the server refuses" says 'SignatureDoesNotMatch|InvalidClientTokenId|AuthFailure' who prod
ISSUED_KEY=$secret_key

stored() { skr set static "$@" <<<"$key"; }
check "the page's lines for a stored key" follow aws 1 <<<"$key"
check "a stored key" prints arn:aws:iam::123456789012:user/amy who static
role=arn:aws:sts::123456789012:assumed-role/deploy/me
check "the page's profile: it assumes the role with the stored key" prints $role who deploy
as_usual() { AWS_PROFILE=deploy timeout 30 aws sts get-caller-identity --query Arn --output text; }
keyctl clear @s
stored
check "the page's profile in AWS_PROFILE" prints $role as_usual
mkdir -p ~/.config/skr
page aws 2 arn:aws:iam::1: arn:aws:iam::123456789012: >~/.config/skr/sources
check "the page's lines for a source" follow aws 3
check "a source, which uses the stored key" prints $role who prod
check "its credentials are stored" says '^password.prod' skr list
check "the page's command removes the stored output" skr cached --forget deploy --key aws
stored --timeout 1s
sleep 1.3
check "a stored key that has expired" says 'no such item, or it has expired' who static
stored
skr delete static
check "removed" says 'no such item, or it has expired' who static
