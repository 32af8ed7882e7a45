# curl with the lines that skr helper netrc prints. One password contains the characters that need quotes.
client curl "$(curl --version | awk 'NR == 1 { print $2 }')"
secret amy 'blank  and "quotes" and '\''these'\'', # no comment, \ and \n'
secret ben
secret wrong
mkdir files
echo done >files/page
serve files "$WORK/files" <<<"basic amy $amy"$'\n'"basic ben $ben"
host=127.0.0.1
status() { curl -s -o body -w '%{http_code}' --netrc-file <(skr helper netrc "$@") "http://$host:$port/page"; }
item() { printf 'protocol=http\nhost=%s:%s\nusername=%s\npassword=%s\n' "$host" "$port" "$1" "$2" | git-credential-skr "${@:3}" store; }

check "nothing stored: the server refuses" prints 401 status
check "nothing stored for the given host: an error" fails skr helper netrc "$host"
item amy "$wrong"
check "wrong password: the server refuses" prints 401 status "$host"
item amy "$amy"
check "a password with blanks, quotes, # and \\" prints 200 status "$host"
check "the same without a host name" prints 200 status
check "the server saw the user" says '^GET /page amy$' tail -n 1 files.requests
item ben "$ben"
check "two users: curl uses the user of the URL" prints 200 curl -s -o body -w '%{http_code}' --netrc-file <(skr helper netrc "$host") "http://ben@$host:$port/page"
check "the server saw the second user" says '^GET /page ben$' tail -n 1 files.requests
skr delete "http://$host:$port" ben
skr delete "http://$host:$port" amy
check "removed: the server refuses" prints 401 status
item amy "$amy" --timeout 3s
check "with a timeout" prints 200 status
sleep 3.1
check "expired: the server refuses" prints 401 status
planted() { printf 'protocol=http\nhost=%s\nusername=%s\npassword=%s\n' 'evil.example' 'eve' 'x machine 127.0.0.1 login amy password y' | git-credential-skr store; skr helper netrc; }
check "a password can't add a machine" says '^machine evil\.example login "?eve"? password "x machine 127\.0\.0\.1 login amy password y"$' planted
