# An OAuth server that names itself https://id.example.com, which curl and the browser reach through stand-ins. It ends
# with the page's other commands.
tail --pid=$PPID -f /dev/null | python3 "$PAGE_SETUP/../OAuthServer/judge.py" --issuer https://id.example.com >address 2>judge.log &
for _ in {1..300}; do [ -s address ] && break; sleep 0.1; done
curl=$(command -v curl)
cat >bin/curl <<END
#!/bin/sh
sed 's,https://id.example.com,$(cat address),; s/"=https"/"=http"/' | exec $curl "\$@"
END
cat >bin/browser <<END
#!/bin/sh
back=\$($curl -s -o /dev/null -w '%{redirect_url}' "\$(echo "\$1" | sed 's,https://id.example.com,$(cat address),')")
exec $curl -s -o /dev/null "\$back"
END
chmod +x bin/curl bin/browser
unset SSH_CONNECTION
export BROWSER=$PWD/bin/browser
# PAGE
failed() { echo "$1"; exit 1; }
[ "$(skr list | cut -f 2-3 | sort | paste -sd ,)" = $'https://git.example.com\toauth2,work\t' ] || failed 'the tokens'
printf 'protocol=https\nhost=git.example.com\n' | skr helper git get | grep -q '^password=access-' || failed git
"$PAGE_SETUP/../../.ci/pages" --block LogIn Overview 2 >line
grep -qxFf line ~/.config/skr/sources || failed "the line is $(cat ~/.config/skr/sources)"
skr delete work
skr get work | grep -q ^access- || failed 'a refresh'
skr logout work
code=0
skr get work 2>error || code=$?
[ $code = 1 ] && grep -qx 'skr: hint: skr login work' error || failed 'a logout'
