# Creates the secrets of pass, age and etcd, which run here; stand-ins print those of the other programs.
gpg --batch --quiet --passphrase '' --quick-generate-key page@example.com default default never 2>/dev/null
pass init page@example.com >/dev/null
printf 's3cret\nlogin: alice\n' | pass insert --multiline work/ghcr >/dev/null
mkdir -p ~/.age ~/secrets
age-keygen -o ~/.age/key.txt 2>/dev/null
printf s3cret | age -r "$(age-keygen -y ~/.age/key.txt)" >~/secrets/deploy.age
cp $PAGE_SETUP/start-etcd bin
start-etcd
printf %s s3cret | ETCDCTL_ENDPOINTS=$(cat endpoint) etcdctl put secret/shared >/dev/null
# PAGE
failed() { echo "$1"; exit 1; }
ETCDCTL_ENDPOINTS=$(cat endpoint)
SKR_SOURCES=$PWD/lines
export ETCDCTL_ENDPOINTS SKR_SOURCES
"$PAGE_SETUP/../../.ci/pages" --block Sources 'Lines to copy' 1 >lines
skr source --json | jq -r '.[] | "\(.service) \(.account)"' >items
[ "$(wc -l <items)" = "$(grep -c '^[^#]' lines)" ] || failed 'a line can not be read'
while read -r service account; do
    secret=$(skr get "$service" $account) || failed "$service"
    case $service in
    api) [ "$secret" = hvs.CAESIJ ] || failed api ;;
    prod | sso | cluster) ;;
    *) [ "$secret" = s3cret ] || failed "$service has another secret" ;;
    esac
    # /proc/keys rounds the time left down to minutes.
    skr list "$service" --json | jq -e '.[0].timeLeft >= 180' >/dev/null || failed "$service is not stored"
done <items
for item in prod sso; do skr helper aws $item | jq -e '.SecretAccessKey == "s3cret"' >/dev/null || failed $item; done
skr helper kubernetes cluster | jq -e '.status.token == "s3cret"' >/dev/null || failed cluster
printf 'protocol=https\nhost=github.com\n' | skr helper git get | grep -qx password=s3cret || failed git
echo ghcr.io | skr helper docker get | jq -e '.Secret == "s3cret"' >/dev/null || failed docker
