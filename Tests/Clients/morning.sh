# A morning with sources only: log in, use git, a registry, aws and kubectl, and log out. Nothing is typed but the
# passphrase of pass.
client pass "$(pass version | sed -nE 's/.*v([0-9.]+).*/\1/p')"
secret passphrase
secret amy
secret token
serve_aws
aws_server=$port
serve_cluster "$token"
cluster=$server
htpasswd -niB amy <<<"$amy" | grep . >users
serve_registry
mkdir repositories
git init -q --bare repositories/one.git
serve git "$WORK/repositories" <<<"amy $amy"
git=http://127.0.0.1:$port
export GIT_TERMINAL_PROMPT=0 GIT_CONFIG_NOSYSTEM=1 AWS_ENDPOINT_URL=http://127.0.0.1:$aws_server

# Stands in for the person who types the passphrase, and counts how often.
mkdir bin
cat >bin/person <<'SCRIPT'
#!/bin/bash
echo OK
while read -r command _; do
    [ "$command" = GETPIN ] && echo asked >>"$WORK/asked" && echo "D $PASSPHRASE"
    echo OK
    [ "$command" = BYE ] && exit
done
SCRIPT
# Stands in for a company's own login.
cat >bin/kube-login <<'SCRIPT'
#!/bin/bash
printf '{"kind":"ExecCredential","status":{"token":"%s","expirationTimestamp":"%s"}}' \
    "$(pass show work/cluster)" "$(date -u -d '1 hour' +%Y-%m-%dT%H:%M:%SZ)"
SCRIPT
chmod +x bin/*
export PATH=$WORK/bin:$PATH PASSPHRASE=$passphrase
install -d -m 700 ~/.gnupg
echo "pinentry-program $WORK/bin/person" >~/.gnupg/gpg-agent.conf
gpg --batch --quiet --pinentry-mode loopback --passphrase "$passphrase" --quick-generate-key morning default default never
pass init morning >/dev/null
for entry in git registry; do printf '%s\nlogin: amy\n' "$amy" | pass insert --multiline work/$entry >/dev/null; done
printf '{"AccessKeyId":"%s","SecretAccessKey":"%s"}' "$access_key" "$secret_key" | pass insert --multiline work/aws >/dev/null
printf %s "$token" | pass insert --multiline work/cluster >/dev/null
gpgconf --kill gpg-agent

# The files that a user writes once.
mkdir -p ~/.config/skr ~/.aws
cat >~/.config/skr/sources <<SOURCES
$git amy            --timeout 8h --first-line -- pass show work/git
$(page Secrets 3 'ghcr.io alice' "$registry amy" work/ghcr work/registry)
static              --timeout 8h -- pass show work/aws
deploy              --timeout-from-json Credentials.Expiration --end-early 5m -- aws sts assume-role --profile static --role-arn arn:aws:iam::123456789012:role/deploy --role-session-name me
cluster             --timeout-from-json status.expirationTimestamp --end-early 5m -- kube-login
SOURCES
cat >~/.aws/config <<CONFIG
[profile static]
credential_process = skr helper aws static
[profile deploy]
credential_process = skr helper aws deploy
CONFIG
git config --global credential.helper skr
printf '{"credHelpers":{"%s":"skr"}}' "$registry" >auth.json
server=$cluster
configure
page kubectl 2 ', --, kube-login' '' >>~/.kube/config

# in_login COMMAND...: runs a function in a new session.
in_login() { keyctl session - bash -c "$(declare -f morning who inspect); $1" 2>&1 | grep -v '^Joined session'; }
who() { aws sts get-caller-identity --query Arn --output text --profile deploy; }
inspect() { skopeo inspect --authfile auth.json --tls-verify=false "docker://$1/none:1" 2>&1 | grep -oE 'manifest unknown|unauthorized' | uniq; }
morning() {
    git ls-remote "$git/one.git" && echo git
    inspect "$registry"
    who
    kubectl get namespaces -o name
    skr list | cut -f 1-3
}
export git registry
result="git
manifest unknown
arn:aws:sts::123456789012:assumed-role/deploy/me
namespace/orchard
password	$registry	amy
password	cluster	
password	deploy	
password	$git	amy
password	static	"
check "git, a registry, aws and kubectl work, and their secrets are stored" prints "$result" in_login morning
check "the passphrase was typed once" prints 1 count asked asked
check "after the logout, nothing is left" prints '' skr list
gone() { for _ in {1..100}; do grep -qF ":$registry:amy" /proc/keys || return 0; sleep 0.1; done; return 1; }
check "after the logout, the kernel has deleted the keys" gone
check "the next login asks the sources again, and the agent of pass still knows the passphrase" says '^git$' in_login morning
check "the passphrase was still typed once" prints 1 count asked asked
gpgconf --kill gpg-agent
refuse() { PASSPHRASE=wrong in_login 'for _ in 1 2 3; do git ls-remote "$git/one.git"; done'; }
check "a wrong passphrase: git reports that no password was found" says 'could not read' refuse
check "a wrong passphrase: gpg asked three times, as it does for one run of pass" prints 4 count asked asked
