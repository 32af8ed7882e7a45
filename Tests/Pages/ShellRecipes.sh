# types pgpass: db.example.com:*:*:alice:pg\:s3cret
# types api: tok3n

# A difficult secret, with quotes, a backslash, white space and the special characters of a URL.
hard='a "b" \c	d
e&f=g%h'
printf %s "$hard" | skr set oauth client
printf %s "$hard" | skr set web bob
printf %s 's3"c\ret' | skr set web alice
printf %s '{"user":"alice","password":"d4tabase"}' | skr set database alice
openssl genrsa 2048 2>/dev/null | skr set tls

mkdir -p ~/.ssh
ssh-keygen -q -t ed25519 -N s3cret -f ~/.ssh/id_ed25519
ssh-keygen -q -t ed25519 -N '' -f id_ed25519
# The agent ends with the terminal.
ssh-agent -D -a "$SSH_AUTH_SOCK" >/dev/null &
until [ -S "$SSH_AUTH_SOCK" ]; do sleep 0.01; done

RESTIC_PASSWORD=s3cret restic -q init -r "$PAGE_FOLDER/backup"
# PAGE
[ "$(ssh-add -l | wc -l)" = 2 ]
failed() { echo "$1"; exit 1; }
# asked CONDITION [TIMES]: fails unless at least TIMES requests meet the condition. The default is 1.
asked() {
    jq -es "[.[] | select($1)] | length >= ${2:-1}" "$PAGE_REQUESTS" >/dev/null \
        || failed "fewer than ${2:-1} requests meet $1: $(cat "$PAGE_REQUESTS")"
}

asked '.headers.Authorization == "Bearer tok3n"'
asked '.path == "/token" and .body == "grant_type=client_credentials&client_secret=a+%22b%22+%5Cc%09d%0Ae%26f%3Dg%25h"'
asked '.path == "/token" and (.body | startswith("grant_type=client_credentials&client_id=me&client_secret=a"))'
asked '.body == "{\n  \"token\": \"tok3n\"\n}\n"'
basic() { printf %s "alice:$1" | base64 -w 0; }
# One request with .netrc, and one with curl's configuration.
asked ".headers.Authorization == \"Basic $(basic 's3"c\ret')\"" 2
asked '.user == "alice" and .password == "s3cret"'
asked '.user == "alice" and .password == "pg:s3cret"'
[ "$(cat app.conf)" = password=d4tabase ] || failed 'wrong app.conf over ssh'

# Runs the crontab's job with the crontab's variables, as cron does.
job=$(sed -n 's/^30 2 \* \* \* //p' crontab)
mapfile -t variables < <(grep -E '^[A-Z_]+=' crontab)
env -i HOME="$HOME" PATH=/usr/bin:/bin "${variables[@]}" /bin/sh -c "$job" >/dev/null
restic -q -r "$PAGE_FOLDER/backup" --password-command 'skr get --scope user restic backup' snapshots --json \
    | jq -e 'length == 2' >/dev/null

# direnv selects the project's namespace, so skr finds the project's own secrets.
(
    direnv allow .
    eval "$(direnv export bash 2>/dev/null)"
    [ "$SKR_NAMESPACE" = my-project ]
    printf %s project | skr set api
    printf %s '{"password":"p"}' | skr set database alice
    [ "$(skr exec --env-file .env -- printenv TOKEN)" = project ]
)
[ "$(cat wl-copy.pasted xclip.pasted)" = tok3ntok3n ] || failed 'the secret to paste'

# The page's advice about curl's inputs, with a secret of quotes, blanks, backslashes and newlines.
printf 'X: {{ skr://web/bob }}' | skr inject -- curl -s -H @- https://example.com/ >/dev/null
asked '.headers.X == "a \"b\" \\c\td"'
printf %s '{{ skr://web/bob }}' | skr inject -- curl -s --data-binary @- https://example.com/binary >/dev/null
asked '.path == "/binary" and .body == "a \"b\" \\c\td\ne&f=g%h"'
printf %s 'x "y" \z ' | skr set header
printf 'X-Secret: {{ skr://header }}' | skr inject -- curl -s -H @- https://example.com/ >/dev/null
asked '.headers["X-Secret"] == "x \"y\" \\z "'
password=$(skr get web bob)
password=${password//\\/\\\\} password=${password//\"/\\\"} password=${password//$'\n'/\\n}
printf 'user = "alice:%s"\n' "$password" | curl -s -K - https://example.com/
asked ".headers.Authorization == \"Basic $(basic "$(skr get web bob)")\""

# A command that closes its inherited descriptors can't read a file from --file.
for command in 'sudo -n cat "$KEY"' 'python3 -c "import os, subprocess; subprocess.run([\"cat\", os.environ[\"KEY\"]], check=True)"' \
    '! /usr/bin/ssh -G -i "$KEY" host 2>&1 | grep "not accessible"'; do
    ! skr exec --file KEY=skr://tls -- sh -c "$command" >/dev/null 2>&1 || failed "$command can read the file"
done

# Another user can read the file as standard input, but can't open it.
skr exec --file KEY=skr://tls -- sh -c 'sudo -n -u nobody cat < "$KEY"' | openssl rsa -check -noout 2>/dev/null >&2
! skr exec --file KEY=skr://tls -- sh -c 'sudo -n -u nobody cat /dev/stdin < "$KEY"' 2>/dev/null || failed 'another user can open the file'
